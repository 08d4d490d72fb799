"""Rows that clients stream into tables: acknowledged in write-ahead files, committed now and then."""
