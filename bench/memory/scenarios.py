"""Changes and results larger than the memory of the process, and small changes that touch as many rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from headrace.connection import Connection

_ORDERS = "id BIGINT, customer BIGINT, amount DECIMAL(10,2), note STRING"
_SHAPES = {
    "copied": "SELECT id, customer, amount * 2 AS doubled, note FROM orders WHERE amount > 5",
    "joined": "SELECT o.id, o.amount, c.region FROM orders o JOIN customers c ON o.customer = c.id",
    "summed": "SELECT customer, count(*) AS n, sum(amount) AS total FROM orders GROUP BY customer",
    "extremes": "SELECT customer, min(amount) AS least, max(note) AS last FROM orders GROUP BY customer",
    "running": "SELECT id, customer, sum(amount) OVER (PARTITION BY customer ORDER BY id) AS so_far "
    "FROM orders",
}
WIDE_ROWS = 20_000
WIDE_BYTES = 20_000
PARTITIONS = 4_000


Scenario = Callable[[Connection, int], Iterable[str]]
"""With so many rows; the dynamic tables to be verified."""


def large_change(lake: Connection, rows: int) -> Iterable[str]:
    """As many rows come, half of them change and a quarter goes."""
    _create_orders(lake, rows, customers=rows // 20)
    tables = _create(lake, _SHAPES)
    lake.run(f"INSERT INTO orders SELECT {_order(f'({rows} + id)', rows // 20)} FROM range({rows})")
    lake.run("UPDATE orders SET amount = amount + 1, note = concat(note, '!') WHERE id % 4 IN (0, 1)")
    lake.run("DELETE FROM orders WHERE id % 4 = 2")
    _refresh(lake, tables)
    return tables


def large_groups(lake: Connection, rows: int) -> Iterable[str]:
    """A few rows change, in a group that contains all rows."""
    _create_orders(lake, rows, customers=1)
    tables = _create(lake, {name: _SHAPES[name] for name in ("summed", "extremes", "running")})
    lake.run(f"UPDATE orders SET amount = 0 WHERE id IN (5, {rows // 2}, {rows - 1})")
    lake.run(f"INSERT INTO orders SELECT {_order(f'({rows} + id)', 1)} FROM range(10)")
    _refresh(lake, tables)
    return tables


def wide_rows(lake: Connection, _rows: int) -> Iterable[str]:
    """Few rows of much text: each change, and the rows with its keys, are larger than the heap's tenth."""
    lake.sql("CREATE TABLE documents (id BIGINT, author BIGINT, body STRING)")
    lake.sql("CREATE TABLE authors (id BIGINT, name STRING)")
    lake.sql("INSERT INTO authors SELECT id, concat('author ', id) FROM range(1000)")
    lake.sql(f"INSERT INTO documents SELECT {_document('id')} FROM range({WIDE_ROWS})")
    tables = _create(
        lake,
        {
            "texts": "SELECT id, author, body FROM documents",
            "written": "SELECT d.id, a.name, d.body FROM documents d JOIN authors a ON d.author = a.id",
            "longest": "SELECT author, count(*) AS n, max(body) AS last FROM documents GROUP BY author",
        },
    )
    lake.run("UPDATE authors SET name = concat(name, '!')")
    _refresh(lake, tables)
    lake.run(f"INSERT INTO documents SELECT {_document(f'({WIDE_ROWS} + id)')} FROM range({WIDE_ROWS - 100})")
    _refresh(lake, tables)
    return tables


def many_partitions(lake: Connection, _rows: int) -> Iterable[str]:
    """A small change of rows in many partitions."""
    lake.sql("CREATE TABLE events (id BIGINT, day INT, amount BIGINT, note STRING)")
    event = f"id, CAST(id % {PARTITIONS} AS INT), id, concat('note ', id)"
    lake.sql(f"INSERT INTO events SELECT {event} FROM range(100)")
    lake.sql(
        "CREATE DYNAMIC TABLE by_day REFRESH_MODE = INCREMENTAL PARTITIONED BY (day) "
        "AS SELECT id, day, amount, note FROM events"
    )
    lake.run("REFRESH DYNAMIC TABLE by_day")
    lake.run(f"INSERT INTO events SELECT {event} FROM range(100, {PARTITIONS * 2})")
    _refresh(lake, ["by_day"])
    return ["by_day"]


def stream(lake: Connection, rows: int) -> Iterable[str]:
    _create_orders(lake, rows, customers=rows // 20)
    lake.sql("CREATE TABLE STREAM order_changes ON TABLE orders")
    lake.sql("CREATE TABLE changed (id BIGINT, amount DECIMAL(10,2), note STRING)")
    lake.run(f"INSERT INTO orders SELECT {_order(f'({rows} + id)', rows // 20)} FROM range({rows})")
    lake.run("DELETE FROM orders WHERE id % 3 = 0")
    lake.run("INSERT INTO changed SELECT id, amount, note FROM order_changes")
    ((found,),) = lake.sql("SELECT count(*) FROM changed").fetchall()
    if found < rows:
        raise RuntimeError(f"the stream returned {found:,} rows")
    return []


def large_result(lake: Connection, rows: int) -> Iterable[str]:
    """Read in batches."""
    _create_orders(lake, rows, customers=rows // 20)
    result = lake.run("SELECT * FROM orders")
    found = sum(batch.num_rows for batch in result.reader())
    if found != rows:
        raise RuntimeError(f"the result has {found:,} rows")
    return []


SCENARIOS: dict[str, Scenario] = {
    each.__name__.replace("_", "-"): each
    for each in (large_change, large_groups, wide_rows, many_partitions, stream, large_result)
}


def _create_orders(lake: Connection, rows: int, customers: int) -> None:
    lake.sql(f"CREATE TABLE orders ({_ORDERS})")
    lake.sql("CREATE TABLE customers (id BIGINT, region STRING)")
    lake.sql(f"INSERT INTO customers SELECT id, concat('r', id % 20) FROM range({customers})")
    lake.sql(f"INSERT INTO orders SELECT {_order('id', customers)} FROM range({rows})")


def _create(lake: Connection, queries: dict[str, str]) -> list[str]:
    for name, query in queries.items():
        lake.sql(f"CREATE DYNAMIC TABLE {name} REFRESH_MODE = INCREMENTAL AS {query}")
        lake.run(f"REFRESH DYNAMIC TABLE {name}")
    return list(queries)


def _refresh(lake: Connection, tables: Iterable[str]) -> None:
    for name in tables:
        result = lake.run(f"REFRESH DYNAMIC TABLE {name}")
        (row,) = result.fetchall()
        facts = dict(zip(result.columns, row, strict=True))
        if facts["refresh_mode"] not in ("INCREMENTAL", "NO_DATA"):
            raise RuntimeError(
                f"{name} was refreshed {facts['refresh_mode']}: {facts['refresh_mode_reason']}"
            )


def _order(number: str, customers: int) -> str:
    return (
        f"{number}, {number} * 7919 % {customers}, CAST({number} % 997 AS DECIMAL(10,2)), md5({number} || '')"
    )


def _document(number: str) -> str:
    """Text that compresses well: what it takes in memory is not known from the size of the file."""
    return f"{number}, {number} % 1000, repeat(md5({number} || ''), {WIDE_BYTES // 32})"
