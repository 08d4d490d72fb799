"""Operators that work on each row by itself.

d f(X) = f(dX)        for f a filter, a projection, a generator
d (X + Y) = dX + dY   for UNION ALL
"""

from __future__ import annotations

from dataclasses import replace

from headrace.algebra.names import column_of
from headrace.algebra.relation import Filter, Generate, Project, Scan, UnionAll, Version
from headrace.delta.change import Change, Context


def change_of_scan(scan: Scan, context: Context) -> Change | None:
    if scan.table not in context.changed:
        return None
    weight = context.names.new()
    return Change(replace(scan, version=Version.CHANGE, weight=weight), scan.columns, weight)


def change_of_filter(filtered: Filter, context: Context) -> Change | None:
    change = context.change_of(filtered.child)
    if change is None:
        return None
    return replace(change, relation=Filter(change.relation, filtered.condition))


def change_of_project(project: Project, context: Context) -> Change | None:
    change = context.change_of(project.child)
    if change is None:
        return None
    weight = (change.weight, column_of(change.weight))
    return Change(Project(change.relation, (*project.items, weight)), project.columns, change.weight)


def change_of_generate(generate: Generate, context: Context) -> Change | None:
    change = context.change_of(generate.child)
    if change is None:
        return None
    relation = replace(generate, child=change.relation)
    return Change(relation, generate.columns, change.weight)


def change_of_union(union: UnionAll, context: Context) -> Change | None:
    changes = [change for part in union.parts if (change := context.change_of(part)) is not None]
    if not changes:
        return None
    return context.sum([context.positioned(change) for change in changes], union.columns)
