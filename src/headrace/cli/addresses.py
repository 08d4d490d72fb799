"""Options that say which lake is meant."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from headrace.errors import Error, InterfaceError
from headrace.model.address import Database, Directory, Server, read_address, read_server_url


class LakePlace(click.Path):
    name = "dir or url"

    def __init__(self) -> None:
        super().__init__(file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """A lake is in a directory, or in a database that servers share."""
        try:
            path = _local_directory(str(value))
        except Error as error:
            self.fail(str(error), param, ctx)
        return super().convert(path, param, ctx)


class NewLakePlace(click.Path):
    name = "dir"

    def __init__(self) -> None:
        super().__init__(file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            address = read_address(str(value))
        except Error as error:
            self.fail(str(error), param, ctx)
        if not isinstance(address, Directory):
            self.fail(f"{value!r} is not a directory", param, ctx)
        return super().convert(address.path, param, ctx)


class ServerUrl(click.ParamType[str]):
    name = "url"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return read_server_url(str(value))
        except Error as error:
            self.fail(str(error), param, ctx)


def _local_directory(text: str) -> Path:
    match read_address(text):
        case Server():
            raise InterfaceError(f"{text!r} is the URL of a server", hint=f"use --url {text}")
        case Database(url):
            from headrace.commands.databases import reach

            return reach(url)
        case directory:
            return directory.path


def announce_new_lake(lake: Path, create: bool) -> None:
    """Says that a lake is about to be made; an error where it must not be."""
    from headrace.lake.directory import existing_lake, find_lake

    if not create:
        existing_lake(lake)
    elif find_lake(lake) is None:
        click.echo(f"{lake} is not a lake: creating one", err=True)


def _empty_or_missing(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Click takes an empty variable for a missing one; here it is an error, where a server is used."""
    return "" if value is None and "HEADRACE_TOKEN" in os.environ else value


LAKE_OPTION = click.option(
    "--lake", type=LakePlace(), envvar="HEADRACE_LAKE", default="lake", show_default=True, show_envvar=True
)
NO_CREATE_OPTION = click.option(
    "--no-create", "create", flag_value=False, default=True, help="Fail if the lake does not exist."
)
URL_OPTION = click.option(
    "--url",
    type=ServerUrl(),
    envvar="HEADRACE_URL",
    show_envvar=True,
    help="URL of a server to use instead of a lake.",
)
TOKEN_OPTION = click.option(
    "--token",
    envvar="HEADRACE_TOKEN",
    show_envvar=True,
    callback=_empty_or_missing,
    help="Token for the server.",
)
