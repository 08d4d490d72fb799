"""What every kind of Iceberg catalog must do without a JVM; a kind gives a ``catalog_url`` fixture."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import event

from headrace.catalog.backends import open_backend
from headrace.catalog.database_engine import connect, writing
from headrace.model.catalog_backend import CatalogBackend
from headrace.model.names import TableName

from .samples import name

CREATE = (
    "CREATE TABLE iceberg_tables (catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL, "
    "table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000), "
    "previous_metadata_location VARCHAR(1000), iceberg_type VARCHAR(5), "
    "PRIMARY KEY (catalog_name, table_namespace, table_name))"
)
"""As Iceberg's JDBC catalog makes it."""
CREATE_SCHEMAS = (
    "CREATE TABLE iceberg_namespace_properties (catalog_name VARCHAR(255) NOT NULL, "
    "namespace VARCHAR(255) NOT NULL, property_key VARCHAR(255), property_value VARCHAR(1000), "
    "PRIMARY KEY (catalog_name, namespace, property_key))"
)


def write(url: str, *statements: str) -> None:
    engine = connect(url)
    with writing(engine).begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    engine.dispose()


def entry(named: TableName, location: str, kind: str | None = "TABLE") -> str:
    values = [*(part.replace("'", "''") for part in (named.workspace, named.schema, named.table)), location]
    quoted = ", ".join(f"'{value}'" for value in values)
    last = "NULL" if kind is None else f"'{kind}'"
    return f"INSERT INTO iceberg_tables VALUES ({quoted}, NULL, {last})"


class CatalogBackendContract:
    @pytest.fixture
    def heads(self, catalog_url: str) -> Iterator[CatalogBackend]:
        write(catalog_url, CREATE, CREATE_SCHEMAS)
        heads = open_backend(catalog_url)
        yield heads
        heads.close()

    def test_tables_and_views_by_name(self, catalog_url: str, heads: CatalogBackend) -> None:
        odd = TableName("lake", "a schema", "it's `x`")
        write(
            catalog_url,
            entry(name("t"), "file:/t/1"),
            entry(name("v"), "file:/v/1", "VIEW"),
            entry(name("old"), "file:/old/1", None),
            entry(odd, "file:/odd/1"),
        )
        assert heads.location(name("t"), "TABLE") == "file:/t/1"
        assert heads.location(name("old"), "TABLE") == "file:/old/1"
        assert heads.location(odd, "TABLE") == "file:/odd/1"
        assert heads.location(name("v"), "VIEW") == "file:/v/1"
        for missing, kind in (("v", "TABLE"), ("t", "VIEW"), ("T", "TABLE"), ("nobody", "TABLE")):
            assert heads.location(name(missing), kind) is None
        assert heads.location(name("t", "other"), "TABLE") is None

    def test_a_commit_is_seen_at_once(self, catalog_url: str, heads: CatalogBackend) -> None:
        write(catalog_url, entry(name("t"), "file:/t/1"))
        for number in range(2, 5):
            write(catalog_url, f"UPDATE iceberg_tables SET metadata_location = 'file:/t/{number}'")
            assert heads.location(name("t"), "TABLE") == f"file:/t/{number}"
            assert heads.locations() == {name("t"): f"file:/t/{number}"}

    def test_many_in_one_query(self, catalog_url: str, heads: CatalogBackend) -> None:
        names = [name(f"t{number}") for number in range(200)]
        write(catalog_url, *(entry(each, f"file:/{each.table}") for each in names))
        heads.locations()
        write(catalog_url, entry(name("v"), "file:/v", "VIEW"), entry(name("t1", "other"), "file:/other"))
        asked: list[str] = []
        event.listen(heads._engine, "before_cursor_execute", lambda *told: asked.append(told[2]))
        expected = {each: f"file:/{each.table}" for each in names}
        assert heads.locations() == expected | {name("t1", "other"): "file:/other"}
        assert len(asked) == 1
        assert heads.locations("VIEW") == {name("v"): "file:/v"}

    def test_schemas_with_and_without_tables(self, catalog_url: str, heads: CatalogBackend) -> None:
        assert heads.schemas() == set()
        empty = ", ".join(f"('lake', 'empty', '{key}', 'true')" for key in ("exists", "another"))
        write(
            catalog_url,
            f"INSERT INTO iceberg_namespace_properties VALUES {empty}",
            entry(name("t"), "file:/t/1"),
            entry(name("v", "of views"), "file:/v/1", "VIEW"),
        )
        assert heads.schemas() == {("lake", "empty"), ("lake", name("t").schema), ("lake", "of views")}

    def test_properties_of_schemas(self, catalog_url: str, heads: CatalogBackend) -> None:
        rows = "('lake', 'plain', 'exists', 'true'), ('lake', 's', 'k', 'v'), ('other', 's', 'k', 'w')"
        write(catalog_url, f"INSERT INTO iceberg_namespace_properties VALUES {rows}")
        assert heads.schema_properties("lake", "s") == {"k": "v"}
        assert heads.schema_properties("lake", "plain") == heads.schema_properties("lake", "no") == {}

    def test_threads_share_it(self, catalog_url: str, heads: CatalogBackend) -> None:
        write(catalog_url, *(entry(name(f"t{number}"), f"file:/{number}") for number in range(40)))

        def work(number: int) -> None:
            for _ in range(20):
                assert heads.location(name(f"t{number}"), "TABLE") == f"file:/{number}"

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(40)))
