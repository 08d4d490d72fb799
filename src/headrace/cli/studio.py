"""``headrace studio``: development files to a directory and back."""

from __future__ import annotations

from pathlib import Path

import click

from headrace.cli.addresses import LAKE_OPTION, TOKEN_OPTION, URL_OPTION
from headrace.cli.report import exit_on_error, write

_DIRECTORY = click.Path(file_okay=False, path_type=Path)


@click.group()
def studio() -> None:
    """Export and import the development files of Studio."""


@studio.command("export")
@LAKE_OPTION
@URL_OPTION
@TOKEN_OPTION
@click.argument("directory", metavar="DIR", type=_DIRECTORY)
def export_files(lake: Path, url: str | None, token: str | None, directory: Path) -> None:
    """Write each file to DIR, and the settings of all to DIR/studio.yaml."""
    from headrace.cli.file_access import files_of
    from headrace.cli.script_directory import write_directory

    with exit_on_error(lake), files_of(lake, url, token) as access:
        for line in write_directory(directory, access.scripts()):
            write(line)


@studio.command("import")
@LAKE_OPTION
@URL_OPTION
@TOKEN_OPTION
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.argument("directory", metavar="DIR", type=_DIRECTORY)
def import_files(lake: Path, url: str | None, token: str | None, dry_run: bool, directory: Path) -> None:
    """Create and change files as they are in DIR. Files that are not in DIR do not change."""
    from headrace.cli.file_access import files_of
    from headrace.cli.script_directory import differences, read_directory

    with exit_on_error(lake), files_of(lake, url, token) as access:
        wanted = read_directory(directory)
        changes = differences(access.scripts(), wanted)
        for change in changes:
            write(f"{change.action}: {change.script.path}")
            if not dry_run:
                access.apply(change)
        write(f"{len(changes)} of {len(wanted)} files {'would change' if dry_run else 'were changed'}")
