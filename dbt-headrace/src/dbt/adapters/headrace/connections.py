"""Connections of dbt's threads: a session each, on a lake that is opened once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from dbt.adapters.contracts.connection import AdapterResponse, Connection, ConnectionState
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.exceptions.connection import FailedToConnectError
from dbt.adapters.sql.connections import SQLConnectionManager
from dbt_common.exceptions import DbtDatabaseError

import headrace
from dbt.adapters.headrace.credentials import HeadraceCredentials
from headrace.connection import Connection as Session
from headrace.engine_missing import engine_imports
from headrace.errors import LakeError, NotFound, Refused
from headrace.model.quoting import quote_identifier

_NEEDS_RECREATION = "DROP DYNAMIC TABLE"
"""How the hint begins with which Headrace refuses a definition that cannot take the place of the old one."""

logger = AdapterLogger("Headrace")


class HeadraceConnectionManager(SQLConnectionManager):
    TYPE = "headrace"

    _kept: ClassVar[dict[Path, Session]] = {}
    _keeping: ClassVar[threading.Lock] = threading.Lock()

    @contextmanager
    def exception_handler(self, sql: str) -> Iterator[None]:
        try:
            yield
        except headrace.Error as error:
            raise DbtDatabaseError(_explained(error)) from error

    @classmethod
    def open(cls, connection: Connection) -> Connection:
        if connection.state == ConnectionState.OPEN:
            return connection
        try:
            connection.handle = cls._session(connection.credentials)
            connection.state = ConnectionState.OPEN
        except headrace.Error as error:
            connection.handle = None
            connection.state = ConnectionState.FAIL
            raise FailedToConnectError(str(error)) from error
        return connection

    @classmethod
    def _session(cls, credentials: HeadraceCredentials) -> Session:
        session = cls._connected(credentials)
        try:
            _go_to(session, credentials)
        except BaseException:
            session.close()
            raise
        return session

    @classmethod
    def _connected(cls, credentials: HeadraceCredentials) -> Session:
        if credentials.url:
            return headrace.connect(credentials.url, token=credentials.token)
        lake = Path(credentials.lake or "").absolute()
        _expect_lake(lake)
        with cls._keeping:
            if lake not in cls._kept:
                cls._kept[lake] = headrace.connect(lake)
        return headrace.connect(lake)

    def cleanup_all(self) -> None:
        """Sessions come and go with each node; Spark stays until the command has ended."""
        super().cleanup_all()
        with self._keeping:
            while self._kept:
                self._kept.popitem()[1].close()

    def cancel(self, connection: Connection) -> None:
        connection.handle.cancel()

    def add_query(self, sql: str, *arguments: Any, **options: Any) -> tuple[Connection, Any]:
        connection, cursor = super().add_query(sql, *arguments, **options)
        for notice in cursor.notices if cursor is not None else ():
            logger.info(notice)
        return connection, cursor

    def begin(self) -> None:
        """Each statement commits by itself."""

    def commit(self) -> None:
        """Each statement commits by itself."""

    def clear_transaction(self) -> None:
        """Each statement commits by itself."""

    @classmethod
    def get_response(cls, cursor: Any) -> AdapterResponse:
        return AdapterResponse(_message="OK")

    @classmethod
    def data_type_code_to_name(cls, type_code: int | str) -> str:
        return str(type_code)


def _expect_lake(path: Path) -> None:
    with engine_imports():
        from headrace.lake.directory import find_lake
    if find_lake(path) is None:
        raise LakeError(f"{path} is not a lake", hint=f"create one with headrace init {path}")


def _go_to(session: Session, credentials: HeadraceCredentials) -> None:
    """A schema that does not exist yet is made by dbt before it builds something."""
    if credentials.vcluster:
        session.run(f"USE VCLUSTER {quote_identifier(credentials.vcluster)}")
    workspace, schema = map(quote_identifier, (credentials.database, credentials.schema))
    session.run(f"USE {workspace}")
    with suppress(NotFound):
        session.run(f"USE {workspace}.{schema}")


def _explained(error: headrace.Error) -> str:
    if isinstance(error, Refused) and (error.hint or "").startswith(_NEEDS_RECREATION):
        return f"{error}\nwith dbt: --full-refresh drops and recreates it"
    return str(error)
