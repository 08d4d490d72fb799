"""What a subquery takes from the queries around it.

A correlated subquery Q is a function of the outer columns it names. With D the distinct values that those
columns have in the outer relation L, ``Q*(D)`` holds the rows of Q for each value, the value beside them:

    L op Q  =  L op Q*(D)  on  the outer columns of L <=> D

Q* is Q with D joined to its FROM and carried along: GROUP BY, PARTITION BY and DISTINCT also go by D. An
aggregate without GROUP BY has a row for each value of D, of no rows if there are none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from headrace.algebra.expressions import Expr, column_of
from headrace.algebra.names import Names
from headrace.algebra.operators.aggregate import Aggregate
from headrace.algebra.relation import Relation
from headrace.algebra.scope import Scope


@dataclass(frozen=True)
class Domain:
    """The values for which a subquery is computed, one row each."""

    relation: Relation
    scope: Scope
    """The outer query's names for the columns of ``relation``."""

    def again(self, names: Names) -> Domain:
        """The same under new column names."""
        renamed, new_names = names.renamed(self.relation)
        columns = {key: new_names[column] for key, column in self.scope.columns.items()}
        return Domain(renamed, Scope(columns))


def domain_of(query: Expr, relation: Relation, scope: Scope, names: Names) -> tuple[Domain | None, list[str]]:
    """What ``query`` takes from ``relation``: its values, and the columns they are in; None: nothing."""
    wanted = {key: scope.column(*key) for key in free_columns(query)}
    if not wanted:
        return None, []
    outer = list(dict.fromkeys(wanted.values()))
    keys = {column: names.new() for column in outer}
    distinct = Aggregate(relation, tuple((new, column_of(old)) for old, new in keys.items()), ())
    return Domain(distinct, Scope({key: keys[column] for key, column in wanted.items()})), outer


def free_columns(node: Expr) -> list[tuple[str, str]]:
    """Alias and name of the columns that ``node`` does not bring itself, in lower case."""
    return list(dict.fromkeys(_free(node)))


def reaches_out(expression: Expr, aliases: frozenset[str]) -> bool:
    """Whether it names a column of something else than ``aliases``."""
    return any(alias not in aliases for alias, _ in free_columns(expression))


def _free(node: Expr) -> Iterator[tuple[str, str]]:
    if isinstance(node, exp.Column):
        yield node.table.lower(), node.name.lower()
        return
    own = own_aliases(node) if isinstance(node, exp.Select) else frozenset()
    for child in node.iter_expressions():
        yield from (key for key in _free(child) if key[0] not in own)


def own_aliases(select: exp.Select) -> frozenset[str]:
    clause = select.args.get("from_") or select.args.get("from")
    sources = [] if clause is None else [clause.this]
    sources += [join.this for join in select.args.get("joins") or ()]
    sources += select.args.get("laterals") or ()
    return frozenset(source.alias_or_name.lower() for source in sources)
