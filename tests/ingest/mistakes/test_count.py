"""How many there are, of each source."""

from __future__ import annotations

from tests.ingest.mistakes.databases import (
    MARIADB_OUTAGES,
    MARIADB_STOPS,
    POSTGRES_OUTAGES,
    POSTGRES_STOPS,
)
from tests.ingest.mistakes.files import FILE_MISTAKES
from tests.ingest.mistakes.kafka import KAFKA_MISTAKES
from tests.ingest.mistakes.streams import STREAM_MISTAKES


def test_there_are_enough() -> None:
    """Others, of statements that are wrong in themselves, are in tests/commands and test_sync_mistakes.py."""
    counted = {
        "files": len(FILE_MISTAKES),
        "kafka": len(KAFKA_MISTAKES),
        "postgres": len(POSTGRES_OUTAGES) + len(POSTGRES_STOPS),
        "mariadb": len(MARIADB_OUTAGES) + len(MARIADB_STOPS),
        "stream writers": len(STREAM_MISTAKES),
    }
    assert min(counted.values()) >= 10, counted
    assert sum(counted.values()) >= 75, counted
