"""The stages that EXPLAIN REFRESH lists are those that the refresh runs, with the SQL that it shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from headrace.connection import Connection
from headrace.errors import DataError, ProgrammingError
from headrace.lake.lookup import key_query
from headrace.lake.session import LakeSession
from headrace.model.history import JobProfile, StageOutcome, StageReport
from headrace.refresh import execute_stages, full, increment
from tests.delta.random_queries import query_over
from tests.refresh.helpers import profile, refresh
from tests.refresh.random_changes import change, creation, tables_in
from tests.sampling import fresh_seeds

pytestmark = pytest.mark.incremental

_STAGE = re.compile(
    r"\d+\. (?P<kind>[a-z ]+): (?P<detail>.*?)(?:; (?:reads|at most|index|pages|without) .*)?"
)


@dataclass
class Listed:
    """A stage as EXPLAIN lists it."""

    stage: str
    sql: list[str] = field(default_factory=list)
    otherwise: dict[str, str] = field(default_factory=dict)
    """By condition."""


def explained(lake: Connection, table: str, *, demanded: str = "") -> tuple[dict[str, str], list[Listed]]:
    items: dict[str, str] = {}
    stages: list[Listed] = []
    for item, detail in lake.sql(f"EXPLAIN REFRESH DYNAMIC TABLE {table} {demanded}").fetchall():
        match item:
            case "stage":
                found = _STAGE.fullmatch(detail)
                assert found, detail
                stages.append(Listed(f"{found['kind']}: {found['detail']}"))
            case "otherwise":
                condition, instead = detail.split(": ", 1)
                stages[-1].otherwise[condition] = instead
            case "sql":
                stages[-1].sql.append(detail)
            case _:
                items[item] = detail
    return items, stages


@dataclass(frozen=True)
class Refreshed:
    items: dict[str, str]
    listed: list[Listed]
    profile: JobProfile
    mode: str

    @property
    def kinds(self) -> list[str]:
        return [stage.stage for stage in self.profile.stages]

    @property
    def commit(self) -> str:
        return self.profile.stages[-1].detail


def comes_true(lake: Connection, table: str, *, demanded: str = "") -> Refreshed:
    """Explains and runs the next refresh; what was explained is what has run."""
    items, listed = explained(lake, table, demanded=demanded)
    with what_spark_runs() as ran:
        row = refresh(lake, table, full=demanded == "FULL")
    found = profile(lake, row)
    assert row["refresh_mode"] == items["mode"]
    if any(report.outcome is StageOutcome.FAILED for report in found.stages):
        return Refreshed(items, listed, found, row["refresh_mode"])
    assert_stages(found.stages, listed)
    is_as_listed = all(report.outcome is not StageOutcome.READ_IN_FULL for report in found.stages)
    for report, stage in zip(found.stages, listed, strict=False) if is_as_listed else ():
        statement = None if report.statement is None else found.statements[report.statement - 1]
        if f"{report.stage}: {report.detail}" == stage.stage:
            assert same_sql(statement or "") == same_sql("\n".join(stage.sql))
    assert [same_sql(text) for text in ran] == [same_sql(text) for text in found.statements]
    write = f"write ({items['write'].split(':')[0]})" if "write" in items else None
    if found.stages and found.stages[-1].stage == "write":
        assert write in [phase.name for phase in found.phases]
    assert all(report.seconds >= 0 for report in found.stages)
    assert [job for report in found.stages for job in report.spark_jobs] == list(found.spark_jobs)
    return Refreshed(items, listed, found, row["refresh_mode"])


def assert_stages(reports: Sequence[StageReport], listed: list[Listed]) -> None:
    """In the same order, up to where an alternative was taken that is listed as well."""
    expected = [stage.stage for stage in listed]
    for number, report in enumerate(reports):
        assert f"{report.stage}: {report.detail}" == expected[number]
        instead = listed[number].otherwise if number < len(listed) else {}
        match report.outcome:
            case StageOutcome.OVER_LIMIT if instead:
                expected[number + 1 :] = _of(instead, "more than")
            case StageOutcome.EMPTY:
                expected[number + 1 :] = _of(instead, "no rows")
    assert len(reports) == len(expected)


_NEXT_STAGE = re.compile(r", (?=(?:find rows|collect|look up|write|commit record): )")


def _of(alternatives: dict[str, str], condition: str) -> list[str]:
    (found,) = (stages for each, stages in alternatives.items() if each.startswith(condition))
    return _NEXT_STAGE.split(found)


_CHANGES = r"SELECT [^()]*CAST\(.1 AS BIGINT\) AS __hr_weight FROM \S+`headrace-changes-\w+.` WITH \([^)]*\)"
_NORMAL = {
    rf"{_CHANGES}(?: UNION ALL {_CHANGES})*": "ROWS",
    r"SELECT CAST\(NULL AS (?:(?!FROM).)*? AS __hr_weight WHERE false": "ROWS",
    r"SELECT \* FROM (?:changes\([^)]*\)|stage_\d+|__hr_[0-9a-f]{32})": "ROWS",
    r"(?<=^INSERT INTO )\S+|(?<=^MERGE INTO )\S+": "TARGET",
}
"""What is named otherwise in each run."""
_GENERATED = re.compile(r"(?<!`)\bc\d+\b(?!`)")
"""Columns inside of a query: each plan goes on counting where the last one ended."""


def same_sql(text: str) -> str:
    text = " ".join(text.split())
    for pattern, name in _NORMAL.items():
        text = re.sub(pattern, name, text)
    numbers: dict[str, str] = {}
    return _GENERATED.sub(lambda name: numbers.setdefault(name[0], f"n{len(numbers)}"), text)


@contextmanager
def what_spark_runs() -> Iterator[list[str]]:
    """Every query and statement of the refresh, as Spark gets it."""
    ran: list[str] = []

    def recorded(run: Any) -> Any:
        def call(session: LakeSession, text: str, *more: Any, **named: Any) -> Any:
            ran.append(text)
            return run(session, text, *more, **named)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for place, name in (
            (execute_stages, "small_result"),
            (execute_stages, "execute_measured"),
            (key_query, "small_result"),
        ):
            patch.setattr(place, name, recorded(getattr(place, name)))
        yield ran


BASE = """
CREATE TABLE t (id INT, k INT, v INT);
CREATE TABLE p (k INT, name STRING);
CREATE TABLE plain (id INT, k INT) TBLPROPERTIES ('format-version' = '2');
INSERT INTO t SELECT id, id % 4, id FROM range(40);
INSERT INTO p SELECT id, concat('n', id) FROM range(4);
INSERT INTO plain SELECT id, id % 4 FROM range(40)
"""
COPY = "SELECT id, v FROM t WHERE v >= 0"
JOIN = "SELECT t.id, p.name FROM t JOIN p ON t.k = p.k"
GROUPS = "SELECT k, count(*) AS n, sum(v) AS v FROM t GROUP BY k"
EXTREMES = "SELECT k, min(v) AS least FROM t GROUP BY k"
ROWS = "SELECT k FROM plain"
INSERT = "INSERT INTO t VALUES (100, 1, 5), (101, 2, 6)"
DELETE = "DELETE FROM t WHERE id IN (3, 4)"
BY_DRIVER, BY_SPARK = "by the driver, without a Spark job", "by one Spark statement"
STAGE, FIND, COLLECT, LOOK_UP = "stage changes", "find rows", "collect", "look up"
WRITE, RECORD = "write", "commit record"
LIMITS = {"small": (20_000, 100_000), "large change": (-1, 100_000), "large table": (20_000, 2)}


@pytest.fixture
def tables(lake: Connection) -> Connection:
    lake.sql(BASE)
    return lake


def defined(lake: Connection, query: str) -> None:
    clause = "PROPERTIES ('full_refresh_margin' = '1000')"
    lake.sql(f"CREATE DYNAMIC TABLE d {clause} AS {query}; REFRESH DYNAMIC TABLE d")


@pytest.mark.share(0.5)
@pytest.mark.parametrize(
    ("query", "sizes", "change", "kinds", "commit"),
    [
        (COPY, "small", INSERT, [STAGE, COLLECT, WRITE], f"append {BY_DRIVER}"),
        (COPY, "small", DELETE, [STAGE, COLLECT, FIND, WRITE], f"merge {BY_DRIVER}"),
        (COPY, "large change", INSERT, [STAGE, WRITE], f"append {BY_SPARK}"),
        (COPY, "large change", DELETE, [STAGE, WRITE], f"merge {BY_SPARK}"),
        (COPY, "large table", DELETE, [STAGE, COLLECT, FIND, WRITE], f"merge {BY_DRIVER}"),
        (JOIN, "small", INSERT, [STAGE, FIND, COLLECT, WRITE], f"append {BY_DRIVER}"),
        (JOIN, "small", DELETE, [STAGE, FIND, COLLECT, FIND, WRITE], f"merge {BY_DRIVER}"),
        (
            JOIN,
            "large table",
            DELETE,
            [STAGE, FIND, COLLECT, FIND, WRITE],
            f"merge {BY_DRIVER}",
        ),
        (EXTREMES, "small", INSERT, [STAGE, LOOK_UP, WRITE], f"merge {BY_DRIVER}"),
        (
            EXTREMES,
            "small",
            DELETE,
            [STAGE, COLLECT, FIND, COLLECT, FIND, LOOK_UP, WRITE],
            f"merge {BY_DRIVER}",
        ),
        (GROUPS, "small", INSERT, [STAGE, LOOK_UP, WRITE], f"merge {BY_DRIVER}"),
        (GROUPS, "large change", INSERT, [STAGE, WRITE], f"merge {BY_SPARK}"),
        (GROUPS, "large table", DELETE, [STAGE, FIND, LOOK_UP, WRITE], f"merge {BY_DRIVER}"),
        (
            ROWS,
            "small",
            "DELETE FROM plain WHERE id = 3",
            [STAGE, COLLECT, LOOK_UP, WRITE],
            f"merge {BY_DRIVER}",
        ),
        (ROWS, "large change", "DELETE FROM plain WHERE id = 3", [STAGE, WRITE], f"merge {BY_SPARK}"),
        (
            ROWS,
            "large table",
            "DELETE FROM plain WHERE id = 3",
            [STAGE, COLLECT, FIND, LOOK_UP, WRITE],
            f"merge {BY_DRIVER}",
        ),
        (COPY, "small", "INSERT INTO t VALUES (200, 1, -5)", [STAGE, COLLECT, RECORD], "no row changes"),
        (
            f"WITH unused AS (SELECT * FROM p) {COPY}",
            "small",
            "INSERT INTO p VALUES (9, 'x')",
            [RECORD],
            "no row changes",
        ),
    ],
)
def test_incremental(
    tables: Connection,
    monkeypatch: pytest.MonkeyPatch,
    query: str,
    sizes: str,
    change: str,
    kinds: list[str],
    commit: str,
) -> None:
    small, large = LIMITS[sizes]
    monkeypatch.setattr(increment, "SMALL", small)
    monkeypatch.setattr(increment, "LARGE", large)
    defined(tables, query)
    tables.sql(change)
    done = comes_true(tables, "d")
    assert (done.mode, done.kinds, done.commit) == ("INCREMENTAL", kinds, commit)


def test_rows_of_a_large_table_are_found_by_their_keys(
    tables: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(increment, "LARGE", 2)
    defined(tables, GROUPS)
    tables.sql("INSERT INTO t VALUES (300, 2, 1), (301, 3, 1)")
    done = comes_true(tables, "d")
    assert done.listed[1].stage == "find rows: rows of lake.s.d by k".replace(
        "lake.s.", f"lake.{tables.schema}."
    )
    assert [report.rows for report in done.profile.stages] == [2, 2, 2, 4]


def test_rows_that_are_too_many_to_be_found_by_key_are_read_with_the_table(
    tables: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(increment, "LARGE", 2)
    monkeypatch.setattr(increment, "MOST_FOUND", 0)
    defined(tables, JOIN)
    tables.sql(DELETE)
    done = comes_true(tables, "d")
    assert done.kinds == [STAGE, FIND, COLLECT, FIND, WRITE]
    assert done.profile.stages[1].outcome is StageOutcome.READ_IN_FULL
    assert done.listed[1].otherwise == {
        "more than 20000 keys or 0 rows": f"lake.{tables.schema}.p is read in full"
    }


class TestFull:
    def test_fill(self, tables: Connection) -> None:
        tables.sql(f"CREATE DYNAMIC TABLE d AS {JOIN}")
        done = comes_true(tables, "d")
        assert (done.mode, done.kinds, done.commit) == ("FULL", [WRITE], f"fill {BY_SPARK}")
        assert [report.rows for report in done.profile.stages] == [40]

    @pytest.mark.parametrize(("compared", "way"), [(100_000, "difference"), (0, "rewrite")])
    def test_of_a_table_with_rows(
        self, tables: Connection, monkeypatch: pytest.MonkeyPatch, compared: int, way: str
    ) -> None:
        monkeypatch.setattr(full, "SMALL_ENOUGH_TO_COMPARE", compared)
        defined(tables, GROUPS)
        tables.sql(INSERT)
        done = comes_true(tables, "d", demanded="FULL")
        assert (done.mode, done.kinds, done.commit) == ("FULL", [WRITE], f"{way} {BY_SPARK}")

    def test_hidden_columns_are_added_first(self, tables: Connection) -> None:
        tables.sql(f"CREATE DYNAMIC TABLE d REFRESH_MODE = FULL AS {GROUPS}; REFRESH DYNAMIC TABLE d")
        tables.sql("ALTER DYNAMIC TABLE d SET REFRESH_MODE = AUTO")
        tables.sql(INSERT)
        done = comes_true(tables, "d")
        assert (done.mode, done.kinds) == ("FULL", ["add columns", WRITE])


def test_no_data(tables: Connection) -> None:
    defined(tables, COPY)
    done = comes_true(tables, "d")
    assert (done.mode, done.listed, done.profile.stages) == ("NO_DATA", [], ())


@pytest.mark.parametrize(
    ("change", "kinds"),
    [
        ("INSERT INTO t VALUES (500, 1, 5)", [STAGE, FIND, COLLECT, WRITE]),
        ("DELETE FROM t WHERE id = 1", [STAGE, FIND, COLLECT, WRITE]),
    ],
)
def test_more_rows_than_are_kept(
    tables: Connection, monkeypatch: pytest.MonkeyPatch, change: str, kinds: list[str]
) -> None:
    monkeypatch.setattr(increment, "SMALL", 5)
    monkeypatch.setattr(increment, "LARGE", 100_000)
    defined(tables, "SELECT t.id, u.id AS other FROM t JOIN t AS u ON t.k = u.k")
    tables.sql(change)
    done = comes_true(tables, "d")
    assert (done.kinds, done.commit.endswith(BY_SPARK)) == (kinds, True)
    outcomes = [report.outcome for report in done.profile.stages]
    assert outcomes == [StageOutcome.DONE, StageOutcome.DONE, StageOutcome.OVER_LIMIT, StageOutcome.DONE]


def test_after_a_plan_that_fails_come_the_stages_of_the_next(
    tables: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    defined(tables, COPY)
    monkeypatch.setattr(execute_stages, "small_result", _refused)
    tables.sql(DELETE)
    row = refresh(tables, "d")
    found = profile(tables, row)
    assert row["refresh_mode"] == "FULL"
    assert [(report.stage, report.outcome) for report in found.stages] == [
        (STAGE, StageOutcome.DONE),
        (COLLECT, StageOutcome.FAILED),
        (WRITE, StageOutcome.DONE),
    ]
    assert [report.statement for report in found.stages] == [None, None, 1]


def _refused(*_: object) -> Any:
    raise DataError("cannot be computed")


def test_the_profile_is_a_table(tables: Connection) -> None:
    defined(tables, COPY)
    tables.sql(INSERT)
    job = refresh(tables, "d")["job_id"]
    rows = tables.sql(
        f"SELECT stages FROM information_schema.dynamic_table_job_profiles WHERE job_id = '{job}'"
    ).fetchall()
    assert [(stage["stage"], stage["rows"], stage["statement"]) for stage in rows[0][0]] == [
        (STAGE, 2, None),
        (COLLECT, 2, 1),
        (WRITE, 2, None),
    ]


def _is_created(lake: Connection, name: str, query: str) -> bool:
    """Spark takes no subquery beside groups that is not a key."""
    try:
        lake.sql(f"CREATE DYNAMIC TABLE {name} PROPERTIES ('full_refresh_margin' = '1000') AS {query}")
    except ProgrammingError as error:
        assert "GROUP BY" in str(error)
        return False
    return True


QUERIES, ROUNDS, BATCHES = 4, 2, 10


@pytest.mark.parametrize("batch", fresh_seeds("refresh/explained stages", BATCHES, share=0.15))
def test_random_queries(lake: Connection, monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    """Whatever the query, the change and the limits."""
    rng = Random(batch)
    tables = tables_in(rng, lake.schema)
    lake.sql(creation(rng, tables))
    names = [f"d{number}" for number in range(QUERIES)]
    for name in names:
        while not _is_created(lake, name, query_over(rng, tables, rng.choice((0, 1, 2, 2, 3))).sql):
            continue
        comes_true(lake, name)
    for _ in range(ROUNDS):
        lake.sql(change(rng, tables))
        for name in names:
            monkeypatch.setattr(increment, "SMALL", rng.choice((20_000, 20_000, 8, 3, -1)))
            monkeypatch.setattr(increment, "LARGE", rng.choice((100_000, 2)))
            comes_true(lake, name)
