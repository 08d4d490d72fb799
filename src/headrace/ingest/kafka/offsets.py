"""The position in a topic: an offset for each partition, and how many messages were left out."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from headrace.errors import LakeDamaged, OperationalError

Offsets = dict[int, int]


@dataclass(frozen=True)
class TopicPosition:
    topic: str
    offsets: Offsets = field(default_factory=dict)
    skipped: int = 0

    def text(self) -> str:
        offsets = {str(partition): offset for partition, offset in sorted(self.offsets.items())}
        content = {"topic": self.topic, "offsets": offsets, "skipped": self.skipped}
        return json.dumps(content, separators=(",", ":"))


def read_position(text: str | None, topic: str) -> TopicPosition | None:
    """None where nothing of this topic was read."""
    if text is None:
        return None
    try:
        content = json.loads(text)
        offsets = {int(partition): int(offset) for partition, offset in content["offsets"].items()}
        found = TopicPosition(content["topic"], offsets, content["skipped"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise LakeDamaged(f"the position in Kafka cannot be read: {error!r}") from None
    return found if found.topic == topic else None


def next_range(
    position: Offsets, earliest: Offsets, latest: Offsets, most: int, *, may_lose: bool
) -> tuple[Offsets, Offsets]:
    """From which offset up to which each partition is read; partitions that are new begin at their first one.

    ``may_lose`` permits to go on behind messages that Kafka has deleted before they were read.
    """
    start: Offsets = {}
    for partition, first in earliest.items():
        at = position.get(partition, first)
        if at < first and not may_lose:
            raise OperationalError(
                f"messages {at} to {first - 1} of partition {partition} were deleted before they were read",
                hint="ALTER PIPE ... SET RESET_KAFKA_GROUP_OFFSETS = 'valid' continues with the others",
            )
        if at > latest[partition]:
            raise OperationalError(
                f"partition {partition} ends at offset {latest[partition]}, but {at} was read:"
                " the topic was recreated",
                hint="load it into a new table, or give the pipe another name",
            )
        start[partition] = max(at, first)
    end = {partition: min(latest[partition], at + most) for partition, at in start.items()}
    return start, end


def halves(start: Offsets, end: Offsets) -> list[tuple[Offsets, Offsets]]:
    """A range as two ranges that have about as many offsets; one that cannot be split as it is."""
    wide = {each: end[each] - start[each] for each in start if end[each] > start[each]}
    if sum(wide.values()) <= 1:
        return [(start, end)]
    if len(wide) > 1:
        first = set(sorted(wide)[: len(wide) // 2])
        return [
            ({p: start[p] for p in wide if p in first}, {p: end[p] for p in wide if p in first}),
            ({p: start[p] for p in wide if p not in first}, {p: end[p] for p in wide if p not in first}),
        ]
    (partition,) = wide
    middle = start[partition] + wide[partition] // 2
    return [
        ({partition: start[partition]}, {partition: middle}),
        ({partition: middle}, {partition: end[partition]}),
    ]
