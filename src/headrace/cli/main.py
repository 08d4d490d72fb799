"""The ``headrace`` command. Each command imports what it needs when it runs, so that ``--help`` is quick."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import headrace
from headrace.cli.addresses import (
    LAKE_OPTION,
    NO_CREATE_OPTION,
    TOKEN_OPTION,
    URL_OPTION,
    NewLakePlace,
    announce_new_lake,
)
from headrace.cli.report import FAILED, exit_on_error, write
from headrace.cli.running import INTERRUPTED, start
from headrace.cli.secret import secret
from headrace.cli.studio import studio
from headrace.model.address import DEFAULT_PORT
from headrace.model.clock import system_clock
from headrace.model.role import Role

if TYPE_CHECKING:
    from headrace.catalog.tokens import Tokens
    from headrace.cli.doctor import Check
    from headrace.cli.script import Script

OUTPUT_FORMATS = ("csv", "json", "table", "vertical")


class _Commands(click.Group):
    def invoke(self, ctx: click.Context) -> Any:
        """What a command imports may be missing where only the client is installed."""
        with exit_on_error(Path()):
            return super().invoke(ctx)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(headrace.__version__, message="headrace %(version)s")
def cli() -> None:
    """Dynamic tables on Spark and Iceberg."""


cli.add_command(studio)
cli.add_command(secret)


class _InOrder(click.Command):
    """Remembers how ``-e`` and ``-f`` were mixed."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        _, _, given = self.make_parser(ctx).parse_args(list(args))
        ctx.meta["given"] = [parameter.name for parameter in given]
        return super().parse_args(ctx, args)


@cli.command(cls=_InOrder)
@LAKE_OPTION
@click.option("-e", "texts", metavar="TEXT", multiple=True, help="Run these statements.")
@click.option("-f", "files", metavar="FILE", multiple=True, help="Run this file; - is stdin.")
@click.option("--output", type=click.Choice(OUTPUT_FORMATS), default="table", show_default=True)
@URL_OPTION
@TOKEN_OPTION
@NO_CREATE_OPTION
@click.pass_context
def sql(
    ctx: click.Context,
    lake: Path,
    create: bool,
    texts: tuple[str, ...],
    files: tuple[str, ...],
    output: str,
    url: str | None,
    token: str | None,
) -> None:
    """Run SQL from -e and -f in the order given, else from stdin, else at a prompt."""
    from headrace.cli.batch import read_steps, run_steps
    from headrace.cli.output import OUTPUTS
    from headrace.cli.script import read_script

    out = OUTPUTS[output](lake)
    with exit_on_error(lake), ExitStack() as stack:

        def connect() -> headrace.Connection:
            return stack.enter_context(connection_to(lake, url, token, create))

        if texts or files or not sys.stdin.isatty():
            scripts = _scripts(ctx.meta["given"], texts, files) or [read_script("-")]
            run_steps(read_steps(scripts, out), connect, out)
        else:
            from headrace.cli.prompt import converse

            converse(connect(), out)


@cli.command()
@LAKE_OPTION
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen at; requests from other machines require tokens.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True)
@NO_CREATE_OPTION
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Format of the log, on stderr and in logs/server.log of the lake.",
)
@click.option(
    "--flight-port",
    type=click.IntRange(0, 65535),
    help="Port for Arrow Flight SQL: JDBC, ADBC and BI tools. Without it there is none.",
)
@click.option(
    "--flight-tls-cert",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Certificate for TLS on that port, with its chain, as PEM.",
)
@click.option(
    "--flight-tls-key",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Its private key, as PEM.",
)
def serve(
    lake: Path,
    host: str,
    port: int,
    create: bool,
    log_format: str,
    flight_port: int | None,
    flight_tls_cert: Path | None,
    flight_tls_key: Path | None,
) -> None:
    """Serve a lake: refresh on schedule and run SQL for clients."""
    from headrace.server.flight_address import flight_address
    from headrace.server.log_format import LogFormat
    from headrace.server.serve import serve as serve_lake

    with exit_on_error(lake):
        flight = flight_address(host, flight_port, flight_tls_cert, flight_tls_key)
        announce_new_lake(lake, create)
        serve_lake(
            lake,
            host,
            port,
            write,
            lambda message: click.echo(message, err=True),
            LogFormat(log_format),
            flight,
        )


@cli.command()
@LAKE_OPTION
@URL_OPTION
@TOKEN_OPTION
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, show_default=True)
@click.option("--follow", is_flag=True, help="Show the last refreshes, then each as it ends, until Ctrl-C.")
@click.argument("table", required=False)
def history(
    lake: Path, url: str | None, token: str | None, limit: int, follow: bool, table: str | None
) -> None:
    """Show refreshes, newest first, of all tables or of one."""
    from headrace.cli.facts import facts_of, named
    from headrace.cli.follow import ended_refreshes
    from headrace.cli.lake_reports import history_text, refresh_line
    from headrace.cli.row_layout import terminal_width

    with exit_on_error(lake), facts_of(lake, url, token) as facts:
        name = named(table) if table else None
        if not follow:
            write(history_text(facts.history(name, limit), terminal_width()))
            return
        for row in ended_refreshes(facts, name, limit, report_status):
            write(refresh_line(row))


@cli.command()
@LAKE_OPTION
@URL_OPTION
@TOKEN_OPTION
@click.argument("job")
def profile(lake: Path, url: str | None, token: str | None, job: str) -> None:
    """Show where a job spent its time, what it read and what it ran."""
    from headrace.cli.facts import facts_of
    from headrace.cli.lake_reports import profile_text

    with exit_on_error(lake), facts_of(lake, url, token) as facts:
        write(profile_text(facts.job(job)))


@cli.command()
@LAKE_OPTION
@URL_OPTION
@TOKEN_OPTION
@click.option("--watch", is_flag=True, help="Show it again when something changes, until Ctrl-C.")
def graph(lake: Path, url: str | None, token: str | None, watch: bool) -> None:
    """Show which tables each dynamic table reads, and its state."""
    from headrace.cli.facts import facts_of
    from headrace.cli.follow import changed_texts
    from headrace.cli.lake_reports import graph_text

    with exit_on_error(lake), facts_of(lake, url, token) as facts:

        def read() -> str:
            return graph_text(facts.lineage())

        if not watch:
            write(read())
            return
        for text in changed_texts(read, facts.api, report_status):
            click.clear()
            write(text if sys.stdout.isatty() else f"{text}\n")


@cli.command()
def warm() -> None:
    """Prepare this machine so that Spark starts faster."""
    from headrace.cli.warm import warm as make_spark_start_faster

    with exit_on_error(Path()):
        make_spark_start_faster(write, lambda message: click.echo(message, err=True))


@cli.group()
def sample() -> None:
    """Generate sample data."""


@sample.command("events")
@LAKE_OPTION
@URL_OPTION
@TOKEN_OPTION
@click.option(
    "--rate", type=click.IntRange(1, 1_000_000), default=10, show_default=True, help="Events per second."
)
@click.option("--seconds", type=click.IntRange(1), help="How long to run; default: until Ctrl-C.")
@click.option("--table", default="ecommerce_events", show_default=True)
@NO_CREATE_OPTION
def sample_events(
    lake: Path, url: str | None, token: str | None, rate: int, seconds: int | None, table: str, create: bool
) -> None:
    """Write e-commerce events into a table continuously, with one commit per second."""
    from headrace.cli.facts import named
    from headrace.cli.sample import Clock, write_events

    with (
        exit_on_error(lake),
        connection_to(lake, url, token, create) as connection,
        suppress(KeyboardInterrupt),
    ):
        write_events(connection, named(table).sql, rate, seconds, write, Clock())


@cli.group()
def token() -> None:
    """Manage the tokens that clients on other machines need."""


@token.command("create")
@LAKE_OPTION
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice([role.value for role in Role]),
    default=Role.DEVELOPER.value,
    show_default=True,
    help="What its holder may do: read; also refresh and run; also change; also manage tokens.",
)
def create_token(lake: Path, name: str, role: str) -> None:
    """Create a token and print it once."""
    if not name.strip():
        raise click.BadParameter("a token requires the name of its user", param_hint="NAME")
    with exit_on_error(lake), open_tokens(lake) as tokens:
        write(tokens.create(name, system_clock(), Role(role)))


@token.command("revoke")
@LAKE_OPTION
@click.argument("name")
def revoke_token(lake: Path, name: str) -> None:
    """Revoke a token."""
    with exit_on_error(lake), open_tokens(lake) as tokens:
        tokens.revoke(name, system_clock())
        write(f"token {name} was revoked")


@token.command("list")
@LAKE_OPTION
def list_tokens(lake: Path) -> None:
    """List the tokens."""
    with exit_on_error(lake), open_tokens(lake) as tokens:
        for each in tokens.all():
            ended = f", revoked {each.revoked_at:%Y-%m-%d %H:%M}" if each.revoked_at else ""
            write(f"{each.name}: {each.role}, created {each.created_at:%Y-%m-%d %H:%M}{ended}")


@cli.command()
@click.argument("lake", metavar="DIR", type=NewLakePlace())
@click.option("--database", metavar="URL", help="PostgreSQL database that several servers can share.")
@click.option(
    "--warehouse", metavar="PATH", help="Directory or URL of the tables, accessible to all servers."
)
def init(lake: Path, database: str | None, warehouse: str | None) -> None:
    """Create a lake in a directory."""
    from headrace.commands.databases import make_checked_lake

    with exit_on_error(lake):
        make_checked_lake(lake, database, warehouse)
        write(f"created a lake in {lake}\nnext: {sql_command(lake)}")


@cli.command()
@LAKE_OPTION
@click.option("--fix", is_flag=True, help="Install Java and the jars if they are missing.")
def doctor(lake: Path, fix: bool) -> None:
    """Check what Headrace needs: Java, jars, disk, the lake."""
    from headrace.cli.doctor import diagnose
    from headrace.cli.doctor import fix as install_missing

    with exit_on_error(lake):
        if fix:
            install_missing(lambda line: click.echo(line, err=True))
        checks = diagnose(lake)
        for check in checks:
            write(check_text(check))
        if not all(check.ok for check in checks):
            raise click.exceptions.Exit(FAILED)


@cli.command()
@click.argument("lake", metavar="[DIR]", type=NewLakePlace(), default="demo-lake")
@click.option("--live", is_flag=True, help="Serve the lake, with new orders every second.")
@click.option(
    "--interval",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Refresh interval in seconds, with --live.",
)
@click.option("--seconds", type=float, help="How long to run with --live; default: until Ctrl-C.")
@click.option(
    "--from",
    "system",
    type=click.Choice(["kafka", "postgres"]),
    help="Where orders come from, with --live: a pipe or a sync brings them; default: INSERT.",
)
@click.option("--address", help="Of that system: host:9092, or postgresql://user@host:5432/database.")
def demo(
    lake: Path, live: bool, interval: int, seconds: float | None, system: str | None, address: str | None
) -> None:
    """Show a three-layer sales dashboard on a separate lake (./demo-lake)."""
    if system and not live:
        raise click.UsageError("--from requires --live")
    if address and not system:
        raise click.UsageError("--address requires --from")
    with exit_on_error(lake):
        if live:
            from headrace.cli.live.play import order_source, play

            play(lake, interval, seconds, order_source(system, address, lake))
            return
        from headrace.cli.demo import play as play_script
        from headrace.cli.demo import prepare

        again = prepare(lake)
        write(f"A sales dashboard of dynamic tables, on the lake in {lake}")
        with open_lake(lake) as connection:
            play_script(connection, again)
        write(f"\nTry it yourself:  {sql_command(lake)}")
        write(f'or one statement: {sql_command(lake)} -e "DESC EXTENDED ads_category_rank"')


def report_status(text: str) -> None:
    click.echo(text, err=True)


def connection_to(lake: Path, url: str | None, token: str | None, create: bool) -> headrace.Connection:
    return open_lake(lake, create) if url is None else headrace.connect(url, token=token)


def open_lake(lake: Path, create: bool = True) -> headrace.Connection:
    announce_new_lake(lake, create)
    return start(lambda progress: headrace.connect(lake, create=create, progress=progress))


@contextmanager
def open_tokens(lake: Path) -> Iterator[Tokens]:
    """Beside whoever has the lake open."""
    from headrace.commands.databases import open_store
    from headrace.lake.directory import open_directory

    announce_new_lake(lake, create=True)
    store = open_store(open_directory(lake))
    try:
        yield store.tokens
    finally:
        store.close()


def check_text(check: Check) -> str:
    line = f"{'ok  ' if check.ok else 'FAIL'}  {check.name}: {check.detail}"
    return line if check.ok else f"{line}\n      {check.remedy}"


def sql_command(lake: Path) -> str:
    """What the user types to run SQL on the lake, with the program called as it was this time."""
    name = click.get_current_context().find_root().info_name or "headrace"
    program = name if shutil.which(name) or " " in name else sys.argv[0]
    return f"{program} sql --lake {shlex.quote(str(lake))}"


def _scripts(given: list[str | None], texts: tuple[str, ...], files: tuple[str, ...]) -> list[Script]:
    from headrace.cli.script import Script, read_script

    sources: dict[str, Any] = {"texts": map(Script, texts), "files": map(read_script, files)}
    return [next(sources[name]) for name in given if name in sources]


def main() -> None:
    """Ctrl-C while Spark is being stopped, after the command itself, leaves at once."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        cli()
    finally:
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
