"""The metadata store: definitions, history, what runs. The Iceberg tables stay the truth about data."""
