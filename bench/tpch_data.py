"""TPC-H: its data as tables of a lake, its queries as views, and changes in the spirit of its refreshes."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from headrace.connection import Connection

TABLES = ("region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem")
_SHIFT = 1_000_000_000
"""From the keys of existing orders to those of new ones, times the number of the round."""


def queries(scale: float) -> Mapping[str, str]:
    """By name, in order. Q11 is the one that TPC-H words by scale."""
    text = (Path(__file__).parent / "tpch_views.sql").read_text()
    found = re.findall(r"^-- (q\d\d)\n(.+?);$", text, re.M | re.S)
    return {name: query.replace("{fraction}", f"{0.0001 / scale:.10f}") for name, query in found}


def load(lake: Connection, scale: float, directory: Path) -> None:
    """The eight tables, in the schema that is in use; ``directory`` holds the files they are read from."""
    generate(scale, directory)
    spark = lake.sql("SELECT 1").spark().sparkSession
    for table in TABLES:
        file = directory / f"{table}.parquet"
        columns = spark.read.parquet(str(file)).dtypes
        lake.run(f"CREATE TABLE {table} ({', '.join(f'{name} {type_}' for name, type_ in columns)})")
        lake.run(f"INSERT INTO {table} SELECT * FROM parquet.`{file}`")


def generate(scale: float, directory: Path) -> None:
    beside_python = str(Path(sys.executable).parent)
    program = shutil.which("tpchgen-cli", path=beside_python) or shutil.which("tpchgen-cli")
    if program is None:
        raise RuntimeError("tpchgen-cli is missing; make sets it up")
    subprocess.run(
        [program, "parquet", "--scale-factor", str(scale), "--output-dir", str(directory)],
        check=True,
        capture_output=True,
    )


def change(lake: Connection, number: int, per_thousand: int) -> None:
    """So many orders and offers of suppliers come, as many go, and as many change; line items with orders.

    ``number`` tells rounds apart: each takes other rows.
    """
    come, go, change_ = (
        f"BETWEEN {first} AND {first + per_thousand - 1}" for first in (0, per_thousand, 2 * per_thousand)
    )
    shift = number * _SHIFT
    order, line, offer = (
        f"pmod(hash({key}, {number}), 1000)" for key in ("o_orderkey", "l_orderkey", "ps_partkey, ps_suppkey")
    )
    for statement in (
        f"INSERT INTO orders SELECT {_shifted(lake, 'orders', 'o_orderkey', shift)} FROM orders "
        f"WHERE {order} {come}",
        f"INSERT INTO lineitem SELECT {_shifted(lake, 'lineitem', 'l_orderkey', shift)} FROM lineitem "
        f"WHERE {line} {come}",
        f"DELETE FROM orders WHERE {order} {go}",
        f"DELETE FROM lineitem WHERE {line} {go}",
        f"UPDATE orders SET o_orderstatus = 'F', o_totalprice = o_totalprice + 1 WHERE {order} {change_}",
        f"UPDATE lineitem SET l_quantity = l_quantity + 1 WHERE {line} {change_}",
        f"INSERT INTO partsupp SELECT {_shifted(lake, 'partsupp', 'ps_suppkey', 1)} FROM partsupp "
        f"WHERE {offer} {come}",
        f"DELETE FROM partsupp WHERE {offer} {go}",
        "UPDATE partsupp SET ps_supplycost = ps_supplycost * 0.9, ps_availqty = ps_availqty + 100 "
        f"WHERE {offer} {change_}",
    ):
        lake.run(statement)


def _shifted(lake: Connection, table: str, key: str, by: int) -> str:
    columns = lake.sql(f"SELECT * FROM {table} WHERE false").columns
    return ", ".join(f"{column} + {by} AS {column}" if column == key else column for column in columns)
