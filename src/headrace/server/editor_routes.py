"""What an editor needs: words to complete, layout of scripts, and explanations as trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from headrace.errors import InterfaceError
from headrace.lake.spark.sandbox_lists import safe_functions
from headrace.model.role import Privilege
from headrace.result import from_stream
from headrace.results.source import InlineRows
from headrace.server.dependencies import Catalog, SubmittedStatements, User
from headrace.server.rights import requires
from headrace.server.view_route import ViewRoute
from headrace.sql.tokens.keywords import KEYWORDS
from headrace.sql.tokens.layout import format_script
from headrace.views.explained import Explained, explained
from headrace.views.statement_results import ExplainRow

routes = APIRouter(tags=["statements"], route_class=ViewRoute)


@dataclass(frozen=True)
class CompletionColumn:
    name: str
    type: str


@dataclass(frozen=True)
class CompletionTable:
    workspace: str
    schema: str
    name: str
    columns: tuple[CompletionColumn, ...]


@dataclass(frozen=True)
class Completion:
    keywords: tuple[str, ...]
    functions: tuple[str, ...]
    tables: tuple[CompletionTable, ...]


class TextToFormat(BaseModel):
    text: Annotated[str, Field(max_length=1_000_000)]


@dataclass(frozen=True)
class FormattedText:
    text: str


@routes.get("/completion", summary="List keywords, functions, tables and columns for completion")
def completion(catalog: Catalog) -> Completion:
    tables = sorted(catalog.columns().items())
    return Completion(
        KEYWORDS,
        tuple(name for name in safe_functions() if name[0].isalpha()),
        tuple(
            CompletionTable(*name.parts, tuple(CompletionColumn(each.name, each.type) for each in columns))
            for name, columns in tables
        ),
    )


@routes.post("/format", summary="Lay out a SQL script", openapi_extra=requires(Privilege.SELECT))
def format_text(asked: TextToFormat) -> FormattedText:
    """Only white space and the case of keywords change."""
    return FormattedText(format_script(asked.text))


@routes.get("/statements/{job_id}/explained", summary="Show the result of EXPLAIN as a tree and stages")
def explained_statement(job_id: str, statements: SubmittedStatements, user: User) -> Explained:
    """Of EXPLAIN REFRESH DYNAMIC TABLE or EXPLAIN CREATE DYNAMIC TABLE that has ended."""
    statement = statements.find(job_id, user)
    if statement.error is not None:
        raise statement.error
    rows = from_stream(statement.rows.stream) if isinstance(statement.rows, InlineRows) else None
    if rows is None or rows.column_names != ["item", "detail"]:
        raise InterfaceError(f"statement {job_id} is not an EXPLAIN of a dynamic table that has ended")
    return explained([ExplainRow(**row) for row in rows.to_pylist()])
