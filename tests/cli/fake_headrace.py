"""The ``headrace`` command on a connection without Spark. Runs as a script, too."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from threading import Event
from typing import Any, Self

from headrace.cli import main as command
from headrace.cli.running import start
from headrace.errors import Cancelled, DatabaseError, Place, ProgrammingError


@dataclass
class FakeResult:
    columns: list[str] = field(default_factory=list)
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    notices: tuple[str, ...] = ()

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self.rows


ANSWERS = {
    "SELECT gmv": FakeResult(
        ["category", "gmv"], [("Electronics", Decimal("1841.00")), ("Home, etc.", None)]
    ),
    "SELECT time": FakeResult(["t"], [(datetime(2024, 5, 17, 11, 33, 15, 512000),)]),  # noqa: DTZ001
    "SELECT wide": FakeResult([f"column_{n}" for n in range(12)], [tuple("x" * 20 for _ in range(12))]),
    "SELECT long": FakeResult(["n", "text"], [(1, "y" * 300)]),
    "SHOW CREATE TABLE t": FakeResult(["createtab_stmt"], [("CREATE TABLE t (\n  a INT)\nUSING iceberg",)]),
    "REFRESH DYNAMIC TABLE t": FakeResult(
        ["refresh_mode", "duration", "stats", "job_id"],
        [("FULL", timedelta(seconds=2), '{"rows_deleted":"0","rows_inserted":"4"}', "2024-1")],
    ),
    "SELECT many": FakeResult(["n"], [(n,) for n in range(200_000)]),
    "CREATE x": FakeResult(notices=("no scheduler is running for this lake",)),
    "INSERT x": FakeResult(),
}


class FakeConnection:
    workspace = "lake"
    schema = "public"

    def __init__(self) -> None:
        self.statements: list[str] = []
        self.closed = False
        self._progress: str | None = None
        self._cancelled = Event()

    def run(self, statement: str) -> FakeResult:
        self.statements.append(statement)
        self._progress = (
            "starting cluster DEFAULT ..." if statement == "STARTS" else "stage 3: 12 of 40 tasks"
        )
        match statement.split():
            case ["SLEEP"]:
                self._cancelled.wait(60)
                self._cancelled.clear()
                raise Cancelled("the statement was cancelled")
            case ["SLOW"] | ["STARTS"]:
                time.sleep(2.5)
                return FakeResult(["done"], [(True,)])
            case ["STUBBORN"]:
                time.sleep(60)
            case ["LATE"]:
                self._cancelled.wait(60)
                return FakeResult(["done"], [(True,)])
            case ["BOOM"]:
                raise ValueError("one\ntwo")
            case ["SELECT", *_, "wrong"]:
                lines = statement.split("\n")
                place = Place(len(lines), lines[-1].index("wrong") + 1, lines[-1], 5)
                raise ProgrammingError("no column wrong", hint="write right", place=place)
        if statement not in ANSWERS:
            raise DatabaseError(f"unknown: {statement}")
        return ANSWERS[statement]

    def cancel(self) -> None:
        self._cancelled.set()

    def progress(self) -> str | None:
        return self._progress

    def table_names(self) -> list[str]:
        return ["ods_orders", "ods_products"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.closed = True


def fake_lake(lake: Path, create: bool = True) -> FakeConnection:
    def connect(progress: Any) -> FakeConnection:
        progress("starting Spark")
        if lake.name == "locked":
            raise DatabaseError("the lake is locked")
        return FakeConnection()

    return start(connect)


if __name__ == "__main__":
    command.open_lake = fake_lake  # type: ignore[assignment]
    command.main()
