"""Files of rows that are acknowledged and not yet in their Iceberg table."""
