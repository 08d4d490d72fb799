"""Key look-ups in random tables, with random pages, against Spark reading everything."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pyspark.sql import DataFrame
from tests import internals
from tests.lake.lookup_oracle import Lookup
from tests.sampling import fresh_seeds

from headrace.connection import Connection
from headrace.lake.lookup import key_lookup
from headrace.lake.lookup.key_lookup import KeyLookups
from headrace.lake.lookup.verify_indexes import verify_indexes

COLUMNS = "k INT, g BIGINT, v STRING, d DATE, m DECIMAL(20, 2), s STRUCT<a: INT, b: ARRAY<STRING>>"
PARTITIONINGS = ("", "", "", "p", "bucket(3, k)", "truncate(2, v)", "months(d)")
KEYS = (["k"], ["k"], ["g"], ["v"], ["d"], ["m"], ["k", "v"], ["p", "g"], ["v", "d", "m"], ["p"])


class RandomTable:
    """Random operations on ``t``, whose pages and row groups are small."""

    def __init__(self, lake: Connection, seed: int) -> None:
        self.chance = random.Random(seed)
        self.spark = internals.spark(lake)
        self.lookup = Lookup(lake)
        self.said: list[str] = []
        self.size = self.chance.choice([30, 400, 3000])
        self.distinct = self.chance.choice([5, 100, 5000])
        self.versions: list[int | None] = [None]
        self.has_damaged = False
        self.run(self._create())
        self.run(self.insert())

    def _create(self) -> str:
        pick = self.chance.choice
        mode = pick(["merge-on-read", "merge-on-read", "copy-on-write"])
        properties = {
            "format-version": pick("2333"),
            "write.parquet.page-row-limit": str(pick([2, 3, 10, 100, 2000])),
            "write.parquet.row-group-size-bytes": str(pick([2000, 20000, 10**8])),
            "write.parquet.row-group-check-min-record-count": "10",
            "write.parquet.dict-size-bytes": str(pick([64, 2 * 2**20])),
            "write.distribution-mode": "none",
            **{f"write.{operation}.mode": mode for operation in ("delete", "update", "merge")},
        }
        partitioning = pick(PARTITIONINGS)
        listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
        parts = f"PARTITIONED BY ({partitioning})" if partitioning else ""
        return f"CREATE TABLE t ({COLUMNS}, p STRING) {parts} TBLPROPERTIES ({listed})"

    def run(self, statement: str) -> None:
        self.said.append(statement)
        self.spark.sql(statement)
        self.versions.append(self.lookup.version())

    def insert(self) -> str:
        files, order = self.chance.randint(1, 3), self.chance.choice(["k", "g", "v", "d", "rand(1)"])
        drawn = f"CAST(pmod(xxhash64(id, {self.chance.randint(0, 9)}), {self.distinct}) AS INT)"
        n = f"IF(id % 11 = 0, NULL, {drawn})"
        rows = (
            f"SELECT {n} AS k, {n} * 3 AS g, concat('a shared start, then ', {n} % 700) AS v, "
            f"date_add(DATE '1580-01-01', {n}) AS d, CAST({n} / 7 AS DECIMAL(20, 2)) AS m, "
            f"IF(id % 3 = 0, NULL, named_struct('a', CAST(id AS INT), 'b', array(id, NULL))) AS s, "
            f"IF(id % 4 = 0, NULL, CAST(id % 3 AS STRING)) AS p FROM range(0, {self.size}, 1, {files})"
        )
        return f"INSERT INTO t SELECT * FROM ({rows}) SORT BY {order}"

    def step(self) -> None:
        n = self.chance.randint(0, self.distinct)
        condition = self.chance.choice([f"k = {n}", f"k > {n}", f"k % 7 = {n % 7}", "p IS NULL", "s.a < 20"])
        table = f"table => '{self.lookup.name.schema}.t'"
        self.run(
            self.chance.choice(
                [
                    self.insert(),
                    f"DELETE FROM t WHERE {condition}",
                    f"UPDATE t SET v = 'new' WHERE {condition}",
                    f"UPDATE t SET k = k + 1, p = 'x' WHERE {condition}",
                    f"CALL lake.system.rewrite_data_files({table}, options => map('rewrite-all', 'true'))",
                    "ALTER TABLE t ALTER COLUMN k TYPE BIGINT",
                ]
            )
        )

    def wanted(self, keys: list[str]) -> DataFrame:
        """Some that are there, and some that are not or are only in part."""
        listed = ", ".join(keys)
        share = self.chance.choice([0.01, 0.1, 1.0])
        known = self.spark.sql(f"SELECT {listed} FROM t").sample(share, seed=self.chance.randint(0, 99))
        names = ", ".join(f"CAST({key} AS {self.kind(key)})" for key in keys)
        other = ", ".join(
            f"{'NULL' if self.chance.random() < 0.3 else self.unknown(key)} AS {key}" for key in keys
        )
        return known.union(self.spark.sql(f"SELECT {names} FROM (SELECT {other})"))

    def kind(self, column: str) -> str:
        return dict(self.spark.table("t").dtypes)[column]

    def unknown(self, column: str) -> str:
        return {"v": "'a shared start, then'", "d": "DATE '1500-01-01'", "p": "'2'"}.get(column, "-1")

    def check(self, monkeypatch: pytest.MonkeyPatch) -> None:
        few = self.chance.choice([0, 0, 20, key_lookup.FEW_ROWS])
        small = self.chance.choice([0, 0, 40, key_lookup.SMALL_FILE])
        monkeypatch.setattr(key_lookup, "FEW_ROWS", few)
        monkeypatch.setattr(key_lookup, "SMALL_FILE", small)
        if self.chance.random() < 0.2:
            damage_indexes(self.chance, self.lookup.indexes)
            self.has_damaged = True
        if self.chance.random() < 0.5:
            self.lookup.lookups = self.chance.choice([None, KeyLookups(self.lookup.session)])
        old, new = self.chance.choices(self.versions[-3:], k=2)
        keys = self.chance.choice(KEYS)
        columns = self.chance.choice([None, None, [*keys], ["_pos"], ["s", "_file", keys[0]]])
        self.said.append(f"{keys} {columns} {old} {new} {few} {small}")
        self.lookup.check(keys, self.wanted(keys), columns=columns, old=old, new=new)

    def check_indexes(self) -> None:
        """Those that look-ups have made are right; what was damaged goes with the first verification."""
        versions = [(self.lookup.table, version) for version in self.versions[-3:]]
        first = verify_indexes(self.lookup.session, versions)
        assert self.has_damaged or first.wrong == ()
        again = verify_indexes(self.lookup.session, versions)
        assert (again.wrong, again.unreadable) == ((), ())


def damage_indexes(chance: random.Random, directory: Path) -> None:
    """Cuts some short and changes bytes of others: they are to be noticed, and made again."""
    whole = (file for file in sorted(directory.glob("*.positions")) if file.stat().st_size)
    for file in whole:
        content = bytearray(file.read_bytes())
        if chance.random() < 0.5:
            del content[chance.randrange(len(content)) :]
        else:
            content[chance.randrange(len(content))] ^= 1 + chance.randrange(255)
        file.write_bytes(content)


@pytest.mark.parametrize("seed", fresh_seeds("lake/key lookups", 40, share=0.1))
def test_random_tables(lake: Connection, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table = RandomTable(lake, seed)
    try:
        for _ in range(3):
            table.step()
            table.check(monkeypatch)
            table.check(monkeypatch)
        table.check_indexes()
    except BaseException as error:
        error.add_note(f"seed {seed}:\n" + ";\n".join(table.said))
        raise
