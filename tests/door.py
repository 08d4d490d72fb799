"""A TCP port in front of a Unix socket: for clients that know no other way, and to cut their connections."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

from tests.postgres import Postgres


class Door:
    def __init__(self, path: str) -> None:
        self._path = path
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._last_words: bytes | None = None
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self._listening.getsockname()[1])

    def slam(self) -> int:
        """Cuts all connections; how many there were. New ones are let in."""
        with self._lock:
            cut, self._open = self._open, set()
        for side in cut:
            _close(side)
        return len(cut) // 2

    def keep_the_answer_to(self, words: bytes) -> None:
        """The next that says so is heard inside, and its connection is cut before an answer comes out."""
        self._last_words = words

    @property
    def has_kept_it(self) -> bool:
        return self._last_words is None

    def close(self) -> None:
        _close(self._listening)
        self.slam()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                outside, _ = self._listening.accept()
                inside = socket.socket(socket.AF_UNIX)
                try:
                    inside.connect(self._path)
                except OSError:
                    _close(outside)
                    continue
                with self._lock:
                    self._open |= {outside, inside}
                for here, there in ((outside, inside), (inside, outside)):
                    threading.Thread(target=self._carry, args=(here, there), daemon=True).start()

    def _carry(self, here: socket.socket, there: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := here.recv(65536):
                if self._last_words is not None and self._last_words in data:
                    self._last_words = None
                    _close(here)
                there.sendall(data)
        for side in (here, there):
            _close(side)
        with self._lock:
            self._open -= {here, there}


@contextlib.contextmanager
def door_to(postgres: Postgres) -> Iterator[tuple[Door, str]]:
    """With the URL of an empty database behind it."""
    (directory,) = parse_qs(urlsplit(postgres.url).query)["host"]
    door = Door(f"{directory}/.s.PGSQL.5432")
    try:
        yield door, f"postgresql://postgres@127.0.0.1:{door.port}/{postgres.empty_database()}"
    finally:
        door.close()


def _close(side: socket.socket) -> None:
    with contextlib.suppress(OSError):
        side.shutdown(socket.SHUT_RDWR)
    side.close()
