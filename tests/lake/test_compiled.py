"""The compiled Java classes are kept between processes."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests import internals

from headrace.lake.compiled import CompiledClasses, jar_path

SOURCES = {"A": "class A {}", "B": "class B {}"}


def loader_of(classes: CompiledClasses) -> str:
    """The class of the loader of StreamViews, an object of which needs nothing else."""
    return str(classes.new("StreamViews").getClass().getClassLoader().getClass().getName())


def test_classes_are_compiled_once(plain_spark: SparkSession, tmp_path: Path) -> None:
    cache = {"XDG_CACHE_HOME": str(tmp_path)}
    first = CompiledClasses(plain_spark, environ=cache)
    assert loader_of(first) != "java.net.URLClassLoader"
    assert not first.jar.exists()
    first.write_jar()
    assert list(first.jar.parent.iterdir()) == [first.jar]

    second = CompiledClasses(plain_spark, environ=cache)
    assert loader_of(second) == "java.net.URLClassLoader"
    with second.known_by_name("GuardedCatalog") as name:
        loader = internals.jvm(plain_spark).java.lang.Thread.currentThread().getContextClassLoader()
        assert loader.loadClass(name).getClassLoader().equals(loader)
    written = first.jar.stat().st_mtime_ns
    second.write_jar()
    assert first.jar.stat().st_mtime_ns == written


@pytest.mark.parametrize("changed", [{"A": "class A { }"}, {"B": "class C {}"}])
def test_other_sources_have_another_jar(changed: dict[str, str]) -> None:
    assert jar_path(SOURCES) == jar_path(dict(SOURCES))
    assert jar_path(SOURCES) != jar_path(SOURCES | changed)
