"""One served lake, and the clients of other engines that read and write it."""

from __future__ import annotations

import itertools
import json
import os
import signal
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.exceptions import (
    CommitFailedException,
    CommitStateUnknownException,
    ForbiddenError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    NoSuchTableError,
    TableAlreadyExistsError,
)
from pyiceberg.types import DoubleType

import headrace
from headrace.connection import Connection
from headrace.errors import ClusterLost
from headrace.lake.directory import make_lake

from ...conftest import stay_incremental
from ...test_docs import blocks
from ..served import Served, serving
from .duckdb_client import DuckDb
from .hidden_key import WITHOUT_HIDDEN, catalog_of, make_hidden_key
from .plain_spark import PlainSpark, plain_spark

pytestmark = [
    pytest.mark.filterwarnings("ignore:Parquet writer option:UserWarning"),
    pytest.mark.filterwarnings("ignore:Merge on read is not yet supported:UserWarning"),
]
"""What PyIceberg says of the properties of a lake's tables."""
_DOUBLE = DoubleType()
_UUID = uuid.uuid4()
_schemas = itertools.count(1)
V2 = {"format-version": "2"}
ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "name": ["a", "b", None]})
MORE = pa.table({"id": pa.array([4], pa.int64()), "name": ["d"]})


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    path = tmp_path_factory.mktemp("rest") / "lake"
    make_lake(path)
    with (path / "lake.toml").open("a") as settings:
        settings.write("full_refresh_margin = 1000\n")
    with serving(path) as running:
        yield running


@pytest.fixture(scope="module")
def token(server: Served) -> str:
    answer = httpx.post(f"{server.url}/api/v1/tokens", json={"name": "engine"}, timeout=30)
    return str(answer.json()["token"])


@pytest.fixture(scope="module")
def spark(server: Served, token: str) -> Iterator[PlainSpark]:
    (settings,) = blocks("docs/other-engines.md", "properties")
    given = settings.replace("URL", server.url).replace("TOKEN", token)
    with plain_spark(dict(line.split() for line in given.splitlines())) as spark:
        yield spark


@pytest.fixture
def rest(server: Served, token: str) -> Iterator[RestCatalog]:
    catalog = RestCatalog("rest", uri=f"{server.url}/iceberg", token=token, warehouse="lake")
    yield catalog
    catalog.close()


@contextmanager
def new_schema(server: Served) -> Iterator[Connection]:
    with headrace.connect(server.url) as connection:
        schema = f"e{next(_schemas)}"
        connection.sql(f"CREATE SCHEMA {schema}; USE {schema}")
        yield connection


@pytest.fixture
def lake(server: Served) -> Iterator[Connection]:
    with new_schema(server) as connection:
        yield connection


@pytest.fixture(scope="module")
def dynamic_tables(server: Served) -> Iterator[Connection]:
    """Of tests that only read them."""
    with new_schema(server) as connection:
        make_dynamic_tables(connection)
        yield connection


def refresh(lake: Connection, table: str) -> str:
    rows = lake.sql(f"REFRESH DYNAMIC TABLE {table}")
    (row,) = rows.fetchall()
    return str(dict(zip(rows.columns, row, strict=True))["refresh_mode"])


def make_dynamic_tables(lake: Connection) -> None:
    """Two, both with hidden columns and deletion vectors, and two versions of each."""
    lake.sql("CREATE TABLE t (id INT, name STRING); INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, NULL)")
    lake.sql("CREATE DYNAMIC TABLE d PARTITIONED BY (name) AS SELECT id, upper(name) AS name FROM t")
    lake.sql("CREATE DYNAMIC TABLE n AS SELECT name IS NULL AS absent, avg(id) AS mean FROM t GROUP BY 1")
    for table in ("d", "n"):
        refresh(lake, table)
    lake.sql("UPDATE t SET name = 'z' WHERE id = 2; DELETE FROM t WHERE id = 1")
    lake.sql("INSERT INTO t VALUES (9, 'q')")
    for table in ("d", "n"):
        assert refresh(lake, table) == "INCREMENTAL"


def versions(lake: Connection, table: str) -> list[int]:
    """Oldest first."""
    rows = lake.sql(f"DESC HISTORY {table}")
    at = rows.columns.index("version")
    return [int(row[at]) for row in reversed(rows.fetchall())]


def sorted_rows(rows: list[Any]) -> list[str]:
    return sorted(str(list(row)) for row in rows)


def of_headrace(lake: Connection, query: str) -> list[str]:
    return sorted_rows(lake.sql(query).fetchall())


@pytest.mark.parametrize("table", ["d", "n"])
def test_pyiceberg_reads_what_headrace_reads(
    dynamic_tables: Connection, rest: RestCatalog, table: str
) -> None:
    lake = dynamic_tables
    served = rest.load_table((lake.schema, table))
    assert [field.name for field in served.schema().fields] == lake.sql(f"SELECT * FROM {table}").columns
    for version in versions(lake, table):
        found = served.scan(snapshot_id=version).to_arrow()
        rows = [list(row.values()) for row in found.to_pylist()]
        assert sorted_rows(rows) == of_headrace(lake, f"SELECT * FROM {table} VERSION AS OF {version}")
    with pytest.raises(ForbiddenError, match="only a refresh can change it"):
        served.transaction().set_properties({"comment": "mine"}).commit_transaction()


def test_plain_spark_reads_what_headrace_reads(dynamic_tables: Connection, spark: PlainSpark) -> None:
    lake = dynamic_tables
    lake.sql("CREATE VIEW v AS SELECT id FROM t WHERE id > 2")
    schema = f"lake.{lake.schema}"
    for table in ("d", "n"):
        assert sorted_rows(spark.rows(f"SELECT * FROM {schema}.{table}")) == of_headrace(
            lake, f"SELECT * FROM {table}"
        )
        for version in versions(lake, table):
            then = f"VERSION AS OF {version}"
            assert sorted_rows(spark.rows(f"SELECT * FROM {schema}.{table} {then}")) == of_headrace(
                lake, f"SELECT * FROM {table} {then}"
            )
        assert len(spark.rows(f"SELECT * FROM {schema}.{table}.snapshots")) >= 2
        assert "__hr_" not in str(spark.rows(f"SELECT readable_metrics FROM {schema}.{table}.files"))
        assert "__hr_" not in str(spark.rows(f"DESCRIBE EXTENDED {schema}.{table}"))
    assert spark.rows(f"SELECT * FROM {schema}.d WHERE id = 2") == [[2, "Z"]]
    assert sorted_rows(spark.rows(f"SELECT * FROM {schema}.v")) == ["[3]", "[9]"]
    assert [row[1] for row in spark.rows(f"SHOW TABLES IN {schema}")] == ["d", "n", "t"]
    for change in (
        f"INSERT INTO {schema}.d VALUES (1, 'x')",
        f"DELETE FROM {schema}.d",
        f"ALTER TABLE {schema}.d ADD COLUMN c INT",
        f"DROP TABLE {schema}.d",
    ):
        assert "only a refresh can change it" in spark.error(change)
    assert of_headrace(lake, "SELECT * FROM d") == sorted_rows(spark.rows(f"SELECT * FROM {schema}.d"))


def test_plain_spark_reads_a_table_with_a_hidden_key(
    lake: Connection, server: Served, spark: PlainSpark
) -> None:
    make_hidden_key(catalog_of(server.lake), f"{lake.schema}.p")
    place, rows = f"lake.{lake.schema}.p", [[*row.values()] for row in WITHOUT_HIDDEN]
    assert sorted_rows(spark.rows(f"SELECT * FROM {place}")) == sorted_rows(rows)
    assert spark.rows(f"SELECT * FROM {place} WHERE a = 2") == rows[2:]
    assert spark.rows(f"SELECT partition.a, sum(record_count) FROM {place}.files GROUP BY 1 ORDER BY 1") == [
        [1, 2],
        [2, 1],
    ]
    assert spark.rows(f"SELECT count(*) FROM {place} VERSION AS OF {versions_of(spark, place)[0]}") == [[2]]


def versions_of(spark: PlainSpark, table: str) -> list[int]:
    """Oldest first."""
    history = spark.rows(f"SELECT snapshot_id FROM {table}.history ORDER BY made_current_at")
    return [int(row[0]) for row in history]


def test_duckdb_reads_what_headrace_reads(
    dynamic_tables: Connection, server: Served, token: str, tmp_path: Path
) -> None:
    lake = dynamic_tables
    (shown,) = blocks("docs/other-engines.md", "sql")
    attach = shown.replace("URL", server.url).replace("'TOKEN'", f"'{token}'").split(";\n")[:-1]
    tables = ("d", "n")
    reads = [(f"SELECT * FROM {{0}}{each}{{1}}", at) for each in tables for at in versions(lake, each)]
    place = f"lake.{lake.schema}."
    found = DuckDb(tmp_path).rows(
        *attach[:-1],
        *(query.format(place, f" AT (VERSION => {version})") for query, version in reads),
        f"SELECT id FROM {place}d WHERE name = 'Z'",
        f"SELECT column_name FROM (DESCRIBE {place}d)",
    )
    for rows, (query, version) in zip(found[len(attach) - 1 :], reads, strict=False):
        assert sorted_rows(rows) == of_headrace(lake, query.format("", f" VERSION AS OF {version}"))
    assert found[-2:] == [[[2]], [["id"], ["name"]]]


def test_the_documented_program(
    lake: Connection, server: Served, token: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lake.sql("CREATE TABLE public.sales AS SELECT 'Clothing' AS category, 2 AS orders")
    (program,) = blocks("docs/other-engines.md", "python")
    given = {"URL": server.url, "TOKEN": token, "ROWS": ROWS}
    exec(compile(program, "docs/other-engines.md", "exec"), given)  # noqa: S102  (our own page)
    assert capsys.readouterr().out == "[{'category': 'Clothing', 'orders': 2}]\n"
    assert of_headrace(lake, "SELECT count(*) FROM public.web_orders") == ["[3]"]


def test_what_pyiceberg_writes_is_refreshed_incrementally(lake: Connection, rest: RestCatalog) -> None:
    name = (lake.schema, "p")
    table = rest.create_table(name, ROWS.schema, properties=V2)
    with pytest.raises(TableAlreadyExistsError):
        rest.create_table(name, ROWS.schema, properties=V2)
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT name, count(*) AS n, max(id) AS last FROM p GROUP BY name")
    refresh(lake, "d")
    for change in (
        lambda: table.append(ROWS),
        lambda: table.append(MORE),
        lambda: table.delete("id = 2"),
        lambda: table.overwrite(ROWS),
    ):
        change()
        assert refresh(lake, "d") == "INCREMENTAL"
        query = "SELECT name, count(*) AS n, max(id) AS last FROM p GROUP BY name"
        assert of_headrace(lake, "SELECT * FROM d") == of_headrace(lake, query)
    with table.update_schema() as update:
        update.add_column("score", _DOUBLE)
    table.append(MORE.append_column("score", pa.array([0.5])))
    assert of_headrace(lake, "SELECT * FROM p WHERE id = 4") == ["[4, 'd', 0.5]"]
    assert refresh(lake, "d") == "INCREMENTAL"
    assert refresh(lake, "d") == "NO_DATA"


def test_what_plain_spark_writes_is_refreshed_incrementally(lake: Connection, spark: PlainSpark) -> None:
    schema = f"lake.{lake.schema}"
    spark.rows(f"CREATE TABLE {schema}.s (id INT, name STRING) USING iceberg PARTITIONED BY (bucket(2, id))")
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT id, name FROM s")
    refresh(lake, "d")
    for change in (
        "INSERT INTO {0}.s VALUES (1, 'a'), (2, 'b'), (3, 'c')",
        "MERGE INTO {0}.s USING (SELECT 2 AS id UNION ALL SELECT 7) AS n ON s.id = n.id "
        "WHEN MATCHED THEN UPDATE SET name = 'm' WHEN NOT MATCHED THEN INSERT (id) VALUES (n.id)",
        "DELETE FROM {0}.s WHERE id = 3; ALTER TABLE {0}.s ADD COLUMN more STRING; "
        "INSERT INTO {0}.s VALUES (9, 'q', 'x')",
    ):
        for statement in change.format(schema).split("; "):
            spark.rows(statement)
        assert refresh(lake, "d") == "INCREMENTAL"
        assert of_headrace(lake, "SELECT * FROM d") == of_headrace(lake, "SELECT id, name FROM s")
    properties = dict(spark.rows(f"SHOW TBLPROPERTIES {schema}.s"))
    assert (properties["format-version"], properties["write.merge.mode"]) == ("3", "merge-on-read")
    spark.rows(f"CREATE TABLE {schema}.c USING iceberg AS SELECT id FROM {schema}.s")
    assert of_headrace(lake, "SELECT * FROM c") == of_headrace(lake, "SELECT id FROM s")
    assert dict(spark.rows(f"SHOW TBLPROPERTIES {schema}.c"))["format-version"] == "3"
    spark.rows(f"CREATE OR REPLACE TABLE {schema}.c USING iceberg AS SELECT 1 AS one")
    assert of_headrace(lake, "SELECT * FROM c") == ["[1]"]


def test_what_is_dropped_can_be_undropped(lake: Connection, rest: RestCatalog, spark: PlainSpark) -> None:
    for number, drop in enumerate((rest.drop_table, rest.purge_table)):
        name = (lake.schema, f"t{number}")
        rest.create_table(name, ROWS.schema, properties=V2).append(ROWS)
        drop(name)
        assert not rest.table_exists(name)
        lake.sql(f"UNDROP TABLE t{number}")
        assert rest.load_table(name).scan().to_arrow().num_rows == 3
    spark.rows(f"DROP TABLE lake.{lake.schema}.t0 PURGE")
    lake.sql("UNDROP TABLE t0")
    assert of_headrace(lake, "SELECT count(*) FROM t0") == ["[3]"]
    with pytest.raises(NamespaceNotEmptyError):
        rest.drop_namespace(lake.schema)


def test_tables_move_between_schemas(lake: Connection, rest: RestCatalog) -> None:
    other = f"{lake.schema}_other"
    rest.create_namespace(other, {"comment": "it's a test"})
    assert rest.load_namespace_properties(other)["comment"] == "it's a test"
    table = rest.create_table((lake.schema, "t"), ROWS.schema, properties=V2)
    table.append(ROWS)
    moved = rest.rename_table((lake.schema, "t"), (other, "u"))
    assert moved.metadata.table_uuid == table.metadata.table_uuid
    assert of_headrace(lake, f"SELECT count(*) FROM {other}.u") == ["[3]"]
    with pytest.raises(NoSuchTableError):
        rest.load_table((lake.schema, "t"))
    rest.drop_table((other, "u"))
    rest.drop_namespace(other)
    assert not rest.namespace_exists(other)


def test_a_stale_commit_is_refused(lake: Connection, rest: RestCatalog, server: Served, token: str) -> None:
    table = rest.create_table((lake.schema, "t"), ROWS.schema, properties=V2)
    table.append(ROWS)
    before = rest.load_table((lake.schema, "t")).history()[-1].snapshot_id
    table.append(MORE)
    answer = changed(
        server,
        token,
        f"namespaces/{lake.schema}/tables/t",
        requirements=[
            {
                "type": "assert-ref-snapshot-id",
                "ref": "main",
                "snapshot-id": before,
            }
        ],
        updates=[{"action": "set-properties", "updates": {"comment": "stale"}}],
    )
    assert (answer["code"], answer["type"]) == (409, "CommitFailedException")
    assert "comment" not in rest.load_table((lake.schema, "t")).properties
    writers = [rest.load_table((lake.schema, "t")) for _ in range(4)]
    threads = [threading.Thread(target=_append_until_done, args=(each,)) for each in writers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert of_headrace(lake, "SELECT count(*), count(DISTINCT id) FROM t") == ["[8, 4]"]


def _append_until_done(table: Any) -> None:
    while True:
        try:
            table.append(MORE)
        except CommitFailedException:
            table.refresh()
        else:
            return


def changed(server: Served, token: str, path: str, **request: Any) -> dict[str, Any]:
    """The error that a request has as its answer."""
    answer = httpx.post(
        f"{server.url}/iceberg/v1/lake/{path}",
        json=request,
        headers={"Authorization": f"Bearer {token}"},
        timeout=60,
    )
    error: dict[str, Any] = answer.json()["error"]
    return error


def test_places_of_other_tables(lake: Connection, rest: RestCatalog, server: Served, token: str) -> None:
    taken = rest.create_table((lake.schema, "t"), ROWS.schema, properties=V2)
    taken.append(ROWS)
    inside, outside = f"{taken.location()}/inside", "/etc/lake"
    columns = {"type": "struct", "fields": [{"id": 1, "name": "a", "type": "long", "required": False}]}
    tables = f"namespaces/{lake.schema}/tables"
    free = rest.create_table((lake.schema, "u"), ROWS.schema, properties=V2)
    for place in (inside, outside, taken.location()):
        for answer in (
            changed(server, token, tables, name="x", schema=columns, location=place),
            changed(server, token, tables, name="x", schema=columns, properties={"write.data.path": place}),
            changed(server, token, f"{tables}/u", updates=[{"action": "set-location", "location": place}]),
        ):
            assert (answer["code"], answer["type"]) == (403, "ForbiddenException"), answer
    assert rest.load_table((lake.schema, "u")).location() == free.location()
    assert not rest.table_exists((lake.schema, "x"))
    registered = changed(
        server,
        token,
        f"namespaces/{lake.schema}/register",
        **{"name": "x", "metadata-location": taken.metadata_location},
    )
    assert registered["code"] == 403
    rest.drop_table((lake.schema, "t"))
    kept = changed(server, token, tables, name="x", schema=columns, location=taken.location())
    assert kept["code"] == 403


def test_a_table_is_registered(lake: Connection, rest: RestCatalog, server: Served) -> None:
    """Whose entry the catalog has lost: its files were copied to the warehouse."""
    made = rest.create_table((lake.schema, "t"), ROWS.schema, properties=V2)
    directory = server.lake / "warehouse" / lake.schema / "copied"
    (directory / "metadata").mkdir(parents=True)
    content = json.loads(Path(made.metadata_location.removeprefix("file:")).read_text())
    content |= {"location": str(directory), "table-uuid": str(_UUID)}
    file = directory / "metadata" / "1.metadata.json"
    file.write_text(json.dumps(content))
    registered = rest.register_table((lake.schema, "copied"), str(file))
    registered.append(ROWS)
    assert of_headrace(lake, "SELECT count(*) FROM copied") == ["[3]"]
    with pytest.raises(TableAlreadyExistsError):
        rest.register_table((lake.schema, "copied"), str(file))


def test_names_that_are_taken_or_cannot_be(lake: Connection, rest: RestCatalog) -> None:
    lake.sql("CREATE TABLE t (a INT); CREATE VIEW v AS SELECT 1 AS a")
    lake.sql("CREATE TABLE STREAM s ON TABLE t WITH PROPERTIES('TABLE_STREAM_MODE'='STANDARD')")
    for taken in ("t", "v", "s", "T"):
        with pytest.raises(TableAlreadyExistsError):
            rest.create_table((lake.schema, taken), ROWS.schema)
    with pytest.raises(ForbiddenError, match="not a valid name"):
        rest.create_table((lake.schema, ".."), ROWS.schema)
    with pytest.raises(NoSuchNamespaceError):
        rest.create_table(("__hr_dropped", "t"), ROWS.schema)


@pytest.mark.share(0.2, suite="single tests")
def test_a_lake_is_a_workspace_of_another(
    lake: Connection, server: Served, token: str, tmp_path: Path, new_lake: Callable[..., Connection]
) -> None:
    make_dynamic_tables(lake)
    stay_incremental(tmp_path / "near")
    (settings,) = blocks("docs/other-engines.md", "toml")
    with (tmp_path / "near" / "lake.toml").open("a") as marker:
        marker.write(settings.replace("URL", server.url).replace("TOKEN", token))
    near, source = new_lake("near"), f"sales.{lake.schema}.d"
    query = f"SELECT name, count(*) AS n, max(id) AS last FROM {source} GROUP BY name"
    near.sql(f"CREATE DYNAMIC TABLE totals AS {query}")
    refresh(near, "totals")
    for change in ("INSERT INTO t VALUES (4, 'z'), (5, 'q')", "DELETE FROM t WHERE id = 9"):
        lake.sql(change)
        refresh(lake, "d")
        assert refresh(near, "totals") == "INCREMENTAL"
        assert of_headrace(near, "SELECT * FROM totals") == of_headrace(near, query)
    assert of_headrace(near, f"SELECT * FROM {source}") == of_headrace(lake, "SELECT * FROM d")
    with pytest.raises(headrace.Error, match="only a refresh can change it"):
        near.sql(f"DELETE FROM {source}")


@pytest.mark.share(0.2, suite="single tests")
def test_a_cluster_that_dies_leaves_the_old_or_the_new_state(
    lake: Connection, rest: RestCatalog, server: Served
) -> None:
    table = rest.create_table((lake.schema, "t"), ROWS.schema, properties=V2)
    numbers, written, unknown = itertools.count(), set[int](), set[int]()
    for round_ in range(2):
        killer = threading.Timer(0.2 + 0.1 * round_, os.kill, (running_cluster(lake, server), signal.SIGKILL))
        killer.start()
        while killer.is_alive():
            number = next(numbers)
            row = pa.table({"id": pa.array([number], pa.int64()), "name": ["x"]})
            try:
                table.refresh().append(row)
                written.add(number)
            except CommitStateUnknownException:
                unknown.add(number)
    running_cluster(lake, server)
    found = [row[0] for row in lake.sql("SELECT id FROM t").fetchall()]
    assert written <= {*found} <= written | unknown
    assert len(found) == len({*found}) == table.refresh().scan().to_arrow().num_rows


def running_cluster(lake: Connection, server: Served) -> int:
    """Its process, which may have been killed and is then started again."""
    while True:
        with suppress(ClusterLost):
            lake.sql("SELECT 1")
            pid = server.cluster_pid()
            if pid is not None:
                return pid
