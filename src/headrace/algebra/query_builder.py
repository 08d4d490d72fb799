"""What the clauses of a query need of the whole query: those inside it are built in the same way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from sqlglot import exp

from headrace.algebra.correlation import Domain
from headrace.algebra.expressions import Expr
from headrace.algebra.names import Names
from headrace.algebra.relation import Relation
from headrace.algebra.scope import Scope
from headrace.model.names import TableName

Schema = Mapping[TableName, tuple[str, ...]]


@dataclass(frozen=True)
class Built:
    """A query's relation; its columns are the query's outputs, in order."""

    relation: Relation
    outputs: tuple[str, ...]
    """The names the user sees."""
    fixed: tuple[str, ...] = ()
    """Of a correlated subquery: columns after the outputs, with the values it was computed for."""


class QueryBuilder(Protocol):
    """Builds queries that see the same common table expressions."""

    @property
    def schema(self) -> Schema: ...

    @property
    def names(self) -> Names: ...

    def query(self, node: Expr, domain: Domain | None = None) -> Built:
        """``domain``: what a correlated subquery is computed for."""

    def cte(self, name: str) -> Built | None:
        """The query that WITH gives the name to; None: it gives the name to none."""

    def from_clause(self, select: exp.Select) -> tuple[Relation, Scope]:
        """What FROM makes, and the names of its columns."""

    def where(self, relation: Relation, condition: Expr, scope: Scope) -> Relation:
        """The rows for which ``condition``, which may have subqueries, is true."""
