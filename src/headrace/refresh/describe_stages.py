"""The stages of a refresh as lines of EXPLAIN, each with the SQL that it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from headrace.lake.table.tables import Table
from headrace.model.key_index import IndexNeeds
from headrace.model.names import TableName
from headrace.refresh.observe import Observation
from headrace.refresh.stages import (
    Collect,
    FindRows,
    SourceScan,
    Stage,
    StageChanges,
    Stages,
    WriteStage,
    filled,
    shown_texts,
    sql_of,
)
from headrace.sql.tokens.wrap import wrapped

Line = tuple[str, str]
"""An item, and the detail."""


NeedsOfStage = Callable[[FindRows], IndexNeeds | None]
"""Which indexes a stage needs; None: it uses none."""


def describe_stages(
    stages: Stages, table: TableName, observed: Observation, needs_of: NeedsOfStage
) -> Iterator[Line]:
    """``table`` is written to; ``observed`` knows the sizes of what is read."""
    texts = shown_texts(stages, table)
    for number, stage in stages.numbered():
        yield (
            "stage",
            "; ".join([f"{number}. {stage.kind}: {stage.detail}", *_estimates(stage, observed, needs_of)]),
        )
        if isinstance(stage, Collect):
            yield from _alternatives(stage)
        if isinstance(stage, FindRows):
            instead = (
                f"{stage.table} is read in full" if stage.otherwise is None else _named(stage.otherwise())
            )
            limits = f"{stage.key_limit} keys or {stage.limit} rows" if stage.keys else f"{stage.limit} rows"
            yield "otherwise", f"more than {limits}: {instead}"
        sql = filled(sql_of(stage) or "", texts.__getitem__)
        yield from (("sql", line) for line in wrapped(sql))


def _alternatives(stage: Collect) -> Iterator[Line]:
    """What happens if the rows are more than can be kept, or none."""
    if stage.over_limit is not None:
        yield "otherwise", f"more than {stage.limit} rows: {_named(stage.over_limit())}"
    if stage.if_empty is not None:
        yield "otherwise", f"no rows: {_named(stage.if_empty())}"


def _named(stages: Stages) -> str:
    return ", ".join(f"{stage.kind}: {stage.detail}" for stage in stages.stages)


def _estimates(stage: Stage, observed: Observation, needs_of: NeedsOfStage) -> Iterator[str]:
    match stage:
        case FindRows() if stage.keys:
            needs = needs_of(stage)
            yield "without an index" if needs is None else str(needs)
        case StageChanges(estimate=estimate):
            rows = f"+{estimate.rows_added} -{estimate.rows_removed} rows"
            yield f"at most {rows} in {estimate.files} files of {estimate.bytes} bytes"
        case Collect() | WriteStage() if stage.scans:
            yield f"reads {', '.join(_size(scan, observed) for scan in stage.scans)}"


def _size(scan: SourceScan, observed: Observation) -> str:
    table = observed.target if scan.table == observed.target.name else observed.sources[scan.table]
    return f"{scan.table} ({_rows_at(table, scan.snapshot_id)})"


def _rows_at(table: Table, snapshot_id: int | None) -> str:
    if snapshot_id is None:
        return "0 rows"
    snapshot = table.snapshot_of(snapshot_id)
    return f"{snapshot.rows} rows, {snapshot.bytes} bytes"
