"""Data that arrives from elsewhere: one file or folder per source, and the writer that they share."""
