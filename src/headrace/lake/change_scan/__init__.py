"""The rows by which two versions of a table differ."""
