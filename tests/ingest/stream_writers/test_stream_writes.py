"""What is acknowledged, refused, replayed and committed: without Spark."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from headrace.errors import (
    ClusterLost,
    DataError,
    InterfaceError,
    NotFound,
    Refused,
    SequenceGap,
    WritersThrottled,
)
from headrace.ingest.stream_writers.requests import WriteRequest, from_arrow_stream, from_json_lines
from headrace.ingest.stream_writers.stream_writes import StreamWrites
from headrace.lake.directory import LakeDirectory, make_lake
from headrace.lake.write_ahead.open_segment import OpenSegment
from headrace.lake.write_ahead.segment import WriteMode
from headrace.model.arrow_rows import rows_as_table
from headrace.model.client_positions import MOST_CLIENTS
from headrace.model.names import TableName
from tests.paper_catalog import PaperCatalog

from .paper_lake import COLUMNS, PaperCommits, T, open_writes


@pytest.fixture
def lake(tmp_path: Path) -> LakeDirectory:
    return make_lake(tmp_path / "lake")


@pytest.fixture
def catalog(lake: LakeDirectory) -> PaperCatalog:
    catalog = PaperCatalog(lake)
    catalog.create(T, COLUMNS)
    return catalog


@pytest.fixture
def commits(catalog: PaperCatalog) -> PaperCommits:
    return PaperCommits(catalog)


@pytest.fixture
def writes(lake: LakeDirectory, commits: PaperCommits) -> StreamWrites:
    return open_writes(lake, commits)


def put(writes: StreamWrites, sequence: int, *ids: Any, client: str = "c", table: TableName = T) -> bool:
    """Whether the request had come before."""
    rows = [{"id": number, "name": f"row {number}"} for number in ids]
    _, is_duplicate = writes.write(
        table, WriteRequest(client, sequence), lambda schema: rows_as_table(rows, schema)
    )
    return is_duplicate


def ids(commits: PaperCommits, table: TableName = T) -> list[int]:
    return [row["id"] for row in commits.rows[table]]


def kill(writes: StreamWrites) -> None:
    """As the end of its process releases its lock."""
    writes.stop(commit=False)


def test_requests_are_committed_once_and_in_order(writes: StreamWrites, commits: PaperCommits) -> None:
    assert not put(writes, 1, 10, 11)
    assert not put(writes, 2, 12)
    assert put(writes, 2, 12)
    assert writes.state(T, "c").last_sequence == 2
    writes.flush(T)
    assert put(writes, 1, 10, 11) and put(writes, 2, 12)
    assert not put(writes, 3, 13)
    writes.flush(T)
    assert ids(commits) == [10, 11, 12, 13]


def test_a_gap_is_refused(writes: StreamWrites, commits: PaperCommits) -> None:
    with pytest.raises(SequenceGap, match="request 2 of client c does not follow 0") as refused:
        put(writes, 2, 1)
    assert refused.value.hint == "send request 1 next"
    put(writes, 1, 1)
    with pytest.raises(SequenceGap, match="request 3 of client c does not follow 1"):
        put(writes, 3, 3)
    assert not put(writes, 1, 5, client="other")
    writes.flush(T)
    assert sorted(ids(commits)) == [1, 5]


def test_a_bad_row_keeps_nothing_of_its_request(writes: StreamWrites, commits: PaperCommits) -> None:
    with pytest.raises(DataError, match="row 2: column id is BIGINT, and the value is a string"):
        put(writes, 1, 1, "two")
    with pytest.raises(DataError, match="row 1: column id is NOT NULL"):
        put(writes, 1, None)
    assert not put(writes, 1, 3)
    writes.flush(T)
    assert ids(commits) == [3]


def test_what_a_killed_process_leaves_is_committed_by_the_next(
    lake: LakeDirectory, writes: StreamWrites, commits: PaperCommits
) -> None:
    put(writes, 1, 1)
    put(writes, 2, 2)
    kill(writes)
    again = open_writes(lake, commits)
    assert again.state(T, "c").last_sequence == 2
    assert put(again, 2, 2)
    assert not put(again, 3, 3)
    again.flush(T)
    assert ids(commits) == [1, 2, 3]
    kill(again)
    assert list(lake.write_ahead.iterdir()) == []


def test_a_commit_that_landed_without_an_answer_is_not_repeated(
    lake: LakeDirectory, writes: StreamWrites, commits: PaperCommits
) -> None:
    put(writes, 1, 1)
    commits.failure, commits.fails_after = ClusterLost("gone"), True
    with pytest.raises(ClusterLost):
        writes.flush(T)
    commits.failure = None
    put(writes, 2, 2)
    writes.flush(T)
    assert ids(commits) == [1, 2]
    commits.failure = ClusterLost("gone")
    put(writes, 3, 3)
    with pytest.raises(ClusterLost):
        writes.flush(T)
    kill(writes)
    commits.failure = None
    again = open_writes(lake, commits)
    again.flush(T)
    assert ids(commits) == [1, 2, 3]


def test_files_of_a_living_process_are_left_to_it(
    lake: LakeDirectory, writes: StreamWrites, commits: PaperCommits
) -> None:
    put(writes, 1, 1)
    other = open_writes(lake, commits)
    assert other.state(T, "c").last_sequence == 0
    with pytest.raises(SequenceGap):
        put(other, 2, 2)
    kill(writes)
    other.adopt()
    assert not put(other, 2, 2)
    other.flush(T)
    assert ids(commits) == [1, 2]


def test_a_torn_tail_was_never_acknowledged(
    lake: LakeDirectory, writes: StreamWrites, commits: PaperCommits
) -> None:
    put(writes, 1, 1)
    put(writes, 2, 2)
    kill(writes)
    (file,) = lake.write_ahead.glob("*/*.wal")
    file.write_bytes(file.read_bytes()[:-3])
    again = open_writes(lake, commits)
    assert again.state(T, "c").last_sequence == 1
    assert not put(again, 2, 22)
    again.flush(T)
    assert ids(commits) == [1, 22]


def test_a_process_that_ends_between_two_files_loses_none(
    lake: LakeDirectory, writes: StreamWrites, commits: PaperCommits
) -> None:
    commits.failure = ClusterLost("gone")
    for sequence in (1, 2):
        put(writes, sequence, sequence)
        with pytest.raises(ClusterLost):
            writes.flush(T)
    kill(writes)
    first, _ = sorted(lake.write_ahead.glob("*/*.wal"))
    taken_over = lake.write_ahead / ("z" * 16)
    taken_over.mkdir()
    first.rename(taken_over / first.name)
    commits.failure = None
    open_writes(lake, commits).flush(T)
    assert ids(commits) == [1, 2]


def test_files_that_were_taken_over_come_before_what_follows_them(
    lake: LakeDirectory, writes: StreamWrites, commits: PaperCommits
) -> None:
    other = open_writes(lake, commits)
    put(writes, 1, 1)
    put(other, 1, 10, client="d")
    kill(writes)
    other.adopt()
    put(other, 2, 2)
    assert [path.name[-7:-4] for path in sorted(lake.write_ahead.glob("*/*.wal"))] == ["001", "002", "003"]
    kill(other)
    open_writes(lake, commits).flush(T)
    assert sorted(ids(commits)) == [1, 2, 10]


def test_a_request_under_way_is_known_when_files_are_taken_over(
    lake: LakeDirectory, writes: StreamWrites, commits: PaperCommits, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = open_writes(lake, commits)
    put(other, 1, 10, client="d")
    kill(other)
    sync = OpenSegment.sync

    def adopting(segment: OpenSegment, end: int) -> None:
        monkeypatch.setattr(OpenSegment, "sync", sync)
        writes.adopt()
        segment.sync(end)

    monkeypatch.setattr(OpenSegment, "sync", adopting)
    put(writes, 1, 1)
    assert not put(writes, 2, 2)
    writes.flush(T)
    assert sorted(ids(commits)) == [1, 2, 10]


@pytest.mark.parametrize(
    ("text", "commits_it"),
    [
        ("SELECT count(*) FROM t", True),
        ("select 1 from `T`", True),
        ("SELECT * FROM table_changes('lake.public.t', 1)", True),
        ("SELECT * FROM a_view", True),
        ("EXECUTE IMMEDIATE 'SELECT 1 FROM ' || 'x'", True),
        ("SELECT * FROM IDENTIFIER(:name)", True),
        ("EXECUTE PIPE p", False),
        ("SELECT * FROM tt", False),
        ("SELECT 1", False),
    ],
)
def test_statements_that_may_read_a_table_commit_it_first(
    lake: LakeDirectory, commits: PaperCommits, catalog: PaperCatalog, text: str, commits_it: bool
) -> None:
    writes = open_writes(lake, commits, readers=[TableName("lake", "public", "a_view")])
    put(writes, 1, 1)
    assert writes.commit_before([text]) == []
    assert ids(commits) == ([1] if commits_it else [])


def test_a_session_view_may_read_a_table(writes: StreamWrites, commits: PaperCommits) -> None:
    put(writes, 1, 1)
    writes.commit_before(["SELECT * FROM v", "CREATE TEMPORARY VIEW v AS SELECT * FROM t"])
    assert ids(commits) == [1]


def test_what_cannot_be_committed_is_a_notice(writes: StreamWrites, commits: PaperCommits) -> None:
    commits.failure = DataError("column id is gone")
    put(writes, 1, 1)
    (notice,) = writes.commit_before(["SELECT * FROM t"])
    assert notice.endswith("lake.public.t are not in the table yet: column id is gone")
    (row,) = writes.rows()
    assert (row.pending_rows, row.last_error) == (1, "column id is gone")


def test_statements_that_wait_share_a_commit(writes: StreamWrites, commits: PaperCommits) -> None:
    put(writes, 1, 1)
    table = next(iter(writes._all()))
    with table.committing:
        readers = [threading.Thread(target=writes.commit_before, args=(["FROM t"],)) for _ in range(5)]
        for reader in readers:
            reader.start()
    for reader in readers:
        reader.join()
    assert len(commits.orders) == 1


def test_a_full_server_asks_to_wait(lake: LakeDirectory, commits: PaperCommits) -> None:
    writes = open_writes(lake, commits, most_bytes=400)
    put(writes, 1, 1)
    with pytest.raises(WritersThrottled, match="wait for their commit"):
        put(writes, 2, 2)
    writes.flush(T)
    assert not put(writes, 2, 2)


def test_tables_are_committed_when_they_are_due(writes: StreamWrites, commits: PaperCommits) -> None:
    put(writes, 1, 1)
    writes.look()
    assert not writes._threads
    writes._limits = type(writes._limits)(0, 1 << 20)
    writes.look()
    for thread in writes._threads:
        thread.join()
    assert ids(commits) == [1]


def test_what_cannot_be_written_to(writes: StreamWrites, catalog: PaperCatalog) -> None:
    with pytest.raises(NotFound, match=r"table lake.public.nothing does not exist"):
        put(writes, 1, 1, table=TableName("lake", "public", "nothing"))
    catalog.create(TableName("lake", "public", "dynamic"), COLUMNS)
    with pytest.raises(Refused, match="is a dynamic table"):
        put(writes, 1, 1, table=TableName("lake", "public", "dynamic"))
    assert not put(writes, 1, 1, table=TableName("lake", "PUBLIC", "T"))
    with pytest.raises(InterfaceError, match="cannot be the id of a client"):
        put(writes, 1, 1, client="a b")


def test_keys_of_upserts(writes: StreamWrites) -> None:
    def upsert(key: tuple[str, ...], row: dict[str, Any]) -> None:
        request = WriteRequest("c", 1, WriteMode.UPSERT, key)
        writes.write(T, request, lambda schema: rows_as_table([row], schema))

    with pytest.raises(InterfaceError, match="mode upsert requires key columns"):
        upsert((), {"id": 1})
    with pytest.raises(DataError, match="key column nokey does not exist"):
        upsert(("nokey",), {"id": 1})
    with pytest.raises(DataError, match="row 1: key column name is NULL"):
        upsert(("name",), {"id": 1})
    with pytest.raises(InterfaceError, match="key columns are for mode upsert"):
        WriteRequest("c", 1, key=("id",))


def test_rows_of_a_dropped_table_go_with_it(
    writes: StreamWrites, commits: PaperCommits, catalog: PaperCatalog
) -> None:
    put(writes, 1, 1)
    catalog.drop(T)
    assert writes.commit_before(["SELECT * FROM t"]) == []
    assert ids(commits) == [] and writes.rows() == []


def test_a_renamed_table_is_read_by_its_new_name(
    writes: StreamWrites, commits: PaperCommits, catalog: PaperCatalog
) -> None:
    put(writes, 1, 1)
    renamed = TableName("lake", "public", "renamed")
    catalog.rename(T, renamed)
    put(writes, 2, 2, table=renamed)
    writes.commit_before(["SELECT * FROM renamed"])
    assert ids(commits, renamed) == [1, 2]


def test_a_renamed_table_is_found_among_tables_that_cannot_be_written_to(
    lake: LakeDirectory, writes: StreamWrites, commits: PaperCommits, catalog: PaperCatalog
) -> None:
    put(writes, 1, 1)
    catalog.create(TableName("lake", "public", "a"), {"at": "time"})
    renamed = TableName("lake", "public", "renamed")
    catalog.rename(T, renamed)
    assert writes.commit_all() == []
    assert ids(commits, renamed) == [1]


def test_rows_are_kept_while_it_is_not_known_whether_their_table_is_there(
    lake: LakeDirectory, writes: StreamWrites, commits: PaperCommits, catalog: PaperCatalog
) -> None:
    put(writes, 1, 1)
    renamed = TableName("lake", "public", "renamed")
    catalog.rename(T, renamed)
    (metadata,) = (lake.path / "paper" / "renamed").iterdir()
    hidden = metadata.rename(metadata.with_suffix(".hidden"))
    (notice,) = writes.commit_all()
    assert "the metadata of the table cannot be read" in notice
    hidden.rename(metadata)
    assert writes.commit_all() == []
    assert ids(commits, renamed) == [1]


def test_a_commit_that_fails_unexpectedly_is_tried_again_later(
    writes: StreamWrites, commits: PaperCommits, monkeypatch: pytest.MonkeyPatch
) -> None:
    def commit(_: Any) -> Any:
        raise KeyError("nothing is expected to raise this")

    monkeypatch.setattr(writes, "_commit", commit)
    put(writes, 1, 1)
    (notice,) = writes.commit_before(["SELECT * FROM t"])
    assert notice.endswith("lake.public.t are not in the table yet: internal error of the server (KeyError)")
    writes._limits = type(writes._limits)(0, 1 << 20)
    writes.look()
    assert not writes._threads
    monkeypatch.setattr(writes, "_commit", commits.commit)
    writes.flush(T)
    assert ids(commits) == [1]


def test_clients_are_limited(writes: StreamWrites) -> None:
    for number in range(MOST_CLIENTS):
        put(writes, 1, 1, client=f"c{number}")
    with pytest.raises(InterfaceError, match="500 clients have written"):
        put(writes, 1, 1, client="onemore")
    put(writes, 2, 1, client="c0")


def test_many_threads_share_one_table(writes: StreamWrites, commits: PaperCommits) -> None:
    def client(name: str) -> None:
        for sequence in range(1, 21):
            put(writes, sequence, sequence, client=name)

    threads = [threading.Thread(target=client, args=(f"c{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        writes.flush(T)
    writes.flush(T)
    assert sorted(ids(commits)) == sorted(list(range(1, 21)) * 8)


WIDE = pa.schema([("name", pa.string()), ("id", pa.int64())])


def arrow(table: pa.Table, compression: str | None = None) -> bytes:
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_stream(sink, table.schema, options=options) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue())


def test_arrow_that_is_damaged_is_refused() -> None:
    with pytest.raises(DataError, match="not a valid Arrow stream"):
        from_arrow_stream(b"nothing of the kind", pa.schema([]))


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_arrow_of_any_kind_is_read(compression: str | None) -> None:
    names = pa.array(["a", None, "c" * 1000])
    table = pa.table({"name": names, "id": [1, 2, 3]})
    wanted = table.to_pylist()
    coded = table.set_column(0, "name", names.dictionary_encode())
    viewed = table.set_column(0, "name", names.cast(pa.string_view()))
    for given in (table, coded, viewed, viewed.slice(1)):
        found = from_arrow_stream(arrow(given, compression), WIDE).to_pylist()
        assert found == wanted[-given.num_rows :]


def test_a_small_request_cannot_bring_more_rows_than_there_is_memory_for() -> None:
    long = "a" * (1 << 20)
    shared = pa.DictionaryArray.from_arrays(pa.array([0] * 300, pa.int16()), pa.array([long]))
    _, one, text = pa.array([long], pa.string_view()).buffers()
    views = pa.py_buffer(bytes(one)[:16] * 300)
    view = pa.Array.from_buffers(pa.string_view(), 300, [None, views, text])
    requests = {
        "columns of NULL": arrow(pa.table({"id": pa.nulls(1 << 30)})),
        "columns left out": arrow(pa.table({"name": pa.nulls(1 << 27)})),
        "compressed": arrow(pa.table({"name": pa.array([long] * 300)}), "zstd"),
        "a dictionary": arrow(pa.table({"name": shared})),
        "views": arrow(pa.table({"name": view})),
    }
    for what, body in requests.items():
        assert len(body) < 16 << 20, what
        with pytest.raises(DataError, match="of the request take up more than 256 MB"):
            from_arrow_stream(body, WIDE)
    with pytest.raises(DataError, match="of the request take up more than 256 MB"):
        from_json_lines(b"{}\n" * 100_000, pa.schema([(f"c{n}", pa.int64()) for n in range(400)]))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"[" * 100_000, "line 1 is nested too deeply"),
        (b'{"id": 1e99999999999999999999}', "line 1 has a number out of any range"),
        (b'{"id": 1', "line 1 is not valid JSON"),
    ],
)
def test_json_that_cannot_be_read_is_refused(line: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        from_json_lines(line, WIDE)
