"""A table that is read in chunks while it is changed: in the end it is equal to its source.

The source is simulated: transactions are in the log before queries see them, as in PostgreSQL and MySQL. A
chunk is read at a known place of the log, as in MySQL, or before a known one, as in PostgreSQL.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from headrace.ingest.cdc.admission import SnapshotRestarts, admitted
from headrace.ingest.cdc.changes import UNCHANGED, Change, Key, Operation, Row, SourceTable, Transaction
from headrace.ingest.cdc.net_changes import net_changes_of
from headrace.ingest.cdc.table_position import OpenChunk, Phase, TablePosition
from tests.ingest.cdc.test_net_changes import KEYED, Model, merged
from tests.sampling import fresh_seeds

NOW = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass
class PaperSource:
    """What queries see follows the log by up to three transactions."""

    model: Model
    chance: random.Random
    knows_place: bool = False
    """Whether a query says which place of the log it sees."""
    log: list[Transaction] = field(default_factory=list)
    states: list[dict[str, Row]] = field(default_factory=list)
    visible: int = 0

    def __post_init__(self) -> None:
        self.states.append(self._state())

    def _state(self) -> dict[str, Row]:
        return {key: dict(row) for key, row in self.model.rows.items()}

    def write(self) -> None:
        changes = [change for _ in range(self.chance.randint(1, 3)) if (change := self.model.change())]
        self.log.append(Transaction(len(self.log) + 1, f"{len(self.log) + 1:06}", NOW, changes))
        self.states.append(self._state())
        self.visible = self.chance.randint(max(self.visible, len(self.log) - 3), len(self.log))

    def chunk(self, after: Key | None, size: int) -> tuple[dict[str, Row], OpenChunk, Key | None]:
        rows = {
            key: row for key, row in self.states[self.visible].items() if after is None or key > str(after[0])
        }
        chosen = sorted(rows)[:size]
        last = (chosen[-1],) if len(chosen) == size else None
        high = self.visible if self.knows_place else len(self.log)
        opened = OpenChunk(after, str(self.visible), f"{high:06}")
        return {key: rows[key] for key in chosen}, opened, last

    def sees(self, chunk: OpenChunk, transaction: Transaction) -> bool:
        return transaction.id <= int(chunk.snapshot)

    def is_before(self, position: str, other: str) -> bool:
        return position < other

    def beyond(self, table: SourceTable, keys: Sequence[Key], boundary: Key) -> list[bool]:
        return [str(key[0]) > str(boundary[0]) for key in keys]


@pytest.mark.parametrize("knows_place", [False, True])
@pytest.mark.parametrize("seed", fresh_seeds("chunks under writes", 60))
def test_chunks_and_changes_come_to_the_source(seed: int, knows_place: bool) -> None:
    chance = random.Random(seed)
    source = PaperSource(Model(seed), chance, knows_place)
    for _ in range(chance.randint(0, 5)):
        source.write()
    position = TablePosition(
        f"{len(source.log):06}", Phase.SNAPSHOT, pending=_unseen(source, len(source.log))
    )
    target: dict[str, Row] = {}
    for step in range(400):
        if chance.random() < 0.6 and step < 60:
            source.write()
        position = TablePosition.from_json(position.to_json())
        is_due = position.phase is Phase.SNAPSHOT and position.chunk is None
        if is_due and all(each <= source.visible for each in position.pending):
            rows, opened, last = source.chunk(position.upto, chance.randint(1, 3))
            assert not target.keys() & rows.keys() or position.replaces
            target = {**({} if position.replaces else target), **rows}
            position = position.with_chunk(opened, last)
        if chance.random() < 0.5:
            source.write()
        position, target = _apply(source, position, target, chance)
        if step > 60 and position.phase is Phase.STREAMING:
            break
        if step > 60:
            source.visible = len(source.log)
    position, target = _apply(source, position, target, chance, all_of_it=True)
    assert position.phase is Phase.STREAMING
    assert target == source.states[-1]


def _unseen(source: PaperSource, upto: int) -> tuple[int, ...]:
    return tuple(range(source.visible + 1, upto + 1))


def _apply(
    source: PaperSource,
    position: TablePosition,
    target: dict[str, Row],
    chance: random.Random,
    *,
    all_of_it: bool = False,
) -> tuple[TablePosition, dict[str, Row]]:
    start = int(position.at)
    end = len(source.log) if all_of_it else chance.randint(start, len(source.log))
    part = source.log[:end]
    settles = position.chunk is None or f"{end:06}" >= position.chunk.high
    after = position.moved_to(f"{end:06}", settles=settles, pending=_unseen(source, end))
    net = net_changes_of(KEYED)
    try:
        for _, change in admitted(KEYED, position, part, source):  # type: ignore[arg-type]
            net.add(change)
    except SnapshotRestarts:
        restart = TablePosition(f"{end:06}", Phase.SNAPSHOT, pending=_unseen(source, end), replaces=True)
        return restart, {}
    return after, merged(target, list(net.rows()), net.is_truncated)


def test_positions_are_read_as_they_were_written() -> None:
    chunk = OpenChunk(("1", None), "3:5:4", "0/16B3748")
    for position in (
        TablePosition("0/1"),
        TablePosition("0/1", Phase.SNAPSHOT, barrier=7, replaces=True),
        TablePosition("0/1", Phase.SNAPSHOT, ("2", "x"), chunk=chunk, pending=(4, 5)),
        TablePosition("0/1", Phase.SNAPSHOT, is_complete=True, chunk=chunk, is_partial=True),
    ):
        assert TablePosition.from_json(position.to_json()) == position


def test_a_row_that_moves_into_what_was_read_without_all_values_restarts() -> None:
    position = TablePosition("000000", Phase.SNAPSHOT, ("5",))
    source = PaperSource(Model(1), random.Random(1))
    moved = Change("public.t", Operation.UPDATE, {"id": "1", "a": "x", "b": UNCHANGED}, {"id": "7"})
    log = [Transaction(1, "000001", NOW, [moved])]
    with pytest.raises(SnapshotRestarts):
        list(admitted(KEYED, position, log, source))  # type: ignore[arg-type]
