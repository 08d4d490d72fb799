"""MySQL and MariaDB as a source of changes: their binary log, read as a replica reads it."""
