"""Index files as they are listed without Spark: what they say of themselves, and which are of no use."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.lake.index_writing import description_of, index_file

from headrace.lake.lookup.index_files import directory_usage, read_description
from headrace.lake.lookup.lake_indexes import LakeIndexes
from headrace.model.history import JobProfile, StageReport
from headrace.model.key_index import IndexNeeds, IndexUsage
from headrace.model.names import TableName
from headrace.model.table_history import TableHistory
from headrace.model.version import TableVersion
from headrace.views.key_indexes import KeyIndexRow, indexes_used, key_index_rows

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
T = TableName("lake", "public", "t")


def stored(directory: Path, name: str, description: dict[str, object], rows: int = 3) -> Path:
    path = directory / f"{name}.positions"
    path.write_bytes(index_file(bytes(32), description, range(rows)))
    os.utime(path, (NOON.timestamp(), NOON.timestamp()))
    return path


def history(uuid: str, **columns: int) -> TableHistory:
    return TableHistory(TableVersion(uuid, 1, 0), (), columns=columns)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    file = tmp_path / "data.parquet"
    file.touch()
    return file


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    made = tmp_path / "indexes"
    made.mkdir()
    return made


def rows_of(directory: Path, **tables: TableHistory | None) -> list[KeyIndexRow]:
    known = {TableName("lake", "public", name): each for name, each in tables.items()}
    return key_index_rows(LakeIndexes(directory, lambda: known).all())


def test_a_file_says_what_it_is_of(directory: Path) -> None:
    found = read_description(stored(directory, "a", description_of("/x", "key", "käy"), rows=1500))
    assert found is not None
    assert (found.table, found.uuid, found.location, found.rows) == (T, "u-1", "/x", 1500)
    assert found.columns == ((1, "key"), (2, "käy"))


def test_damaged_files_say_nothing(directory: Path) -> None:
    path = stored(directory, "a", description_of("/x", "key"))
    whole = path.read_bytes()
    described = len(whole) - 8 * 4 - 8 * 2
    for place in range(described):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x40]) + whole[place + 1 :])
        assert read_description(path) is None, place
        path.write_bytes(whole[:place])
        assert read_description(path) is None, place


def test_a_row_for_each_table_and_key(directory: Path, data: Path) -> None:
    for name in ("a", "b"):
        stored(directory, name, description_of(str(data), "key"))
    newest = stored(directory, "c", description_of(str(data), "key", "day"), rows=600)
    os.utime(newest, (NOON.timestamp(), NOON.timestamp() + 60))
    stored(directory, "d", description_of(str(data), "key", table=("other", "s", "t"), uuid="u-2"))
    (directory / "e.positions").write_bytes(b"HRPOS001")
    size = directory_usage(directory)
    one, two, other, unknown = rows_of(directory, t=history("u-1", key=1, day=2))
    assert (one.table_name, one.columns, one.files, one.rows, one.orphaned_files) == ("t", "key", 2, 6, 0)
    assert (two.columns, two.rows, two.last_used) == ("key, day", 600, NOON + timedelta(minutes=1))
    assert (other.workspace_name, other.schema_name, other.orphaned_files) == ("other", "s", 0)
    assert (unknown.table_name, unknown.columns, unknown.orphaned_files) == (None, "", 1)
    assert size == IndexUsage(5, one.bytes + two.bytes + other.bytes + unknown.bytes)


def test_renamed_tables_and_columns_have_their_new_names(directory: Path, data: Path) -> None:
    stored(directory, "a", description_of(str(data), "key"))
    (row,) = rows_of(directory, renamed=history("u-1", code=1))
    assert (row.table_name, row.columns) == ("renamed", "code")


def test_a_dropped_table_has_the_name_that_it_had(directory: Path, data: Path) -> None:
    stored(directory, "a", description_of(str(data), "key"))
    kept_as = {TableName("lake", "__hr_dropped", "x"): history("u-1", key=1)}
    (row,) = key_index_rows(LakeIndexes(directory, lambda: kept_as).all())
    assert (row.schema_name, row.table_name, row.orphaned_files) == ("public", "t", 0)


@pytest.mark.parametrize(
    ("tables", "orphaned"),
    [
        ({"t": history("u-1", key=1)}, 0),
        ({"t": history("created again", key=1)}, 1),
        ({"t": history("created again", key=1), "cannot be read": None}, 0),
    ],
)
def test_indexes_of_a_table_that_is_gone_are_orphans(
    directory: Path, data: Path, tables: dict[str, TableHistory | None], orphaned: int
) -> None:
    stored(directory, "a", description_of(str(data), "key"))
    (row,) = rows_of(directory, **tables)
    assert row.orphaned_files == orphaned


def test_orphans_are_removed(directory: Path, data: Path) -> None:
    kept = [
        stored(directory, "a", description_of(str(data), "key")),
        stored(directory, "elsewhere", description_of("hdfs://host/x", "key")),
        directory / ".being-made",
    ]
    gone = [
        stored(directory, "b", description_of(str(data.with_name("expired.parquet")), "key")),
        directory / "damaged.positions",
        directory / ".left",
    ]
    for path in (kept[2], *gone[1:]):
        path.touch()
    for path, hours in ((kept[2], 23), (gone[2], 25)):
        at = (NOON - timedelta(hours=hours)).timestamp()
        os.utime(path, (at, at))
    indexes = LakeIndexes(directory, lambda: {T: history("u-1", key=1)})
    assert indexes.remove_orphans(NOON) == 3
    assert [path.exists() for path in (*kept, *gone)] == [True] * 3 + [False] * 3
    assert indexes.remove_orphans(NOON) == 0


def test_orphans_of_one_table(directory: Path) -> None:
    for name in ("t", "other"):
        stored(directory, name, description_of("/gone", "key", table=("lake", "public", name), uuid=name))
    indexes = LakeIndexes(directory, dict)
    assert indexes.remove_orphans_of(T) == 1
    assert [index.table for index in indexes.all()] == [TableName("lake", "public", "other")]


def test_a_lake_without_indexes(tmp_path: Path) -> None:
    indexes = LakeIndexes(tmp_path / "indexes", dict)
    assert (indexes.all(), indexes.remove_orphans(NOON), indexes.usage()) == ([], 0, IndexUsage(0, 0))


def test_a_refresh_uses_the_indexes_of_its_searches(directory: Path, data: Path) -> None:
    for name, columns in (("a", ["key"]), ("b", ["key", "day"])):
        stored(directory, name, description_of(str(data), *columns))
    listed = LakeIndexes(directory, dict).all()

    def profile(*stages: StageReport) -> JobProfile:
        return JobProfile("j", (), stages=stages)

    searched = profile(
        StageReport("stage changes", "lake.public.t", 0.1),
        StageReport("find rows", "rows of lake.public.t by key, day", 0.1),
    )
    older = profile(StageReport("find rows", "rows of lake.public.t by key", 0.1))
    used = indexes_used([profile(), searched, older], listed)
    assert [index.columns for index in used] == [("key", "day")]


@pytest.mark.parametrize(
    ("needs", "words"),
    [
        (IndexNeeds(), "pages suffice"),
        (IndexNeeds(2, 90), "index of 2 files (90 bytes)"),
        (IndexNeeds(0, 0, 1, 7, 56), "index of 1 files to be made (7 rows, 56 bytes)"),
        (
            IndexNeeds(2, 90, 1, 7, 56),
            "index of 2 files (90 bytes), index of 1 files to be made (7 rows, 56 bytes)",
        ),
    ],
)
def test_needs_in_words(needs: IndexNeeds, words: str) -> None:
    assert str(needs) == words
