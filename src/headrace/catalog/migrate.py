"""Brings a database to the newest revision; only an older one requires Alembic."""

from __future__ import annotations

from pathlib import Path
from threading import Lock

from sqlalchemy import Connection, Engine, func, inspect, select, text

from headrace.catalog.create_tables import VERSION_TABLE, create_tables
from headrace.catalog.database_engine import connect, is_truncated, use_write_ahead_log, writing
from headrace.catalog.database_errors import damaged, database_errors
from headrace.catalog.migrations import REVISIONS
from headrace.catalog.schema import metadata
from headrace.errors import LakeTooNew
from headrace.model.clock import system_clock

HEAD = REVISIONS[-1]
_MIGRATING = 0x68656164
"""Key of the lock that a server which migrates a PostgreSQL database holds."""

_alembic = Lock()
"""Alembic keeps the running environment in a global."""


def migrate_database(engine: Engine) -> None:
    """Creates, migrates or just checks; a database it cannot serve is left as it was."""
    if is_truncated(engine):
        raise damaged("the end of the file is missing")
    with engine.connect() as connection:
        found = _revision(connection)
        if found == HEAD:
            _check_tables(connection)
    if found is not None and found not in REVISIONS:
        raise _too_new(found)
    use_write_ahead_log(engine)
    if found != HEAD:
        with writing(engine).begin() as connection:
            _exclude_other_migrations(connection)
            if _revision(connection) is None:
                create_tables(connection, HEAD, system_clock())
            else:
                upgrade(connection, HEAD)
            _check_tables(connection)


def pending_revisions(url: str) -> int:
    """How many the database still lacks; it is not changed."""
    with database_errors():
        engine = connect(url)
        try:
            with engine.connect() as connection:
                found = _revision(connection)
        finally:
            engine.dispose()
    if found is not None and found not in REVISIONS:
        raise _too_new(found)
    return len(REVISIONS) - (REVISIONS.index(found) + 1 if found else 0)


def _too_new(found: str) -> LakeTooNew:
    return LakeTooNew(
        f"a newer Headrace wrote the metadata database (revision {found}, this version knows {HEAD})",
        hint="upgrade Headrace: pip install --upgrade headrace",
    )


def _exclude_other_migrations(connection: Connection) -> None:
    """Until the transaction ends; SQLite's write lock does as much."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(_MIGRATING)))


def upgrade(connection: Connection, revision: str) -> None:
    """Runs the missing revisions inside the caller's transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    config.attributes["connection"] = connection
    with _alembic:
        command.upgrade(config, revision)


def _revision(connection: Connection) -> str | None:
    """None when the database holds nothing of Headrace's."""
    present = set(inspect(connection).get_table_names())
    if VERSION_TABLE in present:
        revisions = connection.scalars(text(f"SELECT version_num FROM {VERSION_TABLE}")).all()
        if len(revisions) != 1:
            raise damaged(f"{VERSION_TABLE} holds {len(revisions)} revisions instead of one")
        return str(revisions[0])
    if present & metadata.tables.keys():
        raise damaged(f"table {VERSION_TABLE} is missing")
    return None


def _check_tables(connection: Connection) -> None:
    for table in metadata.tables.values():
        connection.execute(select(table).limit(0))
