"""Files of rows on their way into tables."""

from __future__ import annotations

import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_STAGED_SECONDS = 86_400
"""After which files that a process has left behind are removed."""


@contextmanager
def staging(parent: Path) -> Iterator[Path]:
    """A directory for this run; what runs that were killed have left is removed after a day."""
    parent.mkdir(exist_ok=True)
    for left in parent.iterdir():
        with suppress(FileNotFoundError):  # another run has ended
            if time.time() - left.stat().st_mtime > _STAGED_SECONDS:
                shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink()
    own = parent / uuid.uuid4().hex
    own.mkdir()
    try:
        yield own
    finally:
        shutil.rmtree(own, ignore_errors=True)
