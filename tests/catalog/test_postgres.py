"""PostgreSQL keeps the same contract as SQLite, is shared by processes, and fails in plain words."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from headrace.catalog import database_engine
from headrace.catalog.backends import open_backend
from headrace.catalog.database_engine import connect
from headrace.catalog.migrate import HEAD, upgrade
from headrace.catalog.migrations import REVISIONS
from headrace.catalog.schema import metadata
from headrace.catalog.store import MetadataStore
from headrace.errors import (
    DataError,
    Error,
    LakeDamaged,
    LakeTooNew,
    NotSupportedError,
    OperationalError,
)
from headrace.model.catalog_backend import CatalogBackend
from tests.postgres import PASSWORD, Postgres, running_postgres

from .backend_conformance import CatalogBackendContract, write
from .conformance import MetadataStoreContract
from .file_conformance import FileContract
from .operation_conformance import OperationsContract
from .operation_samples import job, task
from .position_conformance import PositionContract
from .samples import NOON, name, refresh, table


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    with running_postgres() as server:
        yield server


@pytest.fixture
def postgres(server: Postgres) -> Iterator[Postgres]:
    """Without the databases of other tests."""
    yield server
    server.drop_databases()


@pytest.fixture
def database(postgres: Postgres) -> str:
    return postgres.database()


@pytest.fixture
def url(postgres: Postgres, database: str) -> str:
    return postgres.url_of(database)


@pytest.fixture
def store(url: str) -> Iterator[MetadataStore]:
    store = MetadataStore.open(url)
    yield store
    store.close()


class TestPostgres(MetadataStoreContract, OperationsContract, FileContract, PositionContract):
    """The fixture is this module's."""


class TestCatalogBackend(CatalogBackendContract):
    @pytest.fixture
    def catalog_url(self, url: str) -> str:
        """Iceberg's catalog and the metadata may share a database."""
        return url

    def test_a_catalog_that_is_gone(
        self, postgres: Postgres, database: str, catalog_url: str, heads: CatalogBackend
    ) -> None:
        assert heads.location(name("t"), "TABLE") is None
        assert postgres.disconnect_all(database) >= 1
        assert heads.location(name("t"), "TABLE") is None
        heads.locations()
        write(catalog_url, "DROP TABLE iceberg_tables")
        with pytest.raises(LakeDamaged, match="iceberg_tables"):
            heads.locations()

    @pytest.mark.parametrize(
        ("url", "expected"),
        [
            (
                "postgresql://ann:p%40ss@db:5433/lake",
                {"uri": "jdbc:postgresql://db:5433/lake", "jdbc.user": "ann", "jdbc.password": "p@ss"},
            ),
            ("postgresql:///lake", {"uri": "jdbc:postgresql://localhost/lake"}),
        ],
    )
    def test_how_the_jvm_reaches_it(self, url: str, expected: dict[str, str]) -> None:
        backend = open_backend(url)
        assert backend.spark_properties == {"type": "jdbc", "jdbc.schema-version": "V1"} | expected
        backend.close()


def open_and_close(url: str) -> None:
    MetadataStore.open(url).close()


def run(url: str, statement: str) -> None:
    made = connect(url)
    with made.begin() as connection:
        connection.exec_driver_sql(statement)
    made.dispose()


def layout(url: str) -> list[tuple[str, ...]]:
    made = connect(url)
    with made.connect() as connection:
        columns = connection.exec_driver_sql(
            "SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns "
            "WHERE table_schema = 'public' ORDER BY 1, 2"
        ).all()
        indexes = connection.exec_driver_sql(
            "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2"
        ).all()
    made.dispose()
    return [tuple(row) for row in [*columns, *indexes]]


class TestMigrations:
    def test_the_newest_revision_is_the_declared_schema(self, url: str) -> None:
        made = connect(url)
        with made.connect() as connection:
            context = MigrationContext.configure(connection, opts={"compare_type": True})
            assert compare_metadata(context, metadata) == []
        made.dispose()

    @pytest.mark.parametrize("revision", REVISIONS)
    def test_an_older_database_becomes_like_a_fresh_one(self, postgres: Postgres, revision: str) -> None:
        old, fresh = (postgres.url_of(postgres.empty_database()) for _ in range(2))
        made = connect(old)
        with made.begin() as connection:
            upgrade(connection, revision)
        made.dispose()
        open_and_close(old)
        open_and_close(fresh)
        assert layout(old) == layout(fresh) != []

    def test_tables_of_others_are_left_alone(self, postgres: Postgres) -> None:
        url = postgres.url_of(postgres.empty_database())
        run(url, "CREATE TABLE iceberg_tables (x int)")
        open_and_close(url)
        assert ("iceberg_tables", "x", "integer", "YES") in layout(url)

    def test_four_servers_that_start_at_once_migrate_once(self, postgres: Postgres) -> None:
        url = postgres.url_of(postgres.empty_database())
        with ThreadPoolExecutor(4) as pool:
            stores = list(pool.map(MetadataStore.open, [url] * 4))
        assert all(len(store.vclusters.all()) == 2 for store in stores)
        for store in stores:
            store.close()

    def test_processes_that_start_at_once_migrate_once(self, postgres: Postgres) -> None:
        url = postgres.url_of(postgres.empty_database())
        code = (
            "import sys; from headrace.catalog.store import MetadataStore;"
            "MetadataStore.open(sys.argv[1]).close()"
        )
        started = [subprocess.Popen([sys.executable, "-c", code, url]) for _ in range(3)]
        assert [each.wait() for each in started] == [0, 0, 0]

    def test_an_unknown_revision_is_too_new(self, url: str) -> None:
        run(url, "UPDATE alembic_version SET version_num = '9999'")
        with pytest.raises(LakeTooNew, match="revision 9999"):
            open_and_close(url)

    @pytest.mark.parametrize("missing", [*metadata.tables, "alembic_version"])
    def test_a_missing_table(self, url: str, missing: str) -> None:
        run(url, f"DROP TABLE {missing} CASCADE")
        with pytest.raises(LakeDamaged, match=missing):
            open_and_close(url)

    def test_a_missing_column(self, url: str) -> None:
        run(url, "ALTER TABLE refreshes DROP COLUMN rows_read")
        with pytest.raises(LakeDamaged, match="rows_read"):
            open_and_close(url)

    def test_a_migration_that_fails_leaves_the_database_as_it_was(self, postgres: Postgres) -> None:
        url = postgres.url_of(postgres.empty_database())
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("headrace.catalog.migrate._check_tables", fail)
            with pytest.raises(LakeDamaged):
                open_and_close(url)
        assert layout(url) == []
        open_and_close(url)

    def test_the_head_is_the_newest(self) -> None:
        assert REVISIONS[-1] == HEAD


def fail(_: object) -> None:
    raise LakeDamaged("not this time")


def test_a_lease_of_a_killed_holder_is_taken_over(url: str, store: MetadataStore) -> None:
    holder = MetadataStore.open(url)
    assert holder.leases.take("scheduler", "dead", NOON, 30)
    holder.close()
    assert not store.leases.take("scheduler", "next", NOON.replace(second=29), 30)
    assert store.leases.take("scheduler", "next", NOON.replace(second=31), 30)


def test_two_stores_record_the_same_rows(url: str, store: MetadataStore) -> None:
    other = MetadataStore.open(url)

    def work(writer: MetadataStore) -> None:
        for step in range(40):
            writer.refreshes.record(refresh(str(step), minute=step))
            writer.jobs.record(job(str(step), minute=step))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, [store, other]))
    assert len(store.refreshes.history()) == len(store.jobs.history()) == 40
    other.close()


def test_sessions_are_set_up(store: MetadataStore) -> None:
    with store._transactions._reads.connect() as connection:
        names = ("TimeZone", "lock_timeout", "statement_timeout", "application_name", "synchronous_commit")
        found = [connection.exec_driver_sql(f"SHOW {name}").scalar() for name in names]
    assert found == ["UTC", "30s", "1min", "headrace", "on"]


def test_connections_that_the_server_closed_are_replaced(
    postgres: Postgres, database: str, store: MetadataStore
) -> None:
    store.refreshes.record(refresh("a"))
    for job_id in ("b", "c"):
        assert postgres.disconnect_all(database) >= 1
        store.refreshes.record(refresh(job_id))
    assert postgres.disconnect_all(database) >= 1
    assert len(store.refreshes.history()) == 3


def assert_plain(error: Error, said: str) -> None:
    assert said in error.message
    assert "\n" not in error.message
    assert error.hint
    assert len(error.hint) < 130
    shown = "".join(traceback.format_exception(error))
    for secret in (PASSWORD, "INSERT INTO", "sqlalche.me"):
        assert secret not in shown


def refusal(url: str) -> OperationalError:
    with pytest.raises(OperationalError) as caught:
        MetadataStore.open(url)
    return caught.value


def test_a_connection_that_is_closed_half_way(
    postgres: Postgres, database: str, store: MetadataStore
) -> None:
    with pytest.raises(OperationalError) as caught, store._transactions.write() as connection:
        connection.exec_driver_sql("SELECT 1")
        postgres.disconnect_all(database)
        connection.exec_driver_sql("SELECT 2")
    assert_plain(caught.value, "closed the connection")
    store.refreshes.record(refresh("a"))


def test_a_server_that_is_down() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    assert_plain(refusal(f"postgresql://ann:Tr0ub4dor%263@127.0.0.1:{port}/lake"), "cannot be reached")
    assert_plain(refusal("postgresql://ann:Tr0ub4dor%263@host.invalid/lake"), "cannot be reached")


def test_a_server_that_never_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_engine, "CONNECT_SECONDS", 2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql://ann:Tr0ub4dor%263@127.0.0.1:{silent.getsockname()[1]}/lake"
        assert_plain(refusal(url), "cannot be reached")


def test_a_database_that_is_missing(postgres: Postgres) -> None:
    assert_plain(refusal(postgres.url_of("nowhere")), "does not exist on its server")


def test_a_user_that_is_missing(postgres: Postgres, database: str) -> None:
    assert_plain(refusal(postgres.url_of(database, "nobody")), "refuses this user or its password")


def test_a_wrong_password(postgres: Postgres, database: str) -> None:
    postgres.let_in_by_password("ann")
    for user in ("ann:wrong", "ann"):
        assert_plain(refusal(postgres.url_of(database, user)), "refuses this user or its password")
    right = "ann:" + PASSWORD.replace("&", "%26")
    assert_plain(refusal(postgres.url_of(database, right)), "permission denied in the metadata database")
    postgres.run(f"GRANT pg_read_all_data, pg_write_all_data TO ann; ALTER DATABASE {database} OWNER TO ann")
    open_and_close(postgres.url_of(database, right))


@pytest.mark.parametrize(
    "url", ["postgresql://ann:p@h:Tr0ub4dor&3/db", "postgresql:/ann:Tr0ub4dor&3@h/db", "://Tr0ub4dor&3"]
)
def test_a_url_that_cannot_be_read_is_not_repeated(url: str) -> None:
    assert_plain(refusal(url), "the URL of the metadata database is not valid")


def test_an_unknown_option_in_the_url(postgres: Postgres, database: str) -> None:
    error = refusal(postgres.url_of(database) + "&colour=blue")
    assert error.message == 'the metadata database cannot be used: invalid connection option "colour"'


def test_another_kind_of_database() -> None:
    with pytest.raises(NotSupportedError, match="mysql is not supported as the metadata database"):
        MetadataStore.open("mysql://ann:Tr0ub4dor%263@h/db")


def test_a_lock_that_is_not_released(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_engine, "BUSY_SECONDS", 1)
    store = MetadataStore.open(url)
    store.tasks.create(task("a"))
    holder = connect(url)
    with holder.begin() as connection:
        connection.exec_driver_sql("LOCK TABLE tasks")
        with pytest.raises(OperationalError) as caught:
            store.tasks.alter(task("a", comment="c"))
        assert_plain(caught.value, "locked by another statement")
    store.tasks.alter(task("a", comment="c"))
    holder.dispose()
    store.close()


def test_a_statement_that_takes_too_long(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_engine, "STATEMENT_SECONDS", 1)
    store = MetadataStore.open(url)
    with pytest.raises(OperationalError) as caught, store._transactions.write() as connection:
        connection.exec_driver_sql("SELECT pg_sleep(30)")
    assert_plain(caught.value, "did not answer in time")
    store.close()


def test_two_that_wait_for_each_other(url: str) -> None:
    store = MetadataStore.open(url)
    for each in ("a", "b"):
        store.tasks.create(task(each))
    both, failures = threading.Barrier(2), []

    def work(first: str, second: str) -> None:
        try:
            with store._transactions.write() as connection:
                connection.exec_driver_sql(f"UPDATE tasks SET comment = 'c' WHERE name = '{first}'")
                both.wait(timeout=20)
                connection.exec_driver_sql(f"UPDATE tasks SET comment = 'c' WHERE name = '{second}'")
        except OperationalError as error:
            failures.append(error)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, "ab", "ba"))
    (failed,) = failures
    assert_plain(failed, "changed the metadata database at the same time")
    store.close()


def test_a_server_that_only_reads(postgres: Postgres, database: str) -> None:
    postgres.run(f"ALTER DATABASE {database} SET default_transaction_read_only = on")
    store = MetadataStore.open(postgres.url_of(database))
    with pytest.raises(OperationalError) as caught:
        store.jobs.record(job("j"))
    assert_plain(caught.value, "read-only")
    assert store.jobs.history() == []
    store.close()


def test_too_many_connections(postgres: Postgres, database: str) -> None:
    postgres.run("CREATE ROLE crowd LOGIN CONNECTION LIMIT 0")
    assert_plain(refusal(postgres.url_of(database, "crowd")), "accepts no more connections")


def test_a_user_that_may_not_connect(postgres: Postgres, database: str) -> None:
    postgres.run("CREATE ROLE stranger LOGIN")
    postgres.run(f"REVOKE CONNECT ON DATABASE {database} FROM public")
    assert_plain(refusal(postgres.url_of(database, "stranger")), "permission denied in the metadata database")


def test_a_nul_character(store: MetadataStore) -> None:
    with pytest.raises(DataError, match="NUL"):
        store.tasks.create(task("a", body="\0"))
    assert store.tasks.all() == []


@pytest.mark.parametrize("change", ["mode = 'SIDEWAYS'", "sources = '[{}]'"])
def test_a_row_that_makes_no_sense(url: str, store: MetadataStore, change: str) -> None:
    store.lifecycle.begin_create(table("a"))
    store.lifecycle.finish_create("a")
    run(url, f"UPDATE dynamic_tables SET {change}")
    with pytest.raises(LakeDamaged, match="a row of dynamic_tables is unreadable"):
        store.definitions.all()


def test_moments_do_not_depend_on_the_servers_zone(postgres: Postgres, database: str) -> None:
    postgres.run(f"ALTER DATABASE {database} SET timezone = 'Asia/Kolkata'")
    store = MetadataStore.open(postgres.url_of(database))
    store.jobs.record(job("j"))
    (found,) = store.jobs.history()
    assert found == job("j")
    assert found.submitted_at.tzinfo is UTC
    assert found.submitted_at < datetime.now(UTC)
    store.close()
