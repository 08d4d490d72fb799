"""Mistakes of all sorts: what is said, where it points, what it advises, and that nothing changes.

Each file in ``bad_inputs/`` holds statements, each followed by the error it must give, as comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import headrace
from headrace import errors
from headrace.connection import Connection
from tests import internals

SETUP = """
CREATE SCHEMA shop; CREATE SCHEMA full_schema; USE shop;
CREATE TABLE orders (
  id BIGINT, product STRING, quantity INT, price DECIMAL(10, 2), at TIMESTAMP, tags ARRAY<STRING>);
INSERT INTO orders VALUES
  (1, 'lamp', 2, 9.50, TIMESTAMP '2024-01-01 10:00:00', array('red')),
  (2, 'desk', 1, 120.00, TIMESTAMP '2024-01-02 10:00:00', array());
CREATE TABLE strict (id BIGINT NOT NULL, name STRING);
CREATE TABLE full_schema.t (a INT);
CREATE VIEW big AS SELECT id, product FROM orders WHERE quantity > 1;
CREATE VIEW lucky AS SELECT id, rand() AS r FROM orders;
CREATE VIEW luckier AS SELECT r FROM lucky;
CREATE TABLE short_lived (a INT); CREATE VIEW broken AS SELECT a FROM short_lived; DROP TABLE short_lived;
CREATE TEMPORARY VIEW scratch AS SELECT 1 AS id;
CREATE OR REPLACE GLOBAL TEMPORARY VIEW pinboard AS SELECT 1 AS id;
DECLARE OR REPLACE VARIABLE threshold INT DEFAULT 1;
CREATE DYNAMIC TABLE sales AS SELECT product, sum(quantity) AS quantity FROM orders GROUP BY product;
REFRESH DYNAMIC TABLE sales;
CREATE DYNAMIC TABLE top AS SELECT product FROM sales;
CREATE DYNAMIC TABLE tariff AS SELECT id, price FROM orders;
CREATE DYNAMIC TABLE tariff_prices AS SELECT price FROM tariff;
CREATE DYNAMIC TABLE first AS SELECT id FROM orders;
CREATE DYNAMIC TABLE second AS SELECT id FROM first;
DROP DYNAMIC TABLE first;
CREATE DYNAMIC TABLE chosen AS SELECT id FROM orders WHERE product = SESSION_CONFIGS()['dt.args.what'];
CREATE DYNAMIC TABLE hourly PROPERTIES('dt.args.what'='lamp') REFRESH INTERVAL 1 HOUR
  AS SELECT id FROM orders WHERE product = SESSION_CONFIGS()['dt.args.what'];
CREATE DYNAMIC TABLE split PARTITIONED BY (product, id, days(at))
  AS SELECT id, quantity, product, at FROM orders;
CREATE DYNAMIC TABLE moments PARTITIONED BY (at) AS SELECT id, at FROM orders;
CREATE TABLE STREAM news ON TABLE orders; CREATE VIEW fresh AS SELECT id, product FROM news;
CREATE TABLE STREAM old_news ON TABLE orders; DROP TABLE STREAM old_news;
CREATE TABLE own_names (__Change_Type STRING);
CREATE TABLE dropped (a INT); DROP TABLE dropped;
CREATE TABLE orders_then (a INT); ALTER TABLE orders_then RENAME TO moved; DROP TABLE moved;
CREATE VIEW moved AS SELECT 1 AS a;
CREATE TASK load AS INSERT INTO orders SELECT * FROM orders;
CREATE TASK `report 2` SCHEDULE INTERVAL 1 HOUR AFTER load AS SELECT count(*) FROM orders;
CREATE TASK last AFTER `report 2` AS SQL 'SELECT ${day}';
CREATE TASK script AS PYTHON 'print(1)';
CREATE SCHEMA closed; CREATE TABLE closed.t (a INT); DROP TABLE closed.t; DROP SCHEMA closed
"""


@dataclass(frozen=True)
class BadInput:
    sql: str
    kind: str
    place: str | None
    message: str
    hint: str | None


def _read(entry: str) -> BadInput:
    lines = entry.splitlines()
    sql = "\n".join(line for line in lines if not line.startswith("-- "))
    said, *hints = [line.removeprefix("-- ") for line in lines if line.startswith("-- ")]
    found = re.fullmatch(r"(\w+)(?: at (\d+:\d+))?: (.*)", said)
    assert found, said
    return BadInput(sql, *found.groups(), hints[0].removeprefix("hint: ") if hints else None)


FILES = sorted((Path(__file__).parent / "bad_inputs").glob("*.sql"))
BAD_INPUTS = [
    pytest.param(_read(entry), id=f"{file.stem}-{number}")
    for file in FILES
    for number, entry in enumerate(file.read_text().strip().split("\n\n"), 1)
]


@pytest.fixture(scope="module")
def shop(own_spark: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """A lake without tables of other tests, which hints would propose."""
    with headrace.connect(tmp_path_factory.mktemp("bad_inputs") / "lake") as connection:
        connection.sql(SETUP)
        yield connection
        connection.sql("DROP VIEW global_temp.pinboard")


def test_there_are_many() -> None:
    assert len(BAD_INPUTS) > 200


@pytest.mark.parametrize("bad", BAD_INPUTS)
def test_bad_input(bad: BadInput, shop: Connection) -> None:
    before = state(shop)
    with pytest.raises(errors.Error) as caught:
        shop.sql(bad.sql).fetchall()
    error = caught.value
    place = error.place and f"{error.place.line}:{error.place.column}"
    assert BadInput(bad.sql, type(error).__name__, place, error.message, error.hint) == bad
    assert state(shop) == before


NOT_FOR_USERS = re.compile(
    r"SQLSTATE|\[[A-Z]+_[A-Z_.]+\]|==|#\d+|\n|`\w+`"
    r"|org\.apache|java\.|Exception|\bat [\w.$]+\(|Spark failed|spark\.sql"
)


@pytest.mark.parametrize("bad", BAD_INPUTS)
def test_it_is_said_in_one_sentence(bad: BadInput) -> None:
    for words in (bad.message, bad.hint or ""):
        assert not NOT_FOR_USERS.search(words)
        assert not re.search(r"[^.]\.( |$)", words)
        assert len(words) < 130


def state(lake: Connection) -> dict[str, object]:
    """All that a statement could have changed."""
    context = internals.statement_context(lake)
    catalog, store = context.session.catalog, context.lake.store
    schemas = catalog.schemas("lake")
    return {
        "here": (lake.workspace, lake.schema),
        "schemas": schemas,
        "tables": [
            (name, context.session.catalog.existing_table(context.session.resolve((schema, name))).location)
            for schema in schemas
            for name in catalog.tables("lake", schema)
        ],
        "views": [(schema, catalog.views("lake", schema)) for schema in schemas],
        "dynamic tables": store.definitions.all(),
        "streams": (store.streams.all(), store.streams.unended()),
        "unfinished": store.lifecycle.unfinished(),
        "dropped": (store.dropped.all(), store.dropped.unfinished()),
        "history": len(store.refreshes.history()),
        "tasks": store.tasks.all(),
    }
