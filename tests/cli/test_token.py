from __future__ import annotations

from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner, Result

from headrace.catalog.database_engine import sqlite_url
from headrace.catalog.store import MetadataStore
from headrace.cli.main import cli
from headrace.lake.directory import make_lake
from headrace.model.access_token import Principal
from headrace.model.role import Role


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return make_lake(tmp_path / "lake").path


def token(lake: Path, command: str, *names: str) -> Result:
    return CliRunner().invoke(cli, ["token", command, "--lake", str(lake), *names])


def test_a_token_is_shown_once_and_known_by_its_hash(lake: Path) -> None:
    shown = token(lake, "create", "ann").stdout.strip()
    assert shown.startswith("hr_")
    listed = token(lake, "list").stdout
    assert listed.startswith("ann: developer, created ")
    assert shown not in listed
    store = MetadataStore.open(sqlite_url(lake / "metadata.db"))
    assert store.tokens.holder_of(shown) == Principal("ann", Role.DEVELOPER)
    assert store.tokens.holder_of(shown + "x") is None
    assert token(lake, "revoke", "ann").stdout == "token ann was revoked\n"
    assert store.tokens.holder_of(shown) is None
    store.close()
    assert ", revoked " in token(lake, "list").stdout


def test_a_token_with_a_role(lake: Path) -> None:
    assert token(lake, "create", "ann", "--role", "reader").exit_code == 0
    assert token(lake, "list").stdout.startswith("ann: reader, created ")
    unknown = token(lake, "create", "bob", "--role", "king")
    assert unknown.exit_code == 2
    assert "is not one of 'reader', 'operator', 'developer', 'admin'" in unknown.stderr


def test_names(lake: Path) -> None:
    token(lake, "create", "ann")
    again = token(lake, "create", "ann")
    assert (again.exit_code, again.stderr) == (1, "error: token ann already exists\n")
    unknown = token(lake, "revoke", "bob")
    assert (unknown.exit_code, unknown.stderr) == (1, "error: token bob does not exist or was revoked\n")
    unnamed = token(lake, "create", " ")
    assert unnamed.exit_code == 2
    assert "a token requires the name of its user" in unnamed.stderr


def test_a_revoked_name_is_free_again(lake: Path) -> None:
    first = token(lake, "create", "ann").stdout
    token(lake, "revoke", "ann")
    second = token(lake, "create", "ann")
    assert (second.exit_code, second.stdout.startswith("hr_")) == (0, True)
    assert second.stdout != first
    assert "revoked" not in token(lake, "list").stdout


URL = ("--url", "http://127.0.0.1:9")


@pytest.mark.parametrize(
    ("given", "variable"), [(None, ""), (None, "  "), ("", None), ("\t", "hr_x"), ("", "hr_x")]
)
def test_an_empty_token_is_named_as_such(given: str | None, variable: str | None) -> None:
    arguments = ["history", *URL, *(("--token", given) if given is not None else ())]
    ran = CliRunner().invoke(cli, arguments, env={"HEADRACE_TOKEN": variable})
    assert ran.exit_code == 1
    assert ran.stderr.startswith("error: the token is empty\nhint: set HEADRACE_TOKEN")


def test_an_empty_token_does_not_matter_without_a_server(lake: Path) -> None:
    ran = CliRunner().invoke(cli, ["history", "--lake", str(lake)], env={"HEADRACE_TOKEN": ""})
    assert ran.exit_code == 0


@pytest.mark.parametrize("damaged", ["hr_se cret", "hr_se\ncret", "hr_secrét", "hr_se\x00cret"])
def test_a_token_that_cannot_be_sent_is_not_shown(damaged: str) -> None:
    ran = CliRunner().invoke(cli, ["history", *URL, "--token", damaged])
    assert ran.exit_code == 1
    assert ran.stderr.startswith("error: the token contains characters that are not valid in a token")
    assert "cret" not in ran.output


def test_white_space_around_a_token_does_not_matter() -> None:
    sent: list[str | None] = []

    class Recorder(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            sent.append(self.headers["Authorization"])
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            """On stderr otherwise."""

    with HTTPServer(("127.0.0.1", 0), Recorder) as server:
        thread = Thread(target=server.handle_request)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}"
        ran = CliRunner().invoke(cli, ["history", "--url", url], env={"HEADRACE_TOKEN": " hr_abc\n"})
        thread.join()
    assert sent == ["Bearer hr_abc"]
    assert "answered 404" in ran.stderr
