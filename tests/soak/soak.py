"""A served lake under continuous change, while its server, clusters and connections are killed.

``python -m tests.soak.soak [SECONDS]`` prints what came of it; the tests run a short one.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from headrace.connection import Connection
from headrace.errors import Error
from headrace.lake.directory import make_lake
from tests.door import Door, door_to
from tests.postgres import running_postgres
from tests.server.served import Served
from tests.soak.pipeline import BASE, LAYERS, tables

INTERVAL_SECONDS = 5
KILL_EVERY_SECONDS = 20
CUSTOMERS, PRODUCTS, PER_BATCH = 20, 10, 20


@dataclass
class Outcome:
    kills: Counter[str] = field(default_factory=Counter)
    writes: int = 0
    retried: int = 0
    not_exact: list[str] = field(default_factory=list)
    wrong_rows: int = 0
    orphans: list[str] = field(default_factory=list)
    refreshes: Counter[str] = field(default_factory=Counter)
    exit_code: int | None = None
    left_at: str | None = None

    @property
    def is_well(self) -> bool:
        return not (self.not_exact or self.wrong_rows or self.orphans or self.exit_code)

    def __str__(self) -> str:
        counted = (("kills", self.kills), ("refreshes", self.refreshes))
        lines = [f"{what}: {', '.join(f'{n} {k}' for k, n in sorted(of.items()))}" for what, of in counted]
        lines.append(f"writes: {self.writes}, {self.retried} of them tried again after a failure")
        lines.append(f"tables that are not exact: {self.not_exact or 'none'}")
        lines.append(f"rows lost or counted twice: {self.wrong_rows}")
        lines.append(f"processes left behind: {self.orphans or 'none'}; exit code {self.exit_code}")
        if self.left_at is not None:
            lines.append(f"the lake is left at {self.left_at}")
        return "\n".join(lines)


class Soak:
    def __init__(self, lake: Path, door: Door, seed: int) -> None:
        self._lake = lake
        self._door = door
        self._chance = random.Random(seed)
        self._served = Served(lake)
        self._seen: dict[int, psutil.Process] = {}
        self._writing = threading.Event()
        self._expected: dict[int, dict[int, int]] = {}
        """Rows that are acknowledged: their v by id, by batch."""
        self.outcome = Outcome()

    def run(self, seconds: float) -> Outcome:
        with self._served.connect() as lake:
            self._create(lake)
        self._writing.set()
        writer = threading.Thread(target=self._write, daemon=True)
        writer.start()
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            time.sleep(min(KILL_EVERY_SECONDS, max(0.0, deadline - time.monotonic())))
            if time.monotonic() < deadline:
                self._kill_something()
        self._writing.clear()
        writer.join(120)
        self._judge()
        return self.outcome

    def close(self) -> None:
        self._note_processes()
        if self._served.process.poll() is None:
            self._served.process.kill()
        for process in self._left_over():
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self._served.close()

    def _create(self, lake: Connection) -> None:
        for table, columns in BASE.items():
            lake.sql(f"CREATE TABLE {table} ({columns})")
        regions = ", ".join(f"({number}, 'r{number % 4}')" for number in range(CUSTOMERS))
        lake.sql(f"INSERT INTO customers VALUES {regions}")
        goods = ", ".join(f"({number}, 'c{number % 3}', {number}.5)" for number in range(PRODUCTS))
        lake.sql(f"INSERT INTO products VALUES {goods}")
        for layer in LAYERS:
            for name, query in layer.items():
                lake.sql(f"CREATE DYNAMIC TABLE {name} REFRESH INTERVAL {INTERVAL_SECONDS} SECOND AS {query}")

    def _write(self) -> None:
        batch = 0
        while self._writing.is_set():
            kind = self._chance.choice(["insert", "insert", "update", "delete", "move"])
            if kind == "insert" or not self._expected:
                batch += 1
                self._insert(batch)
            else:
                self._change(kind, self._chance.choice(list(self._expected)))
            time.sleep(0.2)

    def _insert(self, batch: int) -> None:
        """After a failure the table itself says whether the rows are in it."""
        ids = [batch * PER_BATCH + number for number in range(PER_BATCH)]
        rows = ", ".join(
            f"({each}, {batch}, {self._chance.randrange(CUSTOMERS)}, {self._chance.randrange(PRODUCTS)}, "
            f"{self._chance.randrange(1, 100)}.25, 0)"
            for each in ids
        )
        tried: list[int] = []

        def insert(lake: Connection) -> None:
            if tried and _has(lake, batch):
                return
            tried.append(batch)
            lake.run(f"INSERT INTO orders VALUES {rows}")

        while not self._did(insert):
            if not self._writing.is_set():
                with self._patiently() as lake:
                    if _has(lake, batch):
                        break
                    return
        self.outcome.writes += 1
        self._expected[batch] = dict.fromkeys(ids, 0)

    def _change(self, kind: str, batch: int) -> None:
        """Said again until it is acknowledged: once more does no harm."""
        rows = self._expected[batch]
        match kind:
            case "update":
                value = max(rows.values(), default=0) + 1
                statement = f"UPDATE orders SET v = {value}, amount = 50 WHERE batch = {batch} AND id % 3 = 0"
                after = {each: value if each % 3 == 0 else v for each, v in rows.items()}
            case "delete":
                statement = f"DELETE FROM orders WHERE batch = {batch} AND id % 4 = 1"
                after = {each: v for each, v in rows.items() if each % 4 != 1}
            case _:
                customer = self._chance.randrange(CUSTOMERS)
                statement = f"UPDATE customers SET region = 'r{batch % 5}' WHERE id = {customer}"
                after = rows
        while not self._did(lambda lake: lake.run(statement)):
            pass
        self.outcome.writes += 1
        self._expected[batch] = after

    def _did(self, work: Callable[[Connection], object]) -> bool:
        """A failure is one of the soak's own making; the caller tries again."""
        try:
            with self._served.connect() as lake:
                work(lake)
        except Error:
            self.outcome.retried += 1
            time.sleep(0.5)
            return False
        return True

    @contextmanager
    def _patiently(self) -> Iterator[Connection]:
        deadline = time.monotonic() + 120
        while True:
            try:
                lake = self._served.connect()
                lake.run("SELECT 1")
                break
            except Error:
                if time.monotonic() > deadline:
                    raise
                time.sleep(1)
        with lake:
            yield lake

    def _kill_something(self) -> None:
        self._note_processes()
        kind = self._chance.choice(["server", "cluster", "JVM", "database connections"])
        workers = [
            process for process in self._served.processes() if "headrace.cluster.worker" in _line(process)
        ]
        match kind:
            case "server":
                old = self._served
                old.kill()
                old.close()
                self._served = self._restarted()
            case "database connections":
                self._door.slam()
            case _ if workers:
                victim = self._chance.choice(workers)
                java = [child for child in victim.children() if "java" in child.name()]
                (java[0] if kind == "JVM" and java else victim).send_signal(signal.SIGKILL)
        self.outcome.kills[kind] += 1

    def _restarted(self) -> Served:
        deadline = time.monotonic() + 90
        while True:
            try:
                return Served(self._lake)
            except AssertionError:
                if time.monotonic() > deadline:
                    raise

    def _judge(self) -> None:
        with self._patiently() as lake:
            for name in tables():
                lake.run(f"REFRESH DYNAMIC TABLE {name}")
            for name in tables():
                (found,) = lake.run(f"VERIFY DYNAMIC TABLE {name}").df().to_dict("records")
                if found["result"] != "exact":
                    self.outcome.not_exact.append(f"{name} {found}")
            found = Counter(lake.run("SELECT batch, id, v FROM orders").fetchall())
            modes = lake.run(
                "SELECT state, refresh_mode FROM information_schema.dynamic_table_refresh_history"
            )
            self.outcome.refreshes = Counter(
                f"{state} {mode or ''}".strip() for state, mode in modes.fetchall()
            )
        expected = Counter(
            (batch, each, v) for batch, rows in self._expected.items() for each, v in rows.items()
        )
        self.outcome.wrong_rows = sum(((found - expected) + (expected - found)).values())
        self._note_processes()
        self.outcome.exit_code = self._served.stop()
        time.sleep(2)
        self.outcome.orphans = [_line(process)[:120] for process in self._left_over()]

    def _note_processes(self) -> None:
        self._seen |= {process.pid: process for process in self._served.processes()}

    def _left_over(self) -> list[psutil.Process]:
        return [
            process
            for process in self._seen.values()
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE
        ]


def _has(lake: Connection, batch: int) -> bool:
    return bool(lake.run(f"SELECT id FROM orders WHERE batch = {batch}").fetchall())


def _line(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def soak(seconds: float, seed: int) -> Outcome:
    """A lake that went wrong is left to be looked at."""
    directory = tempfile.mkdtemp()
    with running_postgres() as postgres, door_to(postgres) as (door, url):
        outcome = _soak_in(directory, door, url, seconds, seed)
    if outcome.is_well:
        shutil.rmtree(directory)
    else:
        outcome.left_at = directory
    return outcome


def _soak_in(directory: str, door: Door, url: str, seconds: float, seed: int) -> Outcome:
    lake = make_lake(Path(directory) / "lake", url, f"{directory}/warehouse").path
    marker = lake / "lake.toml"
    text = marker.read_text().replace("minimum_interval_seconds = 60", "minimum_interval_seconds = 1")
    marker.write_text(text + '[settings.spark]\n"spark.driver.memory" = "2g"\n')
    soaking = Soak(lake, door, seed)
    try:
        return soaking.run(seconds)
    finally:
        soaking.close()


if __name__ == "__main__":
    seconds, seed = float(sys.argv[1]), int(os.environ.get("HEADRACE_SEED") or random.randrange(1_000_000))
    sys.stdout.write(f"HEADRACE_SEED={seed}\n")
    came_of_it = soak(seconds, seed)
    sys.stdout.write(f"{came_of_it}\n")
    sys.exit(not came_of_it.is_well)
