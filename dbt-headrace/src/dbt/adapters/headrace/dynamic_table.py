"""How the definition of a dynamic table differs from what its model asks for. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from dbt_common.exceptions import DbtInternalError

from headrace.features.dynamic_tables.grammar_statements import CreateDynamicTable
from headrace.sql.parsing.grammar import parse_statement

_DEFAULT_CLUSTER = "default"


def changes(wanted_sql: str, existing_sql: str) -> dict[str, str]:
    """By clause, in words; both are statements that create the table, as Headrace reads them."""
    wanted, existing = _parsed(wanted_sql), _parsed(existing_sql)
    after = dict(_clauses(_completed(wanted, existing)))
    return {
        clause: "changed" if clause == "query" else f"{before or 'none'} -> {after[clause] or 'none'}"
        for clause, before in _clauses(existing)
        if before != after[clause]
    }


def _parsed(sql: str) -> CreateDynamicTable:
    statement = parse_statement(sql)
    if not isinstance(statement, CreateDynamicTable):
        raise DbtInternalError(f"not a CREATE DYNAMIC TABLE statement: {sql}")
    return statement


def _completed(wanted: CreateDynamicTable, existing: CreateDynamicTable) -> CreateDynamicTable:
    """With what CREATE OR REPLACE leaves as it is where a model does not name it."""
    return replace(
        wanted,
        cluster=wanted.cluster or existing.cluster,
        mode=wanted.mode if "REFRESH_MODE" in wanted.places else existing.mode,
        properties={**existing.properties, **wanted.properties},
        comment=existing.comment if wanted.comment is None else wanted.comment,
    )


def _clauses(table: CreateDynamicTable) -> Iterator[tuple[str, Any]]:
    """START WITH and CLUSTERED BY are no settings of a model."""
    yield "query", "\n".join(line.rstrip() for line in table.query.strip().splitlines())
    yield "refresh_interval", f"{table.interval_seconds} seconds" if table.interval_seconds else None
    yield "refresh_vc", (table.cluster or _DEFAULT_CLUSTER).lower()
    yield "refresh_mode", str(table.mode)
    yield "partition_by", ", ".join(table.partitioned_by)
    yield "properties", dict(sorted(table.properties.items()))
    yield "description", table.comment
    yield "column descriptions", {spec.name.lower(): spec.comment for spec in table.columns if spec.comment}
