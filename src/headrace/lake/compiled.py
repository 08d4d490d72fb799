"""Java that works next to Iceberg's and Spark's own objects, compiled when first needed.

A call from Python into the JVM takes 0.1-0.3 ms, a class looked up by name or the end of an iterator some
milliseconds: what takes more than a few calls is done there, in one. The compiler is Janino, which Spark has
for its own generated code: Java without lambdas, generics as raw types. `headrace warm` keeps the classes in
a jar in the cache directory; its name has a digest of the sources and of Spark's version in it.
"""

from __future__ import annotations

import hashlib
import os
import threading
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from headrace.lake.jars import cache_directory

_SOURCES = (
    "StreamViews",
    "KnownNames",
    "DirectoryConflict",
    "TableDirectories",
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
    "StagedSizes",
    "ChangeScan",
)
"""Each uses only those before it."""

_SANDBOX = (
    "SandboxRefusal",
    "SandboxPolicy",
    "SandboxSessions",
    "SandboxCheck",
    "SandboxParser",
    "SandboxParsers",
    "SandboxRule",
    "SandboxRules",
)


class CompiledClasses:
    """Makes objects of the compiled classes."""

    def __init__(
        self, spark: SparkSession, names: Sequence[str] = _SOURCES, environ: Mapping[str, str] = os.environ
    ) -> None:
        """They are in the jar, or compiled as they are needed where there is none."""
        self._gateway: Any = spark.sparkContext._gateway
        self._java: Any = spark._jvm.java  # type: ignore[union-attr]
        self._compiler = spark._jvm.org.codehaus.janino.SimpleCompiler  # type: ignore[union-attr]
        self._loader = spark._jvm.org.apache.spark.util.Utils.getContextOrSparkClassLoader()  # type: ignore[union-attr]
        self._sources = sources_of(names)
        self.jar = jar_path(self._sources, environ)
        self._constructors: dict[str, Any] = {}
        self._compiled: list[Any] = []
        self._compiling = threading.Lock()
        if self.jar.exists():
            self._sources.clear()
            self._loader = self._loader_of_jar()

    def new(self, name: str, *arguments: Any) -> Any:
        constructor = self._constructor(name)
        values = self._gateway.new_array(self._java.lang.Object, len(arguments))
        for place, argument in enumerate(arguments):
            values[place] = argument
        return constructor.newInstance(values)

    @contextmanager
    def known_by_name(self, name: str) -> Iterator[str]:
        """Inside, Spark finds the class by its full name, which is given; elsewhere nobody does."""
        loader = self._constructor(name).getDeclaringClass().getClassLoader()
        thread = self._java.lang.Thread.currentThread()
        before = thread.getContextClassLoader()
        thread.setContextClassLoader(loader)
        try:
            yield f"headrace.{name}"
        finally:
            thread.setContextClassLoader(before)

    def write_jar(self) -> None:
        """For the next processes, unless it is there."""
        with self._compiling:
            while self._sources:
                self._compile_next()
            compiled = [compiler.getBytecodes() for compiler in self._compiled]
        if compiled:
            _write_jar(self.jar, {name: bytes(code) for codes in compiled for name, code in codes.items()})

    def _constructor(self, name: str) -> Any:
        with self._compiling:
            if name not in self._constructors:
                self._compile_up_to(name)
                (self._constructors[name],) = self._loader.loadClass(f"headrace.{name}").getConstructors()
            return self._constructors[name]

    def _compile_up_to(self, name: str) -> None:
        while name in self._sources:
            self._compile_next()

    def _compile_next(self) -> None:
        source = self._sources.pop(next(iter(self._sources)))
        compiler = self._compiler()
        compiler.setParentClassLoader(self._loader)
        compiler.setSourceVersion(8)
        compiler.setTargetVersion(8)
        compiler.cook(source)
        self._loader = compiler.getClassLoader()
        self._compiled.append(compiler)

    def _loader_of_jar(self) -> Any:
        urls = self._gateway.new_array(self._java.net.URL, 1)
        urls[0] = self._java.net.URL(self.jar.as_uri())
        return self._java.net.URLClassLoader(urls, self._loader)


def jars_are_written(environ: Mapping[str, str] = os.environ) -> bool:
    return all(jar_path(sources_of(names), environ).exists() for names in (_SOURCES, _SANDBOX))


def write_jars(spark: SparkSession) -> None:
    for names in (_SOURCES, _SANDBOX):
        _classes(spark, names).write_jar()


def sources_of(names: Sequence[str]) -> dict[str, str]:
    return {name: (files("headrace.lake") / "java_sources" / f"{name}.java").read_text() for name in names}


def jar_path(sources: Mapping[str, str], environ: Mapping[str, str] = os.environ) -> Path:
    """Other sources and another Spark have another jar."""
    text = "\n".join([version("pyspark"), *sources.values()])
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return cache_directory(environ) / "classes" / f"headrace-{digest}.jar"


def _write_jar(jar: Path, classes: Mapping[str, bytes]) -> None:
    jar.parent.mkdir(parents=True, exist_ok=True)
    part = jar.with_suffix(f".{os.getpid()}.part")
    try:
        with zipfile.ZipFile(part, "w") as archive:
            for name, code in classes.items():
                archive.writestr(f"{name.replace('.', '/')}.class", code)
        part.replace(jar)
    finally:
        part.unlink(missing_ok=True)


_making = threading.Lock()
_made: dict[Sequence[str], tuple[Any, CompiledClasses]] = {}


def compiled_classes(spark: SparkSession) -> CompiledClasses:
    """One set for a JVM."""
    return _classes(spark, _SOURCES)


def sandbox_classes(spark: SparkSession) -> CompiledClasses:
    """Those that keep statements inside the lake, which only served lakes need."""
    return _classes(spark, _SANDBOX)


def _classes(spark: SparkSession, sources: Sequence[str]) -> CompiledClasses:
    jvm: Any = spark._jvm
    with _making:
        if sources not in _made or _made[sources][0] is not jvm:
            _made[sources] = (jvm, CompiledClasses(spark, sources))
        return _made[sources][1]
