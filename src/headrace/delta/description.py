"""How a rule writes its line of EXPLAIN."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from headrace.algebra.expressions import Expr
from headrace.algebra.operators.scan import Scan
from headrace.algebra.relation import Relation


class Description(Protocol):
    """A plan whose columns are known by what they are in the tables."""

    def text(self, expression: Expr) -> str: ...

    def listed(self, expressions: Sequence[Expr]) -> str:
        """Separated by commas; the end is cut off where it is long."""

    def describe_scan(self, scan: Scan) -> str: ...

    def is_signed_term(self, relation: Relation) -> bool:
        """Whether it is a term of a difference, and its last column the weight 1 or -1."""

    def sign_of(self, relation: Relation) -> int | None:
        """1 or -1 where it is a term of a difference, as shown."""
