"""``headrace sample events``: a live table of what people do in a shop."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

_CREATE = """CREATE TABLE IF NOT EXISTS {table} (
  event_time TIMESTAMP, event_type STRING, product_id STRING, category_id STRING, category_code STRING,
  brand STRING, price DECIMAL(10, 2), user_id STRING, user_session STRING)"""

_INSERT = """INSERT INTO {table}
SELECT timestamp_micros(unix_micros(current_timestamp()) - CAST(rand() * 1000000 AS BIGINT)),
  element_at(split('view view view view view view cart cart purchase', ' '), 1 + CAST(rand() * 9 AS INT)),
  CAST(1000000 + product AS STRING),
  CAST(2053013550000000000 + product % 6 AS STRING),
  element_at(split('electronics.smartphone electronics.audio.headphone computers.notebook '
    'appliances.kitchen.kettle apparel.shoes furniture.living_room.sofa', ' '), 1 + product % 6),
  element_at(split('samsung apple sony lenovo bosch nike ikea', ' '), 1 + product % 7),
  CAST(9.9 + product * 3.5 AS DECIMAL(10, 2)),
  CAST(500000 + shopper AS STRING),
  uuid()
FROM (SELECT CAST(rand() * 200 AS INT) AS product, CAST(rand() * 5000 AS INT) AS shopper
  FROM range({count}))"""


class Runner(Protocol):
    """The part of a connection that runs statements."""

    def run(self, statement: str) -> object: ...


@dataclass(frozen=True)
class Clock:
    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


def write_events(
    runner: Runner, table: str, rate: int, seconds: int | None, say: Callable[[str], None], watch: Clock
) -> int:
    """So many a second, committed once a second; what a slow commit left behind comes with the next one."""
    runner.run(_CREATE.format(table=table))
    started = watch.now()
    written = second = 0
    while seconds is None or second < seconds:
        second = max(second + 1, int(watch.now() - started))
        if seconds is not None:
            second = min(second, seconds)
        watch.sleep(max(0.0, started + second - watch.now()))
        count = second * rate - written
        runner.run(_INSERT.format(table=table, count=count))
        written += count
        say(f"{written} events in {table}")
    return written
