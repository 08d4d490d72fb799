"""A webhook and a mail server that keep what they are told."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Webhook(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.kept.append(json.loads(body))  # type: ignore[attr-defined]
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002  (the name is the base class's)
        """Tests are quiet."""


class Mailbox(socketserver.StreamRequestHandler):
    """As much SMTP as one mail needs."""

    def handle(self) -> None:
        self._say("220 here")
        while line := self.rfile.readline().decode().strip():
            match line.split()[0].upper():
                case "DATA":
                    self._say("354 go on")
                    self._keep()
                    self._say("250 kept")
                case "QUIT":
                    self._say("221 bye")
                    return
                case _:
                    self._say("250 fine")

    def _keep(self) -> None:
        lines: list[bytes] = []
        while (line := self.rfile.readline()) != b".\r\n":
            lines.append(line)
        self.server.kept.append(b"".join(lines))  # type: ignore[attr-defined]

    def _say(self, words: str) -> None:
        self.wfile.write(f"{words}\r\n".encode())


@contextmanager
def serving(server: Any) -> Iterator[tuple[int, list[Any]]]:
    """The port, and what came there."""
    server.kept = []
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1], server.kept
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def webhook() -> Any:
    return serving(ThreadingHTTPServer(("127.0.0.1", 0), Webhook))


def mailbox() -> Any:
    return serving(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Mailbox))
