"""Databases that are read through a JDBC driver: what tables they have, and rows in files of Parquet.

The session that reads is one of its own, which no statement of a user reaches: statements cannot read JDBC.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql.functions import col, lit
from pyspark.sql.functions import max as max_of
from pyspark.sql.functions import min as min_of

from headrace.errors import DataError, OperationalError
from headrace.lake.session import LakeSession
from headrace.lake.spark.spark_types import type_text
from headrace.model.dynamic_table import Column
from headrace.model.stored_types import stored_type

_FETCHED = "10000"
"""Rows that come from the database at a time; of some drivers the default is 10."""
_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
}
_NUMBERS = ("int", "bigint", "decimal")
_WORTH_PARTS = 100_000
"""Between the smallest and the largest key."""


@dataclass(frozen=True)
class JdbcAddress:
    url: str
    user: str
    password: str | None
    drivers: tuple[str, ...] = ()
    """Jars that have drivers; the one for the URL may be among Spark's own."""


@dataclass(frozen=True)
class JdbcTable:
    schema: str
    name: str


class JdbcDatabase:
    def __init__(self, address: JdbcAddress, session: LakeSession) -> None:
        self._address = address
        self._jvm: Any = session.spark._jvm
        self._spark = session.spark.newSession()
        for name, value in _SETTINGS.items():
            self._spark.conf.set(name, value)
        self._loader: Any = None
        with self._errors():
            self._loader = self._load_drivers()
            self._driver = self._find_driver()
            self._connection: Any = self._connect()
            self._metadata: Any = self._connection.getMetaData()
            self._quote = str(self._metadata.getIdentifierQuoteString()).strip()

    def _load_drivers(self) -> Any:
        """The class loader that has them; a driver is loaded when it is first needed."""
        java: Any = self._spark._jsparkSession
        loader = java.sharedState().jarClassLoader()
        known = {str(each) for each in loader.getURLs()}
        for jar in self._address.drivers:
            if Path(jar).as_uri().replace("file:///", "file:/") not in known:
                java.sessionState().resourceLoader().addJar(jar)
        return loader

    def _find_driver(self) -> Any:
        """One that cannot be loaded does not keep others from it."""
        wanted = self._jvm.java.lang.Class.forName("java.sql.Driver")
        drivers = self._jvm.java.util.ServiceLoader.load(wanted, self._loader).iterator()
        while drivers.hasNext():
            with suppress(Py4JJavaError):
                driver = drivers.next()
                if driver.acceptsURL(self._address.url):
                    return driver
        raise OperationalError(
            "no JDBC driver for the URL is there",
            hint='put the driver\'s jar into jdbc_drivers in lake.toml, as in ["/opt/ojdbc11.jar"]',
        )

    def _connect(self) -> Any:
        properties = self._jvm.java.util.Properties()
        properties.setProperty("user", self._address.user)
        if self._address.password is not None:
            properties.setProperty("password", self._address.password)
        return self._driver.connect(self._address.url, properties)

    def product(self) -> str:
        with self._errors():
            return f"{self._metadata.getDatabaseProductName()} {self._metadata.getDatabaseProductVersion()}"

    def tables(self) -> list[JdbcTable]:
        """All that the user can see, without views."""
        with self._errors():
            gateway: Any = self._spark.sparkContext._gateway
            kinds = gateway.new_array(self._jvm.java.lang.String, 1)
            kinds[0] = "TABLE"
            found = self._metadata.getTables(self._connection.getCatalog(), None, "%", kinds)
            return [JdbcTable(_schema(row), str(row.getString("TABLE_NAME"))) for row in _rows(found)]

    def key(self, table: JdbcTable) -> tuple[str, ...]:
        with self._errors():
            catalog = self._connection.getCatalog()
            found = self._metadata.getPrimaryKeys(catalog, table.schema, table.name)
            places = [(int(row.getInt("KEY_SEQ")), str(row.getString("COLUMN_NAME"))) for row in _rows(found)]
            return tuple(name for _, name in sorted(places))

    def columns(self, table: JdbcTable) -> list[Column]:
        """With the types that a table of the lake has for them, as Spark maps those of the database."""
        with self._errors():
            fields = self._frame(table, {}).schema.fields
            return [Column(field.name, stored_type(type_text(field.dataType))) for field in fields]

    def largest(self, table: JdbcTable, column: Column, since: str | None) -> str | None:
        with self._errors():
            frame = self._since(self._frame(table, {}), column, since)
            found = frame.agg(max_of(column.name).cast("string")).collect()
            return None if found[0][0] is None else str(found[0][0])

    def write(
        self,
        table: JdbcTable,
        columns: Sequence[Column],
        since: tuple[Column, str | None] | None,
        partitions: int,
        key: Column | None,
        into: Path,
    ) -> list[Path]:
        """Files with the rows; several partitions are read at different moments."""
        with self._errors():
            options = self._partitioning(table, key, partitions)
            frame = self._frame(table, options)
            if since is not None:
                frame = self._since(frame, *since)
            typed = [col(_quoted(each.name)).cast(each.type).alias(each.name) for each in columns]
            frame.select(*typed).write.parquet(str(into))
            return sorted(into.glob("*.parquet"))

    def _since(self, frame: DataFrame, column: Column, since: str | None) -> DataFrame:
        if since is None:
            return frame
        known = col(_quoted(column.name))
        return frame.where((known >= lit(since).cast(column.type)) | known.isNull())

    def _partitioning(self, table: JdbcTable, key: Column | None, partitions: int) -> dict[str, str]:
        if partitions == 1 or key is None or not key.type.startswith(_NUMBERS):
            return {}
        name = _quoted(key.name)
        lowest, highest = self._frame(table, {}).agg(min_of(name), max_of(name)).collect()[0]
        if lowest is None or int(highest) - int(lowest) < _WORTH_PARTS:
            return {}
        return {
            "partitionColumn": self._q(key.name),
            "lowerBound": str(int(lowest)),
            "upperBound": str(int(highest)),
            "numPartitions": str(partitions),
        }

    def _frame(self, table: JdbcTable, options: Mapping[str, str]) -> DataFrame:
        name = f"{self._q(table.schema)}.{self._q(table.name)}"
        given = {
            "url": self._address.url,
            "dbtable": name,
            "user": self._address.user,
            "password": self._address.password or "",
            "driver": str(self._driver.getClass().getName()),
            "fetchsize": _FETCHED,
            "preferTimestampNTZ": "true",
        }
        return self._spark.read.format("jdbc").options(**given, **options).load()

    def _q(self, name: str) -> str:
        return (
            f"{self._quote}{name.replace(self._quote, self._quote * 2)}{self._quote}" if self._quote else name
        )

    def close(self) -> None:
        with self._errors():
            self._connection.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """What the driver says; a URL may have a password in it, and is left out."""
        thread = self._jvm.java.lang.Thread.currentThread()
        before = thread.getContextClassLoader()
        try:
            if self._loader is not None:
                thread.setContextClassLoader(self._loader)
            yield
        except Py4JJavaError as error:
            raise self._translated(error.java_exception) from None
        except PySparkException as error:
            raise self._translated(getattr(error, "_origin", None), str(error)) from None
        finally:
            thread.setContextClassLoader(before)

    def _translated(self, java: Any, text: str = "") -> Exception:
        causes = list(_causes(java))
        found = next((each for each in causes if "SQL" in each.getClass().getSimpleName()), None)
        said = str((found or causes[-1]).getMessage()) if causes else text
        shown = said.partition("\n")[0].replace(self._address.url, "the URL")
        if found is None:
            return DataError(f"the database cannot be read: {shown}")
        return OperationalError(
            f"the database says: {shown}", hint="check URL, USER and the secret of PASSWORD"
        )


def _causes(java: Any) -> Iterator[Any]:
    while java is not None:
        yield java
        java = java.getCause()


def _schema(row: Any) -> str:
    """Some databases call it a catalog; SQLite has one that it does not name."""
    return str(row.getString("TABLE_SCHEM") or row.getString("TABLE_CAT") or "main")


def _rows(result: Any) -> Iterator[Any]:
    try:
        while result.next():
            yield result
    finally:
        result.close()


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
