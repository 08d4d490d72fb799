"""What every metadata database must do. A backend subclasses this and gives a ``store`` fixture."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings

from headrace.catalog.definition_lifecycle import Altering, Unfinished
from headrace.catalog.schema import DropStage, Lifecycle
from headrace.catalog.store import MetadataStore
from headrace.errors import AlreadyExists, DataError, InterfaceError, NotFound, StreamBusy
from headrace.features.recovery.store import DroppedAt
from headrace.features.streams.model import Consumption, StreamMode, TableStream
from headrace.model.dropped import Dropped
from headrace.model.dynamic_table import DynamicTable
from headrace.model.history import JobProfile, Outcome, Refresh, RefreshMode, RefreshState, RefreshTrigger
from headrace.model.names import DROPPED_SCHEMA, TableName
from headrace.model.object_kind import ObjectKind
from headrace.model.version import TableVersion

from .samples import (
    DROPPED,
    NOON,
    PROFILES,
    REFRESHES,
    TABLES,
    dropped,
    name,
    profile,
    refresh,
    stream,
    table,
)

NAIVE = datetime(2024, 6, 1)  # noqa: DTZ001
one_store = settings(
    max_examples=60,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.differing_executors,
    ],
)
"""One store for all examples; each backend is an executor of the same test."""


def create(store: MetadataStore, *tables: DynamicTable) -> None:
    for each in tables:
        store.lifecycle.begin_create(each)
        store.lifecycle.finish_create(each.id)


def job_ids(found: list[Refresh]) -> list[str]:
    return [each.job_id for each in found]


class Definitions:
    @one_store
    @given(each=TABLES)
    def test_a_table_comes_back_as_it_went_in(self, store: MetadataStore, each: DynamicTable) -> None:
        create(store, each)
        assert store.definitions.find(each.name) == each
        store.lifecycle.begin_drop(each.id)
        store.lifecycle.finish_drop(each.id)
        assert store.definitions.find(each.name) is None

    def test_moments_come_back_in_utc(self, store: MetadataStore) -> None:
        create(store, table("a"))
        found = store.definitions.find(name("a"))
        assert found is not None
        assert found.created_at.tzinfo is UTC

    def test_a_table_shows_between_finish_create_and_begin_drop(self, store: MetadataStore) -> None:
        one = table("a")
        store.lifecycle.begin_create(one)
        assert (store.definitions.find(one.name), store.definitions.all()) == (None, [])
        store.lifecycle.finish_create("a")
        assert (store.definitions.find(one.name), store.definitions.all()) == (one, [one])
        store.lifecycle.begin_drop("a")
        assert (store.definitions.find(one.name), store.definitions.all()) == (None, [])

    def test_unfinished_tables_are_listed_by_name(self, store: MetadataStore) -> None:
        create(store, table("b"), table("c"))
        store.lifecycle.begin_drop("b")
        store.lifecycle.begin_create(table("a"))
        creating, dropping = Lifecycle.CREATING, Lifecycle.DROPPING
        assert store.lifecycle.unfinished() == [
            Unfinished(table("a"), creating),
            Unfinished(table("b"), dropping),
        ]
        store.lifecycle.abandon_create("a")
        store.lifecycle.finish_drop("b")
        assert store.lifecycle.unfinished() == []
        assert store.definitions.all() == [table("c")]

    @pytest.mark.parametrize("reached", [Lifecycle.CREATING, Lifecycle.ACTIVE, Lifecycle.DROPPING])
    def test_a_name_is_taken_at_every_stage(self, store: MetadataStore, reached: Lifecycle) -> None:
        store.lifecycle.begin_create(table("a"))
        if reached is not Lifecycle.CREATING:
            store.lifecycle.finish_create("a")
        if reached is Lifecycle.REPLACING:
            store.lifecycle.begin_replace(table("a"))
        if reached is Lifecycle.DROPPING:
            store.lifecycle.begin_drop("a")
        with pytest.raises(AlreadyExists, match=r"^lake\.public\.a already exists$"):
            store.lifecycle.begin_create(table("other", name("a")))

    def test_names_differ_by_case_and_schema(self, store: MetadataStore) -> None:
        create(store, table("1", name("a")), table("2", name("A")), table("3", name("a", "other")))
        assert [each.id for each in store.definitions.all()] == ["3", "2", "1"]

    @pytest.mark.parametrize("step", ["finish_create", "abandon_create", "finish_drop", "finish_replace"])
    def test_a_step_out_of_turn_changes_nothing(self, store: MetadataStore, step: str) -> None:
        create(store, table("a"))
        with pytest.raises(NotFound):
            getattr(store.lifecycle, step)("a")
        assert store.definitions.all() == [table("a")]

    @pytest.mark.parametrize("step", ["finish_create", "abandon_create", "begin_drop", "finish_drop"])
    def test_an_unknown_id_is_not_found(self, store: MetadataStore, step: str) -> None:
        with pytest.raises(NotFound):
            getattr(store.lifecycle, step)("nobody")

    def test_replace_changes_the_whole_definition(self, store: MetadataStore) -> None:
        create(store, table("a"), table("b"))
        other = table("a", name("renamed"), reads=(name("src"),), comment="c", cluster="big")
        store.lifecycle.replace(other)
        assert store.definitions.all() == [table("b"), other]

    def test_replace_needs_a_free_name_and_an_active_table(self, store: MetadataStore) -> None:
        create(store, table("a"), table("b"))
        store.lifecycle.begin_create(table("c"))
        with pytest.raises(AlreadyExists):
            store.lifecycle.replace(table("a", name("b")))
        for missing in ("c", "nobody"):
            with pytest.raises(NotFound):
                store.lifecycle.replace(table(missing))
        assert store.definitions.all() == [table("a"), table("b")]

    def test_suspended_is_a_thing_of_its_own(self, store: MetadataStore) -> None:
        create(store, table("a"))
        store.definitions.set_suspended("a", suspended=True, modified_at=NOON + timedelta(1))
        assert store.definitions.all() == [table("a", suspended=True, modified_at=NOON + timedelta(1))]
        store.lifecycle.replace(table("a", comment="c"))
        assert store.definitions.all() == [table("a", suspended=True, comment="c")]
        with pytest.raises(NotFound):
            store.definitions.set_suspended("nobody", suspended=True, modified_at=NOON)

    @one_store
    @given(each=TABLES, other=TABLES)
    def test_an_alteration_shows_when_it_is_finished(
        self, store: MetadataStore, each: DynamicTable, other: DynamicTable
    ) -> None:
        intended = replace(
            each,
            name=other.name,
            columns=other.columns,
            comment=other.comment,
            properties=other.properties,
            partitioned_by=other.partitioned_by,
            clustered_by=other.clustered_by,
            modified_at=other.modified_at,
        )
        create(store, each)
        store.lifecycle.begin_alter(intended)
        assert (store.definitions.all(), store.lifecycle.altering()) == ([each], [Altering(each, intended)])
        store.lifecycle.abandon_alter(each.id)
        assert (store.definitions.all(), store.lifecycle.altering()) == ([each], [])
        store.lifecycle.begin_alter(intended)
        store.lifecycle.finish_alter(intended)
        assert (store.definitions.all(), store.lifecycle.altering()) == ([intended], [])
        store.lifecycle.begin_drop(each.id)
        store.lifecycle.finish_drop(each.id)

    def test_an_alteration_needs_a_free_name(self, store: MetadataStore) -> None:
        create(store, table("a"), table("b"))
        store.lifecycle.begin_alter(table("a", name("b")))
        with pytest.raises(AlreadyExists):
            store.lifecycle.finish_alter(table("a", name("b")))
        assert store.definitions.all() == [table("a"), table("b")]
        assert store.lifecycle.altering() == [Altering(table("a"), table("a", name("b")))]

    def test_a_replacement_shows_at_once_and_is_unfinished_until_it_is_confirmed(
        self, store: MetadataStore
    ) -> None:
        create(store, table("a"))
        other = table("a", comment="other")
        store.lifecycle.begin_replace(other)
        assert (store.definitions.find(other.name), store.definitions.all(), store.definitions.names()) == (
            other,
            [other],
            {other.name},
        )
        assert store.lifecycle.unfinished() == [Unfinished(other, Lifecycle.REPLACING)]
        store.lifecycle.finish_replace("a")
        assert (store.definitions.all(), store.lifecycle.unfinished()) == ([other], [])

    def test_a_replacement_is_undone_by_the_old_table(self, store: MetadataStore) -> None:
        create(store, table("a"))
        store.lifecycle.begin_replace(table("a", comment="other"))
        store.lifecycle.replace(table("a"))
        assert (store.definitions.all(), store.lifecycle.unfinished()) == ([table("a")], [])

    def test_readers_are_active_tables_with_that_source(self, store: MetadataStore) -> None:
        source = name("it's `src`")
        create(store, table("z", reads=(name("x"), source)), table("y", reads=(source,)), table("x"))
        create(store, table("w", reads=(source,)))
        store.lifecycle.begin_drop("w")
        assert store.definitions.readers_of(source) == [name("y"), name("z")]
        assert store.definitions.readers_of(name("src")) == []

    def test_in_schema(self, store: MetadataStore) -> None:
        create(store, table("1", name("b")), table("2", name("a")), table("3", name("c", "other")))
        assert [each.id for each in store.definitions.in_schema("lake", "public")] == ["2", "1"]
        assert store.definitions.in_schema("elsewhere", "public") == []

    def test_naive_moments_are_refused(self, store: MetadataStore) -> None:
        with pytest.raises(ValueError, match="time zone"):
            store.lifecycle.begin_create(table("a", created_at=NAIVE))
        assert store.lifecycle.unfinished() == []

    def test_half_a_surrogate_pair_is_refused(self, store: MetadataStore) -> None:
        with pytest.raises(DataError):
            store.lifecycle.begin_create(table("a", comment="\ud800"))
        assert store.lifecycle.unfinished() == []


class History:
    @one_store
    @given(each=REFRESHES, how=PROFILES)
    def test_a_refresh_comes_back_as_it_went_in(
        self, store: MetadataStore, each: Refresh, how: JobProfile
    ) -> None:
        how = replace(how, job_id=each.job_id)
        store.refreshes.record(each, how)
        assert store.refreshes.find(each.job_id) == each
        assert store.profiles.find(each.job_id) == how

    def test_recording_again_updates(self, store: MetadataStore) -> None:
        running = refresh("j", state=RefreshState.RUNNING)
        store.refreshes.record(running, profile("j"))
        ended = replace(running, state=RefreshState.SUCCEED, end_time=NOON + timedelta(minutes=1))
        store.refreshes.record(ended)
        assert store.refreshes.history() == [ended]
        assert store.profiles.find("j") == profile("j")
        store.refreshes.record(ended, profile("j", tag="later"))
        assert store.profiles.find("j") == profile("j", tag="later")

    def test_many_are_recorded_at_once(self, store: MetadataStore) -> None:
        store.refreshes.record(refresh("1", state=RefreshState.RUNNING), profile("1"))
        several = [
            refresh(str(number), f"t{number}", number, mode=RefreshMode.NO_DATA) for number in range(50)
        ]
        store.refreshes.record_all(several)
        store.refreshes.record_all([])
        assert store.refreshes.history() == several[::-1]
        assert store.profiles.find("1") == profile("1")
        with pytest.raises(ValueError, match="time zone"):
            store.refreshes.record_all([refresh("new"), refresh("bad", start_time=NAIVE)])
        assert store.refreshes.find("new") is None

    def test_what_was_not_recorded_is_none(self, store: MetadataStore) -> None:
        assert (store.refreshes.find("j"), store.profiles.find("j"), store.refreshes.latest("t")) == (
            None,
            None,
            None,
        )
        assert (store.refreshes.history(), store.refreshes.unended()) == ([], [])

    def test_a_profile_belongs_to_its_job(self, store: MetadataStore) -> None:
        with pytest.raises(ValueError, match="job other"):
            store.refreshes.record(refresh("j"), profile("other"))
        assert store.refreshes.history() == []

    def test_profiles_come_newest_first(self, store: MetadataStore) -> None:
        for job, minute in (("early", 0), ("late", 1)):
            store.refreshes.record(refresh(job, minute=minute), profile(job))
        store.refreshes.record(refresh("without", minute=2))
        assert store.profiles.all() == [profile("late"), profile("early")]

    def test_a_failing_profile_takes_its_refresh_back(self, store: MetadataStore) -> None:
        with pytest.raises(TypeError):
            store.refreshes.record(refresh("j"), profile("j", tag=object()))
        assert store.refreshes.history() == []

    def test_history_is_newest_first(self, store: MetadataStore) -> None:
        for job_id, minute in (("b", 1), ("d", 2), ("a", 2), ("c", 0)):
            store.refreshes.record(refresh(job_id, minute=minute))
        assert job_ids(store.refreshes.history()) == ["d", "a", "b", "c"]
        assert job_ids(store.refreshes.history(limit=2)) == ["d", "a"]
        assert store.refreshes.history(limit=0) == []
        assert store.refreshes.latest("t") == refresh("d", minute=2)

    def test_history_crosses_midnight_and_time_zones(self, store: MetadataStore) -> None:
        moments = [
            datetime.fromisoformat(f"2024-06-0{each}")
            for each in ("1T23:30-03:00", "2T01:00+09:00", "1T23:00Z")
        ]
        for job_id, moment in zip("abc", moments, strict=True):
            store.refreshes.record(refresh(job_id, start_time=moment))
        assert job_ids(store.refreshes.history()) == ["a", "c", "b"]

    def test_history_of_a_table(self, store: MetadataStore) -> None:
        store.refreshes.record(refresh("1", "t", 1))
        store.refreshes.record(refresh("2", "u", 2))
        assert job_ids(store.refreshes.history(name("t"))) == ["1"]
        assert store.refreshes.history(TableName("other", "public", "t")) == []

    def test_history_follows_a_rename_and_survives_a_drop(self, store: MetadataStore) -> None:
        create(store, table("t"))
        store.refreshes.record(refresh("1", "t", 1))
        store.lifecycle.replace(table("t", name("new")))
        store.refreshes.record(refresh("2", "t", 2, table=name("new")))
        assert job_ids(store.refreshes.history(name("new"))) == ["2", "1"]
        store.lifecycle.begin_drop("t")
        store.lifecycle.finish_drop("t")
        assert job_ids(store.refreshes.history(name("new"))) == ["2"]

    def test_history_goes_with_an_altered_name(self, store: MetadataStore) -> None:
        create(store, table("t"))
        store.refreshes.record(refresh("1", "t", 1))
        store.lifecycle.finish_alter(table("t", name("new")))
        assert [each.table for each in store.refreshes.history()] == [name("new")]

    def test_the_last_successes_that_changed_rows(self, store: MetadataStore) -> None:
        old, full, failed, one, other, nothing = (
            refresh("old", minute=0, mode=RefreshMode.FULL),
            refresh("full", minute=1, mode=RefreshMode.FULL),
            refresh("failed", minute=2, mode=RefreshMode.FULL, state=RefreshState.FAILED),
            refresh("one", minute=3, mode=RefreshMode.INCREMENTAL),
            refresh("other", "other", minute=4, mode=RefreshMode.INCREMENTAL),
            refresh("nothing", minute=5, mode=RefreshMode.NO_DATA),
        )
        for each in (old, full, failed, one, other, nothing):
            store.refreshes.record(each)
        assert store.refreshes.last_successes("t", 9) == [one, full, old]
        assert store.refreshes.last_successes("t", 2) == [one, full]
        assert store.refreshes.last_successes("nobody", 9) == []

    def test_failing(self, store: MetadataStore) -> None:
        failed, running = {"state": RefreshState.FAILED}, {"state": RefreshState.RUNNING}
        came_right = [refresh("1", "a", **failed), refresh("2", "a", 1)]
        again = [refresh("3", "b", **failed), refresh("4", "b", 1, **failed), refresh("5", "b", 2, **running)]
        for each in (*came_right, *again):
            store.refreshes.record(each)
        assert job_ids(store.refresh_outcomes.failing()) == ["4"]

    def test_last_starts_by_trigger(self, store: MetadataStore) -> None:
        store.lifecycle.begin_create(table("t"))
        store.lifecycle.finish_create("t")
        assert (
            store.refresh_outcomes.last_starts()
            == store.refresh_outcomes.last_starts(trigger=RefreshTrigger.MANUAL)
            == {}
        )
        store.refreshes.record(refresh("1"))
        store.refreshes.record(refresh("2", minute=1, trigger=RefreshTrigger.SYSTEM_SCHEDULED))
        assert store.refresh_outcomes.last_starts(trigger=RefreshTrigger.MANUAL) == {"t": NOON}
        later = NOON + timedelta(seconds=1)
        assert store.refresh_outcomes.last_starts(trigger=RefreshTrigger.MANUAL, since=later) == {}
        assert store.refresh_outcomes.last_starts() == {"t": NOON + timedelta(minutes=1)}

    def test_outcomes(self, store: MetadataStore) -> None:
        failed, running = {"state": RefreshState.FAILED}, {"state": RefreshState.RUNNING}
        for each in ("well", "failing", "new"):
            store.lifecycle.begin_create(table(each))
            store.lifecycle.finish_create(each)
        ended = NOON + timedelta(seconds=5)
        rows = [
            refresh("1", "well", **failed),
            refresh("2", "well", 1, end_time=ended),
            refresh("3", "failing", end_time=ended),
            refresh("4", "failing", 1, **failed),
            refresh("5", "failing", 2, **failed),
            refresh("6", "failing", 3, **running),
            refresh("7", "gone", **failed),
        ]
        for row in rows:
            store.refreshes.record(row)
        assert store.refresh_outcomes.all() == {"well": Outcome(ended), "failing": Outcome(ended, 2, rows[4])}

    def test_unended(self, store: MetadataStore) -> None:
        for minute, state in enumerate(RefreshState):
            store.refreshes.record(refresh(state.value, minute=minute, state=state))
        assert job_ids(store.refreshes.unended()) == ["RUNNING", "QUEUED", "RESUMING_CLUSTER", "SETUP"]

    def test_naive_moments_are_refused(self, store: MetadataStore) -> None:
        with pytest.raises(ValueError, match="time zone"):
            store.refreshes.record(refresh("j", start_time=NAIVE))
        with pytest.raises(ValueError, match="time zone"):
            store.refreshes.delete_before(NAIVE)


class Forgetting:
    def test_older_rows_go_with_their_profiles(self, store: MetadataStore) -> None:
        create(store, table("t"))
        for minute in range(4):
            store.refreshes.record(refresh(str(minute), minute=minute), profile(str(minute)))
        assert store.refreshes.delete_before(NOON + timedelta(minutes=2)) == 2
        assert job_ids(store.refreshes.history()) == ["3", "2"]
        assert (store.profiles.find("1"), store.profiles.find("2")) == (None, profile("2"))

    def test_the_latest_of_all_tables(self, store: MetadataStore) -> None:
        for each in ("a", "b", "c"):
            create(store, table(each))
        rows = [
            refresh("1", "a"),
            refresh("2", "a", minute=2),
            refresh("3", "a", minute=2),
            refresh("4", "b"),
        ]
        for row in (*rows, refresh("5", "gone")):
            store.refreshes.record(row)
        assert store.refreshes.latest_of_all() == {"a": rows[2], "b": rows[3]}
        assert store.refreshes.latest("a") == rows[2]

    def test_the_latest_of_an_existing_table_stays(self, store: MetadataStore) -> None:
        create(store, table("t"), table("u"))
        store.lifecycle.begin_create(table("v"))
        for job_id, table_id in (("1", "t"), ("2", "t"), ("3", "u"), ("4", "gone"), ("5", "v")):
            store.refreshes.record(refresh(job_id, table_id))
        assert store.refreshes.delete_before(NOON + timedelta(days=1)) == 2
        assert job_ids(store.refreshes.history()) == ["5", "3", "2"]

    def test_unended_rows_stay(self, store: MetadataStore) -> None:
        for minute, state in enumerate(RefreshState):
            store.refreshes.record(refresh(state.value, "gone", minute, state=state))
        assert store.refreshes.delete_before(NOON + timedelta(days=1)) == 2
        assert store.refreshes.history() == store.refreshes.unended()


class Sharing:
    def test_eight_threads_record_fifty_rows_each(self, store: MetadataStore) -> None:
        def work(thread: int) -> None:
            for step in range(50):
                each = refresh(f"{thread}-{step:02}", f"t{thread}", step)
                store.refreshes.record(each, profile(each.job_id))
                assert store.refreshes.latest(f"t{thread}") == each

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
        assert len(store.refreshes.history()) == 400
        assert len(store.refreshes.history(name("t3"))) == 50

    def test_one_of_many_threads_gets_the_name(self, store: MetadataStore) -> None:
        def work(thread: int) -> bool:
            try:
                store.lifecycle.begin_create(table(str(thread), name("wanted")))
            except AlreadyExists:
                return False
            return True

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(work, range(24))) == 1

    def test_a_closed_store_says_so(self, store: MetadataStore) -> None:
        store.close()
        store.close()
        with pytest.raises(InterfaceError, match="closed"):
            store.definitions.all()
        with pytest.raises(InterfaceError, match="closed"):
            store.refreshes.record(refresh("j"))


class DroppedTables:
    def drop(self, store: MetadataStore, dropped: Dropped) -> Dropped:
        announced = store.dropped.begin_drop(dropped)
        store.dropped.finish_drop(announced)
        return announced

    @one_store
    @given(each=DROPPED)
    def test_one_comes_back_as_it_went_in(self, store: MetadataStore, each: Dropped) -> None:
        kept = self.drop(store, each)
        assert kept == replace(each, id=kept.id)
        assert store.dropped.of_name(each.name)[0] == kept
        assert kept in store.dropped.all()

    def test_the_last_one_dropped_is_first(self, store: MetadataStore) -> None:
        first, second = self.drop(store, dropped("a")), self.drop(store, dropped("a"))
        other = self.drop(store, dropped("b"))
        assert store.dropped.of_name(name("a")) == [second, first]
        assert store.dropped.all() == [other, second, first]
        assert store.dropped.of_name(name("c")) == []

    def test_a_definition_goes_and_comes_with_its_table(self, store: MetadataStore) -> None:
        one = table("a", reads=(name("src"),))
        create(store, one)
        store.refreshes.record(refresh("j", "a"))
        kept = self.drop(store, dropped("a", dynamic_table_id="a"))
        assert (store.definitions.find(one.name), store.definitions.all(), store.lifecycle.unfinished()) == (
            None,
            [],
            [],
        )
        assert store.definitions.readers_of(name("src")) == []
        assert store.dropped.sources_of(kept) == (name("src"),)
        assert job_ids(store.refreshes.history(one.name)) == ["j"]
        assert store.refreshes.delete_before(NOON + timedelta(days=9)) == 0
        create(store, table("other", one.name))
        with pytest.raises(AlreadyExists):
            store.dropped.begin_undrop(kept)
        assert store.dropped.all() == [kept]
        store.lifecycle.begin_drop("other")
        store.lifecycle.finish_drop("other")
        store.dropped.begin_undrop(kept)
        assert store.definitions.find(one.name) is None
        with pytest.raises(AlreadyExists):
            store.lifecycle.begin_create(table("another", one.name))
        store.dropped.finish_undrop(kept)
        assert (store.definitions.find(one.name), store.dropped.all()) == (one, [])

    def test_abandoned_steps_leave_no_trace(self, store: MetadataStore) -> None:
        create(store, table("a"))
        announced = store.dropped.begin_drop(dropped("a", dynamic_table_id="a"))
        assert store.dropped.unfinished() == [DroppedAt(announced, DropStage.DROPPING)]
        store.dropped.abandon_drop(announced)
        assert (store.definitions.all(), store.dropped.all(), store.dropped.unfinished()) == (
            [table("a")],
            [],
            [],
        )
        kept = self.drop(store, dropped("a", dynamic_table_id="a"))
        store.dropped.begin_undrop(kept)
        assert store.dropped.unfinished() == [DroppedAt(kept, DropStage.UNDROPPING)]
        store.dropped.abandon_undrop(kept)
        create(store, table("b", name("a")))
        assert (store.definitions.all(), store.dropped.all()) == ([table("b", name("a"))], [kept])

    def test_there_is_no_way_back_from_a_purge(self, store: MetadataStore) -> None:
        create(store, table("a"))
        kept = self.drop(store, dropped("a", dynamic_table_id="a"))
        store.dropped.begin_purge(kept)
        assert (store.dropped.all(), store.dropped.purging()) == ([], [kept])
        for step in (store.dropped.begin_undrop, store.dropped.begin_purge):
            with pytest.raises(NotFound):
                step(kept)
        for _ in range(2):
            store.dropped.forget(kept)
        assert store.dropped.purging() == []
        create(store, table("a"))

    def test_only_what_is_active_can_be_dropped(self, store: MetadataStore) -> None:
        store.lifecycle.begin_create(table("a"))
        with pytest.raises(NotFound):
            store.dropped.begin_drop(dropped("a", dynamic_table_id="a"))
        assert store.dropped.unfinished() == []


class Streams:
    @staticmethod
    def consumption(*streams: TableStream, to: int = 2) -> Consumption:
        offsets = {each.id: TableVersion("uuid", to, 0) for each in streams}
        return Consumption(f"to {to}", name("target"), NOON, offsets)

    @staticmethod
    def drop_stream(store: MetadataStore, each: TableStream) -> Dropped:
        kept_as = TableName("lake", DROPPED_SCHEMA, each.id)
        kind = ObjectKind.TABLE_STREAM
        store.streams.drop(each, Dropped(kind, each.name, kept_as, each.id, "", NOON, 1, created_at=NOON))
        return store.dropped.of_name(each.name)[0]

    def test_a_stream_comes_back_as_it_went_in(self, store: MetadataStore) -> None:
        plain = stream("a", offset=TableVersion("uuid", None, 3))
        full = stream(
            "b", mode=StreamMode.APPEND_ONLY, shows_initial_rows=True, initial_rows_due=True, comment="mine"
        )
        for each in (plain, full):
            store.streams.create(each)
            assert store.streams.find(each.name) == each
        assert store.streams.all() == store.streams.in_schema("lake", "public") == [plain, full]
        assert store.streams.names() == {name("a"), name("b")}
        with pytest.raises(AlreadyExists):
            store.streams.create(stream("c", name=name("a")))
        store.streams.create(stream("c", name=name("a")), instead_of="a")
        assert [each.id for each in store.streams.all()] == ["c", "b"]

    def test_all_streams_of_a_consumption_move_together(self, store: MetadataStore) -> None:
        initial = stream("b", shows_initial_rows=True, initial_rows_due=True)
        for each in (stream("a"), initial):
            store.streams.create(each)
        begun = self.consumption(stream("a"), initial)
        store.streams.begin(begun, [stream("a"), initial])
        assert store.streams.unended() == store.streams.unended(begun.id) == [begun]
        assert [each.claimed_by for each in store.streams.all()] == [begun.id] * 2
        assert [each.offset.snapshot_id for each in store.streams.all()] == [1, 1]
        store.streams.finish(begun)
        assert [each.offset.snapshot_id for each in store.streams.all()] == [2, 2]
        assert not any(each.claimed_by or each.initial_rows_due for each in store.streams.all())
        assert store.streams.unended() == []

    def test_an_abandoned_consumption_leaves_nothing(self, store: MetadataStore) -> None:
        store.streams.create(stream("a"))
        begun = self.consumption(stream("a"))
        store.streams.begin(begun, [stream("a")])
        store.streams.abandon(begun)
        assert (store.streams.all(), store.streams.unended()) == ([stream("a")], [])
        store.streams.finish(begun)
        assert store.streams.all() == [stream("a")]

    def test_one_consumer_at_a_time(self, store: MetadataStore) -> None:
        for each in ("a", "b"):
            store.streams.create(stream(each))
        first, second = self.consumption(stream("b")), self.consumption(stream("a"), stream("b"), to=3)
        store.streams.begin(first, [stream("b")])
        with pytest.raises(StreamBusy):
            store.streams.begin(second, [stream("a"), stream("b")])
        assert store.streams.unended() == [first]
        assert store.streams.find(name("a")) == stream("a")
        for change in (
            lambda: self.drop_stream(store, stream("b")),
            lambda: store.streams.create(stream("c", name=name("b")), instead_of="b"),
        ):
            with pytest.raises(StreamBusy):
                change()
        store.streams.finish(first)
        with pytest.raises(StreamBusy):
            store.streams.begin(second, [stream("b")])
        assert store.streams.unended() == []

    def test_a_dropped_stream_can_come_back(self, store: MetadataStore) -> None:
        for each in ("a", "b"):
            store.streams.create(stream(each, name=name("a")))
            kept = self.drop_stream(store, stream(each, name=name("a")))
            assert kept.kind is ObjectKind.TABLE_STREAM
        assert (store.streams.all(), store.streams.names()) == ([], frozenset())
        assert {each.id for each in store.streams.reading("uuid")} == {"a", "b"}
        store.streams.undrop(kept)
        assert store.streams.all() == [stream("b", name=name("a"))]
        (older,) = store.dropped.all()
        with pytest.raises(AlreadyExists):
            store.streams.undrop(older)
        store.streams.forget(older)
        assert store.dropped.all() == []
        assert [each.id for each in store.streams.reading("uuid")] == ["b"]
        with pytest.raises(NotFound):
            store.streams.undrop(older)


class MetadataStoreContract(Definitions, DroppedTables, Streams, History, Forgetting, Sharing):
    """All of it."""
