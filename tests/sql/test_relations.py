from __future__ import annotations

import pytest

from headrace.sql.parsed import ParsedStatement
from headrace.sql.spark.relations import Form


def names(text: str) -> list[str]:
    return [".".join(relation.parts or ("?",)) for relation in ParsedStatement(text).relations]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT 1", []),
        ("SELECT * FROM a, s.b JOIN `w`.s.`c d` USING (x), e", ["a", "s.b", "w.s.c d", "e"]),
        ("SELECT * FROM (a JOIN (b) ON a.x = b.x), c", ["a", "b", "c"]),
        ("SELECT x, y FROM a WHERE x IN (SELECT y FROM b), c", ["a", "b"]),
        ("SELECT (SELECT max(x) FROM a) FROM b GROUP BY x, c ORDER BY y, d", ["a", "b"]),
        ("SELECT * FROM a LEFT ANTI JOIN b ON true NATURAL JOIN c", ["a", "b", "c"]),
        ("SELECT * FROM range(3), a, LATERAL explode(m), LATERAL (SELECT * FROM b)", ["a", "b"]),
        ("SELECT * FROM a LATERAL VIEW explode(m) t AS k, v", ["a"]),
        ("SELECT * FROM a PIVOT (sum(x) FOR y IN (1, 2)), b", ["a", "b"]),
        ("SELECT * FROM VALUES (1) AS v, a", ["a"]),
        ("SELECT * FROM a UNION ALL SELECT * FROM b EXCEPT (TABLE c)", ["a", "b", "c"]),
        ("SELECT * FROM IDENTIFIER('s.a')", ["s.a"]),
        ("SELECT * FROM IDENTIFIER(:name) x", ["?"]),
        ("SELECT /*+ BROADCAST(b) */ * FROM a -- FROM c", ["a"]),
        ("(SELECT * FROM a) UNION (FROM b)", ["a", "b"]),
        ("FROM a |> WHERE x > 1 |> JOIN b USING (x) |> SELECT x, y", ["a", "b"]),
        ("FROM a INSERT INTO b SELECT * INSERT INTO c SELECT x, y", ["a"]),
        ("EXPLAIN EXTENDED TABLE a", ["a"]),
        ("DESCRIBE QUERY TABLE a", ["a"]),
    ],
)
def test_queries(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "SELECT extract(YEAR FROM a)",
        "SELECT trim(BOTH f(x) FROM a), substring(x FROM a FOR 2)",
        "SELECT x IS DISTINCT FROM a, x IS NOT DISTINCT FROM a",
        "SHOW COLUMNS FROM a",
        "DESCRIBE TABLE a",
        "CREATE TABLE a (x INT)",
        "CREATE TABLE a LIKE b",
        "INSERT INTO TABLE a VALUES (1)",
        "INSERT OVERWRITE TABLE a VALUES (1)",
        "CACHE TABLE a",
        "REFRESH TABLE a",
        "ANALYZE TABLE a COMPUTE STATISTICS",
        "SELECT 'FROM a', `FROM a`",
    ],
)
def test_no_relation(text: str) -> None:
    assert names(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("INSERT INTO x SELECT * FROM a", ["a"]),
        ("INSERT INTO x TABLE a", ["a"]),
        ("INSERT INTO TABLE x (y) TABLE a", ["a"]),
        ("INSERT INTO x REPLACE WHERE y = 1 TABLE a", ["a"]),
        ("CREATE TABLE x USING iceberg AS SELECT * FROM a", ["a"]),
        ("CREATE OR REPLACE VIEW x AS TABLE a", ["a"]),
        ("CACHE TABLE x AS SELECT * FROM a", ["a"]),
        ("MERGE INTO x USING a ON x.y = a.y WHEN MATCHED THEN DELETE", ["a"]),
        ("MERGE WITH SCHEMA EVOLUTION INTO x USING (SELECT * FROM a) s ON true", ["a"]),
        ("WITH c AS (SELECT * FROM a) MERGE INTO x USING c ON true", ["a"]),
        ("UPDATE x SET y = (SELECT max(y) FROM a)", ["a"]),
        ("CREATE TEMPORARY FUNCTION f() RETURNS TABLE RETURN SELECT * FROM a", ["a"]),
        (
            "BEGIN DECLARE n INT DEFAULT (SELECT count(*) FROM a);"
            " FOR r AS SELECT * FROM b DO TABLE c; END FOR; IF n > 1 THEN SELECT * FROM d; END IF; END",
            ["a", "b", "c", "d"],
        ),
    ],
)
def test_statements(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("WITH a AS (SELECT * FROM a) SELECT * FROM a", ["a"]),
        ("WITH a AS (SELECT 1) SELECT * FROM s.a, A", ["s.a"]),
        ("WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT n FROM a) SELECT * FROM a", []),
        ("WITH RECURSIVE a MAX RECURSION LEVEL 5 AS (SELECT * FROM a) SELECT * FROM a", []),
        ("WITH a AS (SELECT 1), b AS (SELECT * FROM a, c), c (SELECT 2) SELECT * FROM b, c", ["c"]),
        ("SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a) x, a", ["a"]),
        ("WITH a AS (SELECT 1) SELECT (SELECT x FROM a) FROM (TABLE a)", []),
        ("BEGIN WITH a AS (SELECT 1) SELECT * FROM a; SELECT * FROM a; END", ["a"]),
    ],
)
def test_names_of_ctes(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    "clause",
    [
        "VERSION AS OF 5",
        "FOR VERSION AS OF 'tag'",
        "FOR SYSTEM_VERSION AS OF 5",
        "TIMESTAMP AS OF '2024-01-01'",
        "TIMESTAMP AS OF TIMESTAMP '2024-01-01'",
        "FOR SYSTEM_TIME AS OF :moment",
        "TIMESTAMP AS OF ?",
        "TIMESTAMP AS OF current_timestamp() - INTERVAL 1 DAY",
        "TIMESTAMP AS OF current_timestamp() - INTERVAL '1-2' YEAR TO MONTH + INTERVAL 1 DAY 2 HOURS",
        "TIMESTAMP AS OF date_sub(current_date(), 1)",
        "TIMESTAMP AS OF (now() - INTERVAL 1 HOUR)",
        "TIMESTAMP AS OF CAST('2024-01-01' AS TIMESTAMP)",
        "TIMESTAMP AS OF CASE WHEN true THEN now() END",
        "TIMESTAMP AS OF -1 * m['x'].y",
    ],
)
@pytest.mark.parametrize("after", ["", " WHERE x = 1", " JOIN b ON true", ", b", ") SELECT 1"])
@pytest.mark.parametrize("alias", ["", " z", " AS z", " AS z(p, q)"])
def test_time_travel(clause: str, alias: str, after: str) -> None:
    found = ParsedStatement(f"SELECT * FROM a {clause}{alias}{after}").relations[0]
    end = len(f"SELECT * FROM a {clause}")
    assert (found.parts, found.has_time_travel, found.end) == (("a",), True, end)
    assert found.alias_at == (None if alias else end)


def test_options_and_samples_come_before_the_alias() -> None:
    text = "SELECT * FROM a WITH ('k' = 'v') TABLESAMPLE (10 PERCENT) REPEATABLE (7) WHERE x"
    (found,) = ParsedStatement(text).relations
    assert found.end == text.index(" TABLESAMPLE")
    assert found.alias_at == text.index(" WHERE")


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("TABLE a", Form.TABLE_QUERY),
        ("SELECT * FROM (TABLE a)", Form.TABLE_QUERY),
        ("SELECT x IN (TABLE a)", Form.TABLE_QUERY),
        ("SELECT * FROM f(TABLE a)", Form.TABLE_ARGUMENT),
        ("SELECT * FROM f(1, t => TABLE a)", Form.TABLE_ARGUMENT),
        ("SELECT * FROM f(TABLE(a) PARTITION BY x)", Form.TABLE_IN_PARENTHESES),
    ],
)
def test_forms_of_table(text: str, form: Form) -> None:
    (found,) = ParsedStatement(text).relations
    assert (found.parts, found.form) == (("a",), form)


def test_executed_strings() -> None:
    text = "EXECUTE IMMEDIATE 'SELECT ' '?' USING 1"
    (found,) = ParsedStatement(text).executed_strings
    assert (found.literal, found.span.of(text)) == ("SELECT ?", "'SELECT ' '?'")
    (found,) = ParsedStatement("BEGIN EXECUTE IMMEDIATE 'a' || b INTO c; END").executed_strings
    assert found.literal is None
    assert ParsedStatement("EXECUTE IMMEDIATE").executed_strings == ()
