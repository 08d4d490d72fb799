"""Development files to a directory and back, beside a server and through one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.server.served import serving

from headrace.cli.main import cli
from headrace.cli.script_directory import read_directory
from headrace.commands.databases import open_store
from headrace.features.development.edit import FileEditing
from headrace.features.development.model import Chart, ChartKind, FileKind, FileSettings
from headrace.lake.directory import existing_lake, make_lake
from headrace.model.clock import system_clock
from headrace.model.task import TaskAlert

SETTINGS = FileSettings(
    schema="sales",
    interval_seconds=60,
    start_at=datetime(2024, 6, 1, 8, tzinfo=UTC),
    after=("load: orders", "b"),
    parameters={"day": "${bizdate}", "n": "1"},
    retries=2,
    alerts=(TaskAlert.FAILURE,),
    comment="two\nlines, ü",
    chart=Chart(ChartKind.BAR, "day", ("n", "m")),
)
SCRIPT = "SELECT 'ü';\r\n\tSELECT 2"


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return make_lake(tmp_path / "lake").path


def with_files(lake: Path, change: Callable[[FileEditing], None]) -> None:
    store = open_store(existing_lake(lake))
    change(FileEditing(store.files, system_clock))
    store.close()


def fill(editing: FileEditing) -> None:
    folder = editing.create(None, "Sales", FileKind.FOLDER, "", FileSettings(), "ann")
    inner = editing.create(folder.id, "Daily", FileKind.FOLDER, "", FileSettings(), "ann")
    editing.create(inner.id, "Step01.Load", FileKind.SQL, SCRIPT, SETTINGS, "ann")
    editing.create(inner.id, "d", FileKind.DYNAMIC_TABLE, "CREATE ...", FileSettings(cron="0 2 * * *"), "ann")
    editing.create(None, "check", FileKind.PYTHON, "print(1)\n", FileSettings(), "ann")


def studio(*arguments: str | Path) -> list[str]:
    ran = CliRunner().invoke(cli, ["studio", *map(str, arguments)])
    assert ran.exit_code == 0, ran.stderr
    return ran.stdout.splitlines()


def content(directory: Path) -> dict[str, bytes]:
    files = (path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in files}


def test_there_and_back(lake: Path, tmp_path: Path) -> None:
    with_files(lake, fill)
    first, other = tmp_path / "first", make_lake(tmp_path / "other").path
    studio("export", "--lake", lake, first)
    assert content(first).keys() == {
        "studio.yaml",
        "check.py",
        "Sales/Daily/Step01.Load.sql",
        "Sales/Daily/d.dynamic_table.sql",
    }
    assert content(first)["Sales/Daily/Step01.Load.sql"] == SCRIPT.encode()
    shown = studio("import", "--dry-run", "--lake", other, first)
    assert shown == [
        "create: Sales/Daily/Step01.Load",
        "create: Sales/Daily/d",
        "create: check",
        "3 of 3 files would change",
    ]
    assert studio("import", "--lake", other, first)[-1] == "3 of 3 files were changed"
    assert studio("import", "--lake", other, first) == ["0 of 3 files were changed"]
    second = tmp_path / "second"
    studio("export", "--lake", other, second)
    assert content(second) == content(first)
    (load,) = (script for script in read_directory(second) if script.path == "Sales/Daily/Step01.Load")
    assert load.settings == SETTINGS


def test_import_changes_what_differs(lake: Path, tmp_path: Path) -> None:
    with_files(lake, fill)
    studio("export", "--lake", lake, tmp_path / "d")
    (tmp_path / "d" / "check.py").write_text("print(2)\n")
    (tmp_path / "d" / "new.sql").write_text("SELECT 1")
    (tmp_path / "d" / "notes.txt").write_text("not a script")
    assert studio("import", "--lake", lake, tmp_path / "d") == [
        "change: check",
        "create: new",
        "2 of 4 files were changed",
    ]

    def look(editing: FileEditing) -> None:
        file = editing.files.tree().at("check")
        assert file is not None
        assert [each.content for each in editing.files.versions(file.id)] == ["print(2)\n", "print(1)\n"]

    with_files(lake, look)


def test_export_deletes_what_it_has_written_before(lake: Path, tmp_path: Path) -> None:
    with_files(lake, fill)
    directory = tmp_path / "d"
    studio("export", "--lake", lake, directory)
    (directory / "mine.sql").write_text("SELECT 1")

    def delete(editing: FileEditing) -> None:
        file = editing.files.tree().at("check")
        assert file is not None
        editing.delete(file.id, "ann")

    with_files(lake, delete)
    assert studio("export", "--lake", lake, directory) == ["deleted: check.py", "2 files were exported"]
    assert "mine.sql" in content(directory)


def test_nothing_outside_the_directory_is_deleted(lake: Path, tmp_path: Path) -> None:
    directory = tmp_path / "d"
    directory.mkdir()
    (tmp_path / "x.sql").write_text("SELECT 1")
    (directory / "studio.yaml").write_text("files: {../x.sql: {}}")
    studio("export", "--lake", lake, directory)
    assert (tmp_path / "x.sql").exists()


@pytest.mark.parametrize(
    "text", ["files: [", "x: 1", "files: {a.sql: {nosuch: 1}}", "files: {a.sql: {chart: 1}}"]
)
def test_a_damaged_settings_file(lake: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "studio.yaml").write_text(text)
    ran = CliRunner().invoke(cli, ["studio", "import", "--lake", str(lake), str(tmp_path)])
    assert ran.exit_code == 1
    assert "studio.yaml cannot be read" in ran.stderr


def test_another_kind(lake: Path, tmp_path: Path) -> None:
    with_files(lake, fill)
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "check.sql").write_text("SELECT 1")
    ran = CliRunner().invoke(cli, ["studio", "import", "--lake", str(lake), str(tmp_path / "d")])
    assert (ran.exit_code, ran.stderr) == (1, "error: check is of the kind PYTHON, not SQL\n")


def test_through_a_server(lake: Path, tmp_path: Path) -> None:
    with_files(lake, fill)
    studio("export", "--lake", lake, tmp_path / "a")
    other = make_lake(tmp_path / "other").path
    with (other / "lake.toml").open("a") as settings:
        settings.write("start_default_cluster = false\n")
    with serving(other) as served:
        assert studio("import", "--url", served.url, tmp_path / "a")[-1] == "3 of 3 files were changed"
        (tmp_path / "a" / "check.py").write_text("print(2)\n")
        assert studio("import", "--url", served.url, tmp_path / "a")[0] == "change: check"
        studio("export", "--url", served.url, tmp_path / "b")
    assert content(tmp_path / "b") == content(tmp_path / "a")
