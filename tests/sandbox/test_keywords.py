"""Every keyword of Spark's grammar as a name, wherever a statement has one: none blinds the sandbox."""

from __future__ import annotations

import pytest

from headrace.errors import Error
from headrace.sql.parsed import ParsedStatement
from headrace.sql.sandbox.sandbox_context import Grounds
from headrace.sql.sandbox.sandbox_rules import refuse_outside
from tests.sampling import run_random
from tests.sandbox.conftest import CONTENT, Served

DRAWN = 80
"""Statements that Spark gets in each run."""

WAYS_OUT = (
    "CREATE TEMPORARY VIEW {name} USING text OPTIONS (path '{file}')",
    "CREATE OR REPLACE TEMPORARY VIEW {name} (a STRING) USING csv OPTIONS (path '{file}')",
    "CREATE TEMP VIEW {name} USING jdbc OPTIONS (url 'jdbc:sqlite:{file}', dbtable 't')",
    "CREATE TEMPORARY VIEW v ({name} STRING) USING text OPTIONS (path '{file}')",
    "CREATE TABLE {name} USING csv LOCATION '{file}'",
    "CREATE TABLE {name} (a STRING) USING text OPTIONS (path '{file}')",
    "CREATE TABLE t ({name} STRING) USING text",
    "CREATE TABLE t ({name} STRING) USING iceberg LOCATION '{file}'",
    "CREATE TABLE {name} (a INT) LOCATION '{file}'",
    "CREATE TABLE {name} LOCATION '{file}' AS SELECT 1 AS a",
    "CREATE TABLE {name} USING parquet AS SELECT 1 AS {name}",
    "CREATE TABLE public.{name} USING orc AS SELECT 1 AS a",
    "CREATE TABLE lake.public.{name} USING json AS SELECT 1 AS a",
    "CREATE TABLE {name}.t USING csv AS SELECT 1 AS a",
    "CREATE OR REPLACE TABLE {name} USING csv AS SELECT 1 AS a",
    "CREATE TABLE IF NOT EXISTS {name} USING csv AS SELECT 1 AS a",
    "CREATE TABLE {name} (a INT) TBLPROPERTIES ('write.data.path' = '{file}')",
    "CREATE SCHEMA {name} LOCATION '{file}'",
    "ALTER TABLE {name} SET LOCATION '{file}'",
    "ALTER TABLE {name} SET TBLPROPERTIES ('write.data.path' = '{file}')",
    "CREATE FUNCTION {name} AS 'java.lang.Object'",
    "CREATE TEMPORARY FUNCTION {name} AS 'java.lang.Object'",
    "SELECT reflect('a', 'b') AS {name}",
    "SELECT reflect('a', 'b') FROM known {name}",
    "SELECT {name}.id, reflect('a', 'b') FROM known AS {name}",
    "WITH {name} AS (SELECT 1 AS a) SELECT java_method('a', 'b') FROM {name}",
    "CREATE VIEW {name} AS SELECT reflect('a', 'b') AS x",
    "CREATE TEMPORARY VIEW {name} AS SELECT reflect('a', 'b') AS x",
    "SELECT * FROM text.`{file}` AS {name}",
    "SELECT {name}.value FROM text.`{file}` {name}",
    "INSERT INTO {name} SELECT reflect('a', 'b')",
    "SELECT TRANSFORM ({name}) USING 'cat' FROM known",
)


@pytest.fixture(scope="session")
def keywords(served: Served) -> tuple[str, ...]:
    return tuple(word for (word,) in served.run("SELECT keyword FROM sql_keywords()"))


@pytest.mark.parametrize("way_out", WAYS_OUT)
def test_no_keyword_blinds_the_check_of_the_text(
    way_out: str, served: Served, keywords: tuple[str, ...]
) -> None:
    """All of them, each with or without backticks."""
    draw = run_random("sandbox")
    names = [draw.choice((keyword.lower(), f"`{keyword}`")) for keyword in keywords]
    texts = [way_out.format(name=name, file=served.canary) for name in names]
    assert [text for text in texts if not _is_refused(text, served)] == []


def _is_refused(text: str, served: Served) -> bool:
    try:
        refuse_outside(ParsedStatement(text), Grounds(str(served.lake.directory.warehouse)))
    except Error:
        return True
    return False


def test_no_keyword_blinds_spark(served: Served, keywords: tuple[str, ...]) -> None:
    """A share of them in each run, without the check of the text."""
    before = sorted(path.name for path in served.outside.rglob("*"))
    draw = run_random("sandbox")
    for _ in range(DRAWN):
        way_out, keyword = draw.choice(WAYS_OUT), draw.choice(keywords)
        name = draw.choice((keyword, keyword.lower(), f"`{keyword}`"))
        text = way_out.format(name=name, file=served.canary)
        with pytest.raises(Error) as refused:
            served.run(text)
        assert CONTENT not in str(refused.value), text
    assert sorted(path.name for path in served.outside.rglob("*")) == before
