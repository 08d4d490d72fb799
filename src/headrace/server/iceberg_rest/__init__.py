"""Iceberg's REST catalog, by which other engines read the lake and write its base tables."""
