"""PostgreSQL as a source of changes: a logical replication slot, read through pgoutput."""
