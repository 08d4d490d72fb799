"""A real MariaDB whose log has the changes of rows, as a source of syncs."""

from __future__ import annotations

import itertools
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pymysql
import pytest
from pymysql.constants import CLIENT

from headrace.connection import Connection
from tests.internals import store_secret

PASSWORD = "Tr0ub4dor&3"  # noqa: S105  (of a user who lives as long as the tests)
MISSING = "mariadbd is not installed; scripts/mariadb installs it"
GRANTS = "REPLICATION SLAVE, REPLICATION CLIENT, SELECT, LOCK TABLES"
_START_SECONDS = 120


@dataclass
class MariadbServer:
    port: int
    command: Sequence[str]
    log: Path
    _process: subprocess.Popen[bytes] | None = None
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def start(self) -> None:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(self.command, stdout=log, stderr=log)
        until = time.monotonic() + _START_SECONDS
        while time.monotonic() < until and self._process.poll() is None:
            try:
                self.run("SELECT 1")
            except pymysql.OperationalError:
                time.sleep(0.05)
            else:
                return
        raise RuntimeError(f"MariaDB did not start: {self.log.read_text()[-1000:]}")

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def connect(self, database: str | None = None) -> Any:
        return pymysql.connect(
            host="127.0.0.1",
            port=self.port,
            user="root",
            database=database,
            charset="utf8mb4",
            autocommit=True,
            client_flag=CLIENT.MULTI_STATEMENTS,
        )

    def run(self, statements: str, database: str | None = None) -> list[tuple[Any, ...]]:
        """The rows of the last of them."""
        with closing(self.connect(database)) as connection, connection.cursor() as cursor:
            cursor.execute(statements)
            found = cursor.fetchall()
            while cursor.nextset():
                found = cursor.fetchall()
            return list(found)

    def database(self) -> MariadbSource:
        name = f"shop_{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
        return MariadbSource(self, name)


@dataclass
class MariadbSource:
    """A database of the server, and the statements of a lake that name it."""

    server: MariadbServer
    name: str
    type: str = "MYSQL"

    @property
    def schema(self) -> str:
        return self.name

    @property
    def address(self) -> str:
        return f"HOST = '127.0.0.1' PORT = {self.server.port} DATABASE = '{self.name}'"

    def run(self, statements: str) -> list[tuple[Any, ...]]:
        return self.server.run(statements, self.name)

    def connect(self) -> Any:
        return closing(self.server.connect(self.name))

    def kept(self) -> Sequence[str]:
        """What the server keeps for syncs."""
        return []

    def identify_by_row(self, table: str) -> None:
        """The log has whole rows."""

    def connect_lake(self, lake: Connection, user: str = "reader") -> str:
        """The name of the connection."""
        name = f"my_{self.name}_{user}"
        store_secret(lake, name, PASSWORD)
        lake.sql(
            f"CREATE CONNECTION {name} TYPE = MYSQL {self.address} USER = '{user}'"
            f" PASSWORD = secret('{name}')"
        )
        return name

    def drop(self) -> None:
        self.server.run(f"DROP DATABASE {self.name}")


@contextmanager
def running_mariadb(*options: str) -> Iterator[MariadbServer]:
    found, install = shutil.which("mariadbd"), shutil.which("mariadb-install-db")
    if found is None or install is None:
        pytest.skip(MISSING)
    with tempfile.TemporaryDirectory(prefix="mariadb") as directory:
        data, user = f"--datadir={directory}/data", f"--user={_user()}"
        made = ("--no-defaults", data, user, "--skip-name-resolve", "--innodb-log-file-size=8M")
        subprocess.run(
            [install, *made, "--auth-root-authentication-method=normal", "--skip-test-db"],
            check=True,
            capture_output=True,
        )
        port = _free_port()
        command = [
            *(found, *made, "--bind-address=127.0.0.1", f"--port={port}", f"--socket={directory}/socket"),
            *("--server-id=1", "--log-bin=binlog", "--binlog-format=ROW", "--binlog-row-metadata=FULL"),
            *("--sync-binlog=0", "--innodb-flush-log-at-trx-commit=2", "--innodb-buffer-pool-size=32M"),
            *options,
        ]
        server = MariadbServer(port, command, Path(directory) / "log")
        try:
            server.start()
            for name in ("reader", "limited"):
                server.run(f"CREATE USER {name}@'%' IDENTIFIED BY '{PASSWORD}'")
            server.run(f"GRANT {GRANTS} ON *.* TO reader@'%'; GRANT SELECT ON *.* TO limited@'%'")
            yield server
        finally:
            server.kill()


def _user() -> str:
    return "root" if os.getuid() == 0 else os.environ.get("USER", "mysql")


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
