"""The law, as SQL: after a refresh the table is exactly its query's result."""

from __future__ import annotations

from collections import Counter
from weakref import WeakKeyDictionary

from pyspark.sql import SparkSession

from headrace.commands.open_lake import OpenLake
from headrace.connection import Connection
from tests import internals


def assert_exact(lake: Connection, table: str, query: str) -> None:
    """Two-way EXCEPT ALL between the table and its query, run by Spark on the sources as they are now."""
    missing = lake.sql(f"SELECT * FROM ({query}) EXCEPT ALL SELECT * FROM {table}").fetchall()
    extra = lake.sql(f"SELECT * FROM {table} EXCEPT ALL SELECT * FROM ({query})").fetchall()
    assert (missing, extra) == ([], [])


def assert_plainly_exact(lake: Connection, table: str, query: str) -> None:
    """The same for small tables, by an oracle that shares nothing with Headrace: the user's text on Spark."""
    plain = PlainSpark(lake)
    assert plain.rows(f"SELECT {plain.visible_columns(table)} FROM {table}") == plain.rows(query)


def last_refresh(lake: Connection, table: str) -> dict[str, object]:
    result = lake.sql(f"SHOW DYNAMIC TABLE REFRESH HISTORY FOR {table} LIMIT 1")
    (row,) = result.fetchall()
    return dict(zip(result.columns, row, strict=True))


_sessions: WeakKeyDictionary[OpenLake, SparkSession] = WeakKeyDictionary()
"""One for each lake that is open."""


class PlainSpark:
    """Spark and Iceberg as they are without Headrace: no rewriting, each source at its head."""

    def __init__(self, lake: Connection) -> None:
        opened = internals.open_lake(lake)
        if opened not in _sessions:
            _sessions[opened] = plain_session(lake, {".cache-enabled": "false"})
            _sessions[opened].conf.set("spark.sql.session.timeZone", opened.settings.time_zone)
        self._session = _sessions[opened]
        self._session.sql(f"USE lake.{lake.schema}")

    def rows(self, query: str) -> Counter[str]:
        """How often each occurs; as text, in which NaN equals NaN and maps can be counted."""
        return Counter(repr(tuple(row)) for row in self._session.sql(query).collect())

    def analyze(self, query: str) -> None:
        """Fails with Spark's own words if Spark does not take the query."""
        self._session.sql(query).schema  # noqa: B018  (it raises)

    def visible_columns(self, table: str) -> str:
        """Without those that Headrace keeps beside the query's."""
        columns = self._session.table(table).columns
        return ", ".join(f"`{column}`" for column in columns if not column.startswith("__hr_"))


def plain_session(lake: Connection, options: dict[str, str]) -> SparkSession:
    """A session as a user of Iceberg would set it up, in the JVM that runs already."""
    session = internals.spark(lake).newSession()
    settings = {
        "": "org.apache.iceberg.spark.SparkCatalog",
        ".type": "jdbc",
        ".uri": f"jdbc:sqlite:{lake.lake_path / 'catalog.db'}",
        ".warehouse": str(lake.lake_path / "warehouse"),
        ".jdbc.schema-version": "V1",
        **options,
    }
    for key, value in settings.items():
        session.conf.set(f"spark.sql.catalog.lake{key}", value)
    return session
