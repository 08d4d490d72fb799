"""Changes of a table's metadata that are one commit, beyond what Iceberg's own objects do in one call."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from headrace.lake.session import LakeSession
from headrace.lake.spark.java_classes import java_class
from headrace.lake.spark.spark_errors import spark_errors
from headrace.lake.table.tables import Table


def rename_column(
    table: Table, column: str, name: str, summary: Mapping[str, str] | None, session: LakeSession
) -> None:
    """Unless another program has written since ``table`` was loaded.

    With a summary a new version has it, so that reading the newest version by its number gives the new name.
    """
    with spark_errors():
        alteration = _alteration(table, session)
        alteration.renameColumn(column, name, table.version.snapshot_id, _json(summary))


def restore_version(
    table: Table, version: int, summary: Mapping[str, str] | None, session: LakeSession
) -> None:
    """Makes ``version`` the current one; with a summary, a new version with the same rows that has it."""
    with spark_errors():
        _alteration(table, session).restore(version, _json(summary))


def _alteration(table: Table, session: LakeSession) -> Any:
    return java_class(session.spark, "headrace.commit.TableAlteration")(table.java)


def _json(summary: Mapping[str, str] | None) -> str | None:
    return None if summary is None else json.dumps(dict(summary))
