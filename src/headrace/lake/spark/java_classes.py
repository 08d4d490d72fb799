"""Headrace's own Java classes (``jvm/``), which work next to Iceberg's and Spark's objects.

A call from Python into the JVM takes 0.1-0.3 ms, the end of an iterator some milliseconds: what takes more
than a few calls is done there, in one. The classes are in one jar, on the class path of driver and executors.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from py4j.java_gateway import JavaClass
from pyspark.sql import SparkSession

LAKE_CATALOG = "headrace.catalog.LakeCatalog"
"""Spark, Iceberg or Hadoop makes objects of this one and the next ones itself."""
GUARDED_TABLES = "headrace.commit.GuardedCatalog"
FILE_IO = "headrace.files.LakeFileIO"
LOCAL_FILE_SYSTEM = "headrace.files.QuickLocalFileSystem"
S3_FILE_SYSTEM = "headrace.files.S3ReadOnlyFileSystem"

ClassName: TypeAlias = Literal[
    "headrace.catalog.CatalogGateway",
    "headrace.catalog.ExternalChange",
    "headrace.catalog.StreamViews",
    "headrace.changes.ChangeScan",
    "headrace.commit.GuardedTable",
    "headrace.commit.MarkedStatement",
    "headrace.commit.PartitionScope",
    "headrace.commit.PositionedTable",
    "headrace.commit.SideFiles",
    "headrace.commit.SmallChange",
    "headrace.commit.StreamedRows",
    "headrace.commit.TableAlteration",
    "headrace.lookup.IndexVerification",
    "headrace.files.FileFrames",
    "headrace.lookup.KeyLookup",
    "headrace.messages.AvroColumn",
    "headrace.queries.DriverViews",
    "headrace.queries.QueryMetrics",
    "headrace.queries.SmallRows",
    "headrace.queries.TemporarySettings",
    "headrace.results.ResultTransfer",
    "headrace.sandbox.SandboxSessions",
]


def java_class(spark: SparkSession, name: ClassName) -> Any:
    """To be called as a constructor, or for its static methods.

    PySpark's ``_jvm.a.b.C`` asks the JVM what each part of a name is; this asks nothing.
    """
    gateway: Any = spark.sparkContext._gateway
    return JavaClass(name, gateway._gateway_client)
