"""Changes of databases: what a sync reads, how it is put together, and how it comes into tables."""
