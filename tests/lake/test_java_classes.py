"""The door to Headrace's own Java classes."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import get_args

import pytest
from pyspark.sql import SparkSession

from headrace.errors import OperationalError
from headrace.install.jars import own_jar
from headrace.lake.spark.java_classes import GUARDED_TABLES, LAKE_CATALOG, ClassName, java_class


def test_every_class_that_python_names_is_in_the_jar() -> None:
    names = {*get_args(ClassName), LAKE_CATALOG, GUARDED_TABLES}
    with zipfile.ZipFile(own_jar()) as jar:
        assert {f"{name.replace('.', '/')}.class" for name in names} <= set(jar.namelist())


def test_they_are_loaded_as_spark_is(plain_spark: SparkSession) -> None:
    views = java_class(plain_spark, "headrace.catalog.StreamViews")
    loader = views._java_lang_class.getClassLoader()
    assert loader.equals(plain_spark._jsparkSession.getClass().getClassLoader())


def test_a_package_without_the_jar_says_so(tmp_path: Path) -> None:
    with pytest.raises(OperationalError, match="installed without its Java classes") as caught:
        own_jar(tmp_path / "headrace-jvm.jar")
    assert "make jar" in str(caught.value)
