"""``python -m bench flight``: rows of a large result, and a small query, over Flight SQL and over HTTP.

All from one server, in turns. JSON is received and not parsed, which is in its favour.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
import httpx
from tests.server.served import Served, flight_address, serving

from bench.results import save
from headrace.connection import Connection
from headrace.lake.directory import make_lake
from headrace.model.text_table import text_table

LARGE = "SELECT id, id % 1000 AS k, id / 7 AS v, concat('row-', id) AS s FROM range({rows})"
SMALL = "SELECT 1 AS one"
SECONDS = 3600
Read = Callable[[int], None]


def flight(arguments: Sequence[str]) -> int:
    options = _options().parse_args(arguments)
    with tempfile.TemporaryDirectory() as directory:
        lake = make_lake(Path(directory) / "lake").path
        with serving(lake, "--flight-port", "0") as served, _clients(served) as (connection, cursor):
            rates = _large(served, connection, cursor, options)
            seconds = _small(connection, cursor, options.repeat)
    return _report(rates, seconds)


@contextmanager
def _clients(served: Served) -> Iterator[tuple[Connection, Any]]:
    address = flight_address(served)
    with (
        served.connect() as connection,
        adbc.connect(address, autocommit=True) as flight_connection,
        flight_connection.cursor() as cursor,
    ):
        yield connection, cursor


def _large(
    served: Served, connection: Connection, cursor: Any, options: argparse.Namespace
) -> dict[str, float]:
    """Rows per second, the best of some runs."""
    parts: Mapping[str, tuple[Read, int]] = {
        "Flight SQL (ADBC)": (lambda rows: _over_flight(cursor, rows), options.rows),
        "Arrow over HTTP": (lambda rows: _over_arrow(connection, rows), options.rows),
        "JSON over HTTP": (lambda rows: _over_json(served.url, rows), options.json_rows),
    }
    best = dict.fromkeys(parts, 0.0)
    for _ in range(options.runs):
        for name, (read, rows) in parts.items():
            start = time.monotonic()
            read(rows)
            rate = rows / (time.monotonic() - start)
            print(f"{name}: {rate:,.0f} rows/s", file=sys.stderr, flush=True)
            best[name] = max(best[name], rate)
    return best


def _over_flight(cursor: Any, rows: int) -> None:
    cursor.execute(LARGE.format(rows=rows))
    _expect(sum(batch.num_rows for batch in cursor.fetch_record_batch()), rows)


def _over_arrow(connection: Connection, rows: int) -> None:
    _expect(sum(batch.num_rows for batch in connection.sql(LARGE.format(rows=rows)).reader()), rows)


def _over_json(url: str, rows: int) -> None:
    with httpx.Client(base_url=f"{url}/api/v1", timeout=SECONDS) as client:
        session = client.post("/sessions").json()["session"]
        asked = {"session": session, "statement": LARGE.format(rows=rows), "wait_for": "rows"}
        job = client.post("/statements", json=asked | {"wait_seconds": 60}).json()["job_id"]
        with client.stream("GET", f"/statements/{job}/rows") as response:
            _expect(sum(part.count(b'"row-') for part in response.iter_bytes()), rows, within=0.01)


def _expect(found: int, rows: int, within: float = 0.0) -> None:
    """A mark may lie across two parts of a stream."""
    if abs(found - rows) > rows * within:
        raise ValueError(f"{found:,} rows came, not {rows:,}")


def _small(connection: Connection, cursor: Any, repeat: int) -> dict[str, float]:
    """Seconds to the first row, of the half that is faster."""

    def prepared() -> None:
        cursor.execute(SMALL)
        cursor.fetchone()

    def direct() -> None:
        cursor.adbc_statement.set_sql_query(SMALL)
        cursor.adbc_statement.execute_query()

    parts: Mapping[str, Callable[[], object]] = {
        "HTTP client": lambda: connection.sql(SMALL).fetchall(),
        "Flight SQL, one request": direct,
        "Flight SQL (ADBC), prepared first": prepared,
    }
    found: dict[str, list[float]] = {name: [] for name in parts}
    for _ in range(repeat):
        for name, ask in parts.items():
            start = time.monotonic()
            ask()
            found[name].append(time.monotonic() - start)
    return {name: statistics.median(seconds) for name, seconds in found.items()}


def _report(rates: Mapping[str, float], seconds: Mapping[str, float]) -> int:
    flight_rate, arrow, json = (rates[name] for name in rates)
    shown = [[name, f"{rate:,.0f}", f"{rate / json:.1f}"] for name, rate in rates.items()]
    print(text_table(["a large result", "rows/s", "of JSON"], shown))
    http = seconds["HTTP client"]
    shown = [[name, f"{each * 1000:.1f}", f"{each / http:.2f}"] for name, each in seconds.items()]
    print(text_table(["a small query", "ms, median", "of HTTP"], shown))
    print(f"saved in {save({'flight': {'rows_per_second': dict(rates), 'seconds': dict(seconds)}})}")
    is_met = flight_rate >= 5 * json and arrow <= 1.5 * flight_rate
    return 0 if is_met and seconds["Flight SQL, one request"] <= 1.2 * http else 1


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench flight", description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--json-rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=100, help="of the small query")
    return parser
