"""Short ways to say what the tests of DROP, UNDROP and VACUUM say often."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headrace.connection import Connection
from tests import internals


class Killed(BaseException):
    """In the place of SIGKILL: nothing of ours catches it to go on."""


def killed_after(patch: pytest.MonkeyPatch, owner: Any, step: str) -> None:
    original = getattr(owner, step)

    def dying(*args: Any, **keywords: Any) -> None:
        original(*args, **keywords)
        raise Killed

    patch.setattr(owner, step, dying)


def killed_before(patch: pytest.MonkeyPatch, owner: Any, step: str) -> None:
    def dying(*_: Any, **__: Any) -> None:
        raise Killed

    patch.setattr(owner, step, dying)


def history(
    lake: Connection, schema: str | None = None, *, everywhere: bool = False, rest: str = ""
) -> list[dict[str, Any]]:
    """Of the current schema by default."""
    inside = "" if everywhere else f" IN {schema or lake.schema}"
    result = lake.sql(f"SHOW TABLES HISTORY{inside} {rest}")
    return [dict(zip(result.columns, row, strict=True)) for row in result.fetchall()]


def files_of(directory: str) -> list[str]:
    """All files and directories below."""
    return sorted(str(file) for file in Path(directory.removeprefix("file:")).rglob("*"))


def directory_of(lake: Connection, name: str) -> str:
    context = internals.statement_context(lake)
    return context.session.catalog.existing_table(context.session.resolve((name,))).directory


def table_uuid(lake: Connection, name: str) -> str:
    context = internals.statement_context(lake)
    return context.session.catalog.existing_table(context.session.resolve((name,))).version.uuid
