from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from headrace.errors import OperationalError
from headrace.install import jars as jars_module
from headrace.install.jars import (
    ICEBERG,
    ICEBERG_AWS,
    JAR_SETS,
    JARS,
    SQLITE,
    Feature,
    Jar,
    ensure_jars,
    fetch_into,
    fetch_through_ivy,
    jars_directory,
    jars_of,
    missing_jars,
)
from headrace.install.java import find_java

JAVA = Path("java")
CONTENT = b"bytes of a jar"
TINY = Jar("org.example", "tiny", "1.0", len(CONTENT), hashlib.sha256(CONTENT).hexdigest())


def fake_fetch(java: Path, jar: Jar, workspace: Path) -> Path:
    fetched = workspace / jar.file_name
    fetched.write_bytes(CONTENT)
    return fetched


def put_jars_of_right_size(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for jar in JARS:
        with (directory / jar.file_name).open("wb") as file:
            file.truncate(jar.size)


def test_where_they_live(tmp_path: Path) -> None:
    assert jars_directory({"XDG_CACHE_HOME": "/c"}) == Path("/c/headrace/jars")
    assert jars_directory({}) == Path.home() / ".cache" / "headrace" / "jars"
    assert jars_directory({"XDG_CACHE_HOME": "/c", "HEADRACE_JARS": "/mine"}) == Path("/mine")


def test_present_jars_are_not_fetched(tmp_path: Path) -> None:
    environ = {"XDG_CACHE_HOME": str(tmp_path)}
    put_jars_of_right_size(tmp_path / "headrace" / "jars")
    said: list[str] = []
    paths = ensure_jars(JAVA, said.append, environ)
    assert [path.name for path in paths] == [jar.file_name for jar in JARS]
    assert said == []


def test_missing_jars_are_fetched_with_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jars_module, "fetch_through_ivy", fake_fetch)
    said: list[str] = []
    (path,) = ensure_jars(JAVA, said.append, {"XDG_CACHE_HOME": str(tmp_path)}, (TINY,))
    assert path.read_bytes() == CONTENT
    assert said == ["downloading tiny-1.0.jar (0 MB)"]


def test_a_jar_cut_short_counts_as_missing(tmp_path: Path) -> None:
    put_jars_of_right_size(tmp_path)
    (tmp_path / SQLITE.file_name).write_bytes(b"short")
    assert missing_jars({"HEADRACE_JARS": str(tmp_path)}) == [SQLITE]


def test_a_given_directory_is_never_written_to(tmp_path: Path) -> None:
    with pytest.raises(OperationalError, match="HEADRACE_JARS") as caught:
        ensure_jars(JAVA, lambda _: None, {"HEADRACE_JARS": str(tmp_path)})
    assert all(jar.file_name in str(caught.value) for jar in JARS)
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_hash_names_both_and_leaves_nothing(tmp_path: Path) -> None:
    expected = "0" * 64
    forged = Jar("org.example", "tiny", "1.0", len(CONTENT), expected)
    with pytest.raises(OperationalError) as caught:
        fetch_into(tmp_path, forged, JAVA, fake_fetch)
    assert expected in str(caught.value)
    assert TINY.sha256 in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_processes_at_once_do_not_hurt_each_other(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: fetch_into(tmp_path, TINY, JAVA, fake_fetch), range(32)))
    assert [path.name for path in tmp_path.iterdir()] == [TINY.file_name]
    assert (tmp_path / TINY.file_name).read_bytes() == CONTENT


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OperationalError, match="cannot be stored") as caught:
        fetch_into(tmp_path / "file" / "jars", TINY, JAVA, fake_fetch)
    assert "XDG_CACHE_HOME" in str(caught.value)


def fake_java(directory: Path, script: str) -> Path:
    java = directory / "java"
    java.write_text(f"#!/bin/sh\n{script}\n")
    java.chmod(0o755)
    return java


def test_without_a_network_the_error_says_what_to_put_where(tmp_path: Path) -> None:
    java = fake_java(tmp_path, "echo 'java.net.UnknownHostException: repository'; exit 1")
    with pytest.raises(OperationalError, match="UnknownHostException") as caught:
        fetch_through_ivy(java, SQLITE, tmp_path)
    text = str(caught.value)
    assert all(jar.file_name in text and str(jar) in text for jar in JARS)
    assert "HEADRACE_JARS" in text
    assert str(jars_directory()) in text


def test_a_fetch_without_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jars_module, "FETCH_TIMEOUT_S", 0.2)
    with pytest.raises(OperationalError, match="timed out after"):
        fetch_through_ivy(fake_java(tmp_path, "exec sleep 30"), SQLITE, tmp_path)


@pytest.mark.share(0.2, suite="single tests")
def test_the_small_jar_really_comes(tmp_path: Path) -> None:
    java = find_java()
    assert java is not None
    fetch_into(tmp_path, SQLITE, java.path)
    assert [(path.name, path.stat().st_size) for path in tmp_path.iterdir()] == [
        (SQLITE.file_name, SQLITE.size)
    ]


def test_every_lake_has_the_same_class_path_whatever_its_database() -> None:
    """One class archive fits all of them; jars of other features come after."""
    assert jars_of([]) == jars_of([Feature.CORE]) == jars_of([Feature.POSTGRESQL]) == JARS
    assert jars_of([Feature.S3]) == (*JARS, ICEBERG_AWS)


def test_a_jar_is_in_one_set_and_pinned() -> None:
    listed = [jar for jars in JAR_SETS.values() for jar in jars]
    assert len(set(listed)) == len(listed)
    assert set(JAR_SETS) == set(Feature)
    assert all(len(jar.sha256) == 64 and jar.size > 0 for jar in listed)
    assert ICEBERG_AWS.version == ICEBERG.version


def test_a_set_is_fetched_when_it_is_first_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[str] = []
    environ = {"XDG_CACHE_HOME": str(tmp_path)}
    put_jars_of_right_size(jars_directory(environ))
    monkeypatch.setattr(jars_module, "fetch_into", lambda _directory, jar, _java: fetched.append(str(jar)))
    said: list[str] = []
    ensure_jars(JAVA, said.append, environ, jars_of([]))
    assert (fetched, said) == ([], [])
    paths = ensure_jars(JAVA, said.append, environ, jars_of([Feature.S3]))
    assert fetched == ["org.apache.iceberg:iceberg-aws-bundle:1.12.0"]
    assert said == ["downloading iceberg-aws-bundle-1.12.0.jar (69 MB)"]
    assert paths[-1] == jars_directory(environ) / ICEBERG_AWS.file_name


def test_a_set_that_cannot_be_fetched_says_what_it_is_for(tmp_path: Path) -> None:
    java = fake_java(tmp_path, "echo 'java.net.UnknownHostException: repository'; exit 1")
    with pytest.raises(OperationalError, match="which s3 requires, could not be downloaded") as caught:
        fetch_through_ivy(java, ICEBERG_AWS, tmp_path)
    assert ICEBERG_AWS.file_name in (caught.value.hint or "")
    assert SQLITE.file_name not in (caught.value.hint or "")
