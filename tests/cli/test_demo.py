from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import duckdb
import pytest
import sqlglot

from headrace.cli import demo
from headrace.errors import LakeError
from headrace.lake.directory import make_lake

FIRST = [
    (1, "Sports & Outdoors", 4, 8, Decimal("1570.00"), Decimal("196.25")),
    (2, "Electronics", 3, 5, Decimal("1155.00"), Decimal("242.33")),
    (3, "Computer Peripherals", 2, 3, Decimal("557.00"), Decimal("229.00")),
    (4, "Home & Kitchen", 2, 5, Decimal("357.00"), Decimal("67.00")),
]
SECOND = [
    (1, "Electronics", 5, 9, Decimal("1841.00"), Decimal("231.00")),
    (2, "Sports & Outdoors", 4, 8, Decimal("1570.00"), Decimal("196.25")),
    (3, "Computer Peripherals", 4, 5, Decimal("1015.00"), Decimal("229.00")),
    (4, "Home & Kitchen", 3, 7, Decimal("535.00"), Decimal("74.33")),
]


class DuckEngine:
    """Runs the demo's statements with dynamic tables as views, which are always fresh."""

    def __init__(self, result: type) -> None:
        self.boards: list[list[tuple[Any, ...]]] = []
        self._result = result
        self._duck = duckdb.connect()

    def run(self, statement: str) -> Any:
        if statement.startswith("REFRESH") or "refresh_history" in statement:
            return self._result()
        plain = re.sub(
            r"DYNAMIC TABLE (IF EXISTS )?(\w+).*?(AS SELECT|$)", r"VIEW \1\2 \3", statement, flags=re.S
        )
        answer = self._duck.execute(sqlglot.transpile(plain, read="spark", write="duckdb")[0])
        if not statement.startswith("SELECT"):
            return self._result()
        self.boards.append(answer.fetchall())
        return self._result([column[0] for column in answer.description or ()], self.boards[-1])

    def cancel(self) -> None: ...

    def progress(self) -> str | None:
        return None


def test_the_leaderboards(fake: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    engine = DuckEngine(fake.FakeResult)
    demo.play(engine, again=False)
    demo.play(engine, again=True)
    assert engine.boards == [FIRST, SECOND, FIRST, SECOND]
    shown = capsys.readouterr().out
    assert "| 1        | Sports & Outdoors    | 4         | 8              | 1570.00 | 196.25    |" in shown
    assert "| 1        | Electronics          | 5         | 9              | 1841.00 | 231.00    |" in shown
    assert shown.count("Start over") == 1


def test_new_electronics_orders_are_the_charger_and_the_earbuds() -> None:
    arrivals = next(
        chapter for chapter in demo.chapters() if chapter.title == "New orders arrive"
    ).statements[0]
    amounts = [
        (int(product), int(quantity) * Decimal(price))
        for product, quantity, price, status in re.findall(
            r"\(\d+, (\d+), (\d+), ([\d.]+), '(\w+)'", arrivals
        )
        if status == "completed"
    ]
    assert amounts == [(8, 178), (5, 387), (4, 299), (6, 359), (7, 99)]


def test_every_dynamic_table_has_a_schedule() -> None:
    created = [text for chapter in demo.chapters() for text in chapter.statements if "CREATE DYNAMIC" in text]
    assert len(created) == 3
    assert all("REFRESH INTERVAL 1 MINUTE VCLUSTER default" in text for text in created)


def test_statements_are_shown_on_one_line() -> None:
    assert demo.one_line("SELECT 1,\n   2") == "SELECT 1, 2"
    assert demo.one_line("SELECT " + "x" * 200).endswith("xxx...")
    assert len(demo.one_line("x" * 101)) == 100


def test_the_demo_lake_is_made_once_and_found_again(tmp_path: Path) -> None:
    assert demo.prepare(tmp_path / "demo") is False
    assert demo.prepare(tmp_path / "demo") is True


def test_a_lake_of_someone_else_is_left_alone(tmp_path: Path) -> None:
    make_lake(tmp_path)
    before = sorted(path.name for path in tmp_path.rglob("*"))
    with pytest.raises(LakeError, match="was not created by the demo"):
        demo.prepare(tmp_path)
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("x")
    with pytest.raises(LakeError, match="neither a lake nor empty"):
        demo.prepare(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
