"""Files in a directory or below an S3 prefix."""
