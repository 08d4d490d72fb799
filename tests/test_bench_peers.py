"""The benchmark of peers: options, comparison of rows, peers that fail, and the table."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import duckdb
import psutil
import pytest
from bench.peers import command, install
from bench.peers.command import read_options
from bench.peers.conversation import RoundDone, bytes_written
from bench.peers.fingerprint import Fingerprint, fingerprint, write_changes
from bench.peers.install import NotInstalled, is_installed, python_of
from bench.peers.process import PeerFailed, is_fork, peak_of, reason_in
from bench.peers.programs.flink_changelog import write_changelog
from bench.peers.programs.flink_job import committed_checkpoint
from bench.peers.registry import OTHERS, Environment, Peer
from bench.peers.report import COLUMNS, Measured, table
from bench.peers.rounds import Comparison, differing

TYPES = {"id": "BIGINT", "amount": "DECIMAL(38,2)", "name": "VARCHAR"}
ROWS = "VALUES (1, 1.5, 'a'), (2, 2.25, NULL), (2, 2.25, NULL)"


def program(name: str, *, takes_changes: bool = False, environment: Environment | None = None) -> Peer:
    return Peer(name, "tests.peer_program", environment, takes_changes)


def write(directory: Path, query: str, name: str = "rows.parquet") -> Path:
    directory.mkdir(exist_ok=True)
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO '{directory / name}'")
    return directory


def test_by_default_all_peers_take_part() -> None:
    options = read_options([])
    assert (options.rows, options.rounds, options.warm_up) == (10_000_000, 3, 1)
    assert [*options.only] == [*OTHERS]
    assert not options.install


def test_some_peers_are_chosen_by_name() -> None:
    options = read_options(["--only", "chdb,spark-pipelines", "--rows", "200000", "--rounds", "5"])
    assert [peer.name for peer in options.only] == ["chdb", "spark pipelines"]
    assert (options.rows, options.rounds) == (200_000, 5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "oracle,chdb"], "oracle: not one of spark-recompute, "),
        (["--rounds", "0"], "must be at least 1"),
        (["--rows", "-1"], "must be at least 1"),
    ],
)
def test_wrong_options_are_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        read_options(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_help_names_every_peer(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        read_options(["--help"])
    assert ended.value.code == 0
    shown = "".join(capsys.readouterr().out.split())
    assert all(peer.option in shown for peer in OTHERS)


def test_rows_are_equal_in_another_order_with_other_types_in_other_files(tmp_path: Path) -> None:
    one = write(tmp_path / "one", f"SELECT * FROM ({ROWS}) rows(id, amount, name)")
    types = "CAST(id AS INT) AS id, CAST(amount AS DECIMAL(20,4)) AS amount, name"
    other = tmp_path / "other"
    write(other, f"SELECT {types} FROM ({ROWS}) rows(id, amount, name) WHERE id = 2")
    write(other, f"SELECT {types} FROM ({ROWS}) rows(id, amount, name) WHERE id = 1", "more.parquet")
    text = write(tmp_path / "text", f"SELECT * FROM ({ROWS}) rows(id, amount, name)", "rows.csv")
    assert fingerprint(one, TYPES).rows == 3
    assert fingerprint(one, TYPES) == fingerprint(other, TYPES) == fingerprint(text, TYPES)


@pytest.mark.parametrize(
    "rows",
    [
        "VALUES (1, 1.5, 'a'), (2, 2.25, NULL)",
        "VALUES (1, 1.51, 'a'), (2, 2.25, NULL), (2, 2.25, NULL)",
        "VALUES (1, 1.5, 'a'), (1, 1.5, 'a'), (2, 2.25, NULL)",
        "VALUES (1, 1.5, 'a'), (2, 2.25, ''), (2, 2.25, NULL)",
    ],
)
def test_rows_that_differ_have_different_fingerprints(rows: str, tmp_path: Path) -> None:
    one = write(tmp_path / "one", f"SELECT * FROM ({ROWS}) rows(id, amount, name)")
    other = write(tmp_path / "other", f"SELECT * FROM ({rows}) rows(id, amount, name)")
    assert fingerprint(one, TYPES) != fingerprint(other, TYPES)


def test_no_rows_have_a_fingerprint(tmp_path: Path) -> None:
    none = write(tmp_path / "none", f"SELECT * FROM ({ROWS}) rows(id, amount, name) WHERE id = 0")
    assert fingerprint(none, TYPES) == Fingerprint(0, 0)


def test_changes_are_the_rows_that_are_gone_and_those_that_are_new(tmp_path: Path) -> None:
    columns = "orders(order_id, product_id, quantity, amount, status)"
    before = write(
        tmp_path / "before", f"FROM (VALUES (1, 1, 1, 1.5, 'new'), (2, 1, 1, 2.5, 'new')) {columns}"
    )
    after = write(tmp_path / "after", f"FROM (VALUES (1, 1, 1, 1.5, 'new'), (2, 1, 3, 2.5, 'new')) {columns}")
    write_changes(f"{before}/*.parquet", f"{after}/*.parquet", tmp_path / "changes")
    with duckdb.connect() as connection:
        found = connection.execute(
            f"SELECT order_id, quantity, weight FROM '{tmp_path}/changes/*.parquet' ORDER BY weight"
        ).fetchall()
    assert found == [(2, 1, -1), (2, 3, 1)]


def test_bytes_written_are_those_of_new_and_longer_files() -> None:
    before = {Path("same"): 10, Path("longer"): 10, Path("gone"): 10}
    after = {Path("same"): 10, Path("longer"): 14, Path("new"): 3}
    assert bytes_written(before, after) == 7


def test_memory_that_processes_share_counts_once(tmp_path: Path) -> None:
    for name, shared in (("a", 100), ("b", 60)):
        (tmp_path / name).write_text(f"Name:\tpostgres\nVmHWM:\t     200 kB\nRssShmem:\t     {shared} kB\n")
    assert peak_of([tmp_path / "a", tmp_path / "b", tmp_path / "ended"]) == 1024 * (100 + 140 + 100)


@pytest.mark.parametrize(
    ("log", "reason"),
    [
        ("", "ended: without a message"),
        ("Killed\n", "ended: Killed"),
        (
            "Traceback\n  File\npy4j.protocol.Py4JJavaError: An error\n: org.x.SomeException\n\tat a.b(C)\n",
            "ended: py4j.protocol.Py4JJavaError: An error",
        ),
        (
            "org.x.A: first\nCaused by: java.io.IOException: disk\n\tat a\n",
            "ended: Caused by: java.io.IOException: disk",
        ),
    ],
)
def test_the_reason_of_a_failure_is_one_line(log: str, reason: str) -> None:
    assert reason_in(log) == reason


def test_changelog_has_an_event_for_each_row_in_the_order_of_the_query(tmp_path: Path) -> None:
    rows = "(VALUES (1, 2, 3, 4.50, 'new', 1), (1, 2, 1, 1.50, 'new', -1))"
    columns = "changes(order_id, product_id, quantity, amount, status, weight)"
    written = write_changelog(f"SELECT * FROM {rows} {columns} ORDER BY weight", tmp_path / "changes", 1)
    (file,) = (tmp_path / "changes").iterdir()
    order = {"order_id": 1, "product_id": 2, "status": "new"}
    assert written == 2
    assert [json.loads(line) for line in file.read_text().splitlines()] == [
        {"op": "d", "before": order | {"quantity": 1, "amount": 1.5}, "after": None},
        {"op": "c", "before": None, "after": order | {"quantity": 3, "amount": 4.5}},
    ]


def test_the_last_checkpoint_that_is_committed_is_in_the_newest_metadata(tmp_path: Path) -> None:
    (tmp_path / "metadata").mkdir()
    for version, checkpoint in ((9, 3), (10, 4)):
        snapshots = [
            {"snapshot-id": 1, "summary": {"flink.max-committed-checkpoint-id": "1"}},
            {"snapshot-id": version, "summary": {"flink.max-committed-checkpoint-id": str(checkpoint)}},
        ]
        metadata = {"current-snapshot-id": version, "snapshots": snapshots}
        (tmp_path / "metadata" / f"v{version}.metadata.json").write_text(json.dumps(metadata))
    assert committed_checkpoint(tmp_path) == 4


def done(seconds: float) -> RoundDone:
    return RoundDone(seconds, 160, 2_000_000)


def test_table_has_the_median_of_measured_rounds_and_names_failures() -> None:
    first = Measured("headrace", 1, 5.0, [done(9), done(4), done(2), done(1), done(3)], 1_500_000_000)
    slower = Measured("slower", 1, 1.0, [done(9), done(9), done(8), done(4)], different=["sales in round 2"])
    missing = Measured("missing", 1, failure="not installed: type this")
    header, *lines = (
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in table([first, slower, missing]).splitlines()
        if line.startswith("|")
    )
    assert header == COLUMNS
    assert lines == [
        ["headrace", "5.00", "9.00", "2.00", "1.00", "160", "2.00", "1,500", "equal"],
        ["slower", "1.00", "9.00", "6.00", "3.00", "160", "2.00", "", "DIFFERS: sales in round 2"],
        ["missing", "", "", "", "", "", "", "", "not installed: type this"],
    ]


@pytest.mark.parametrize(
    ("other", "status"),
    [
        (Measured("other", 0, 1.0, [done(1), done(1)]), 0),
        (Measured("other", 0, failure="ended: Killed"), 0),
        (Measured("other", 0, 1.0, [done(1), done(1)], different=["category_sales in round 1"]), 1),
    ],
    ids=["equal", "failed", "different"],
)
def test_exit_status_is_1_if_a_result_differs(
    other: Measured, status: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = Measured("headrace", 0, 1.0, [done(1), done(1)])
    monkeypatch.setattr(command, "run", lambda directory, options: [first, other])
    monkeypatch.setattr(command, "save", lambda figures: tmp_path)
    monkeypatch.setattr(command.signal, "signal", lambda number, handler: None)
    assert command.peers(["--only", "duckdb"]) == status


def test_a_peer_of_other_versions_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.peers.registry.ENVIRONMENTS", tmp_path)
    environment = Environment("some", ("package==1",))
    monkeypatch.setattr(install, "_run", lambda command: environment.directory.mkdir(exist_ok=True))
    monkeypatch.setattr(install, "_uv", lambda: "uv")
    with pytest.raises(NotInstalled, match="--install --only some-peer"):
        python_of(program("some peer", environment=environment))
    install.install(environment)
    assert is_installed(environment)
    assert not is_installed(Environment("some", ("package==2",)))


def test_a_process_that_has_just_been_forked_is_recognized() -> None:
    script = "import os, time; os.fork() and print('forked', flush=True); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as parent:
        process = psutil.Process(parent.pid)
        try:
            assert parent.stdout
            assert parent.stdout.readline() == b"forked\n"
            (child,) = process.children()
            assert (is_fork(process), is_fork(child)) == (False, True)
        finally:
            for each in (*process.children(), process):
                each.kill()


def test_peers_that_fail_or_differ_are_named_and_the_others_go_on(tmp_path: Path) -> None:
    missing = Environment("of no peer", ("package==1",))
    peers = [
        program("reference"),
        program("equal", takes_changes=True),
        program("different", takes_changes=True),
        program("failing", takes_changes=True),
        program("missing", environment=missing),
    ]
    with Comparison(tmp_path, 20, warm_up=0, limit_seconds=60) as comparison:
        comparison.start(peers)
        for _ in range(3):
            comparison.run_round()
        assert not psutil.pid_exists(int((tmp_path / "failing.child").read_text()))
    assert {each.name: each.result for each in comparison.measured} == {
        "reference": "equal",
        "equal": "equal",
        "different": "DIFFERS: category_ranking in round 1",
        "failing": "ended: ValueError: no more rounds",
        "missing": "not installed: python -m bench peers --install --only missing",
    }
    assert [len(each.rounds) for each in comparison.measured] == [3, 3, 3, 1, 0]
    assert not any(each.is_running() for each in _processes_of(tmp_path))


def test_a_peer_that_does_not_answer_is_ended_with_its_children(tmp_path: Path) -> None:
    with Comparison(tmp_path, 20, warm_up=0, limit_seconds=3) as comparison:
        comparison.start([program("reference"), program("silent")])
        comparison.run_round()
        child = int((tmp_path / "silent.child").read_text())
        assert not psutil.pid_exists(child)
    assert comparison.measured[1].result == "no answer within 3 s"


def test_nothing_is_compared_without_the_first_peer(tmp_path: Path) -> None:
    comparison = Comparison(tmp_path, 20, warm_up=0, limit_seconds=60)
    with pytest.raises(PeerFailed, match="failing: ended: "), comparison:
        comparison.start([program("failing")])
        comparison.run_round()


def test_a_layer_that_cannot_be_read_differs() -> None:
    rows, others = Fingerprint(1, 5), Fingerprint(1, 6)
    assert differing({"a": rows, "b": rows}, {"a": rows, "b": rows}) == []
    assert differing({"a": rows, "b": others}, {"a": rows, "b": rows}) == ["b"]
    assert differing({"a": None, "b": rows}, {"a": None, "b": rows}) == ["a"]


def _processes_of(directory: Path) -> list[psutil.Process]:
    return [
        each
        for each in psutil.process_iter(["cmdline"])
        if str(directory) in " ".join(each.info["cmdline"] or ())
    ]
