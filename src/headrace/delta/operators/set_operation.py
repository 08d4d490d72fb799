"""INTERSECT and EXCEPT: the master rule, by whole rows.

    d (X op Y) = (X1|K op Y1|K) - (X0|K op Y0|K)     K = the rows of dX and dY

Without ALL a row is identified by all its columns; with ALL, which may give equal rows, it has no identity.
"""

from __future__ import annotations

from collections.abc import Mapping

from headrace.algebra.expressions import Item, column_of, positional
from headrace.algebra.operators.project import Project
from headrace.algebra.operators.set_operation import SetOperation
from headrace.algebra.operators.union_all import UnionAll
from headrace.algebra.relation import Relation
from headrace.delta.change import Change, Context
from headrace.delta.description import Description
from headrace.delta.identity import Id, Identified, IdentityContext
from headrace.delta.master_rule import difference, only_keys
from headrace.delta.rule import Rule


class SetOperationRule(Rule[SetOperation]):
    def change(self, node: SetOperation, context: Context) -> Change | None:
        changes = [c for side in node.children if (c := context.change_of(side)) is not None]
        if not changes:
            return None
        rows = _changed_rows(changes, context)
        new = _on_rows(node, (context.new(node.left), context.new(node.right)), rows, context)
        old = _on_rows(node, (context.old(node.left), context.old(node.right)), rows, context)
        return difference(new, old, node.columns, context)

    def key_columns(self, node: SetOperation) -> tuple[Mapping[str, str], ...]:
        return tuple(dict(zip(node.columns, side.columns, strict=True)) for side in node.children)

    def identity(self, node: SetOperation, context: IdentityContext) -> Identified | None:
        ids = tuple(Id(column, False) for column in node.columns)
        return None if node.every else Identified(node, ids)

    def obstacle(self, node: SetOperation) -> str | None:
        return node.kind.value.upper()

    def describe(self, node: SetOperation, description: Description) -> str:
        return f"{node.kind.value}{' all' if node.every else ''}"

    def computed(self, node: SetOperation) -> tuple[Item, ...]:
        return positional(node.columns, node.left.columns)


def _changed_rows(changes: list[Change], context: Context) -> Relation:
    parts = [
        Project(c.relation, tuple((context.names.new(), column_of(name)) for name in c.columns))
        for c in changes
    ]
    names = tuple(context.names.new() for _ in changes[0].columns)
    return UnionAll(tuple(parts), names)


def _on_rows(
    operation: SetOperation, sides: tuple[Relation, ...], rows: Relation, context: Context
) -> SetOperation:
    def restricted(side: Relation) -> Relation:
        renamed, _ = context.names.renamed(rows)
        return only_keys(side, tuple(column_of(column) for column in side.columns), renamed)

    return operation.rebuild(tuple(restricted(side) for side in sides))
