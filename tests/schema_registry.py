"""A schema registry of the tests: Confluent's protocol, as far as readers use it."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class SchemaRegistry(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.address = f"127.0.0.1:{self.server_address[1]}"
        self.url = f"http://{self.address}"
        self.schemas: dict[int, dict[str, Any]] = {}
        self.requests: list[str] = []
        self.login: tuple[str, str] | None = None
        self.answer: tuple[int, dict[str, str], bytes] | None = None
        """Instead of schemas."""

    def register(self, number: int, schema: Any, **more: Any) -> None:
        self.schemas[number] = {"schema": json.dumps(schema), **more}


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        registry = self.server
        assert isinstance(registry, SchemaRegistry)
        registry.requests.append(self.path)
        if registry.answer is not None:
            self._answer(*registry.answer)
        elif not self._may(registry.login):
            self._answer(401, {}, b'{"error_code": 401, "message": "Unauthorized"}')
        else:
            found = registry.schemas.get(int(self.path.rpartition("/")[2]))
            missing = {"error_code": 40403, "message": "Schema not found"}
            self._answer(200 if found else 404, {}, json.dumps(found or missing).encode())

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002  (the name is the base class's)
        """Tests are quiet."""

    def _may(self, login: tuple[str, str] | None) -> bool:
        expected = login and "Basic " + base64.b64encode(":".join(login).encode()).decode()
        return self.headers["Authorization"] == expected

    def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def running_registry() -> Iterator[SchemaRegistry]:
    with SchemaRegistry() as registry:
        thread = threading.Thread(target=registry.serve_forever, daemon=True)
        thread.start()
        try:
            yield registry
        finally:
            registry.shutdown()
            thread.join()
