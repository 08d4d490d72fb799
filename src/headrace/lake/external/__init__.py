"""What Spark reads that is no part of the lake: files by name, topics of Kafka."""
