from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Headrace = Callable[..., Result]

GMV_TABLE = """\
+-------------+---------+
| category    | gmv     |
+-------------+---------+
| Electronics | 1841.00 |
| Home, etc.  | null    |
+-------------+---------+
"""


def test_tables_go_to_stdout_and_the_rest_to_stderr(headrace: Headrace) -> None:
    ran = headrace("sql", "-e", "SELECT gmv; CREATE x; INSERT x")
    assert (ran.exit_code, ran.stdout) == (0, GMV_TABLE)
    lines = ran.stderr.splitlines()
    assert lines[0] == "starting Spark"
    assert lines[1].startswith("(2 rows, 0.")
    assert lines[2] == "notice: no scheduler is running for this lake"
    assert lines[3].startswith("ok (0.")


def test_json_is_one_object_per_statement(headrace: Headrace) -> None:
    ran = headrace("sql", "--output", "json", "-e", " SELECT gmv ; CREATE x;SELECT time")
    first, second, third = map(json.loads, ran.stdout.splitlines())
    assert first.pop("elapsed_s") >= 0
    assert first == {
        "statement": "SELECT gmv",
        "columns": ["category", "gmv"],
        "rows": [["Electronics", "1841.00"], ["Home, etc.", None]],
    }
    assert second["columns"] == second["rows"] == []
    assert second["notices"] == ["no scheduler is running for this lake"]
    assert third["rows"] == [["2024-05-17T11:33:15.512000"]]
    assert ran.stderr == "starting Spark\n"


def test_vertical_output_has_a_line_per_value(headrace: Headrace) -> None:
    ran = headrace("sql", "--output", "vertical", "-e", "SELECT gmv; CREATE x; REFRESH DYNAMIC TABLE t")
    assert ran.stdout.splitlines() == [
        "-[ row 1 ]".ljust(60, "-"),
        "category | Electronics",
        "gmv      | 1841.00",
        "-[ row 2 ]".ljust(60, "-"),
        "category | Home, etc.",
        "gmv      | null",
        "-[ row 1 ]".ljust(60, "-"),
        "refresh_mode | FULL",
        "duration     | 0 00:00:02.000000000",
        'stats        | {"rows_deleted":"0","rows_inserted":"4"}',
        "job_id       | 2024-1",
    ]


def test_nothing_is_cut_where_the_output_is_no_terminal(headrace: Headrace) -> None:
    ran = headrace("sql", "-e", "SELECT wide; SELECT long", env={"COLUMNS": "40"})
    assert ran.stdout.count("x" * 20) == 12
    assert "y" * 300 in ran.stdout
    assert "cut" not in ran.stderr


def test_a_refresh_is_one_line_for_people_and_a_row_for_programs(headrace: Headrace) -> None:
    ran = headrace("sql", "-e", "REFRESH DYNAMIC TABLE t; SHOW CREATE TABLE t")
    assert ran.stdout == (
        "FULL in 2.00 s: +4 -0 rows, job 2024-1\nCREATE TABLE t (\n  a INT)\nUSING iceberg\n"
    )
    ran = headrace("sql", "--output", "json", "-e", "REFRESH DYNAMIC TABLE t")
    assert json.loads(ran.stdout)["rows"][0][0] == "FULL"
    ran = headrace("sql", "--output", "csv", "-e", "REFRESH DYNAMIC TABLE t")
    assert ran.stdout.startswith("refresh_mode,duration,stats,job_id\nFULL,")


def test_csv_has_a_blank_line_between_results(headrace: Headrace) -> None:
    ran = headrace("sql", "--output", "csv", "-e", "SELECT gmv; INSERT x; SELECT time")
    expected = 'category,gmv\nElectronics,1841.00\n"Home, etc.",\n\nt\n2024-05-17 11:33:15.512\n'
    assert ran.stdout == expected


def test_texts_and_files_run_in_the_order_given(headrace: Headrace, tmp_path: Path) -> None:
    file = tmp_path / "a.sql"
    file.write_text("\ufeffINSERT x; -- done\n", encoding="utf-8")
    args = ["-e", "CREATE x", "-f", str(file), "-e", "SELECT time", "-f", "-"]
    ran = headrace("sql", "--output", "json", *args, input="SELECT gmv;")
    statements = [json.loads(line)["statement"] for line in ran.stdout.splitlines()]
    assert statements == ["CREATE x", "INSERT x", "SELECT time", "SELECT gmv"]


def test_stdin_that_is_no_terminal_is_a_script(headrace: Headrace) -> None:
    assert headrace("sql", input="SELECT gmv;\n").stdout == GMV_TABLE


def test_nothing_to_run_does_not_start_spark(headrace: Headrace) -> None:
    ran = headrace("sql", "-e", "-- nothing")
    assert (ran.exit_code, ran.output) == (0, "")


def test_the_first_error_stops_the_script(headrace: Headrace) -> None:
    ran = headrace("sql", "--output", "json", "-e", "SELECT time; SELECT wrong", "-e", "SELECT gmv")
    assert ran.exit_code == 1
    first, second = map(json.loads, ran.stdout.splitlines())
    assert first["statement"] == "SELECT time"
    assert second == {
        "statement": "SELECT wrong",
        "error": {
            "kind": "ProgrammingError",
            "message": "no column wrong",
            "hint": "write right",
            "place": {"line": 1, "column": 8, "source_line": "SELECT wrong", "length": 5},
        },
    }


def test_an_error_in_a_file_names_the_line_of_the_file(headrace: Headrace, tmp_path: Path) -> None:
    file = tmp_path / "a.sql"
    file.write_text("INSERT x;\nINSERT x; SELECT 1,\n  wrong;\n")
    ran = headrace("sql", "-f", str(file))
    assert ran.exit_code == 1
    assert (
        f"error: no column wrong at line 3, column 3\n    wrong;\n    ^^^^^\nhint: write right\nin {file}\n"
        in (ran.stderr)
    )


def test_an_error_on_the_first_line_of_a_later_statement(headrace: Headrace) -> None:
    ran = headrace("sql", "-e", "INSERT x;\nINSERT x; SELECT wrong")
    assert "at line 2, column 18\n  INSERT x; SELECT wrong\n                   ^^^^^\n" in ran.stderr


@pytest.mark.parametrize("output", ["table", "csv"])
def test_errors_in_text_go_to_stderr(headrace: Headrace, output: str) -> None:
    ran = headrace("sql", "--output", output, "-e", "FROB")
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr.endswith("error: unknown: FROB\n")


def test_a_text_that_cannot_be_split_runs_nothing(headrace: Headrace) -> None:
    ran = headrace("sql", "--output", "json", "-e", "SELECT time; SELECT 'x")
    assert ran.exit_code == 1
    report = json.loads(ran.stdout)
    assert report["statement"] == "SELECT time; SELECT 'x"
    assert "no closing quote" in report["error"]["message"]


def test_a_lake_that_does_not_open_is_an_error_of_the_first_statement(
    headrace: Headrace, tmp_path: Path
) -> None:
    args = ["sql", "--lake", str(tmp_path / "locked"), "-e", "SELECT gmv"]
    ran = headrace(*args, "--output", "json")
    assert (ran.exit_code, json.loads(ran.stdout)) == (
        1,
        {
            "statement": "SELECT gmv",
            "error": {"kind": "DatabaseError", "message": "the lake is locked", "hint": None, "place": None},
        },
    )
    ran = headrace(*args)
    assert (ran.exit_code, ran.stderr) == (1, "starting Spark\nerror: the lake is locked\n")


def test_a_fault_of_headrace_is_one_line_that_names_the_logs(
    headrace: Headrace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HEADRACE_DEBUG", raising=False)
    ran = headrace("sql", "-e", "BOOM")
    assert ran.exit_code == 1
    assert ran.stderr.splitlines()[1:] == [
        "error: internal error (ValueError: one two); please report this with the logs in lake/logs"
    ]
    monkeypatch.setenv("HEADRACE_DEBUG", "1")
    assert "Traceback" in headrace("sql", "-e", "BOOM").stderr


@pytest.mark.parametrize(
    "args",
    [
        ["sql", "--output", "xml"],
        ["sql", "-f", "/does/not/exist.sql"],
        ["sql", "-f", "/"],
        ["sql", "unasked"],
        ["frob"],
        ["init"],
    ],
)
def test_wrong_usage(headrace: Headrace, args: list[str]) -> None:
    ran = headrace(*args)
    assert ran.exit_code == 2
    assert "Usage: headrace" in ran.stderr


def test_a_file_that_is_not_utf8(headrace: Headrace, tmp_path: Path) -> None:
    file = tmp_path / "a.sql"
    file.write_bytes(b"SELECT '\xff'")
    ran = headrace("sql", "-f", str(file))
    assert ran.exit_code == 2
    assert "byte 8 is not UTF-8" in ran.stderr


def test_a_reader_that_goes_away_is_no_error(fake_command: list[str]) -> None:
    script = "SELECT many;" * 20
    line = f'{" ".join(fake_command)} sql --output csv -e "{script}" | head -n 2; exit ${{PIPESTATUS[0]}}'
    ran = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout) == (141, "n\n0\n")
    assert ran.stderr.count("(200000 rows") < 20
    assert "rror" not in ran.stderr


def test_output_that_the_terminal_cannot_show_is_escaped(fake_command: list[str]) -> None:
    ran = subprocess.run(
        [*fake_command, "sql", "-e", "FROB 名"],
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.stderr.endswith("error: unknown: FROB \\u540d\n")
