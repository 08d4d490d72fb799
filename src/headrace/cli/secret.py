"""``headrace secret``: passwords of other systems, which statements name and never contain."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from headrace.cli.addresses import LAKE_OPTION
from headrace.cli.report import exit_on_error, write
from headrace.model.clock import system_clock

if TYPE_CHECKING:
    from headrace.catalog.stored_secrets import Secrets
    from headrace.lake.secret_box import SecretBox


@click.group()
def secret() -> None:
    """Manage the passwords that pipes need."""


@secret.command("set")
@LAKE_OPTION
@click.argument("name")
@click.password_option("--value", prompt="Value", help="Asked for if it is not given.")
def set_secret(lake: Path, name: str, value: str) -> None:
    """Store a value, encrypted, under a name."""
    with exit_on_error(lake), open_secrets(lake) as (secrets, box):
        secrets.put(name, box.seal(value), system_clock())
        write(f"stored; use it as secret('{name}')")


@secret.command("list")
@LAKE_OPTION
def list_secrets(lake: Path) -> None:
    """List the names of the secrets."""
    with exit_on_error(lake), open_secrets(lake) as (secrets, _):
        for name in secrets.names():
            write(name)


@secret.command("delete")
@LAKE_OPTION
@click.argument("name")
def delete_secret(lake: Path, name: str) -> None:
    """Delete a secret."""
    with exit_on_error(lake), open_secrets(lake) as (secrets, _):
        secrets.delete(name)
        write(f"secret {name} was deleted")


@contextmanager
def open_secrets(lake: Path) -> Iterator[tuple[Secrets, SecretBox]]:
    """Beside whoever has the lake open."""
    from headrace.commands.databases import open_store
    from headrace.lake.directory import open_directory
    from headrace.lake.secret_box import SecretBox

    directory = open_directory(lake)
    store = open_store(directory)
    try:
        yield store.secrets, SecretBox(directory.path)
    finally:
        store.close()
