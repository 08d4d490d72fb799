"""What a run says, up to a limit: its beginning and its end."""

from __future__ import annotations

import threading

HEAD = 16_000
TAIL = 48_000


class RunLog:
    """Any thread may write."""

    def __init__(self, secrets: tuple[str, ...] = (), head: int = HEAD, tail: int = TAIL) -> None:
        """``secrets`` are never in the text."""
        self._secrets = secrets
        self._head_size = head
        self._tail_size = tail
        self._head = ""
        self._tail = ""
        self._left_out = 0
        self._lock = threading.Lock()

    def write(self, text: str) -> None:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        with self._lock:
            room = max(0, self._head_size - len(self._head))
            self._head += text[:room]
            tail = self._tail + text[room:]
            gone = max(0, len(tail) - self._tail_size)
            self._left_out += gone
            self._tail = tail[gone:]

    @property
    def text(self) -> str:
        with self._lock:
            between = f"\n... {self._left_out} characters are left out ...\n" if self._left_out else ""
            return self._head + between + self._tail
