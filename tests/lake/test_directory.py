"""An embedded lake's directory: what is made, what is refused, and that a refusal changes nothing."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from headrace.errors import LakeDamaged, LakeError, LakeTooNew
from headrace.lake.directory import is_lake, make_lake, open_directory
from headrace.lake.settings import Settings

RESTORE = "restore it from a backup"
ELSEWHERE = "use a directory that this user can write to"
NOBODY = 65534


def tree(path: Path) -> dict[str, bytes | None]:
    """Every file below ``path`` with its bytes; None for directories."""
    return {
        str(entry.relative_to(path)): entry.read_bytes() if entry.is_file() else None
        for entry in sorted(path.rglob("*"))
    }


def assert_refused(path: Path, kind: type[LakeError], message: str, hint: str | None) -> None:
    before = tree(path)
    with pytest.raises(LakeError) as caught:
        open_directory(path)
    assert (type(caught.value), caught.value.message, caught.value.hint) == (kind, message, hint)
    assert tree(path) == before


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A lake as a closed process leaves it: databases with a table each, in the mode of a write-ahead log."""
    path = make_lake(tmp_path / "lake").path
    for database in ("catalog.db", "metadata.db"):
        connection = sqlite3.connect(path / database)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE something (a)")
        connection.commit()
        connection.close()
    (path / "warehouse" / "public").mkdir()
    return path


def rewrite_marker(home: Path, change: Callable[[str], str]) -> None:
    marker = home / "lake.toml"
    marker.write_text(change(marker.read_text()))


def with_settings(home: Path, lines: str) -> None:
    rewrite_marker(home, lambda text: text[: text.index("[settings]")] + "[settings]\n" + lines)


class TestMaking:
    def test_in_a_missing_directory(self, tmp_path: Path) -> None:
        lake = open_directory(tmp_path / "a" / "b")
        assert lake.settings == Settings()
        assert sorted(tree(lake.path)) == [
            "catalog.db",
            "lake.toml",
            "lock",
            "logs",
            "metadata.db",
            "warehouse",
        ]

    def test_in_an_empty_directory(self, tmp_path: Path) -> None:
        assert is_lake(open_directory(tmp_path).path)

    def test_again_is_opening(self, tmp_path: Path) -> None:
        made = open_directory(tmp_path / "lake")
        before = tree(tmp_path)
        assert open_directory(tmp_path / "lake") == made
        assert tree(tmp_path) == before

    def test_again_by_hand(self, home: Path) -> None:
        with pytest.raises(LakeError) as caught:
            make_lake(home)
        assert str(caught.value) == f"{home} is already a lake"

    def test_after_it_was_cut_short(self, tmp_path: Path) -> None:
        (tmp_path / "warehouse").mkdir()
        (tmp_path / "catalog.db").touch()
        (tmp_path / "lake.toml.0123").write_text("form")
        assert open_directory(tmp_path).path == tmp_path
        assert open_directory(tmp_path).settings == Settings()

    def test_relative_and_home_paths(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("HOME", str(tmp_path))
        assert open_directory(Path("lake")).path == tmp_path / "lake"
        assert open_directory(Path("~/lake")).path == tmp_path / "lake"

    @pytest.mark.parametrize("name", ["a b", 'a"b', "a\\b", "a\nb", "a\x7fb", "ä日本", "a?b#c%41"])
    def test_under_any_name(self, tmp_path: Path, name: str) -> None:
        made = open_directory(tmp_path / name)
        assert open_directory(tmp_path / name) == made

    def test_by_many_at_once(self, tmp_path: Path) -> None:
        failures: list[Exception] = []

        def make(path: Path) -> None:
            try:
                open_directory(path)
            except LakeError as error:
                failures.append(error)

        for number in range(20):
            makers = [threading.Thread(target=make, args=(tmp_path / str(number),)) for _ in range(4)]
            for maker in makers:
                maker.start()
            for maker in makers:
                maker.join()
        assert failures == []


class TestRefusedPlaces:
    def test_foreign_files(self, tmp_path: Path) -> None:
        (tmp_path / "thesis.doc").write_text("years of work")
        assert_refused(
            tmp_path,
            LakeError,
            f"{tmp_path} is neither a lake nor empty: it contains thesis.doc",
            "use an empty or new directory to create a lake",
        )

    def test_a_file(self, tmp_path: Path) -> None:
        file = tmp_path / "lake"
        file.write_text("not a directory")
        with pytest.raises(LakeError) as caught:
            open_directory(file)
        assert caught.value.message == f"{file} is a file, but a lake requires a directory"
        assert file.read_text() == "not a directory"

    def test_below_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        path = tmp_path / "file" / "lake"
        with pytest.raises(LakeError) as caught:
            open_directory(path)
        assert caught.value.message == f"cannot create a lake in {path}: Not a directory"
        assert caught.value.hint == ELSEWHERE

    def test_without_the_right_to_write(self, public_directory: Path) -> None:
        public_directory.chmod(0o555)
        with as_somebody_else(), pytest.raises(LakeError) as caught:
            open_directory(public_directory / "lake")
        assert (
            caught.value.message == f"cannot create a lake in {public_directory / 'lake'}: Permission denied"
        )
        assert caught.value.hint == ELSEWHERE

    def test_without_the_right_to_look(self, public_directory: Path) -> None:
        public_directory.chmod(0o000)
        with as_somebody_else(), pytest.raises(LakeError) as caught:
            open_directory(public_directory / "lake")
        assert caught.value.message == f"cannot read {public_directory / 'lake'}: Permission denied"
        assert caught.value.hint == ELSEWHERE

    @pytest.mark.parametrize(
        ("path", "why"),
        [
            ("~nosuchuser/lake", "Could not determine home directory."),
            ("a\0b", "embedded null byte"),
            ("\udcff", "surrogates not allowed"),
        ],
    )
    def test_impossible_paths(self, tmp_path: Path, path: str, why: str) -> None:
        with pytest.raises(LakeError) as caught:
            open_directory(Path(path) if path.startswith("~") else tmp_path / path)
        assert "cannot be the path of a lake: " in caught.value.message
        assert why in caught.value.message
        assert tree(tmp_path) == {}


@pytest.fixture
def public_directory(tmp_path: Path) -> Iterator[Path]:
    """One that anybody can reach."""
    path = Path(os.path.realpath(f"/tmp/headrace-test-{os.getpid()}-{tmp_path.name}"))  # noqa: S108
    path.mkdir(0o755)
    yield path
    path.chmod(0o755)
    for entry in path.iterdir():
        entry.rmdir()
    path.rmdir()


@contextlib.contextmanager
def as_somebody_else() -> Iterator[None]:
    """Root may do anything, so it is not root for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


class TestMarker:
    def test_a_newer_format(self, home: Path) -> None:
        rewrite_marker(home, lambda text: text.replace("format = 1", "format = 2"))
        assert_refused(
            home,
            LakeTooNew,
            f"the lake in {home} has format 2; this Headrace supports formats up to 1",
            "open it with a newer Headrace",
        )

    @pytest.mark.parametrize("line", ["", "format = '1'", "format = true", "format = 0", "format = 1.0"])
    def test_no_format(self, home: Path, line: str) -> None:
        rewrite_marker(home, lambda text: text.replace("format = 1", line))
        marker = home / "lake.toml"
        assert_refused(home, LakeDamaged, f"{marker} does not specify the format of the lake", RESTORE)

    def test_empty(self, home: Path) -> None:
        (home / "lake.toml").write_bytes(b"")
        marker = home / "lake.toml"
        assert_refused(home, LakeDamaged, f"{marker} does not specify the format of the lake", RESTORE)

    def test_not_toml(self, home: Path) -> None:
        (home / "lake.toml").write_text("format: 1\n")
        message = (
            f"{home / 'lake.toml'} is not valid TOML: Expected '=' after a key in a key/value pair "
            "(at line 1, column 7)"
        )
        assert_refused(home, LakeDamaged, message, "correct the file")

    def test_not_text(self, home: Path) -> None:
        (home / "lake.toml").write_bytes(b"\xff\xfe\x00")
        assert_refused(home, LakeDamaged, f"{home / 'lake.toml'} is not a UTF-8 text file", RESTORE)

    def test_a_directory(self, home: Path) -> None:
        (home / "lake.toml").unlink()
        (home / "lake.toml").mkdir()
        assert_refused(home, LakeDamaged, f"{home / 'lake.toml'} cannot be read: Is a directory", None)

    def test_missing(self, home: Path) -> None:
        (home / "lake.toml").unlink()
        assert_refused(home, LakeDamaged, f"the lake in {home} is damaged: lake.toml is missing", RESTORE)

    def test_no_location(self, home: Path) -> None:
        (home / "lake.toml").write_text("format = 1\n")
        marker = home / "lake.toml"
        assert_refused(home, LakeDamaged, f"{marker} does not specify where the lake was created", RESTORE)


class TestMoved:
    HINT = "move the directory back, or create a symbolic link at the old path"

    def test_is_refused(self, home: Path) -> None:
        moved = home.rename(home.with_name("elsewhere"))
        message = f"the lake in {moved} was created at {home}, and its tables refer to that path"
        assert_refused(moved, LakeDamaged, message, self.HINT)

    def test_opens_when_moved_back(self, home: Path) -> None:
        home.rename(home.with_name("elsewhere")).rename(home)
        assert open_directory(home).path == home

    def test_opens_with_a_link_at_the_old_place(self, home: Path) -> None:
        moved = home.rename(home.with_name("elsewhere"))
        home.symlink_to(moved)
        assert open_directory(home).path == home
        assert open_directory(moved).path == home

    def test_a_link_to_the_lake_is_the_lake(self, home: Path) -> None:
        link = home.with_name("link")
        link.symlink_to(home)
        assert open_directory(link).path == home


class TestDamage:
    @pytest.mark.parametrize("part", ["catalog.db", "metadata.db"])
    def test_a_database_is_missing(self, home: Path, part: str) -> None:
        (home / part).unlink()
        assert_refused(home, LakeDamaged, f"the lake in {home} is damaged: {part} is missing", RESTORE)

    def test_the_warehouse_is_missing(self, home: Path) -> None:
        (home / "warehouse" / "public").rmdir()
        (home / "warehouse").rmdir()
        assert_refused(home, LakeDamaged, f"the lake in {home} is damaged: warehouse is missing", RESTORE)

    def test_the_warehouse_is_a_file(self, home: Path) -> None:
        (home / "warehouse" / "public").rmdir()
        (home / "warehouse").rmdir()
        (home / "warehouse").touch()
        message = f"the lake in {home} is damaged: warehouse is not a directory"
        assert_refused(home, LakeDamaged, message, RESTORE)

    @pytest.mark.parametrize("part", ["catalog.db", "metadata.db"])
    def test_a_database_is_garbage(self, home: Path, part: str) -> None:
        (home / part).write_bytes(b"garbage" * 1000)
        message = f"the lake is damaged: {home / part} cannot be read (file is not a database)"
        assert_refused(home, LakeDamaged, message, RESTORE)

    @pytest.mark.parametrize("part", ["catalog.db", "metadata.db"])
    def test_a_database_lost_its_end(self, home: Path, part: str) -> None:
        (home / part).write_bytes((home / part).read_bytes()[:4096])
        message = f"the lake is damaged: {home / part} cannot be read (database disk image is malformed)"
        assert_refused(home, LakeDamaged, message, RESTORE)

    @pytest.mark.parametrize("part", ["catalog.db", "metadata.db"])
    @pytest.mark.parametrize("content", ["nothing", "no table"])
    def test_a_database_is_empty_beside_tables(self, home: Path, part: str, content: str) -> None:
        (home / part).unlink()
        (home / part).touch()
        if content == "no table":
            connection = sqlite3.connect(home / part)
            connection.execute("PRAGMA user_version = 1")
            connection.close()
        warehouse = home / "warehouse"
        message = f"the lake is damaged: {home / part} is empty, but there are tables in {warehouse}"
        assert_refused(home, LakeDamaged, message, RESTORE)

    def test_what_is_whole_stays_as_it_is(self, home: Path) -> None:
        before = tree(home)
        open_directory(home)
        assert tree(home) == before

    def test_a_log_that_a_crash_left_is_read(self, home: Path) -> None:
        script = (
            "import os, sqlite3, sys\n"
            "connection = sqlite3.connect(sys.argv[1])\n"
            "connection.execute('CREATE TABLE more (a)')\n"
            "connection.commit()\n"
            "os._exit(9)\n"
        )
        subprocess.run([sys.executable, "-c", script, str(home / "catalog.db")], check=False)
        assert (home / "catalog.db-wal").stat().st_size > 0
        assert open_directory(home).path == home


class TestSettings:
    def test_all_of_them(self, home: Path) -> None:
        with_settings(
            home,
            'time_zone = "Asia/Shanghai"\nminimum_interval_seconds = 5\nhistory_days = 30\n'
            "refresh_wait_seconds = 9\ndata_retention_days = 0\nstatement_timeout_seconds = 0\n"
            'allow_outside = true\nallowed_directories = ["/data", "s3://bucket/in"]\n'
            '[settings.spark]\nspark.driver.memory = "2g"\n"spark.ui.enabled" = false\n'
            "spark.sql.shuffle.partitions = 4\n"
            '[settings.workspaces.other]\ntype = "rest"\ns3.path-style-access = true\n',
        )
        assert open_directory(home).settings == Settings(
            time_zone="Asia/Shanghai",
            minimum_interval_seconds=5,
            history_days=30,
            refresh_wait_seconds=9,
            data_retention_days=0,
            statement_timeout_seconds=0,
            allow_outside=True,
            allowed_directories=("/data", "s3://bucket/in"),
            spark={
                "spark.driver.memory": "2g",
                "spark.ui.enabled": "false",
                "spark.sql.shuffle.partitions": "4",
            },
            workspaces={"other": {"type": "rest", "s3.path-style-access": "true"}},
        )

    def test_none_of_them(self, home: Path) -> None:
        with_settings(home, "")
        assert open_directory(home).settings == Settings()

    @pytest.mark.parametrize(
        ("lines", "message", "hint"),
        [
            (
                "retention = 3",
                "unknown setting 'retention'",
                "known settings: alerts, allow_outside, allowed_brokers, allowed_databases, "
                "allowed_directories, case_insensitive_names, data_retention_days, features, "
                "full_refresh_margin, history_days, jdbc_drivers, keep_unread_days, key_indexes_mb, "
                "minimum_interval_seconds, "
                "protect_sources, refresh_wait_seconds, result_max_mb, result_memory_mb, results_total_mb, "
                "spark, start_default_cluster, "
                "statement_timeout_seconds, stream_commit_seconds, stream_pending_mb, time_zone, workspaces",
            ),
            (
                "full_refresh_margin = 'much'",
                "full_refresh_margin must be a number greater than 0, not 'much'",
                None,
            ),
            ("full_refresh_margin = 0", "full_refresh_margin must be a number greater than 0, not 0", None),
            (
                "full_refresh_margin = inf",
                "full_refresh_margin must be a number greater than 0, not inf",
                None,
            ),
            (
                "history_days = 'a week'",
                "history_days must be a whole number from 1 to 36500, not 'a week'",
                None,
            ),
            ("history_days = 0", "history_days must be a whole number from 1 to 36500, not 0", None),
            (
                "data_retention_days = 91",
                "data_retention_days must be a whole number from 0 to 90, not 91",
                None,
            ),
            (
                "data_retention_days = -1",
                "data_retention_days must be a whole number from 0 to 90, not -1",
                None,
            ),
            ("history_days = true", "history_days must be a whole number from 1 to 36500, not True", None),
            (
                "history_days = 99999999999",
                "history_days must be a whole number from 1 to 36500, not 99999999999",
                None,
            ),
            (
                "refresh_wait_seconds = 1.5",
                "refresh_wait_seconds must be a whole number from 1 to 3153600000, not 1.5",
                None,
            ),
            (
                "time_zone = 'Mars/Olympus'",
                "unknown time zone 'Mars/Olympus'",
                "use a name such as 'Europe/Berlin' or 'UTC'",
            ),
            (
                "time_zone = 'Europe'",
                "unknown time zone 'Europe'",
                "use a name such as 'Europe/Berlin' or 'UTC'",
            ),
            ("time_zone = 8", "unknown time zone 8", "use a name such as 'Europe/Berlin' or 'UTC'"),
            ("allow_outside = 'yes'", "allow_outside must be true or false, not 'yes'", None),
            *(
                (
                    f"allowed_directories = {value}",
                    "allowed_directories must be a list of absolute paths or URLs",
                    'for example allowed_directories = ["/data/incoming"]',
                )
                for value in ("'/data'", "['data']", "[3]", "true")
            ),
            ("spark = 'fast'", "spark must be a table of names and values", None),
            (
                "[settings.spark]\nspark.jars = ['a', 'b']",
                "spark.spark.jars must be a string or a number, not ['a', 'b']",
                None,
            ),
            ("workspaces = 3", "workspaces must be a table of tables", None),
            ("workspaces.other = 3", "workspaces.other must be a table of names and values", None),
            (
                "workspaces.lake.type = 'rest'",
                "the workspace name 'lake' is reserved for the lake itself",
                "choose a name that consists of letters, digits and underscores",
            ),
            (
                "workspaces.spark_catalog.type = 'rest'",
                "the workspace name 'spark_catalog' is reserved for Spark",
                "choose a name that consists of letters, digits and underscores",
            ),
            (
                "workspaces.'a b'.type = 'rest'",
                "'a b' cannot be the name of a workspace",
                "choose a name that consists of letters, digits and underscores",
            ),
        ],
    )
    def test_bad_ones(self, home: Path, lines: str, message: str, hint: str | None) -> None:
        with_settings(home, lines)
        assert_refused(home, LakeDamaged, f"lake.toml: {message}", hint)

    @pytest.mark.parametrize(
        ("lines", "setting", "meant"),
        [
            ("history_day = 3", "history_day", "history_days"),
            ("timezone = 'UTC'", "timezone", "time_zone"),
            ("protect_source = 'yes'\nhistory_days = 0", "protect_source", "protect_sources"),
            ("[settings.alerts]\nrepeat_second = 60", "alerts.repeat_second", "repeat_seconds"),
        ],
    )
    def test_a_misspelt_one(self, home: Path, lines: str, setting: str, meant: str) -> None:
        with_settings(home, lines)
        message = f"lake.toml: unknown setting '{setting}'"
        assert_refused(home, LakeDamaged, message, f"did you mean {meant}?")

    @pytest.mark.parametrize("value", ["3", "''", "true", "['postgresql://h/d']"])
    @pytest.mark.parametrize("key", ["database", "warehouse"])
    def test_a_place_that_is_no_string(self, home: Path, key: str, value: str) -> None:
        rewrite_marker(home, lambda text: f"{key} = {value}\n{text}")
        assert_refused(home, LakeDamaged, f"{home / 'lake.toml'}: {key} must be a string", None)

    def test_no_table(self, home: Path) -> None:
        rewrite_marker(home, lambda text: text[: text.index("[settings]")] + "settings = 1\n")
        message = f"{home / 'lake.toml'}: [settings] must be a table"
        assert_refused(home, LakeDamaged, message, None)


class TestCatalog:
    """The Iceberg catalog of a lake, where it is not in the lake's directory."""

    def test_by_its_url(self, tmp_path: Path) -> None:
        lake = make_lake(tmp_path / "lake")
        assert open_directory(lake.path).catalog is None
        self.set_catalog(lake.path, '"postgresql:///catalog"')
        found = open_directory(lake.path)
        assert (found.catalog, found.database) == ("postgresql:///catalog", None)

    def test_the_file_in_the_directory_may_then_be_empty(self, tmp_path: Path) -> None:
        lake = make_lake(tmp_path / "lake")
        with contextlib.closing(sqlite3.connect(lake.metadata_db)) as metadata:
            metadata.execute("CREATE TABLE t (a)")
        (Path(lake.warehouse) / "table").mkdir()
        with pytest.raises(LakeDamaged, match=r"catalog\.db is empty"):
            open_directory(lake.path)
        self.set_catalog(lake.path, '"postgresql:///catalog"')
        assert open_directory(lake.path).catalog == "postgresql:///catalog"

    def test_it_must_be_a_string(self, tmp_path: Path) -> None:
        lake = make_lake(tmp_path / "lake")
        self.set_catalog(lake.path, "3")
        with pytest.raises(LakeDamaged, match="catalog must be a string"):
            open_directory(lake.path)

    @staticmethod
    def set_catalog(path: Path, value: str) -> None:
        marker = path / "lake.toml"
        marker.write_text(f"catalog = {value}\n{marker.read_text()}")
