from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from headrace.catalog.database_engine import sqlite_url
from headrace.catalog.store import MetadataStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database file's path with characters that a URL must not trip over."""
    directory = tmp_path / "my lake? 100%20 'ü'#1"
    directory.mkdir()
    return directory / "metadata.db"


@pytest.fixture
def url(path: Path) -> str:
    return sqlite_url(path)


@pytest.fixture
def store(url: str) -> Iterator[MetadataStore]:
    store = MetadataStore.open(url)
    yield store
    store.close()
