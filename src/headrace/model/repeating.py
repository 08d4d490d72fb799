"""What looks again and again, in a thread of its own."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod

from headrace.errors import Error


class Repeating(ABC):
    def __init__(self, name: str, look_seconds: float) -> None:
        self._name = name
        self._look_seconds = look_seconds
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self.trouble: str | None = None
        """Why the last look failed."""

    @abstractmethod
    def look(self) -> None: ...

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, daemon=True, name=self._name)
        self._thread.start()

    def stop_looking(self, *, join: bool = True) -> None:
        """Waits for a look that is going on, unless it may take long."""
        self._stopping.set()
        if join and self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(self._look_seconds):
            try:
                self.look()
                self.trouble = None
            except Error as error:
                self._in_trouble(error)

    def _in_trouble(self, error: Error) -> None:
        self.trouble = error.message
