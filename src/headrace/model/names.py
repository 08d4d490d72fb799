"""Names of tables: ``workspace.schema.table``."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.model.quoting import quote_identifier, show_identifier

DEFAULT_WORKSPACE = "lake"
DEFAULT_SCHEMA = "public"
DROPPED_SCHEMA = "__hr_dropped"
"""Where dropped tables are kept; to users it does not exist."""
STATE_SCHEMA = "__hr_state"
"""Where groups are kept that dynamic tables are computed from; to users it does not exist either."""
HIDDEN_SCHEMAS = frozenset({DROPPED_SCHEMA, STATE_SCHEMA})


@dataclass(frozen=True, order=True)
class TableName:
    workspace: str
    schema: str
    table: str

    def __post_init__(self) -> None:
        if not (self.workspace and self.schema and self.table):
            raise ValueError("a table name has three non-empty parts")

    @classmethod
    def resolve(cls, parts: tuple[str, ...], workspace: str, schema: str) -> TableName:
        """A name of one, two or three parts as seen from the given workspace and schema."""
        match parts:
            case (table,):
                return cls(workspace, schema, table)
            case (schema_, table):
                return cls(workspace, schema_, table)
            case (workspace_, schema_, table):
                return cls(workspace_, schema_, table)
        raise ValueError(f"a table name has one to three parts, not {len(parts)}")

    @property
    def parts(self) -> tuple[str, str, str]:
        return self.workspace, self.schema, self.table

    @property
    def sql(self) -> str:
        return ".".join(quote_identifier(part) for part in self.parts)

    def __str__(self) -> str:
        return ".".join(show_identifier(part) for part in self.parts)
