"""Iceberg tables: metadata, versions, retention, files."""
