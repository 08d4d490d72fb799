from __future__ import annotations

import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest

from headrace.cli import doctor
from headrace.cli.doctor import Check, diagnose, nearest_existing
from headrace.install import java as java_module
from headrace.install.jars import JARS
from headrace.install.java import Java
from headrace.lake.directory import make_lake


def test_every_failing_check_has_a_remedy() -> None:
    with pytest.raises(ValueError, match="without a remedy"):
        Check("x", False, "broken")


def test_all_checks_are_made(tmp_path: Path) -> None:
    found = [check.name for check in diagnose(tmp_path)]
    assert found == ["Python", "Java", "Jars", "Disk", "Writable", "Catalog"]


def test_a_lake_that_is_not_there_yet_is_judged_by_the_directory_above(tmp_path: Path) -> None:
    assert nearest_existing(tmp_path / "a" / "b") == tmp_path
    assert doctor.writable(nearest_existing(tmp_path / "a" / "b")).ok


def test_java_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "find_java", lambda: Java(Path("/jvm/bin/java"), 21))
    assert doctor.java() == Check("Java", True, "21 (/jvm/bin/java)")


def test_java_of_the_wrong_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "find_java", lambda: None)
    monkeypatch.setattr(doctor, "installed_javas", lambda: [Java(Path("/jvm/bin/java"), 11)])
    found = doctor.java()
    assert not found.ok
    assert "11 (/jvm/bin/java)" in found.detail
    assert found.remedy


def test_fix_says_the_line_before_it_installs_java(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    steps: list[str] = []
    made = Java(Path("/jvm/bin/java"), 17)
    monkeypatch.setattr(java_module, "find_java", lambda: made if "installed" in steps else None)
    monkeypatch.setattr(java_module, "install_line", lambda *_: "install java")
    monkeypatch.setattr(java_module, "_run_install", lambda _: steps.append("installed") or "")
    monkeypatch.setattr(doctor, "ensure_jars", lambda java, _report: steps.append(f"jars by {java}"))
    doctor.fix(steps.append)
    assert steps == [
        "no Java 17 or 21 found; installing it (about a minute): install java",
        "installed",
        "Java 17 is installed: /jvm/bin/java",
        "jars by /jvm/bin/java",
    ]


def test_missing_jars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADRACE_JARS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = doctor.jars()
    assert not found.ok
    assert all(jar.file_name in found.detail for jar in JARS)
    monkeypatch.setenv("HEADRACE_JARS", str(tmp_path))
    assert "unset HEADRACE_JARS" in (doctor.jars().remedy or "")


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: SimpleNamespace(free=200_000_000))
    found = doctor.disk(tmp_path)
    assert not found.ok
    assert found.detail.startswith("0.2 GB free")


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert not doctor.writable(file).ok


def test_a_lake_that_is_not_there_yet_is_no_fault_and_is_not_made(tmp_path: Path) -> None:
    assert doctor.of_lake(tmp_path / "lake")[0].ok
    assert not (tmp_path / "lake").exists()


def test_the_catalog_of_a_lake(tmp_path: Path) -> None:
    lake = make_lake(tmp_path / "lake")
    assert doctor.of_lake(lake.path)[0] == Check("Catalog", True, f"{lake.path} (tables and views: 0)")
    there = Path(lake.warehouse) / "there.metadata.json"
    with sqlite3.connect(lake.catalog_db) as catalog:
        catalog.execute(
            "CREATE TABLE iceberg_tables "
            "(catalog_name, table_namespace, table_name, metadata_location, iceberg_type)"
        )
        rows = [("lake", "public", "there", str(there)), ("lake", "public", "gone", f"file:{there}.gone")]
        catalog.executemany("INSERT INTO iceberg_tables VALUES (?, ?, ?, ?, 'TABLE')", rows)
    lake.metadata_db.write_bytes(lake.catalog_db.read_bytes())
    there.touch()
    found = doctor.of_lake(lake.path)[0]
    assert (found.ok, found.detail) == (False, "files of lake.public.gone are missing")
    Path(f"{there}.gone").touch()
    assert doctor.of_lake(lake.path)[0] == Check("Catalog", True, f"{lake.path} (tables and views: 2)")


def test_a_lake_that_would_not_open(tmp_path: Path) -> None:
    lake = make_lake(tmp_path / "lake")
    lake.catalog_db.write_bytes(b"no database at all" * 10)
    assert not doctor.of_lake(lake.path)[0].ok
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    assert not doctor.of_lake(tmp_path / "other")[0].ok
