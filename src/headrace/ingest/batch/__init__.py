"""Tables of databases that are read again and again, and written as the difference."""
