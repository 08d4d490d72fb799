"""What stands in FROM for each scan of a relation: a table at its old or its new version, or its change."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from sqlglot import exp

from headrace.algebra.expressions import column_of
from headrace.algebra.operators.scan import Scan, SourceVersion
from headrace.algebra.relation import Relation
from headrace.algebra.render import render
from headrace.delta.identity import ROW_ID
from headrace.lake.table.pin import pinned
from headrace.lake.table.tables import Table
from headrace.model.names import TableName
from headrace.model.version import TableVersion
from headrace.sql.queries.dialect import HeadraceSpark


def written(
    relation: Relation,
    columns: tuple[str, ...],
    tables: Mapping[TableName, Table],
    today: date,
    *,
    before: Mapping[TableName, TableVersion] | None = None,
    changes: Mapping[TableName, str] | None = None,
    found: Mapping[Scan, str] | None = None,
) -> str:
    """The relation as Spark SQL, showing ``columns``; ``changes`` are queries, by the table that changed.

    ``found`` are queries that stand for scans of which not all rows are needed.
    """
    scans = _Scans(tables, before or {}, changes or {}, found or {})
    tree = render(relation, scans.placeholder)
    tree.set("expressions", [column_of(column) for column in columns])
    for node in list(tree.find_all(exp.CurrentDate)):
        node.replace(exp.cast(exp.Literal.string(today.isoformat()), "date"))
    operators = ",\n".join(cte.sql(dialect=HeadraceSpark) for cte in tree.ctes)
    tree.set("with_", None)
    return scans.filled(f"WITH {operators}\n{tree.sql(dialect=HeadraceSpark)}")


class _Scans:
    """Each is a placeholder while sqlglot writes, which need not understand what it stands for."""

    def __init__(
        self,
        tables: Mapping[TableName, Table],
        before: Mapping[TableName, TableVersion],
        changes: Mapping[TableName, str],
        found: Mapping[Scan, str],
    ) -> None:
        self._tables = tables
        self._before = before
        self._changes = changes
        self._found = found
        self._numbers = itertools.count(1)
        self._texts: dict[str, str] = {}

    def placeholder(self, scan: Scan) -> exp.Expr:
        name = f"__hr_source_{next(self._numbers)}_"
        self._texts[name] = self._text(scan)
        return exp.to_table(name)

    def filled(self, text: str) -> str:
        for name, source in self._texts.items():
            text = text.replace(name, source)
        return text

    def _text(self, scan: Scan) -> str:
        if scan.version is SourceVersion.CHANGE:
            return f"(\n{self._changes[scan.table]}\n)"
        if scan in self._found:
            return f"(\n{self._found[scan]}\n)"
        is_old = scan.version is SourceVersion.OLD and scan.table in self._changes
        columns = [name for _, name in scan.fields]
        return whole(self._tables[scan.table], columns, self._before[scan.table] if is_old else None)


def whole(table: Table, columns: Sequence[str], version: TableVersion | None = None) -> str:
    """What stands in FROM for all rows of a table, as it was loaded or at another version."""
    visible = [name for name in columns if name != ROW_ID]
    own = [ROW_ID] if ROW_ID in columns else []
    if version is not None:
        fields = table.fields_at(version.snapshot_id)
        return pinned(table.name, version.snapshot_id, fields, table.fields, visible, own)
    return pinned(table.name, table.version.snapshot_id, table.snapshot_fields, table.fields, visible, own)


def columns_read(scans: Iterable[Scan], table: Table) -> tuple[str, ...]:
    """All that the scans need of the table, as it names them."""
    wanted = {name.lower() for scan in scans for _, name in scan.fields}
    stored = [field.name for field in table.fields if field.name.lower() in wanted]
    return (*stored, *([ROW_ID] if ROW_ID in wanted else []))
