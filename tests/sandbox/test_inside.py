"""What a statement of a served lake may do: everything that stays inside."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from headrace.errors import DataError, Error, OperationalError, Refused
from headrace.lake.external.avro_messages import SchemasById, avro_view
from headrace.lake.external.file_frames import query_view
from headrace.lake.spark.engine import new_session
from headrace.lake.spark.sandbox_lists import safe_functions
from tests import internals
from tests.sampling import run_random
from tests.sandbox.conftest import CONTENT, Served

UNSAFE_FUNCTIONS = {
    *("java_method", "reflect", "try_reflect", "from_protobuf", "to_protobuf"),
    *("from_avro", "to_avro", "schema_of_avro", "python_worker_logs"),
}

STATEMENTS = (
    "CREATE TABLE s (id INT, k STRING, v DOUBLE) PARTITIONED BY (k)",
    "INSERT INTO s VALUES (1, 'a', 1.0), (2, 'b', 2.0), (3, 'a', 3.0)",
    "CREATE DYNAMIC TABLE d AS SELECT k, sum(v) AS total, avg(v) AS mean FROM s GROUP BY k",
    "REFRESH DYNAMIC TABLE d",
    "INSERT INTO s VALUES (4, 'c', 1.0)",
    "REFRESH DYNAMIC TABLE d",
    "SELECT * FROM d",
    "VERIFY DYNAMIC TABLE d",
    "EXPLAIN REFRESH DYNAMIC TABLE d",
    "CREATE TABLE STREAM changes ON TABLE s",
    "INSERT INTO s VALUES (5, 'c', 1.0)",
    "SELECT * FROM changes",
    "CREATE TABLE consumed AS SELECT * FROM changes",
    "SELECT table_name FROM information_schema.tables",
    "SHOW DYNAMIC TABLES WHERE name = 'd'",
    "SHOW JOBS",
    "SELECT * FROM s LATERAL VIEW explode(array(1, 2)) x AS y",
    "SELECT * FROM s PIVOT (sum(v) FOR k IN ('a', 'b'))",
    "SELECT * FROM (SELECT 1 AS a, 2 AS b) UNPIVOT (val FOR name IN (a, b))",
    "SELECT * FROM s TABLESAMPLE (50 PERCENT)",
    "SELECT k, grouping(k), sum(v) FROM s GROUP BY ROLLUP (k)",
    "SELECT *, row_number() OVER w FROM s WINDOW w AS (PARTITION BY k ORDER BY id)",
    "SELECT * FROM s QUALIFY row_number() OVER (PARTITION BY k ORDER BY id) = 1",
    "FROM s |> WHERE id > 1 |> AGGREGATE count(*) GROUP BY k",
    "SELECT * FROM s a JOIN LATERAL (SELECT a.id + 1 AS q) b",
    "SELECT * FROM s WHERE EXISTS (SELECT 1 FROM d WHERE d.k = s.k) AND v >= (SELECT min(v) FROM s)",
    "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT * FROM r",
    "SELECT /*+ BROADCAST(s), REPARTITION(2) */ * FROM s",
    "SELECT transform(array(1, 2), x -> x + 1), trim(BOTH 'x' FROM 'xax'), parse_json('{\"a\": 1}'):a::int",
    "SELECT from_xml('<a><b>1</b></a>', 'b INT', map('mode', 'PERMISSIVE'))",
    "SELECT IDENTIFIER('ab' || 's')(-1)",
    "SELECT * FROM IDENTIFIER('lake.public.' || 's')",
    "SELECT lake.system.bucket(4, 10)",
    "SELECT * FROM public.s.files",
    "ALTER TABLE s ADD COLUMN w INT",
    "ALTER TABLE s DROP COLUMN w",
    "ALTER TABLE s SET TBLPROPERTIES ('a' = 'b')",
    "ALTER TABLE s ADD PARTITION FIELD bucket(4, id)",
    "ALTER TABLE s WRITE ORDERED BY id",
    "ALTER TABLE s CREATE BRANCH b",
    "ALTER TABLE s CREATE TAG t",
    "DESCRIBE TABLE EXTENDED s",
    "SHOW CREATE TABLE s",
    "SHOW COLUMNS IN s",
    "SHOW TBLPROPERTIES s",
    "SHOW SCHEMAS",
    "SHOW CATALOGS",
    "SHOW VIEWS",
    "SHOW FUNCTIONS LIKE 'ab*'",
    "DESCRIBE FUNCTION abs",
    "DESCRIBE QUERY SELECT 1",
    "DESCRIBE SCHEMA public",
    "CREATE VIEW v AS SELECT * FROM s",
    "SELECT * FROM v",
    "DROP VIEW v",
    "CREATE OR REPLACE TEMPORARY VIEW tv AS SELECT * FROM s",
    "SELECT * FROM tv",
    "MERGE INTO s USING (SELECT 1 AS id, 'q' AS k, 2.0D AS v) n ON s.id = n.id WHEN MATCHED THEN DELETE",
    "UPDATE s SET v = 5 WHERE id = 2",
    "DELETE FROM s WHERE k = 'a'",
    "TRUNCATE TABLE consumed",
    "CALL lake.system.rewrite_data_files(table => 'public.s')",
    "CALL lake.system.rewrite_manifests('public.s')",
    "CALL lake.system.expire_snapshots(table => 'public.s')",
    "CALL lake.system.remove_orphan_files(table => 'public.s')",
    "CALL lake.system.ancestors_of('public.s')",
    "OPTIMIZE s",
    "VACUUM s",
    "DECLARE OR REPLACE VARIABLE x INT DEFAULT 5",
    "SET VAR x = 6",
    "SELECT x",
    "BEGIN DECLARE i INT DEFAULT 0; WHILE i < 2 DO SET i = i + 1; END WHILE; SELECT i; END",
    "BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN SELECT 'caught'; END; SELECT 1 / 0; END",
    "BEGIN FOR r AS SELECT id FROM s DO SELECT r.id; END FOR; END",
    "EXECUTE IMMEDIATE 'SELECT ' || '42'",
    "EXECUTE IMMEDIATE 'SELECT ? + 1' USING 5",
    "SET spark.sql.shuffle.partitions = 3",
    "RESET spark.sql.shuffle.partitions",
    "CREATE OR REPLACE TABLE replaced AS SELECT 1 AS a",
    "CREATE OR REPLACE TABLE replaced AS SELECT 2 AS a",
    "ALTER TABLE replaced RENAME TO renamed",
    "DROP TABLE renamed",
    "UNDROP TABLE renamed",
    "DESCRIBE HISTORY s",
    "CACHE TABLE s",
    "SELECT count(*) FROM s",
    "UNCACHE TABLE s",
)


def test_everything_inside_is_possible(open_served: Callable[..., Served]) -> None:
    inside = open_served()
    refused = {text: error for text in STATEMENTS if (error := _error(inside, text)) is not None}
    assert refused == {}


def _error(inside: Served, text: str) -> Error | None:
    try:
        inside.run(text)
    except Error as error:
        return error
    return None


def _built_in(served: Served) -> dict[str, str]:
    """The functions of this Spark, with their examples."""
    analysis: Any = internals.jvm(served.session.spark).org.apache.spark.sql.catalyst.analysis  # type: ignore[union-attr]
    found = {}
    for registry in (analysis.FunctionRegistry.builtin(), analysis.TableFunctionRegistry.builtin()):
        names = registry.listFunction().iterator()
        while names.hasNext():
            name = names.next()
            found[name.funcName()] = registry.lookupFunction(name).get().getExamples()
    return found


def test_every_function_of_spark_is_listed_as_safe_or_as_unsafe(served: Served) -> None:
    """A function of a new Spark is refused until somebody has looked at it."""
    assert set(_built_in(served)) == set(safe_functions()) | UNSAFE_FUNCTIONS


def test_the_examples_of_safe_functions_are_not_refused(
    served: Served, request: pytest.FixtureRequest
) -> None:
    built_in = _built_in(served)
    draw = run_random("sandbox")
    for name in draw.sample(sorted(set(built_in) - UNSAFE_FUNCTIONS), 40):
        for query in re.findall(r"> (SELECT .*?);\s*$", built_in[name].replace("_FUNC_", name), re.MULTILINE):
            error = _analysis_error(served, query)
            assert not isinstance(error, Refused), (query, error)


def _analysis_error(served: Served, query: str) -> Error | None:
    try:
        served.session.analyze(query)
    except Error as error:
        return error
    return None


def test_unsafe_functions_are_refused_by_name(served: Served) -> None:
    for name in UNSAFE_FUNCTIONS:
        with pytest.raises(Refused, match=rf"{name}\(\)"):
            served.run(f"SELECT {name}('a', 'b')")


def test_a_volume_leads_no_further_than_allowed_directories(served: Served) -> None:
    """Also one that was created without a server, or before a directory was taken out of the setting."""
    served.run(f"CREATE VOLUME elsewhere LOCATION '{served.outside}'")
    for statement in (
        "COPY INTO known FROM VOLUME elsewhere USING CSV",
        "CREATE PIPE p AS COPY INTO made FROM VOLUME elsewhere USING CSV",
        "EXPLAIN CREATE PIPE p AS COPY INTO known FROM (SELECT 1, _c0 FROM VOLUME elsewhere USING CSV)",
    ):
        with pytest.raises(Refused, match=f"{served.outside} reaches outside the lake"):
            served.run(statement)
    served.run("DROP VOLUME elsewhere")


def test_allowed_directories_open_what_they_name(open_served: Callable[..., Served], tmp_path: Any) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "a.txt").write_text("shared")
    inside = open_served(f"allowed_directories = ['{shared}']\n")
    assert inside.run(f"SELECT * FROM text.`{shared}/a.txt`") == [("shared",)]
    for path in (inside.canary, f"{shared}/../outside/canary.txt", f"{shared}-beside/x"):
        with pytest.raises(Refused):
            inside.run(f"SELECT * FROM text.`{path}`")
    with pytest.raises(Refused, match="CreateTempViewUsing"):
        inside.run(f"CREATE TEMPORARY VIEW v USING text OPTIONS (path '{inside.canary}')")


def _avro(served: Served, message: str, schema: str) -> Any:
    """What is read from a message, which may name schema 7 or 8."""
    schemas = SchemasById({7: schema}, {8: "schema 8 is not there"})
    with (
        query_view(f"SELECT {message} AS key", served.session) as messages,
        avro_view(messages, "key", schemas, served.session) as view,
    ):
        return served.run(f"SELECT key:a::bigint FROM {view}")


def test_messages_of_avro_are_read(served: Served) -> None:
    record = '{"type": "record", "name": "r", "fields": [{"name": "a", "type": ["null", "long"]}]}'
    assert _avro(served, "X'00000000070206'", record) == [(3,)]
    assert _avro(served, "CAST(NULL AS BINARY)", record) == [(None,)]
    with pytest.raises(DataError, match=r"^schema 8 is not there$"):
        _avro(served, "X'0000000008'", record)
    undefined = '{"type": "array", "items": "missing"}'
    for schema, reason in (
        ('"missing"', "it names a type that is not defined"),
        (undefined, "Undefined schema: missing"),
        ("{", "it is not JSON"),
        ("{}", "No type: {}"),
    ):
        with pytest.raises(OperationalError, match=f"^schema 7 is not valid: {reason}$"):
            _avro(served, "X'0000000007'", schema)


def test_allow_outside_opens_everything(open_served: Callable[..., Served]) -> None:
    trusted = open_served("allow_outside = true\n")
    assert trusted.run(f"SELECT * FROM text.`{trusted.canary}`") == [(CONTENT,)]


def test_a_view_of_a_trusted_user_is_no_way_out(served: Served) -> None:
    """Its text is read in the session of the user who selects from it."""
    trusted = new_session(served.lake.directory, served.lake.backend)
    query = "SELECT reflect('java.lang.System', 'getProperty', 'user.dir') AS x"
    trusted.sql(f"CREATE OR REPLACE VIEW lake.public.calling AS {query}")
    assert trusted.sql("SELECT * FROM lake.public.calling").collect()
    with pytest.raises(Refused, match="reflect"):
        served.run("SELECT * FROM calling")
    trusted.sql("DROP VIEW lake.public.calling")


def test_parameters_are_values(served: Served) -> None:
    assert served.run("SELECT :a + 1", {"a": 1}) == [(2,)]
    with pytest.raises(Refused):
        served.run("SELECT IDENTIFIER(:f)('java.lang.System', 'getProperty', 'user.dir')", {"f": "reflect"})
    with pytest.raises(Error):
        served.run("SELECT * FROM IDENTIFIER(:f)", {"f": f"text.`{served.canary}`"})


def test_a_refresh_stores_groups(served: Served) -> None:
    served.run("CREATE TABLE sold (k INT, n INT)")
    served.run("INSERT INTO sold VALUES (1, 1), (1, 2), (2, 3)")
    served.run(
        "CREATE DYNAMIC TABLE often REFRESH_MODE = INCREMENTAL PROPERTIES ('state' = 'always') AS "
        "SELECT k, sum(n) AS total FROM sold GROUP BY k HAVING count(*) > 1"
    )
    served.run("REFRESH DYNAMIC TABLE often")
    served.run("INSERT INTO sold VALUES (2, 4)")
    assert "in stored groups" in str(served.run("REFRESH DYNAMIC TABLE often"))
    assert sorted(served.run("SELECT * FROM often")) == [(1, 3), (2, 7)]
