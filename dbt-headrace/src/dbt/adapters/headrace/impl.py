"""What dbt asks of the lake."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import agate
from dbt.adapters.base.impl import ConstraintSupport
from dbt.adapters.base.meta import available
from dbt.adapters.base.relation import BaseRelation
from dbt.adapters.capability import Capability, CapabilityDict, CapabilitySupport, Support
from dbt.adapters.protocol import AdapterConfig
from dbt.adapters.sql.impl import SQLAdapter
from dbt_common.contracts.constraints import ConstraintType
from dbt_common.contracts.metadata import CatalogTable, ColumnMetadata, TableMetadata
from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.headrace.column import HeadraceColumn
from dbt.adapters.headrace.connections import HeadraceConnectionManager
from dbt.adapters.headrace.dynamic_table import changes
from dbt.adapters.headrace.relation import HeadraceRelation
from headrace.errors import NotFound
from headrace.model.quoting import quote_identifier, quote_string

_FULL = CapabilitySupport(support=Support.Full)
_FACTS = ("detailed table information", None)
"""The row between the columns and all else that DESC EXTENDED tells."""


@dataclass
class HeadraceConfig(AdapterConfig):
    partition_by: list[str] | str | None = None
    properties: dict[str, str] | None = None
    refresh_interval: str | None = None
    refresh_vc: str | None = None
    refresh_mode: str | None = None
    full_refresh_strategy: str | None = None


class HeadraceAdapter(SQLAdapter):
    Relation = HeadraceRelation
    Column = HeadraceColumn
    ConnectionManager = HeadraceConnectionManager
    AdapterSpecificConfigs = HeadraceConfig

    CONSTRAINT_SUPPORT = {  # noqa: RUF012  (as dbt declares it)
        ConstraintType.not_null: ConstraintSupport.ENFORCED,
        ConstraintType.check: ConstraintSupport.NOT_SUPPORTED,
        ConstraintType.unique: ConstraintSupport.NOT_SUPPORTED,
        ConstraintType.primary_key: ConstraintSupport.NOT_SUPPORTED,
        ConstraintType.foreign_key: ConstraintSupport.NOT_SUPPORTED,
    }

    _capabilities = CapabilityDict(
        {
            Capability.SchemaMetadataByRelations: _FULL,
            Capability.TableLastModifiedMetadata: _FULL,
            Capability.TableLastModifiedMetadataBatch: _FULL,
            Capability.GetCatalogForSingleRelation: _FULL,
        }
    )

    @classmethod
    def date_function(cls) -> str:
        return "current_timestamp()"

    @classmethod
    def quote(cls, identifier: str) -> str:
        return quote_identifier(identifier)

    @classmethod
    def convert_text_type(cls, agate_table: agate.Table, col_idx: int) -> str:
        return "string"

    @classmethod
    def convert_number_type(cls, agate_table: agate.Table, col_idx: int) -> str:
        return "double" if agate_table.aggregate(agate.MaxPrecision(col_idx)) else "bigint"

    @classmethod
    def convert_integer_type(cls, agate_table: agate.Table, col_idx: int) -> str:
        return "bigint"

    @classmethod
    def convert_datetime_type(cls, agate_table: agate.Table, col_idx: int) -> str:
        return "timestamp"

    @classmethod
    def convert_time_type(cls, agate_table: agate.Table, col_idx: int) -> str:
        return "string"

    def list_schemas(self, database: str) -> list[str]:
        """dbt gives the name of the workspace now as it is, now in backticks."""
        name = database[1:-1].replace("``", "`") if database.startswith("`") else database
        _, schemas = self.execute(f"SHOW SCHEMAS IN {quote_identifier(name)}", fetch=True)
        return [row[0] for row in schemas.rows]

    def check_schema_exists(self, database: str, schema: str) -> bool:
        return schema in self.list_schemas(database)

    @available.parse_list
    def list_relations_without_caching(self, schema_relation: BaseRelation) -> list[BaseRelation]:
        """None in a schema that does not exist."""
        schema = schema_relation.without_identifier().render()
        try:
            _, tables = self.execute(f"SHOW TABLES IN {schema}", fetch=True)
            _, streams = self.execute(f"SHOW TABLE STREAMS IN {schema}", fetch=True)
        except DbtDatabaseError as error:
            if isinstance(error.__cause__, NotFound):
                return []
            raise
        found = [(row["table_name"], _kind(row)) for row in tables.rows]
        found += [(row["name"], "stream") for row in streams.rows]
        return [
            self.Relation.create(
                database=schema_relation.database,
                schema=schema_relation.schema,
                identifier=name,
                type=kind,  # type: ignore[arg-type]
            )
            for name, kind in found
        ]

    def _make_match_kwargs(self, database: str, schema: str, identifier: str) -> dict[str, str]:
        """Names keep their case, in backticks or not."""
        given = {"database": database, "schema": schema, "identifier": identifier}
        return {key: value for key, value in given.items() if value is not None}

    @available.parse_list
    def get_columns_in_relation(self, relation: BaseRelation) -> list[HeadraceColumn]:
        """None of a relation that does not exist."""
        try:
            _, rows = self.execute(f"DESC {relation.render()}", fetch=True)
        except DbtDatabaseError as error:
            if isinstance(error.__cause__, NotFound):
                return []
            raise
        return [HeadraceColumn(name, kind) for name, kind in (row[:2] for row in rows.rows)]

    @available.parse_none
    def get_catalog_for_single_relation(self, relation: BaseRelation) -> CatalogTable | None:
        given = {"information_schema": relation.information_schema(), "relations": [relation]}
        table: Any = self.execute_macro("get_catalog_relations", kwargs=given)
        rows = table.rows
        if not rows:
            return None
        return CatalogTable(
            metadata=TableMetadata(
                type=rows[0]["table_type"],
                schema=rows[0]["table_schema"],
                name=rows[0]["table_name"],
                database=rows[0]["table_database"],
                comment=rows[0]["table_comment"],
                owner=rows[0]["table_owner"],
            ),
            columns={row["column_name"]: _column_metadata(row) for row in rows},
            stats={},
        )

    @classmethod
    def render_raw_columns_constraints(cls, raw_columns: dict[str, dict[str, Any]]) -> list[str]:
        """Names in backticks, whether or not they need them."""
        quoted = {name: {**column, "quote": True} for name, column in raw_columns.items()}
        rendered: list[str] = super().render_raw_columns_constraints(quoted)
        return rendered

    def valid_incremental_strategies(self) -> list[str]:
        return ["append", "merge", "delete+insert", "insert_overwrite", "microbatch"]

    @available
    def string_literal(self, text: str) -> str:
        return quote_string(text)

    @available
    def seed_rows(self, rows: Iterable[Iterable[Any]]) -> str:
        """Rows as JSON, each value as text."""
        return json.dumps([{f"c{at}": _as_text(value) for at, value in enumerate(row)} for row in rows])

    @available
    def dynamic_table_changes(self, relation: BaseRelation, create_sql: str) -> dict[str, str]:
        """What ``create_sql`` would change in the definition of the table, in words."""
        _, created = self.execute(f"SHOW CREATE TABLE {relation.render()}", fetch=True)
        with self.connections.exception_handler(create_sql):
            return changes(create_sql, created.rows[0][0])

    @available
    def refresh_due(self, relation: BaseRelation) -> str | None:
        """'full' where the rows are still those of an older query, 'first' where there never were any."""
        _, details = self.execute(f"DESC EXTENDED {relation.render()}", fetch=True)
        described = [(row[0], row[1]) for row in details.rows]
        facts = dict(described[described.index(_FACTS) :])
        if "new_definition" in facts:
            return "full"
        return "first" if facts["state"] == "never refreshed" else None


def _column_metadata(row: Any) -> ColumnMetadata:
    return ColumnMetadata(
        type=row["column_type"],
        index=int(row["column_index"]),
        name=row["column_name"],
        comment=row["column_comment"],
    )


def _kind(row: Any) -> str:
    if row["is_view"]:
        return "view"
    return "dynamic_table" if row["is_dynamic"] else "table"


def _as_text(value: Any) -> str | None:
    match value:
        case None:
            return None
        case Decimal():
            return format(value, "f")
        case _ if hasattr(value, "isoformat"):
            return str(value.isoformat())
        case _:
            return str(value)
