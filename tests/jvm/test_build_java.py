"""The jar of our Java classes: compiled from the sources as they are, by either compiler, and tested."""

from __future__ import annotations

import re
import zipfile
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import build_java
import pytest
from build_java import JUNIT, MAIN, RELEASE, ROOT, Tools, class_path, compile_into, find_tools, write_jar
from hatch_build import JAR, SOURCES, is_current, sources_digest

from headrace.install.jars import ICEBERG

POM = (ROOT / "jvm" / "pom.xml").read_text()


@pytest.fixture(scope="module")
def tools() -> Tools:
    return find_tools()


def class_names(paths: list[str]) -> set[str]:
    """Those that have a source file of their own."""
    return {path.removesuffix(".class") for path in paths if path.endswith(".class") and "$" not in path}


def test_java_classes_pass_their_own_tests(tools: Tools, capsys: pytest.CaptureFixture[str]) -> None:
    build_java.test(tools)
    found = re.search(r"(\d+) tests successful", capsys.readouterr().out)
    assert found is not None
    assert int(found[1]) > 50


def test_a_java_runtime_without_a_compiler_is_enough(tools: Tools, tmp_path: Path) -> None:
    compile_into(tmp_path, [MAIN], class_path(tools), replace(tools, jdk=None))
    compiled = class_names([str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.class")])
    assert compiled == {str(path.relative_to(MAIN).with_suffix("")) for path in MAIN.rglob("*.java")}


def test_the_jar_is_of_the_sources_as_they_are() -> None:
    """If it is not: `make jar`."""
    assert is_current(ROOT)
    with zipfile.ZipFile(ROOT / JAR) as jar:
        sources = {str(path.relative_to(MAIN).with_suffix("")) for path in MAIN.rglob("*.java")}
        assert class_names(jar.namelist()) == sources


def test_a_jar_of_other_sources_is_not_current(tmp_path: Path) -> None:
    source = tmp_path / SOURCES / "headrace" / "A.java"
    source.parent.mkdir(parents=True)
    source.write_text("class A {}")
    assert not is_current(tmp_path)
    jar = tmp_path / JAR
    jar.parent.mkdir(parents=True)
    write_jar(jar, tmp_path / "classes", sources_digest(tmp_path))
    assert is_current(tmp_path)
    source.write_text("class A { }")
    assert not is_current(tmp_path)
    source.write_text("class A {}")
    source.rename(source.with_name("B.java"))
    assert not is_current(tmp_path)


def test_a_jar_is_written_in_one_step_and_only_if_it_differs(tmp_path: Path) -> None:
    classes = tmp_path / "classes"
    classes.mkdir()
    (classes / "A.class").write_bytes(b"compiled")
    target = tmp_path / "lake" / "headrace-jvm.jar"
    target.parent.mkdir()
    write_jar(target, classes, "digest")
    first = (target.stat().st_ino, target.read_bytes())
    (classes / "A.class").touch()
    write_jar(target, classes, "digest")
    assert (target.stat().st_ino, target.read_bytes()) == first
    (classes / "A.class").write_bytes(b"compiled otherwise")
    write_jar(target, classes, "digest")
    assert target.read_bytes() != first[1]
    assert list(target.parent.iterdir()) == [target]


def test_editors_see_what_it_is_compiled_against() -> None:
    assert f"<maven.compiler.release>{RELEASE}</maven.compiler.release>" in POM
    declared = re.findall(r"<artifactId>(.+)</artifactId>\s*<version>(.+)</version>\s*<scope>", POM)
    assert declared == [
        ("spark-sql_2.13", version("pyspark")),
        (ICEBERG.name, ICEBERG.version),
        (JUNIT.name, JUNIT.version),
    ]
