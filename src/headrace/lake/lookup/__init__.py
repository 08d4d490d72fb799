"""A few rows of large tables, found without a scan."""
