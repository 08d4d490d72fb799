"""``python -m bench stream``: rows streamed into a table through a server, against PyIceberg alone.

First as fast as the clients can, then at a rate, for as long as ``--seconds`` says: whether the rate is kept,
how long an acknowledgement takes, how long SELECT takes to see the last row, and whether memory grows. The
bare loop appends the same rows to an Iceberg table without a server, and acknowledges what it has committed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
from tests.server.served import serving

from bench.heap import HEAP, make_lake_with_heap
from bench.results import save
from bench.stream.bare import BareTable
from bench.stream.sample import Sample, StreamedTable, percentile
from headrace.model.text_table import text_table

SAMPLE_SECONDS = 10.0
MOST_GROWTH = 1.2


def stream(arguments: Sequence[str]) -> int:
    options = _options().parse_args(arguments)
    rows = _rows(options.batch, options.row_bytes)
    with tempfile.TemporaryDirectory() as directory:
        bare = _bare(Path(directory) / "bare", rows, options)
        lake = Path(directory) / "lake"
        make_lake_with_heap(lake, options.heap)
        with serving(lake) as served, served.connect() as connection:
            table = StreamedTable(served, connection)
            burst = _burst(table, rows, options)
            samples = _paced(table, rows, options)
            is_complete = table.count() == table.written
    return _report({**bare, **burst}, samples, options, is_complete=is_complete)


def _bare(directory: Path, rows: pa.Table, options: argparse.Namespace) -> dict[str, float]:
    """Rows per second."""
    table = BareTable(directory, rows.schema)
    large = pa.concat_tables([rows] * max(1, options.commit_rows // rows.num_rows))
    found = {}
    for batch in (large, rows):
        table.append(batch)
        start, count = time.monotonic(), 0
        while time.monotonic() - start < options.burst_seconds:
            table.append(batch)
            count += batch.num_rows
        found[f"PyIceberg, {batch.num_rows:,} rows a commit"] = count / (time.monotonic() - start)
    return found


def _burst(table: StreamedTable, rows: pa.Table, options: argparse.Namespace) -> dict[str, float]:
    """As fast as the clients can, and until all rows are committed."""
    table.write(table.writer(), rows)
    table.count()
    before, start = table.written, time.monotonic()
    until = start + options.burst_seconds
    with ThreadPoolExecutor(options.clients) as clients:
        for _ in range(options.clients):
            clients.submit(_write_until, table, rows, until, None)
    written, acknowledged = table.written - before, time.monotonic()
    table.writer().flush()
    return {
        "stream writers, acknowledged": written / (acknowledged - start),
        "stream writers, committed": written / (time.monotonic() - start),
    }


def _write_until(table: StreamedTable, rows: pa.Table, until: float, every: float | None) -> None:
    """``every`` so many seconds; None: at once."""
    start, count = time.monotonic(), 0
    with table.writer() as writer:
        while time.monotonic() < until:
            table.write(writer, rows)
            count += 1
            if every is not None:
                time.sleep(max(0.0, start + count * every - time.monotonic()))


def _paced(table: StreamedTable, rows: pa.Table, options: argparse.Namespace) -> list[Sample]:
    every = rows.num_rows * options.clients / options.rate
    before, start = table.written, time.monotonic()
    until = start + options.seconds
    samples = []
    with ThreadPoolExecutor(options.clients) as clients:
        writing = [clients.submit(_write_until, table, rows, until, every) for _ in range(options.clients)]
        while (now := time.monotonic()) < until:
            samples.append(table.sample(now - start, table.written - before))
            print(samples[-1].line(), file=sys.stderr, flush=True)
            time.sleep(max(0.0, min(now + SAMPLE_SECONDS, until) - time.monotonic()))
        for each in writing:
            each.result()
    samples.append(table.sample(time.monotonic() - start, table.written - before))
    return samples


def _report(
    rates: Mapping[str, float], samples: Sequence[Sample], options: argparse.Namespace, *, is_complete: bool
) -> int:
    bare = max(rate for name, rate in rates.items() if name.startswith("PyIceberg"))
    shown = [[name, f"{rate:,.0f}", f"{rate / bare:.2f}"] for name, rate in rates.items()]
    print(text_table(["measure", "rows/s", "of the bare loop"], shown))
    last = samples[-1]
    rate = last.rows / last.seconds
    answers = [each for sample in samples for each in sample.answers]
    seen = [sample.seen_seconds for sample in samples[1:]]
    early, late = (
        _memory(samples[len(samples) // 4 : len(samples) // 2 + 1]),
        _memory(samples[-len(samples) // 4 :]),
    )
    rows = [
        ["rows/s", f"{rate:,.0f}", f"{options.rate:,.0f}", _yes(rate >= 0.99 * options.rate)],
        ["acknowledged, p50 ms", f"{percentile(answers, 50) * 1000:.1f}", "", ""],
        ["acknowledged, p95 ms", f"{percentile(answers, 95) * 1000:.1f}", "", ""],
        ["seen by SELECT, p50 s", f"{percentile(seen, 50):.2f}", "1.00", _yes(percentile(seen, 50) <= 1)],
        ["seen by SELECT, p95 s", f"{percentile(seen, 95):.2f}", "", ""],
        ["memory, MB", f"{late:,.0f}", f"{early * MOST_GROWTH:,.0f}", _yes(late <= early * MOST_GROWTH)],
        ["every row once", _yes(is_complete), "yes", _yes(is_complete)],
    ]
    print(text_table([f"{last.seconds:.0f} s at a rate", "figure", "goal", "met"], rows))
    figures = {"rows_per_second": dict(rates), "samples": [asdict(each) for each in samples]}
    print(f"saved in {save({'stream': figures})}")
    return 0 if is_complete and all(row[3] != "NO" for row in rows) else 1


def _memory(samples: Sequence[Sample]) -> float:
    """Of all processes of the server."""
    return max(sample.memory_mb for sample in samples)


def _yes(is_met: bool) -> str:
    return "yes" if is_met else "NO"


def _rows(count: int, size: int) -> pa.Table:
    """Each of about ``size`` bytes; the numbers follow."""
    return pa.table(
        {
            "id": pa.array(range(count), pa.int64()),
            "device": [f"device-{each % 1000:04}" for each in range(count)],
            "value": pa.array([each / 7 for each in range(count)], pa.float64()),
            "note": [f"{each * 2654435761 % 2**64:064x}"[:64] + "x" * (size - 100) for each in range(count)],
        }
    )


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench stream", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="of the part at a rate")
    parser.add_argument("--rate", type=float, default=10_000, help="rows per second of that part")
    parser.add_argument("--batch", type=int, default=1_000, help="rows of one write")
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--row-bytes", type=int, default=200)
    parser.add_argument("--burst-seconds", type=float, default=20, help="of each part at full speed")
    parser.add_argument("--commit-rows", type=int, default=100_000, help="of the bare loop's larger commits")
    parser.add_argument("--heap", default=HEAP, help="of the JVM")
    return parser
