"""Qualified queries as text in which spelling does not show.

Equal texts mean equal bags of rows. Spelling is white space, comments, the case of names, redundant
parentheses, the words INNER and OUTER, the names of table aliases and of CTEs, the order of what AND and OR
join, and the order of the keys of GROUP BY. Everything else shows, equivalent or not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

_CASELESS = (exp.Identifier, exp.Anonymous, exp.Var, exp.WindowSpec)
"""Whose strings are words of SQL or names; those of other nodes may be values."""
_SILENT_KINDS = ("INNER", "OUTER")


@dataclass(frozen=True)
class Spelling:
    """What the names mean where a part of the query stands."""

    aliases: Mapping[str, str] = field(default_factory=dict)
    """Of tables, to their place: how deep the SELECT is nested, and which of its sources it is."""
    ctes: Mapping[str, str] = field(default_factory=dict)
    """To a digest of the query."""
    outputs: Mapping[str, str] = field(default_factory=dict)
    """What ORDER BY can name of the select list, to its text."""
    depth: int = 0

    def with_ctes_of(self, query: exp.Expr) -> Spelling:
        clause = query.args.get("with_")
        if clause is None:
            return self
        ctes = dict(self.ctes)
        for cte in clause.expressions:
            name = cte.alias.lower()
            visible = {**ctes, name: "itself"} if clause.args.get("recursive") else ctes
            columns = [column.name.lower() for column in cte.args["alias"].columns]
            body = replace(self, ctes=visible).text(cte.this)
            ctes[name] = hashlib.sha256(f"{columns}{body}".encode()).hexdigest()
        return replace(self, ctes=ctes)

    def inside(self, select: exp.Select) -> Spelling:
        """As its clauses see the names; its CTEs are known already."""
        places = {
            alias.lower(): f"{self.depth}.{index}"
            for index, source in enumerate(sources_of(select))
            for alias in _aliases_of(source)
        }
        return Spelling({**self.aliases, **places}, self.ctes, {}, self.depth + 1)

    def clauses(self, select: exp.Select) -> dict[str, str]:
        """Each clause but the select list and WITH, by sqlglot's name; one that is not there has none."""
        inner = self.inside(select)
        return {
            clause: (inner._ordering(select) if clause == "order" else inner).value(value)
            for clause, value in select.args.items()
            if _says_something(value) and clause not in ("with_", "expressions")
        }

    def _ordering(self, select: exp.Select) -> Spelling:
        outputs = {item.alias.lower(): self.text(item.unalias()) for item in select.selects if item.alias}
        return replace(self, outputs=outputs)

    def text(self, node: exp.Expr) -> str:
        match node:
            case exp.Paren():
                return self.text(node.this)
            case exp.Subquery() if is_bare(node):
                return self.text(node.this)
            case exp.And() | exp.Or():
                return f"{node.key}{sorted({self.text(part) for part in _operands(node)})}"
            case exp.Column() if not node.table and node.name.lower() in self.outputs:
                return self.outputs[node.name.lower()]
            case exp.Column() if node.table.lower() in self.aliases and not node.args.get("db"):
                return f"column {self.aliases[node.table.lower()]} {node.name.lower()!r}"
            case exp.TableAlias():
                columns = [column.name.lower() for column in node.columns]
                return f"alias {self.aliases.get(node.name.lower(), node.name.lower())} {columns}"
            case exp.Table() if not node.db and node.name.lower() in self.ctes:
                return self._arguments(node, this=self.ctes[node.name.lower()])
            case exp.Select():
                spelling = self.with_ctes_of(node)
                items = spelling.inside(node).value(node.expressions)
                return f"select {items} {sorted(spelling.clauses(node).items())}"
            case exp.Group() if _groups_by_keys_alone(node):
                return f"group by {sorted({self.text(key) for key in node.expressions})}"
            case exp.Join() if node.kind.upper() in _SILENT_KINDS:
                return self._arguments(node, kind="")
        return self.with_ctes_of(node)._arguments(node)

    def value(self, value: object) -> str:
        match value:
            case exp.Expr():
                return self.text(value)
            case list():
                return f"[{', '.join(map(self.value, value))}]"
        return repr(value)

    def _arguments(self, node: exp.Expr, **known: str) -> str:
        shown = {
            name: known[name] if name in known else self._argument(node, value)
            for name, value in node.args.items()
            if _says_something(value) and name not in ("with_", "quoted")
        }
        parts = [f"{name}={text}" for name, text in sorted(shown.items()) if text]
        return f"{node.key}({', '.join(parts)})"

    def _argument(self, node: exp.Expr, value: object) -> str:
        if isinstance(value, str) and isinstance(node, _CASELESS):
            return repr(value.lower())
        return self.value(value)


def sources_of(select: exp.Select) -> Iterator[exp.Expr]:
    """What stands in FROM, JOIN and LATERAL VIEW, in that order."""
    if (clause := select.args.get("from_")) is not None:
        yield clause.this
    yield from (join.this for join in select.args.get("joins") or ())
    yield from select.args.get("laterals") or ()


def is_bare(subquery: exp.Subquery) -> bool:
    """Nothing but parentheses around a query."""
    return [name for name, value in subquery.args.items() if _says_something(value)] == ["this"]


def _aliases_of(source: exp.Expr) -> Iterator[str]:
    yield source.alias_or_name
    yield from (pivot.alias for pivot in source.args.get("pivots") or () if pivot.alias)


def _operands(connector: exp.Expr) -> Iterator[exp.Expr]:
    """Of a chain of ANDs, or of ORs, whatever parentheses are in it."""
    pending = [connector]
    while pending:
        node = pending.pop().unnest()
        if type(node) is type(connector):
            pending += [node.this, node.expression]
        else:
            yield node


def _groups_by_keys_alone(group: exp.Group) -> bool:
    clauses = [name for name, value in group.args.items() if _says_something(value)]
    sets = (exp.Rollup, exp.Cube, exp.GroupingSets)
    return clauses == ["expressions"] and not any(isinstance(key, sets) for key in group.expressions)


def _says_something(value: object) -> bool:
    return value is not None and value is not False and value != []
