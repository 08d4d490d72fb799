from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from headrace.errors import OperationalError
from headrace.install.java import Java
from headrace.lake.spark.class_archive import MAKE_AT_EXIT, archive_path, java_options, make_archive

JAVA = Java(Path("/java/17/bin/java"), 17)
JARS = [Path("/jars/iceberg.jar")]


def test_one_for_each_java_and_set_of_jars(tmp_path: Path) -> None:
    cache = {"XDG_CACHE_HOME": str(tmp_path)}
    paths = {
        archive_path(JAVA, JARS, cache),
        archive_path(Java(Path("/java/21/bin/java"), 21), JARS, cache),
        archive_path(JAVA, [*JARS, Path("/jars/postgresql.jar")], cache),
    }
    assert len(paths) == 3
    assert {path.parent for path in paths} == {tmp_path / "headrace" / "classes"}


def test_a_jar_that_is_rebuilt_has_another_which_replaces_the_first(tmp_path: Path) -> None:
    cache = {"XDG_CACHE_HOME": str(tmp_path)}
    jar = tmp_path / "headrace-jvm.jar"

    def made(content: bytes, seconds: int) -> Path:
        jar.write_bytes(content)
        os.utime(jar, (seconds, seconds))
        archive = archive_path(JAVA, [jar], cache)
        make_archive(archive, lambda environment: Path(environment[MAKE_AT_EXIT]).touch())
        return archive

    other = archive_path(JAVA, JARS, cache)
    other.parent.mkdir(parents=True)
    other.touch()
    archives = [made(b"one", 1), made(b"two", 1), made(b"two", 2)]
    assert len({*archives}) == 3
    assert set(other.parent.iterdir()) == {other, archives[-1]}


def test_a_jvm_uses_what_is_there_and_makes_one_only_where_it_is_told(tmp_path: Path) -> None:
    cache = {"XDG_CACHE_HOME": str(tmp_path)}
    assert java_options(JAVA, JARS, cache) == []
    archive = archive_path(JAVA, JARS, cache)
    archive.parent.mkdir(parents=True)
    archive.touch()
    assert java_options(JAVA, JARS, cache) == [f"-XX:SharedArchiveFile={archive}"]
    assert java_options(JAVA, JARS, {**cache, MAKE_AT_EXIT: "new"}) == ["-XX:ArchiveClassesAtExit=new"]


def test_it_is_there_when_all_of_it_is(tmp_path: Path) -> None:
    archive = tmp_path / "classes" / "spark.jsa"

    def use_spark(environment: Mapping[str, str]) -> None:
        Path(environment[MAKE_AT_EXIT]).write_text("classes")
        assert not archive.exists()

    make_archive(archive, use_spark)
    assert archive.read_text() == "classes"
    assert list(archive.parent.iterdir()) == [archive]


def test_what_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    archive = tmp_path / "spark.jsa"

    def fail(environment: Mapping[str, str]) -> None:
        Path(environment[MAKE_AT_EXIT]).write_text("some of the classes")
        raise OperationalError("the demo failed")

    with pytest.raises(OperationalError, match="the demo failed"):
        make_archive(archive, fail)
    with pytest.raises(OperationalError, match="this Java version cannot write a class archive"):
        make_archive(archive, lambda environment: None)
    assert list(tmp_path.iterdir()) == []
