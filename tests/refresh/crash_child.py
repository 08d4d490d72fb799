"""A process that dies on purpose, at the moment it is told: called with the lake and the moment."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import headrace
from headrace.catalog.definition_lifecycle import DefinitionLifecycle
from headrace.catalog.refresh_history import RefreshHistory
from headrace.features.recovery.store import DroppedObjects
from headrace.lake.table.tables import TableCatalog
from headrace.model.history import RefreshState
from headrace.refresh import run
from headrace.refresh.execute_stages import StageExecution
from headrace.refresh.stored_groups import GroupsRefresh
from tests import internals


def die(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_at_the_end_of(owner: Any, name: str) -> None:
    original = getattr(owner, name)

    def dying(*args: Any, **keywords: Any) -> None:
        original(*args, **keywords)
        die()

    setattr(owner, name, dying)


def die_before_the_end_is_recorded() -> None:
    record = RefreshHistory.record

    def record_or_die(self: RefreshHistory, refresh: Any, *rest: Any) -> None:
        if refresh.state is RefreshState.SUCCEED:
            die()
        record(self, refresh, *rest)

    RefreshHistory.record = record_or_die  # type: ignore[method-assign]


def die_before(owner: Any, name: str) -> None:
    setattr(owner, name, die)


REFRESH = "REFRESH DYNAMIC TABLE d"
CREATE = "CREATE DYNAMIC TABLE made AS SELECT a FROM t"
REPLACE = "CREATE OR REPLACE DYNAMIC TABLE d AS SELECT a AS b, a FROM t WHERE a < 100"
DROP = "DROP DYNAMIC TABLE d"
RENAME = "ALTER DYNAMIC TABLE d RENAME TO renamed"
RENAME_COLUMN = "ALTER DYNAMIC TABLE sums RENAME COLUMN total TO whole"
MERGE = "REFRESH DYNAMIC TABLE merged"
OF_GROUPS = "REFRESH DYNAMIC TABLE of_groups"
PARTITION = "SET dt.args.day = 2024-06-02; REFRESH DYNAMIC TABLE by_day PARTITION (dt = '2024-06-02')"

MOMENTS: dict[str, tuple[Callable[[], None], str]] = {
    "before the commit": (lambda: die_before(StageExecution, "commit"), REFRESH),
    "after the commit": (die_before_the_end_is_recorded, REFRESH),
    "merge is computed": (lambda: die_before(StageExecution, "commit"), MERGE),
    "merge is committed": (lambda: die_at_the_end_of(StageExecution, "commit"), MERGE),
    "groups are stored": (lambda: die_at_the_end_of(GroupsRefresh, "brought_forward"), OF_GROUPS),
    "partition is committed": (lambda: die_before(run, "bring_forward"), PARTITION),
    "partition is known": (die_before_the_end_is_recorded, PARTITION),
    "creation is announced": (lambda: die_at_the_end_of(DefinitionLifecycle, "begin_create"), CREATE),
    "table is made": (lambda: die_before(DefinitionLifecycle, "finish_create"), CREATE),
    "replacement is announced": (lambda: die_at_the_end_of(DefinitionLifecycle, "begin_replace"), REPLACE),
    "table is altered": (lambda: die_before(DefinitionLifecycle, "finish_replace"), REPLACE),
    "drop is announced": (lambda: die_at_the_end_of(DroppedObjects, "begin_drop"), DROP),
    "table is dropped": (lambda: die_before(DroppedObjects, "finish_drop"), DROP),
    "drop begins": (lambda: die_before(TableCatalog, "rename"), DROP),
    "renaming is announced": (lambda: die_at_the_end_of(DefinitionLifecycle, "begin_alter"), RENAME),
    "table is renamed": (lambda: die_before(DefinitionLifecycle, "finish_alter"), RENAME),
    "renaming of a column is announced": (
        lambda: die_at_the_end_of(DefinitionLifecycle, "begin_alter"),
        RENAME_COLUMN,
    ),
    "column is renamed": (lambda: die_before(DefinitionLifecycle, "finish_alter"), RENAME_COLUMN),
}


def tell_when_busy(lake: headrace.Connection) -> None:
    """Prints the JVM's process id as soon as Spark runs a job of the statement."""
    gateway: Any = internals.gateway(internals.spark(lake))
    while lake.progress() is None:
        time.sleep(0.01)
    print(gateway.proc.pid, flush=True)  # noqa: T201


def refresh_for_ever(lake: headrace.Connection) -> None:
    print("refreshing", flush=True)  # noqa: T201
    value = 0
    while True:
        value += 1
        lake.sql(f"INSERT INTO t VALUES ({value}); REFRESH DYNAMIC TABLE d; REFRESH DYNAMIC TABLE sums")


def merge_for_ever(lake: headrace.Connection) -> None:
    print("refreshing", flush=True)  # noqa: T201
    for value in itertools.count():
        lake.sql(f"INSERT INTO t VALUES ({value % 4}), ({value % 3}); REFRESH DYNAMIC TABLE merged")
        lake.sql(f"DELETE FROM t WHERE a = {value % 5}; REFRESH DYNAMIC TABLE merged")
        lake.sql(f"UPDATE t SET a = a + 1 WHERE a = {value % 2}; REFRESH DYNAMIC TABLE merged")


def main() -> None:
    path, moment = sys.argv[1:]
    lake = headrace.connect(path)
    match moment:
        case "computing":
            threading.Thread(target=tell_when_busy, args=(lake,), daemon=True).start()
            lake.sql("REFRESH DYNAMIC TABLE slow")
        case "any":
            refresh_for_ever(lake)
        case "any merge":
            merge_for_ever(lake)
        case _:
            prepare, statement = MOMENTS[moment]
            prepare()
            lake.sql(statement)


if __name__ == "__main__":
    main()
