"""A server of the demo's own, orders every second, and the leaderboard they make."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue

from rich.console import Console
from rich.live import Live
from rich.text import Text

import headrace
from headrace.cli.demo import chapters, prepare
from headrace.cli.live.inserted_orders import InsertedOrders
from headrace.cli.live.kafka_orders import DEFAULT_SERVERS, KafkaOrders
from headrace.cli.live.orders import FIRST_ORDER, OrderSource, orders_of_a_second
from headrace.cli.live.postgres_orders import DEFAULT_URL, PostgresOrders
from headrace.cli.report import write
from headrace.errors import OperationalError
from headrace.model.text_table import text_table

START_SECONDS = 60
SHOW_SECONDS = 2.0
LEADERBOARD = "SELECT * FROM ads_category_rank ORDER BY gmv_rank, category"
LAST = (
    "SELECT refresh_mode, duration FROM information_schema.dynamic_table_refresh_history "
    "WHERE name = 'ads_category_rank' AND state = 'SUCCEED' ORDER BY start_time DESC LIMIT 1"
)


def order_source(system: str | None, address: str | None, lake: Path) -> OrderSource:
    match system:
        case "kafka":
            return KafkaOrders(address or DEFAULT_SERVERS)
        case "postgres":
            return PostgresOrders(address or DEFAULT_URL, lake)
    return InsertedOrders()


def play(lake: Path, interval: int, seconds: float | None, source: OrderSource) -> None:
    """Until Ctrl-C, or for so many seconds."""
    source.check()
    again = prepare(lake)
    _set(lake, {"minimum_interval_seconds": "1", **source.settings()})
    with _server(lake) as url, headrace.connect(url) as connection:
        write(f"serving {lake} at {url}; starting its cluster")
        try:
            _create(connection, source, interval, again=again)
            write("orders arrive every second; press Ctrl-C to stop")
            with _arriving(source, url):
                _show(connection, seconds)
        finally:
            source.disconnect(connection)


def _create(connection: headrace.Connection, source: OrderSource, interval: int, *, again: bool) -> None:
    start_over, sources, layers = chapters()[:3]
    source.disconnect(connection)
    for chapter in (start_over, sources) if again else (sources,):
        for statement in chapter.statements:
            connection.run(statement)
    source.connect(connection)
    for statement in layers.statements:
        connection.run(statement.replace("INTERVAL 1 MINUTE", f"INTERVAL {interval} SECOND"))


@contextmanager
def _arriving(source: OrderSource, url: str) -> Iterator[None]:
    stopping = threading.Event()
    writer = threading.Thread(target=_write_orders, args=(source, url, stopping), daemon=True)
    writer.start()
    try:
        yield
    finally:
        stopping.set()
        writer.join(30)


def _write_orders(source: OrderSource, url: str, stopping: threading.Event) -> None:
    chance = random.Random()  # noqa: S311  (made-up orders)
    number = FIRST_ORDER
    with source.writer(url) as write_orders:
        while not stopping.wait(1.0):
            orders = orders_of_a_second(chance, number)
            write_orders(orders)
            number += len(orders)


def _show(connection: headrace.Connection, seconds: float | None) -> None:
    end = None if seconds is None else time.monotonic() + seconds
    with Live(console=Console(), auto_refresh=False) as screen:
        while end is None or time.monotonic() < end:
            screen.update(Text(dashboard(connection), no_wrap=True), refresh=True)
            time.sleep(SHOW_SECONDS)


def dashboard(connection: headrace.Connection) -> str:
    ranks = connection.run(LEADERBOARD)
    orders = connection.run("SELECT count(*) FROM ods_orders").fetchall()[0][0]
    last = connection.run(LAST).fetchall()
    refreshed = "not refreshed yet"
    if last:
        mode, duration = last[0]
        refreshed = f"last refresh {mode} in {duration.total_seconds():.2f} s"
    return f"{text_table(ranks.columns, ranks.fetchall())}\n{orders} orders, {refreshed}"


def _set(lake: Path, settings: dict[str, str | list[str]]) -> None:
    """In the last section of ``lake.toml``, that of the settings."""
    marker = lake / "lake.toml"
    text = marker.read_text(encoding="utf-8")
    for name, value in settings.items():
        others = re.sub(rf"^{name} = .*\n", "", text, flags=re.MULTILINE)
        text = f"{others}{name} = {value if isinstance(value, str) else json.dumps(value)}\n"
    marker.write_text(text, encoding="utf-8")


@contextmanager
def _server(lake: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "headrace", "serve", "--lake", str(lake), "--port", "0"]
    with subprocess.Popen(  # noqa: S603  (our own program)
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    ) as process:
        lines: Queue[str] = Queue()
        threading.Thread(target=_listen, args=(process, lines), daemon=True).start()
        try:
            yield _address(process, lines)
        finally:
            process.terminate()
            process.wait(90)


def _listen(process: subprocess.Popen[str], lines: Queue[str]) -> None:
    for line in process.stdout or ():
        lines.put(line.rstrip())


def _address(process: subprocess.Popen[str], lines: Queue[str]) -> str:
    deadline = time.monotonic() + START_SECONDS
    line = ""
    while time.monotonic() < deadline and (process.poll() is None or not lines.empty()):
        try:
            line = lines.get(timeout=0.2)
        except Empty:
            continue
        if found := re.search(r"at (http://\S+)", line):
            return found.group(1)
    raise OperationalError(f"the server did not start: {line or 'it printed nothing'}")
