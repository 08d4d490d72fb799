"""Names of tables: ``workspace.schema.table``."""

from __future__ import annotations

import re
from dataclasses import dataclass

DEFAULT_WORKSPACE = "lake"
DEFAULT_SCHEMA = "public"

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def quote_identifier(part: str) -> str:
    """Backtick-quoted, whatever the identifier contains."""
    return "`" + part.replace("`", "``") + "`"


def show_identifier(part: str) -> str:
    """As a person would write it: quoted only where it must be."""
    return part if _PLAIN.fullmatch(part) else quote_identifier(part)


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
    def sql(self) -> str:
        return ".".join(quote_identifier(part) for part in (self.workspace, self.schema, self.table))

    def __str__(self) -> str:
        return ".".join(show_identifier(part) for part in (self.workspace, self.schema, self.table))
