"""What changes come to, against tables that are changed one by one."""

from __future__ import annotations

import random

import pytest

from headrace.ingest.cdc.changes import UNCHANGED, Change, Operation, Row, SourceColumn, SourceTable
from headrace.ingest.cdc.net_changes import NetRow, net_changes_of
from tests.sampling import fresh_seeds

TEXT = ("string", "{}", "text")
KEYED = SourceTable("public", "t", tuple(SourceColumn(name, *TEXT) for name in ("id", "a", "b")), ("id",))
UNKEYED = SourceTable("public", "t", KEYED.columns[:2], ())


class Model:
    """A table of the source, and the changes that its log has."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.rows = {str(key): {"id": str(key), "a": f"a{key}", "b": f"b{key}"} for key in range(6)}

    def change(self) -> Change | None:
        free = [str(key) for key in range(9) if str(key) not in self.rows]
        key = self._random.choice([*self.rows, ""])
        match self._random.choice(["insert", "update", "update", "move", "delete", "truncate"]):
            case "insert" if free:
                new = free[0]
                self.rows[new] = {"id": new, "a": self._value(), "b": self._value()}
                return Change("public.t", Operation.INSERT, dict(self.rows[new]))
            case "update" if key:
                self.rows[key]["a"] = self._value()
                return Change("public.t", Operation.UPDATE, {**self.rows[key], "b": UNCHANGED})
            case "move" if key and free:
                row = self.rows.pop(key)
                self.rows[free[-1]] = row | {"id": free[-1]}
                return Change(
                    "public.t", Operation.UPDATE, {**row, "id": free[-1], "b": UNCHANGED}, {"id": key}
                )
            case "delete" if key:
                return Change("public.t", Operation.DELETE, None, {"id": self.rows.pop(key)["id"]})
            case "truncate" if self._random.random() < 0.1:
                self.rows.clear()
                return Change("public.t", Operation.TRUNCATE)
        return None

    def _value(self) -> str:
        return str(self._random.random())


def merged(before: dict[str, Row], rows: list[NetRow], is_truncated: bool) -> dict[str, Row]:
    """As MERGE does it: every row looks at the table as it was."""
    found = {} if is_truncated else dict(before)
    for row in rows:
        if row.operation is not Operation.INSERT:
            assert row.key is not None
            del found[str(row.key[0])]
    for row in rows:
        if row.operation is Operation.DELETE:
            continue
        old = before.get(str(row.key[0]), {}) if row.key else {}
        new = {name: old.get(name) if value is UNCHANGED else value for name, value in row.row.items()}
        assert UNCHANGED not in new.values()
        assert new["id"] not in found
        found[str(new["id"])] = new
    return found


@pytest.mark.parametrize("seed", fresh_seeds("net changes", 100))
def test_net_changes_lead_to_the_same_rows(seed: int) -> None:
    model = Model(seed)
    before: dict[str, Row] = {key: dict(row) for key, row in model.rows.items()}
    net = net_changes_of(KEYED)
    for _ in range(seed % 40):
        if (change := model.change()) is not None:
            net.add(change)
    rows = list(net.rows())
    targets = [row.key for row in rows if row.operation is not Operation.INSERT]
    assert len(set(targets)) == len(targets), "MERGE changes a row once"
    if net.is_truncated:
        assert all(row.operation is Operation.INSERT for row in rows)
    assert merged(before, rows, net.is_truncated) == model.rows


def test_rows_without_a_key_are_counted() -> None:
    net = net_changes_of(UNKEYED)
    same = {"id": "1", "a": None}
    for _ in range(3):
        net.add(Change("public.t", Operation.INSERT, same))
    net.add(Change("public.t", Operation.DELETE, None, same))
    net.add(Change("public.t", Operation.UPDATE, {"id": "2", "a": "x"}, {"id": "1", "a": "x"}))
    found = sorted((row.operation.value, row.row["id"], row.row["a"]) for row in net.rows())
    assert found == [("delete", "1", "x"), ("insert", "1", None), ("insert", "1", None), ("insert", "2", "x")]
