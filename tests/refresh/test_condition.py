"""State, reason and lag of dynamic tables that exist on paper alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.errors import OperationalError
from headrace.model.dynamic_table import Column, DynamicTable
from headrace.model.history import Outcome, Refresh, RefreshState, RefreshTrigger
from headrace.model.names import TableName
from headrace.model.table_history import Commit, TableHistory
from headrace.model.version import TableVersion
from headrace.refresh.condition import Condition, LakeState, TableState, conditions
from headrace.refresh.record import REFRESH_ID, RefreshRecord, to_summary
from tests.schedule.tables import after, dynamic, named


class Paper:
    """Tables with versions 1, 2, ...; each commit is made at a second that is given."""

    def __init__(self, *tables: DynamicTable) -> None:
        self.tables = {table.name: table for table in tables}
        self.outcomes: dict[str, Outcome] = {}
        self.histories = {table.name: TableHistory(TableVersion(table.id, None, 0), ()) for table in tables}
        self.broken: set[TableName] = set()

    def commit(self, name: str, second: float, summary: dict[str, str] | None = None, **more: bool) -> None:
        known = self.histories.get(named(name)) or TableHistory(TableVersion(f"uuid-{name}", None, 0), ())
        snapshot = len(known.commits) + 1
        carried = known.newest_bookkeeping if not more.get("changes_rows", True) else None
        mark = summary or carried
        self.histories[named(name)] = replace(
            known,
            version=replace(known.version, snapshot_id=snapshot),
            commits=(*known.commits, Commit(snapshot, after(second), **more)),
            bookkeeping={**known.bookkeeping, **({snapshot: mark} if mark else {})},
        )

    def refresh(self, name: str, second: float) -> None:
        table = self.tables[named(name)]
        sources = [source.name for source in table.definition.sources]
        versions = {each: self.histories[each].version for each in sources}
        record = RefreshRecord(f"{name}-{second}", table.definition.fingerprint, versions)
        self.commit(name, second, to_summary(record))
        self.outcomes[table.id] = Outcome(after(second))

    def fail(self, name: str, message: str, times: int = 1, suspended: str | None = None) -> None:
        table = self.tables[named(name)]
        row = Refresh(
            *("j", table.id, table.name, "default", after(0)),
            *(RefreshState.FAILED, RefreshTrigger.SYSTEM_SCHEDULED, ()),
            error_message=message,
            suspended_reason=suspended,
        )
        last = self.outcomes.get(table.id, Outcome()).last_success
        self.outcomes[table.id] = Outcome(last, times, row)

    def at(self, name: str, second: float) -> Condition:
        state = LakeState(self.tables, self.outcomes, lambda each: each in self.histories, self._history)
        return conditions(state, after(second), [named(name)])[named(name)]

    def lag(self, name: str, second: float) -> float | None:
        found = self.at(name, second).lag
        return None if found is None else found.total_seconds()

    def state(self, name: str, second: float = 1000) -> tuple[str, str | None]:
        found = self.at(name, second)
        return found.state.value, found.reason

    def _history(self, name: TableName) -> TableHistory | None:
        if name in self.broken:
            raise OperationalError("a file is missing")
        return self.histories.get(name)


@pytest.fixture
def chain() -> Paper:
    """t -> a -> b -> c, all refreshed once."""
    paper = Paper(dynamic("a", "t"), dynamic("b", "a"), dynamic("c", "b"))
    paper.commit("t", 10)
    for second, name in enumerate("abc", 20):
        paper.refresh(name, second)
    return paper


def test_a_table_that_contains_everything_has_no_lag(chain: Paper) -> None:
    assert chain.at("c", 500) == Condition(TableState.ACTIVE, None, 0, after(22), timedelta(0))


def test_a_table_over_a_stale_table_is_stale(chain: Paper) -> None:
    chain.commit("t", 100)
    chain.commit("t", 200)
    assert [chain.lag(name, 300) for name in "abc"] == [200, 200, 200]
    chain.refresh("a", 310)
    assert [chain.lag(name, 400) for name in "abc"] == [0, 300, 300]
    chain.refresh("c", 410)
    assert [chain.lag(name, 500) for name in "abc"] == [0, 400, 400]
    chain.refresh("b", 510)
    chain.commit("t", 600)
    assert [chain.lag(name, 700) for name in "abc"] == [100, 100, 600]
    chain.refresh("c", 710)
    assert [chain.lag(name, 800) for name in "abc"] == [200, 200, 200]


def test_a_source_that_is_refreshed_anew_is_a_change_of_its_own(chain: Paper) -> None:
    """A definition that changed, with the same versions of its sources."""
    chain.refresh("a", 100)
    assert [chain.lag(name, 150) for name in "abc"] == [0, 50, 50]


def test_rewrites_are_no_change(chain: Paper) -> None:
    chain.commit("t", 100, changes_rows=False)
    chain.commit("a", 110, changes_rows=False)
    assert [chain.lag(name, 200) for name in "abc"] == [0, 0, 0]
    chain.commit("t", 210)
    assert [chain.lag(name, 220) for name in "abc"] == [10, 10, 10]


def test_a_diamond_takes_the_oldest() -> None:
    paper = Paper(dynamic("left", "t"), dynamic("right", "u"), dynamic("top", "left", "right", "t"))
    for name in ("t", "u"):
        paper.commit(name, 1)
    for second, name in enumerate(("left", "right", "top"), 2):
        paper.refresh(name, second)
    paper.commit("u", 50)
    paper.commit("t", 40)
    assert paper.lag("top", 100) == 60
    paper.refresh("left", 101)
    paper.refresh("top", 102)
    assert paper.lag("top", 110) == 60
    paper.refresh("right", 111)
    assert paper.lag("top", 120) == 70


def test_a_restored_source_has_changed_when_it_was_restored(chain: Paper) -> None:
    history = chain.histories[named("t")]
    chain.commit("t", 100)
    chain.refresh("a", 110)
    again = Commit(1, after(200))
    known = chain.histories[named("t")]
    chain.histories[named("t")] = replace(known, version=history.version, commits=(*known.commits, again))
    assert chain.lag("a", 230) == 30


def test_a_recreated_source_is_all_new(chain: Paper) -> None:
    del chain.histories[named("t")]
    chain.commit("t", 300)
    chain.histories[named("t")] = replace(chain.histories[named("t")], version=TableVersion("another", 1, 0))
    assert chain.lag("a", 310) == 10


def test_never_refreshed_counts_from_its_creation() -> None:
    paper = Paper(dynamic("a", "t", created=after(50)))
    paper.commit("t", 10)
    assert paper.at("a", 60) == Condition(
        TableState.NEVER_REFRESHED, "no refresh has succeeded yet", 0, None, timedelta(seconds=10)
    )
    paper.histories[named("t")] = TableHistory(TableVersion("uuid-t", None, 0), ())
    assert paper.lag("a", 60) == 0


def test_a_refresh_that_made_no_version_leaves_a_table_never_refreshed() -> None:
    """As of one whose source does not exist yet: it succeeds, and nothing is in the table."""
    paper = Paper(dynamic("a", "t"))
    paper.commit("t", 10)
    paper.outcomes[paper.tables[named("a")].id] = Outcome(after(20))
    assert paper.state("a") == ("never refreshed", "no refresh has succeeded yet")


def test_a_record_that_cannot_be_read_is_one_of_a_refresh(chain: Paper) -> None:
    chain.commit("a", 100, {REFRESH_ID: "j", "headrace.source-versions": "["})
    assert chain.state("a")[0] != "never refreshed"


def test_what_another_program_has_written_to_was_refreshed_before(chain: Paper) -> None:
    chain.commit("a", 100)
    assert chain.state("a") == (
        "active",
        "another program has written to it: the next refresh recomputes it",
    )
    chain.refresh("a", 110)
    assert chain.state("a") == ("active", None)


def test_a_version_that_is_not_kept_any_more(chain: Paper) -> None:
    chain.commit("t", 100)
    known = chain.histories[named("t")]
    chain.histories[named("t")] = replace(known, commits=known.commits[1:])
    assert chain.lag("a", 130) == 30


def test_what_cannot_be_read_from_here_is_not_known(chain: Paper) -> None:
    away = TableName("other", "public", "t")
    table = dynamic("far", "t")
    source = replace(table.definition.sources[0], name=away)
    chain.tables[table.name] = replace(table, definition=replace(table.definition, sources=(source,)))
    chain.histories[table.name] = TableHistory(TableVersion("far", None, 0), ())
    state = LakeState(chain.tables, {}, lambda _: True, chain.histories.get)
    assert conditions(state, after(10), [table.name])[table.name].lag is None


def test_failing(chain: Paper) -> None:
    chain.fail("a", "cast failed\nat line 3", times=3)
    found = chain.at("a", 100)
    assert (found.state, found.reason, found.consecutive_failures) == ("failing", "cast failed", 3)
    assert found.last_success == after(20)
    assert chain.state("b") == ("active", "its source lake.public.a is failing")
    assert chain.state("c") == ("active", "its source lake.public.a is failing")


def test_failing_before_the_first_success() -> None:
    paper = Paper(dynamic("a", "t"))
    paper.commit("t", 1)
    paper.fail("a", "no memory")
    assert paper.state("a") == ("failing", "no memory")


def test_suspended_by_a_user_and_by_itself(chain: Paper) -> None:
    chain.tables[named("a")] = replace(chain.tables[named("a")], suspended=True)
    assert chain.state("a") == ("suspended", "resume its schedule with ALTER DYNAMIC TABLE ... RESUME")
    chain.fail("a", "no memory", times=5, suspended="5 refreshes in a row failed")
    assert chain.state("a") == ("suspended", "5 refreshes in a row failed: no memory")
    assert chain.state("c") == ("active", "its source lake.public.a is suspended")


def test_waiting_for_a_source(chain: Paper) -> None:
    del chain.histories[named("t")]
    assert chain.state("a") == ("waiting for a source", "lake.public.t does not exist")
    assert chain.lag("a", 100) is None
    assert chain.state("b") == ("active", "its source lake.public.a is waiting for a source")


def test_a_dynamic_source_that_was_created_anew_counts_as_absent(chain: Paper) -> None:
    chain.histories[named("a")] = TableHistory(TableVersion("another", None, 0), ())
    del chain.outcomes["id-a"]
    assert chain.state("b") == (
        "waiting for a source",
        "lake.public.a was recreated and has not been refreshed yet",
    )
    chain.refresh("a", 100)
    assert chain.state("b") == ("active", None)
    assert chain.lag("b", 130) == 120


def test_waiting_for_data(chain: Paper) -> None:
    table = chain.tables[named("a")]
    chain.tables[named("a")] = replace(table, definition=replace(table.definition, expanded="SELECT 2"))
    state, reason = chain.state("a")
    assert state == "waiting for data"
    assert str(reason).startswith("the new definition waits for the next change in a source")
    assert chain.state("b") == ("active", None)
    chain.commit("t", 100)
    assert chain.state("a") == ("active", None)


def test_waiting_for_data_after_a_column_went_and_came_again(chain: Paper) -> None:
    chain.tables[named("a")] = replace(chain.tables[named("a")], columns=(Column("x", "int"),))
    known = chain.histories[named("a")]
    chain.histories[named("a")] = replace(known, columns={"x": 1}, refreshed_columns=frozenset({1}))
    assert chain.state("a")[0] == "active"
    chain.histories[named("a")] = replace(known, columns={"x": 2}, refreshed_columns=frozenset({1}))
    assert chain.state("a")[0] == "waiting for data"


def test_unreadable(chain: Paper) -> None:
    chain.broken.add(named("a"))
    assert chain.state("a") == ("unreadable", "a file is missing")
    assert chain.state("c")[0] == "unreadable"
    chain.broken.clear()
    del chain.histories[named("a")]
    assert chain.state("a")[0] == "unreadable"


READS = {"a": "t", "b": "au", "c": "b", "d": "ct"}
Changes = set[tuple[str, int]]
"""By the way that each came, and its second."""


class Copies:
    """A table is a set of changes; a refresh takes those of its sources as they are then."""

    def __init__(self) -> None:
        self.contained: dict[str, Changes] = {"t": {("t", 0)}, "u": {("u", 0)}}

    def of_sources(self, name: str) -> Changes:
        return {(name + way, at) for each in READS[name] for way, at in self.contained[each]}

    def everything(self, name: str) -> Changes:
        if name not in READS:
            return self.contained[name]
        return {(name + way, at) for each in READS[name] for way, at in self.everything(each)}

    def refresh(self, name: str) -> bool:
        """Whether there was something to take."""
        before = self.contained.get(name)
        self.contained[name] = self.of_sources(name)
        return self.contained[name] != before

    def oldest_missing(self, name: str) -> int | None:
        return min((at for _, at in self.everything(name) - self.contained[name]), default=None)


@given(st.lists(st.tuples(st.sampled_from("tuabcd"), st.integers(1, 50)), max_size=25))
def test_the_lag_is_that_of_a_model_that_copies_changes(steps: list[tuple[str, int]]) -> None:
    paper, model = Paper(*(dynamic(name, *sources) for name, sources in READS.items())), Copies()
    for name in "tu":
        paper.commit(name, 0)
    now = 0
    for name, pause in [*((each, 0) for each in READS), *steps]:
        now += pause
        if name not in READS:
            paper.commit(name, now)
            model.contained[name].add((name, now))
        elif model.refresh(name):
            paper.refresh(name, now)
    for name in READS:
        missing = model.oldest_missing(name)
        assert paper.lag(name, now + 100) == (0 if missing is None else now + 100 - missing)
