"""Java that works next to Iceberg's and Spark's own objects, compiled when first needed.

A call from Python into the JVM takes 0.1-0.3 ms, a class looked up by name or the end of an iterator some
milliseconds: what takes more than a few calls is done there, in one. The compiler is Janino, which Spark has
for its own generated code: Java without lambdas, generics as raw types.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from typing import Any

from pyspark.sql import SparkSession

_SOURCES = (
    "StreamViews",
    "LakeCatalog",
    "MarkedStatement",
    "CatalogReader",
    "DelegatedOperations",
    "OnePartition",
    "GuardedOperations",
    "PlainLocalFileSystem",
    "LocalFiles",
    "DirectOperations",
    "GuardedTable",
    "TableAlteration",
    "GuardedCatalog",
    "DeleteLoaders",
    "PartitionedRow",
    "SmallChange",
    "SmallRows",
    "SnapshotPath",
    "FileUnderDeletes",
    "TouchedFile",
    "Manifests",
    "ChangePlan",
    "ChangeSizes",
    "StagedChanges",
    "ChangeScan",
)
"""Each uses only those before it."""


class CompiledClasses:
    """Makes objects of the compiled classes."""

    def __init__(self, spark: SparkSession, loader: Any) -> None:
        self._gateway: Any = spark.sparkContext._gateway
        self._compiler = spark._jvm.org.codehaus.janino.SimpleCompiler  # type: ignore[union-attr]
        self._object = spark._jvm.java.lang.Object  # type: ignore[union-attr]
        self._thread = spark._jvm.java.lang.Thread  # type: ignore[union-attr]
        self._loader = loader
        self._constructors: dict[str, Any] = {}
        self._compiling = threading.Lock()

    def new(self, name: str, *arguments: Any) -> Any:
        constructor = self._constructor(name)
        values = self._gateway.new_array(self._object, len(arguments))
        for place, argument in enumerate(arguments):
            values[place] = argument
        return constructor.newInstance(values)

    @contextmanager
    def known_by_name(self, name: str) -> Iterator[str]:
        """Inside, Spark finds the class by its full name, which is given; elsewhere nobody does."""
        loader = self._constructor(name).getDeclaringClass().getClassLoader()
        thread = self._thread.currentThread()
        before = thread.getContextClassLoader()
        thread.setContextClassLoader(loader)
        try:
            yield f"headrace.{name}"
        finally:
            thread.setContextClassLoader(before)

    def _constructor(self, name: str) -> Any:
        with self._compiling:
            for source in _SOURCES[len(self._constructors) : _SOURCES.index(name) + 1]:
                self._constructors[source] = self._compile(source)
            return self._constructors[name]

    def _compile(self, name: str) -> Any:
        compiler = self._compiler()
        compiler.setParentClassLoader(self._loader)
        compiler.setSourceVersion(8)
        compiler.setTargetVersion(8)
        compiler.cook((files("headrace.lake") / "java_sources" / f"{name}.java").read_text())
        self._loader = compiler.getClassLoader()
        (constructor,) = self._loader.loadClass(f"headrace.{name}").getConstructors()
        return constructor


_making = threading.Lock()
_made: tuple[Any, CompiledClasses] | None = None


def compiled_classes(spark: SparkSession) -> CompiledClasses:
    """One set for a JVM."""
    global _made
    with _making:
        if _made is None or _made[0] is not spark._jvm:
            jvm: Any = spark._jvm
            loader = jvm.org.apache.spark.util.Utils.getContextOrSparkClassLoader()
            _made = (jvm, CompiledClasses(spark, loader))
        return _made[1]
