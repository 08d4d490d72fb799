"""Secrets: stored encrypted, named, never shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from headrace.catalog.store import MetadataStore
from headrace.cli.main import cli
from headrace.errors import OperationalError
from headrace.lake.directory import open_directory
from headrace.lake.secret_box import KEY_VARIABLE, SecretBox


def test_a_secret_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    lake = tmp_path / "lake"
    CliRunner().invoke(cli, ["init", str(lake)])
    stored = CliRunner().invoke(
        cli, ["secret", "set", "--lake", str(lake), "kafka"], input="pass word\npass word\n"
    )
    assert "stored; use it as secret('kafka')" in stored.output
    assert "pass word" not in stored.output
    assert CliRunner().invoke(cli, ["secret", "list", "--lake", str(lake)]).output == "kafka\n"

    directory = open_directory(lake)
    assert (lake / "secret.key").stat().st_mode & 0o077 == 0
    store = MetadataStore.open(f"sqlite:///{directory.metadata_db}")
    sealed = store.secrets.find("kafka")
    store.close()
    assert sealed is not None
    assert "pass" not in sealed
    assert SecretBox(lake).open(sealed) == "pass word"

    monkeypatch.setenv(KEY_VARIABLE, "not a key")
    with pytest.raises(OperationalError, match="the key of the secrets is not valid"):
        SecretBox(lake).open(sealed)
    monkeypatch.delenv(KEY_VARIABLE)
    (lake / "secret.key").unlink()
    with pytest.raises(OperationalError, match="secrets cannot be read: there is no key"):
        SecretBox(lake).open(sealed)
    SecretBox(lake).seal("another")
    with pytest.raises(OperationalError, match="they were stored with another key"):
        SecretBox(lake).open(sealed)
    gone = CliRunner().invoke(cli, ["secret", "delete", "--lake", str(lake), "kafka"])
    assert gone.output == "secret kafka was deleted\n"
