"""Where the server's log goes: to stderr, and to ``server.log`` in the logs of the lake, which is rotated."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path

from headrace.server.log_format import LogFormat, formatter

FILE = "server.log"
_FILE_BYTES = 10 * 2**20
_OLD_FILES = 5


class _ToStderr(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        with suppress(OSError, ValueError):  # nobody reads it any more; the file has it
            print(self.format(record), file=sys.stderr, flush=True)  # noqa: T201


class _ToFile(RotatingFileHandler):
    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  (the name is the library's)
        """Without the record, whose arguments nobody has cleaned."""
        with suppress(OSError, ValueError):
            print(f"{self.baseFilename} cannot be written: {sys.exc_info()[1]}", file=sys.stderr)  # noqa: T201


@contextmanager
def logging_to(directory: Path, wanted: LogFormat) -> Iterator[None]:
    """Everything that this process logs; of other libraries warnings and errors alone."""
    directory.mkdir(parents=True, exist_ok=True)
    file = _ToFile(
        directory / FILE, maxBytes=_FILE_BYTES, backupCount=_OLD_FILES, encoding="utf-8", delay=True
    )
    handlers: list[logging.Handler] = [_ToStderr(), file]
    root, own = logging.getLogger(), logging.getLogger("headrace")
    _let_through("uvicorn", "uvicorn.error")
    level_before = own.level
    own.setLevel(logging.INFO)
    for handler in handlers:
        handler.setFormatter(formatter(wanted))
        root.addHandler(handler)
    try:
        yield
    finally:
        own.setLevel(level_before)
        for handler in handlers:
            root.removeHandler(handler)
            handler.close()


def _let_through(*names: str) -> None:
    """Uvicorn's settings, once made in a process, keep its lines to handlers and a level of their own."""
    for name in names:
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.setLevel(logging.WARNING)
        logger.propagate = True
