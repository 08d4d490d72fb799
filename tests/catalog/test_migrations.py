"""Opening: an empty database, an old one, a newer one, a broken one."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

import headrace.catalog
from headrace.catalog.database_engine import connect, sqlite_url, writing
from headrace.catalog.migrate import HEAD, upgrade
from headrace.catalog.migrations import REVISIONS
from headrace.catalog.schema import metadata
from headrace.catalog.store import MetadataStore
from headrace.errors import LakeDamaged, LakeTooNew

from .samples import name, refresh, table

SCRIPTS = Path(headrace.catalog.__file__).parent / "migrations"


def run(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def layout(path: Path) -> list[tuple[str, ...]]:
    connection = sqlite3.connect(path)
    found = connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"
    ).fetchall()
    connection.close()
    return found


def structure(path: Path) -> dict[str, list[object]]:
    """Of each table, whatever the statements were that led to it."""
    connection = sqlite3.connect(path)
    found: dict[str, list[object]] = {}
    for kind, entry, of_table, _ in layout(path):
        if kind == "index":
            columns = connection.execute("SELECT seqno, name FROM pragma_index_info(?)", [entry]).fetchall()
            found[entry] = [of_table, *columns]
            continue
        for pragma, wanted in PRAGMAS.items():
            rows = connection.execute(f"SELECT {wanted} FROM pragma_{pragma}(?)", [entry]).fetchall()
            found[f"{entry} {pragma}"] = sorted(rows, key=repr)
    connection.close()
    return found


PRAGMAS = {
    "table_info": 'name, type, "notnull", dflt_value, pk',
    "index_list": 'name, "unique", origin, partial',
    "foreign_key_list": '"table", "from", "to", on_update, on_delete',
}


def made_by(revision: str, path: Path) -> Path:
    engine = connect(sqlite_url(path))
    with writing(engine).begin() as connection:
        upgrade(connection, revision)
    engine.dispose()
    return path


def open_and_close(path: Path) -> None:
    MetadataStore.open(sqlite_url(path)).close()


def assert_refused(path: Path, kind: type[Exception], said: str) -> None:
    """Refused twice in the same words, and not a byte of the file differs."""
    before = path.read_bytes()
    for _ in range(2):
        with pytest.raises(kind, match=said):
            open_and_close(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_the_revisions_are_those_of_the_scripts() -> None:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    scripts = ScriptDirectory.from_config(config)
    assert [each.revision for each in scripts.walk_revisions()][::-1] == list(REVISIONS)


def test_the_newest_revision_is_the_declared_schema(path: Path) -> None:
    engine = connect(sqlite_url(made_by(HEAD, path)))
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_an_empty_file_is_an_empty_database(path: Path) -> None:
    path.touch()
    open_and_close(path)
    assert {each[1] for each in layout(path)} >= {*metadata.tables, "alembic_version"}


def test_tables_of_others_are_left_alone(path: Path) -> None:
    run(path, "CREATE TABLE iceberg_tables (x)", "INSERT INTO iceberg_tables VALUES (1)")
    open_and_close(path)
    assert ("table", "iceberg_tables") in {each[:2] for each in layout(path)}


@pytest.mark.parametrize("revision", REVISIONS)
def test_an_older_database_becomes_like_a_fresh_one(tmp_path: Path, revision: str) -> None:
    fresh, old = tmp_path / "fresh.db", made_by(revision, tmp_path / "old.db")
    open_and_close(fresh)
    open_and_close(old)
    assert structure(old) == structure(fresh)


def test_tables_of_an_older_database_are_not_suspended(path: Path) -> None:
    columns = {
        column.name: "'[]'" for column in metadata.tables["dynamic_tables"].columns if not column.nullable
    }
    columns |= {"lifecycle": "'active'", "mode": "'AUTO'", "properties": "'{}'", "uses_current_date": "0"}
    columns |= {"created_at": "'2024-06-01 12:00:00'", "modified_at": "'2024-06-01 12:00:00'"}
    del columns["suspended"]
    listed = ", ".join(f'"{name}"' for name in columns)
    made = made_by("0002", path)
    run(made, f"INSERT INTO dynamic_tables ({listed}) VALUES ({', '.join(columns.values())})")
    store = MetadataStore.open(sqlite_url(made))
    (found,) = store.definitions.all()
    assert not found.suspended
    assert store.lifecycle.altering() == []
    store.close()


def test_an_older_database_gets_the_clusters_that_always_exist(path: Path) -> None:
    store = MetadataStore.open(sqlite_url(made_by("0004", path)))
    assert [each.name for each in store.vclusters.all()] == ["default", "default_ap"]
    fresh = MetadataStore.open(sqlite_url(path.with_name("fresh.db")))
    moment = datetime(2024, 6, 1, tzinfo=UTC)
    old, new = (
        [replace(each, created_at=moment, modified_at=moment) for each in every.vclusters.all()]
        for every in (store, fresh)
    )
    assert old == new
    fresh.close()
    store.close()


def test_opening_again_keeps_everything(path: Path) -> None:
    store = MetadataStore.open(sqlite_url(path))
    store.lifecycle.begin_create(table("a"))
    store.lifecycle.finish_create("a")
    store.refreshes.record(refresh("j"))
    store.close()
    again = MetadataStore.open(sqlite_url(path))
    assert again.definitions.find(name("a")) == table("a")
    assert again.refreshes.history() == [refresh("j")]
    again.close()


def test_a_new_and_an_up_to_date_database_need_no_alembic(path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from headrace.catalog.store import MetadataStore;"
        "from headrace.catalog.database_engine import sqlite_url;"
        "MetadataStore.open(sqlite_url(Path(sys.argv[1]))).close();"
        "sys.exit('alembic' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    before = path.read_bytes()
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    assert path.read_bytes() == before


def test_an_unknown_revision_is_too_new(path: Path) -> None:
    open_and_close(path)
    run(path, "UPDATE alembic_version SET version_num = '9999'")
    assert_refused(path, LakeTooNew, "revision 9999")


def test_a_file_of_garbage(path: Path) -> None:
    path.write_bytes(b"This is no database. " * 1000)
    assert_refused(path, LakeDamaged, "not a database file")


@pytest.mark.parametrize("kept", [1, 50, 99, 100, 2000, 4096, 10_000, -4096, -2048, -1])
def test_a_truncated_file(path: Path, kept: int) -> None:
    open_and_close(path)
    path.write_bytes(path.read_bytes()[:kept])
    assert_refused(path, LakeDamaged, "damaged|not a database")


@pytest.mark.parametrize("missing", [*metadata.tables, "alembic_version"])
def test_a_missing_table(path: Path, missing: str) -> None:
    open_and_close(path)
    run(path, f"DROP TABLE {missing}")
    assert_refused(path, LakeDamaged, missing)


@pytest.mark.parametrize(
    "statement", ["DELETE FROM alembic_version", "INSERT INTO alembic_version VALUES ('0000')"]
)
def test_no_single_revision(path: Path, statement: str) -> None:
    open_and_close(path)
    run(path, statement)
    assert_refused(path, LakeDamaged, "revisions instead of one")


def test_a_missing_column(path: Path) -> None:
    open_and_close(path)
    run(path, "ALTER TABLE refreshes DROP COLUMN rows_read")
    assert_refused(path, LakeDamaged, "rows_read")


def test_a_migration_that_fails_leaves_the_database_as_it_was(path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("headrace.catalog.migrate._check_tables", fail)
        with pytest.raises(LakeDamaged):
            open_and_close(path)
    assert layout(path) == []
    open_and_close(path)


def fail(_: object) -> None:
    raise LakeDamaged("not this time")
