"""Shapes of queries that cannot be maintained by their changes: what each is, why, and what to write instead.

The texts reach the user in every place: EXPLAIN, ``refresh_mode_reason``, errors, and the table of
``docs/sql.md``. ``{...}`` stands for a part of the query.
"""

from __future__ import annotations

from enum import Enum

_NOT_ORDERED = "the rows of a table are not ordered"
_REFUSED_BEFORE = True


class Unsupported(Enum):
    LIMIT = (
        "LIMIT",
        "which rows remain depends on all rows",
        "rank them with row_number() and filter by the rank",
    )
    RECURSION = (
        "WITH RECURSIVE",
        "a recursive query cannot be maintained incrementally",
        "join the table to itself as many times as it has levels",
    )
    COLLATION = (
        "COLLATE",
        "strings that are equal by a collation can be different texts, and a table keeps the text alone",
        "compare lower(column) or another form that is the same text for equal strings",
    )
    SORT_BY = ("SORT BY", _NOT_ORDERED, "omit it")
    CLUSTER_BY = ("CLUSTER BY", _NOT_ORDERED, "omit it")
    DISTRIBUTE_BY = ("DISTRIBUTE BY", _NOT_ORDERED, "omit it")
    TABLESAMPLE = (
        "TABLESAMPLE",
        "which rows are in the sample depends on how the table is stored",
        "filter by a condition on the columns, such as pmod(hash(id), 10) = 0",
    )
    VERSION_AS_OF = (
        "VERSION AS OF",
        "each refresh selects the version of every source",
        "copy the rows of that version to a table and read that table",
    )
    TABLE_FUNCTION = (
        "{function}",
        "table functions other than range() cannot be maintained incrementally",
        "use it after LATERAL VIEW, or list the rows with VALUES",
    )
    GENERATED_COLUMNS = (
        "{generator}",
        "the number of its columns is not known",
        "name them after AS",
    )
    SUBQUERY_ON_BOTH_SIDES = ("JOIN", "a subquery in ON depends on both sides", "move it to WHERE")
    LATERAL_JOIN = (
        "LATERAL",
        "{join} cannot be maintained incrementally",
        "use JOIN LATERAL with a subquery, without a subquery in ON",
    )
    LATERAL_GENERATOR = ("LATERAL", "{join} cannot be maintained incrementally", "use LATERAL VIEW OUTER")
    IN_OF_SUBQUERY = (
        "IN",
        "{expression} before IN cannot be maintained incrementally",
        "compute it as a column of a subquery in FROM, and use that column",
    )
    SUBQUERY = (
        "subquery",
        "{expression} cannot be maintained incrementally",
        "use EXISTS, IN or a scalar subquery",
    )
    PIVOT_AGGREGATE = (
        "PIVOT",
        "{aggregate} cannot be maintained incrementally",
        "write it as aggregates with FILTER (WHERE ...)",
    )
    PIVOT_NAME = ("PIVOT", "the name of {value} is not known", "name it after AS")
    SOURCE = (
        "{source}",
        "it cannot be maintained incrementally in FROM",
        "use a table, a subquery or VALUES",
    )
    QUERY = ("{query}", "it cannot be maintained incrementally", "use SELECT")
    ANALYSIS = ("query", "it cannot be analyzed ({error})")

    CLAUSE = ("{clause}", "it cannot be maintained incrementally", None, _REFUSED_BEFORE)
    COLUMN = ("column", "{column} cannot be resolved", None, _REFUSED_BEFORE)
    CTE_COLUMNS = (
        "WITH",
        "this column list is not supported",
        "name the columns in the query",
        _REFUSED_BEFORE,
    )
    DISTINCT_ON = ("DISTINCT ON", "it cannot be maintained incrementally", None, _REFUSED_BEFORE)
    IN_WIDTH = ("IN", "both sides must have the same number of columns", None, _REFUSED_BEFORE)
    JOIN_KIND = ("JOIN", "{kind} JOIN cannot be maintained incrementally", None, _REFUSED_BEFORE)
    JOIN_WITHOUT_ON = (
        "JOIN",
        "{join} cannot be maintained incrementally",
        "write the condition with ON",
        _REFUSED_BEFORE,
    )
    LATERAL_POSITION = (
        "LATERAL",
        "it cannot be maintained incrementally in this position",
        None,
        _REFUSED_BEFORE,
    )
    PIVOT = (
        "PIVOT",
        "it cannot be maintained incrementally",
        "write it as aggregates with FILTER (WHERE ...)",
        _REFUSED_BEFORE,
    )
    PIVOT_COLUMN = ("PIVOT", "{column} cannot be resolved", None, _REFUSED_BEFORE)
    PIVOT_VALUES = ("PIVOT", "its values must be listed", "list them after IN", _REFUSED_BEFORE)
    UNION_BY_NAME = ("UNION BY NAME", "both sides must have the same columns", None, _REFUSED_BEFORE)
    UNPIVOT_WIDTH = (
        "UNPIVOT",
        "each item after IN must have as many columns as there are value columns",
        None,
        _REFUSED_BEFORE,
    )
    WINDOW_NAME = ("WINDOW", "window {name} does not exist", None, _REFUSED_BEFORE)
    WITH_TOTALS = ("GROUP BY", "WITH TOTALS cannot be maintained incrementally", None, _REFUSED_BEFORE)

    def __init__(
        self, operator: str, reason: str, rewrite: str | None = None, is_refused_before: bool = False
    ) -> None:
        self.operator = operator
        self.reason = reason
        self.rewrite = rewrite
        """What the user can write instead."""
        self.is_refused_before = is_refused_before
        """By Spark, when the table is created, or by the resolution of names, which also rewrites some."""


class NoRule(Exception):
    """A query has an unsupported shape."""

    def __init__(self, shape: Unsupported, **parts: str) -> None:
        self.shape = shape
        self.operator = shape.operator.format(**parts)
        self.reason = shape.reason.format(**parts)
        self.rewrite = shape.rewrite
        super().__init__(f"{self.operator}: {self.reason}")
