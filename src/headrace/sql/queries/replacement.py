"""What CREATE OR REPLACE may do to a dynamic table that is there.

Columns are known by their names. The same columns in another order are no change: the table keeps its own
order. A column under another name is one removed and one added.

A column can be added and removed if it comes straight from a table: beside joins, outer ones too, and window
functions, and through subqueries, CTEs and views that do no more than select, filter and join. A key of GROUP
BY, selected or not, and a column of DISTINCT cannot: they say which rows there are.

WHERE can change, also below GROUP BY, DISTINCT, window functions and LIMIT, but not inside of subqueries,
CTEs, views and set operators. Its own subqueries have to stay the same: what they read are sources.

Whatever is not known to be harmless is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from sqlglot import exp

from headrace.errors import SqlSyntaxError
from headrace.model.dynamic_table import Column, DynamicTable
from headrace.model.names import TableName
from headrace.model.quoting import show_identifier
from headrace.sql.queries.canonical import sources_of
from headrace.sql.queries.selection import Item, Selection, Whole, read_selection
from headrace.sql.tokens.lexer import Kind, tokenize


@dataclass(frozen=True)
class Unchanged:
    """The same rows in the same columns: the old definition can stay."""


@dataclass(frozen=True)
class Waits:
    """The new definition takes effect when a source changes."""

    added: tuple[Column, ...] = ()
    """In the order of the new definition."""
    removed: tuple[Column, ...] = ()
    where_changed: bool = False

    def __post_init__(self) -> None:
        if not (self.added or self.removed or self.where_changed):
            raise ValueError("there is nothing to wait for")


@dataclass(frozen=True)
class NeedsRecreation:
    """It cannot be done in place; both texts are for the user."""

    reason: str
    hint: str


Replacement: TypeAlias = Unchanged | Waits | NeedsRecreation


def classify_replacement(old: DynamicTable, new: DynamicTable) -> Replacement:
    is_repeated = _is_repeated(old, new)
    before, after = (None, None) if is_repeated else (read_selection(old), read_selection(new))
    objections = () if is_repeated else _objections(old, new, before, after)
    reason = next(chain(_storage(old, new), objections), None)
    if reason is not None:
        return NeedsRecreation(reason, f"DROP DYNAMIC TABLE {old.name}, then CREATE; {_POSSIBLE}")
    if not (isinstance(before, Selection) and isinstance(after, Selection)):
        return Unchanged()
    added = tuple(item.column for item in _only_in(after, before))
    removed = tuple(item.column for item in _only_in(before, after))
    where_changed = before.clauses.get("where") != after.clauses.get("where")
    return Waits(added, removed, where_changed) if added or removed or where_changed else Unchanged()


_POSSIBLE = "only WHERE and columns taken directly from a source can change in place"


def _objections(
    old: DynamicTable, new: DynamicTable, before: Selection | Whole | None, after: Selection | Whole | None
) -> Iterator[str]:
    """Why it cannot be done in place; the first reason is the one to tell."""
    yield from _sources(old, new)
    if after is not None and after.means_all_columns:
        yield from _widened_sources(old, new)
    yield from _types(old, new)
    match before, after:
        case Selection(), Selection():
            yield from _clauses(before, after, old.name)
            yield from _columns(before, after, old.name)
            yield from _subqueries_of_where(before, after, old.name)
        case Whole(), Whole() if before.text == after.text and _names(old) == _names(new):
            pass
        case (Whole() as whole, _) | (_, Whole() as whole) if whole.operator is not None:
            yield f"{whole.operator} of {old.name} cannot be changed in place"
        case _:
            yield f"the query of {old.name} has changed, and Headrace cannot determine how"


def _storage(old: DynamicTable, new: DynamicTable) -> Iterator[str]:
    for clause, before, after in (
        ("PARTITIONED BY", old.partitioned_by, new.partitioned_by),
        ("CLUSTERED BY", old.clustered_by, new.clustered_by),
    ):
        if [_unquoted_words(part) for part in before] != [_unquoted_words(part) for part in after]:
            yield f"{clause} of {old.name} cannot be changed in place"


def _unquoted_words(part: str) -> list[str]:
    return [word.strip("`") for word in _words(part.lower())]


def _is_repeated(old: DynamicTable, new: DynamicTable) -> bool:
    """Word by word, over sources that have the same columns as then."""
    return (
        old.definition.sources == new.definition.sources
        and [(c.name.lower(), c.type) for c in old.columns] == [(c.name.lower(), c.type) for c in new.columns]
        and _words(old.definition.expanded) == _words(new.definition.expanded)
    )


def _names(table: DynamicTable) -> list[str]:
    return [column.name.lower() for column in table.columns]


def _words(text: str) -> list[str]:
    """Table names are in backticks, and their case matters."""
    try:
        tokens = tokenize(text)
    except SqlSyntaxError:
        return [text]
    return [token.text.lower() if token.kind is Kind.WORD else token.text for token in tokens]


def _sources(old: DynamicTable, new: DynamicTable) -> Iterator[str]:
    before = {source.name: source.columns for source in old.definition.sources}
    after = {source.name: source.columns for source in new.definition.sources}
    for name in sorted(after.keys() - before.keys()):
        yield f"{old.name} does not read {name}, and a source cannot be added in place"
    for name in sorted(before.keys() - after.keys()):
        yield f"{old.name} would no longer read {name}, and a source cannot be removed in place"


def _widened_sources(old: DynamicTable, new: DynamicTable) -> Iterator[str]:
    before = {source.name: source.columns for source in old.definition.sources}
    for source in new.definition.sources:
        if before.get(source.name) != source.columns:
            yield f"{old.name} reads all columns of {source.name}, whose columns have changed"


def _types(old: DynamicTable, new: DynamicTable) -> Iterator[str]:
    types = {column.name.lower(): column.type for column in new.columns}
    for column in old.columns:
        wanted = types.get(column.name.lower(), column.type)
        if wanted != column.type:
            shown = f"column {show_identifier(column.name)} of {old.name}"
            yield f"{shown} is {column.type}, and its type cannot be changed to {wanted} in place"


_SHOWN_CLAUSES = {
    "from_": "FROM",
    "joins": "JOIN",
    "laterals": "LATERAL VIEW",
    "distinct": "DISTINCT",
    "group": "GROUP BY",
    "having": "HAVING",
    "windows": "WINDOW",
    "qualify": "QUALIFY",
    "order": "ORDER BY under LIMIT",
    "limit": "LIMIT",
    "offset": "OFFSET",
    "hint": "the hint",
}


def _clauses(before: Selection, after: Selection, table: TableName) -> Iterator[str]:
    differing = {
        clause
        for clause in before.clauses.keys() | after.clauses.keys()
        if clause != "where" and before.clauses.get(clause) != after.clauses.get(clause)
    }
    if differing & {"from_", "joins"} and (nested := _changed_subquery(before, after)) is not None:
        yield f"{nested} of {table} cannot be changed in place"
    for clause in sorted(differing, key=[*_SHOWN_CLAUSES, *sorted(differing)].index):
        yield f"{_SHOWN_CLAUSES.get(clause, clause.upper())} of {table} cannot be changed in place"


def _changed_subquery(before: Selection, after: Selection) -> str | None:
    """The first source that was a subquery or CTE, and is another one now."""
    for old, new in zip(sources_of(before.select), sources_of(after.select), strict=False):
        if before.spelling.text(old) == after.spelling.text(new):
            continue
        if isinstance(old, exp.Subquery) and isinstance(new, exp.Subquery):
            return f"the subquery {show_identifier(new.alias)}" if _is_typed(new.alias) else None
        if _is_cte(old, before) and _is_cte(new, after):
            return f"WITH {show_identifier(new.name)}" if _is_typed(new.name) else None
    return None


def _is_typed(alias: str) -> bool:
    """sqlglot gives names such as _0 to subqueries without one, and __tmp1 to steps after ``|>``."""
    return re.fullmatch(r"_\d+|__tmp\d+", alias) is None


def _is_cte(source: exp.Expr, selection: Selection) -> bool:
    return isinstance(source, exp.Table) and not source.db and source.name.lower() in selection.spelling.ctes


def _columns(before: Selection, after: Selection, table: TableName) -> Iterator[str]:
    for name, new in after.items.items():
        old = before.items.get(name)
        if old is not None and old.text != new.text:
            yield f"{_shown(new)} of {table} cannot be changed in place: {_difference(old, new)}"
    for item in _only_in(after, before):
        if (bond := _bond(item, after)) is not None:
            yield f"{_shown(item)} is {bond}, and cannot be added to {table} in place"
    for item in _only_in(before, after):
        if (bond := _bond(item, before)) is not None:
            yield f"{_shown(item)} is {bond}, and cannot be removed from {table} in place"


def _only_in(one: Selection, other: Selection) -> list[Item]:
    return [item for name, item in one.items.items() if name not in other.items]


def _shown(item: Item) -> str:
    return f"column {show_identifier(item.column.name)}"


def _difference(old: Item, new: Item) -> str:
    if not old.passed_through:
        return f"it is {_computation(old)}"
    return "it would come from another column" if new.passed_through else f"it would be {_computation(new)}"


def _bond(item: Item, selection: Selection) -> str | None:
    """What keeps a column from being added or removed."""
    if not item.passed_through:
        return _computation(item)
    if "distinct" in selection.clauses:
        return "one of the columns of DISTINCT"
    return "a GROUP BY key" if "group" in selection.clauses else None


def _computation(item: Item) -> str:
    value = item.expression.unnest()
    for kind, shown in (
        (exp.Window, "a window function"),
        (exp.Query, "a subquery"),
        (exp.AggFunc, "an aggregate"),
    ):
        if value.find(kind):
            return shown
    if isinstance(value, exp.Column) and value.table:
        return f"computed in {show_identifier(value.table) if _is_typed(value.table) else 'a subquery'}"
    return "computed"


def _subqueries_of_where(before: Selection, after: Selection, table: TableName) -> Iterator[str]:
    old, new = _nested_in_where(before), _nested_in_where(after)
    if new - old:
        yield f"the new WHERE of {table} has a subquery that the old one does not have, {_NO_SOURCES}"
    if old - new:
        yield f"the old WHERE of {table} has a subquery that the new one does not have, {_NO_SOURCES}"


_NO_SOURCES = "and the tables that a query reads cannot be changed in place"


def _nested_in_where(selection: Selection) -> set[str]:
    where = selection.select.args.get("where")
    nodes = () if where is None else where.walk(prune=lambda node: isinstance(node, exp.Query))
    return {selection.spelling.text(node) for node in nodes if isinstance(node, exp.Query)}
