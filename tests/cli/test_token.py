from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from headrace.catalog import MetadataStore, sqlite_url
from headrace.cli.main import cli
from headrace.lake.directory import make_lake


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return make_lake(tmp_path / "lake").path


def token(lake: Path, command: str, *names: str) -> Result:
    return CliRunner().invoke(cli, ["token", command, "--lake", str(lake), *names])


def test_a_token_is_shown_once_and_known_by_its_hash(lake: Path) -> None:
    shown = token(lake, "create", "ann").stdout.strip()
    assert shown.startswith("hr_")
    listed = token(lake, "list").stdout
    assert listed.startswith("ann: created ")
    assert shown not in listed
    store = MetadataStore.open(sqlite_url(lake / "metadata.db"))
    assert (store.tokens.holder_of(shown), store.tokens.holder_of(shown + "x")) == ("ann", None)
    assert token(lake, "revoke", "ann").stdout == "the token of ann is revoked\n"
    assert store.tokens.holder_of(shown) is None
    store.close()
    assert ", revoked " in token(lake, "list").stdout


def test_names(lake: Path) -> None:
    token(lake, "create", "ann")
    again = token(lake, "create", "ann")
    assert (again.exit_code, again.stderr) == (1, "error: a token called ann already exists\n")
    unknown = token(lake, "revoke", "bob")
    assert (unknown.exit_code, unknown.stderr) == (1, "error: no valid token is called bob\n")
    unnamed = token(lake, "create", " ")
    assert unnamed.exit_code == 2
    assert "a token needs the name of whoever is to have it" in unnamed.stderr
