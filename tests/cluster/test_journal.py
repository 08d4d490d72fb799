from __future__ import annotations

import pytest

from headrace.cluster.journal import Journal
from headrace.sql.parsed import ParsedStatement


def noted(*statements: str) -> list[str]:
    journal = Journal()
    for statement in statements:
        journal.note(ParsedStatement(statement))
    return list(journal.statements)


@pytest.mark.parametrize(
    "text",
    [
        "USE sales",
        "SET spark.sql.ansi.enabled = false",
        "RESET",
        "DECLARE x INT DEFAULT 1",
        "CREATE TEMPORARY VIEW v AS SELECT 1",
        "create or replace temp view v as select 1",
        "CREATE OR REPLACE GLOBAL TEMPORARY VIEW v AS SELECT 1",
        "CREATE TEMPORARY FUNCTION f AS 'x'",
        "DROP TEMPORARY FUNCTION f",
        "/* a note */ SET query_tag = 'x'",
    ],
)
def test_what_makes_a_session(text):
    assert noted(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1",
        "INSERT INTO t VALUES (1)",
        "CREATE TABLE temp (a INT)",
        "CREATE VIEW v AS SELECT 1",
        "DROP TABLE t",
        "DROP VIEW v",
        "REFRESH DYNAMIC TABLE d",
        "",
    ],
)
def test_what_lasts_is_not_said_again(text):
    assert noted(text) == []


def test_the_last_word_counts():
    assert noted("USE a", "USE b", "USE a") == ["USE b", "USE a"]


def test_a_view_that_went_is_not_made_again():
    made, other = "CREATE TEMP VIEW v AS SELECT 1", "CREATE TEMP VIEW w AS SELECT 2"
    assert noted(made, other, "DROP VIEW IF EXISTS V") == [other]
    assert noted(made, "DROP VIEW other") == [made]
