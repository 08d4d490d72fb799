"""A definition taken apart: where each of its columns comes from, and the clauses around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from headrace.model.dynamic_table import Column, Definition, DynamicTable
from headrace.sql.queries.canonical import Spelling, is_bare
from headrace.sql.queries.plain_columns import Ctes, is_passed_through, with_ctes_of
from headrace.sql.queries.qualify import UNREADABLE, qualified_tree


@dataclass(frozen=True)
class Item:
    column: Column
    expression: exp.Expr
    text: str
    """Equal texts are equal values."""
    passed_through: bool


@dataclass(frozen=True)
class Selection:
    """A query that is one SELECT, after its CTEs and inside any parentheses; ORDER BY only under LIMIT."""

    select: exp.Select
    items: Mapping[str, Item]
    """By the column's name in lower case."""
    clauses: Mapping[str, str]
    """Their texts, by sqlglot's names for them."""
    spelling: Spelling
    """As the clauses see the names."""
    means_all_columns: bool

    def __post_init__(self) -> None:
        if len(self.items) != len(self.select.selects):
            raise ValueError("each item of the select list is one column")


@dataclass(frozen=True)
class Whole:
    """Any other query."""

    query: exp.Expr
    text: str
    means_all_columns: bool
    """A star or PIVOT is left in it: it changes its meaning when a source gets another column."""

    @property
    def operator(self) -> str | None:
        """What makes it more than a SELECT; None if it is one, whose columns cannot be told apart."""
        match self.query:
            case exp.SetOperation():
                return self.query.key.upper() + ("" if self.query.args.get("distinct") else " ALL")
            case exp.Values():
                return "VALUES"
            case exp.Subquery():
                return "LIMIT"
        return None


def read_selection(table: DynamicTable) -> Selection | Whole | None:
    """None where the query is beyond sqlglot."""
    try:
        return _read(_qualified(table.definition), table.columns)
    except UNREADABLE:
        return None


def _qualified(definition: Definition) -> exp.Expr:
    """sqlglot does not tell names of tables apart that differ in case."""
    columns_of = {source.name: source.columns for source in definition.sources}
    if len({str(name).lower() for name in columns_of}) != len(columns_of):
        raise ValueError("two sources differ in case only")
    return qualified_tree(definition.expanded, columns_of)


def _read(tree: exp.Expr, columns: tuple[Column, ...]) -> Selection | Whole:
    spelling, ctes = Spelling().with_ctes_of(tree), with_ctes_of(tree, {})
    query = _without_idle_order(tree)
    while isinstance(query, exp.Subquery) and is_bare(query):
        query = _without_idle_order(query.this)
        spelling, ctes = spelling.with_ctes_of(query), with_ctes_of(query, ctes)
    if not (isinstance(query, exp.Select) and _is_listed(query, columns)):
        return Whole(query, spelling.text(query), _means_all_columns(tree))
    inner = spelling.inside(query)
    items = {
        column.name.lower(): _item(column, item.unalias(), query, inner, ctes)
        for column, item in zip(columns, query.selects, strict=True)
    }
    return Selection(query, items, spelling.clauses(query), inner, _means_all_columns(tree))


def _item(column: Column, value: exp.Expr, select: exp.Select, spelling: Spelling, ctes: Ctes) -> Item:
    return Item(column, value, spelling.text(value), is_passed_through(value, select, ctes))


def _without_idle_order(query: exp.Expr) -> exp.Expr:
    """ORDER BY at the top changes no bag, except under LIMIT."""
    if not (query.args.get("limit") or query.args.get("offset")):
        query.set("order", None)
    return query


def _is_listed(select: exp.Select, columns: tuple[Column, ...]) -> bool:
    """Whether each item of the select list is one column, and no two have the same name."""
    names = {column.name.lower() for column in columns}
    stars = [item for item in select.selects if item.is_star and not isinstance(item.unalias(), exp.Func)]
    return len(select.selects) == len(columns) == len(names) and not stars


def _means_all_columns(tree: exp.Expr) -> bool:
    stars = [star for star in tree.find_all(exp.Star) if not isinstance(star.parent, exp.Count)]
    return bool(stars) or tree.find(exp.Pivot) is not None
