"""Equality deletes, as Flink writes them: exact, at the cost of the files that they may touch."""

from __future__ import annotations

from typing import Any

import pytest
from tests import internals
from tests.lake.changes_oracle import Watched

from headrace.connection import Connection


def delete_where_k_is(table: Watched, *keys: int) -> None:
    """Commits a delete file that removes rows by their value of k."""
    spark = table.session.spark
    jvm: Any = internals.jvm(spark)
    gateway: Any = internals.gateway(spark)
    java = table.writable()
    iceberg = jvm.org.apache.iceberg
    fields = gateway.new_array(jvm.int, 1)
    fields[0] = 1
    names = jvm.java.util.ArrayList()
    names.add("k")
    schema = java.schema().select(names)
    parquet = iceberg.FileFormat.PARQUET
    builder = jvm.java.lang.Class.forName(
        "org.apache.iceberg.data.GenericFileWriterFactory$Builder", True, java.getClass().getClassLoader()
    )
    made = builder.getConstructor(_array(gateway, jvm, jvm.java.lang.Class, [_class(jvm, java)])).newInstance(
        _array(gateway, jvm, jvm.java.lang.Object, [java])
    )
    factory = (
        made.dataFileFormat(parquet)
        .deleteFileFormat(parquet)
        .equalityFieldIds(fields)
        .equalityDeleteRowSchema(schema)
        .build()
    )
    location = java.locationProvider().newDataLocation(f"eq-{len(table.states)}.parquet")
    output = iceberg.encryption.EncryptedFiles.plainAsEncryptedOutput(java.io().newOutputFile(location))
    writer = factory.newEqualityDeleteWriter(output, java.spec(), None)
    for key in keys:
        record = iceberg.data.GenericRecord.create(schema)
        record.setField("k", key)
        writer.write(record)
    writer.close()
    java.newRowDelta().addDeletes(writer.toDeleteFile()).commit()
    table.note()


def _array(gateway: Any, jvm: Any, kind: Any, values: list[Any]) -> Any:
    array = gateway.new_array(kind, len(values))
    for index, value in enumerate(values):
        array[index] = value
    return array


def _class(jvm: Any, java: Any) -> Any:
    return jvm.java.lang.Class.forName("org.apache.iceberg.Table", True, java.getClass().getClassLoader())


@pytest.mark.parametrize("version", [2, 3])
def test_equality_deletes(lake: Connection, version: int) -> None:
    table = Watched.make(lake, f"(k INT, v STRING) TBLPROPERTIES ('format-version' = '{version}')")
    table.run("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')")
    delete_where_k_is(table, 2)
    table.run("INSERT INTO t VALUES (2, 'again'), (5, 'e')")
    table.run("DELETE FROM t WHERE k IN (3, 5)")
    delete_where_k_is(table, 4, 7)
    table.run("UPDATE t SET v = 'new' WHERE k IN (1, 2)")
    table.run("DELETE FROM t")
    last = len(table.states) - 1
    found = table.check(*((i, i + 1) for i in range(last)), (0, 4), (1, last), (2, 5), (3, 6))
    assert found[3].estimate.rows_added == 0
