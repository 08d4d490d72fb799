from __future__ import annotations

from pathlib import Path

import pytest

from headrace.errors import OperationalError
from headrace.install import java as java_module
from headrace.install.java import (
    Java,
    ensure_java,
    find_java,
    install_line,
    installed_javas,
    java_version,
    missing_java,
    passwordless,
    require_java,
    what_to_type,
)


def make_java(home: Path, version: str, release: bool = True) -> Path:
    java = home / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    java.chmod(0o755)
    if release:
        (home / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return java


@pytest.mark.parametrize("release", [True, False])
@pytest.mark.parametrize(
    ("text", "expected"), [("17.0.15", 17), ("21", 21), ("1.8.0_402", 8), ("25-ea", 25), ("1", 1)]
)
def test_version(tmp_path: Path, text: str, expected: int, release: bool) -> None:
    assert java_version(make_java(tmp_path, text, release)) == expected


def test_what_does_not_run_has_no_version(tmp_path: Path) -> None:
    stub = tmp_path / "bin" / "java"
    stub.parent.mkdir()
    assert java_version(stub) is None
    stub.write_text("#!/bin/sh\necho 'Unable to locate a Java Runtime.' >&2; exit 1\n")
    stub.chmod(0o755)
    assert java_version(stub) is None


def test_java_home_comes_before_path_and_usual_places(tmp_path: Path) -> None:
    of_home = make_java(tmp_path / "home", "21.0.1")
    of_path = make_java(tmp_path / "path", "17.0.1")
    make_java(tmp_path / "jvm" / "java-17", "17.0.2")
    environ = {"JAVA_HOME": str(tmp_path / "home"), "PATH": str(of_path.parent)}
    assert find_java(environ, [f"{tmp_path}/jvm/*"]) == Java(of_home, 21)


def test_an_unsupported_java_home_is_passed_over(tmp_path: Path) -> None:
    make_java(tmp_path / "home", "25")
    usual = make_java(tmp_path / "jvm" / "java-17", "17.0.2")
    environ = {"JAVA_HOME": str(tmp_path / "home"), "PATH": ""}
    assert find_java(environ, [f"{tmp_path}/jvm/*"]) == Java(usual, 17)
    assert [java.version for java in installed_javas(environ, [f"{tmp_path}/jvm/*"])] == [25, 17]


def test_no_java(tmp_path: Path) -> None:
    assert find_java({"PATH": str(tmp_path), "JAVA_HOME": str(tmp_path / "gone")}, [f"{tmp_path}/*"]) is None


def test_home_follows_links(tmp_path: Path) -> None:
    java = make_java(tmp_path / "jvm", "17.0.2")
    (tmp_path / "java").symlink_to(java)
    assert Java(tmp_path / "java", 17).home == (tmp_path / "jvm").resolve()


@pytest.mark.parametrize("manager", ["apt-get", "dnf", "apk", "brew"])
def test_each_package_manager_has_its_line(manager: str) -> None:
    line = install_line(lambda name: name if name == manager else None)
    assert line is not None
    assert manager in line
    assert line in what_to_type(lambda name: name if name == manager else None)


def test_without_a_package_manager_the_words_remain() -> None:
    assert install_line(lambda _: None) is None
    assert "JAVA_HOME" in what_to_type(lambda _: None)


def test_passwordless_line() -> None:
    line = "sudo a && sudo b"
    assert passwordless(line, True, lambda: False) == "a && b"
    assert passwordless(line, False, lambda: True) == "sudo -n a && sudo -n b"
    assert passwordless(line, False, lambda: False) is None
    assert passwordless("brew install x", False, lambda: False) == "brew install x"


def test_the_error_says_what_was_found_and_what_to_type() -> None:
    text = str(missing_java([Java(Path("/opt/java/25/bin/java"), 25)], "type: x"))
    assert text == "Spark needs Java 17 or 21; found here: Java 25 (/opt/java/25/bin/java)\nhint: type: x"


def test_a_needed_password_ends_in_the_line_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java_module, "find_java", lambda: None)
    monkeypatch.setattr(java_module, "passwordless", lambda *_: None)
    monkeypatch.setattr(java_module.shutil, "which", lambda name, **_: name if name == "apt-get" else None)
    with pytest.raises(OperationalError, match="Java 17 or 21"):
        ensure_java(lambda _: None)


def test_a_failed_installation_shows_its_last_words(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(java_module, "find_java", lambda: None)
    monkeypatch.setattr(java_module, "install_line", lambda *_: "echo E: no such package; false")
    with pytest.raises(OperationalError, match="E: no such package"):
        ensure_java(said.append)
    assert said == ["no Java 17 or 21 found; installing it (about a minute): echo E: no such package; false"]


def test_opening_a_lake_installs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java_module, "find_java", lambda: None)
    monkeypatch.setattr(java_module.shutil, "which", lambda name, **_: name if name == "apt-get" else None)
    monkeypatch.setattr(java_module, "_run_install", lambda line: pytest.fail(f"it ran {line}"))
    with pytest.raises(OperationalError, match="Java 17 or 21") as raised:
        require_java()
    assert "sudo apt-get install -y openjdk-17-jre-headless" in str(raised.value)
    assert "headrace doctor --fix" in str(raised.value)
