"""``headrace demo --live``: a server of its own, orders every second, and the leaderboard they make."""

from __future__ import annotations

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
from headrace.cli.report import write
from headrace.errors import OperationalError
from headrace.model.text_table import text_table

START_SECONDS = 60
SHOW_SECONDS = 2.0
STATUSES = ("completed", "completed", "completed", "pending")
PRICES = {1: 289, 2: 138, 3: 69, 4: 299, 5: 129, 6: 359, 7: 99, 8: 89, 9: 45}
LEADERBOARD = "SELECT * FROM ads_category_rank ORDER BY gmv_rank, category"
LAST = (
    "SELECT refresh_mode, duration FROM information_schema.dynamic_table_refresh_history "
    "WHERE name = 'ads_category_rank' AND state = 'SUCCEED' ORDER BY start_time DESC LIMIT 1"
)


def play(lake: Path, interval: int, seconds: float | None) -> None:
    """Until Ctrl-C, or for so many seconds."""
    again = prepare(lake)
    _allow_short_intervals(lake)
    with _server(lake) as url, headrace.connect(url) as connection:
        write(f"serving {lake} at {url}; starting its cluster")
        _create(connection, interval, again=again)
        write("orders arrive every second; press Ctrl-C to stop")
        stopping = threading.Event()
        writer = threading.Thread(target=_orders, args=(url, stopping), daemon=True)
        writer.start()
        try:
            _show(connection, seconds)
        finally:
            stopping.set()
            writer.join(30)


def _create(connection: headrace.Connection, interval: int, *, again: bool) -> None:
    start_over, sources, layers = chapters()[:3]
    for chapter in (start_over, sources, layers) if again else (sources, layers):
        for statement in chapter.statements:
            connection.run(statement.replace("INTERVAL 1 MINUTE", f"INTERVAL {interval} SECOND"))


def _orders(url: str, stopping: threading.Event) -> None:
    chance = random.Random()  # noqa: S311  (made-up orders)
    number = 2000
    with headrace.connect(url) as connection:
        while not stopping.wait(1.0):
            rows = []
            for _ in range(chance.randint(1, 5)):
                number += 1
                product = chance.choice(list(PRICES))
                rows.append(
                    f"({number}, {product}, {chance.randint(1, 4)}, {PRICES[product]}, "
                    f"'{chance.choice(STATUSES)}', current_timestamp())"
                )
            connection.run(f"INSERT INTO ods_orders VALUES {', '.join(rows)}")


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


def _allow_short_intervals(lake: Path) -> None:
    marker = lake / "lake.toml"
    text = marker.read_text(encoding="utf-8")
    least = "minimum_interval_seconds = 1"
    marker.write_text(re.sub(r"minimum_interval_seconds = \d+", least, text), encoding="utf-8")


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
