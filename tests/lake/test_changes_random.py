"""The change scan between random versions of tables with random histories, against brute force."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.lake.changes_oracle import Watched
from tests.sampling import fresh_batches

import headrace
from headrace.connection import Connection
from headrace.lake.change_scan.changes import Changes, find_changes

THREADS = 3
"""Commits mostly wait for the driver, not for a core."""

PARTITIONINGS = ("", "", "p", "bucket(2, k)", "days(d)", "p, bucket(2, k)")
ALLOWED = ("no row IDs yet", "was dropped", "changed its type")
MODES = ("merge-on-read", "merge-on-read", "copy-on-write")


class History:
    """Random operations on one table; ``t`` is its name."""

    def __init__(self, table: Watched, chance: random.Random) -> None:
        self.table = table
        self.chance = chance
        self.columns = ["k", "v", "p", "d"]
        self.text = "v"
        self.said: list[str] = []

    @classmethod
    def begin(cls, lake: Connection, seed: int) -> History:
        chance = random.Random(seed)
        partitioning = chance.choice(PARTITIONINGS)
        properties = {
            "format-version": chance.choice("2333"),
            "write.delete.granularity": chance.choice(["file", "partition"]),
            **{
                f"write.{operation}.mode": chance.choice(MODES) for operation in ("delete", "update", "merge")
            },
        }
        create = "(k INT, v STRING, p STRING, d DATE)"
        create += f" PARTITIONED BY ({partitioning})" if partitioning else ""
        listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
        create += f" TBLPROPERTIES ({listed})"
        history = cls(Watched.make(lake, create), chance)
        history.said.append(create)
        return history

    def step(self) -> None:
        operations: list[tuple[int, Callable[[], str]]] = [
            (6, self.insert),
            (4, self.delete),
            (4, self.update),
            (3, self.merge),
            (1, self.overwrite),
            (1, self.overwrite_partitions),
            (1, lambda: "TRUNCATE TABLE t"),
            (3, self.rewrite),
            (2, self.alter),
            (1, self.roll_back),
        ]
        weights = [weight for weight, _ in operations]
        statement = self.chance.choices(operations, weights)[0][1]()
        for part in statement.split("; "):
            self.said.append(part)
            self.table.run(part)

    def rows(self) -> str:
        found = [self.row() for _ in range(self.chance.choice([1, 2, 4, 16]))]
        return ", ".join(found + found[: self.chance.randint(0, 1)])

    def row(self) -> str:
        k = self.chance.choice([*map(str, range(12)), "NULL"])
        values = {"k": k, "p": self.chance.choice(["'x'", "'y'", "NULL"]), "s": "NULL"}
        values["d"] = f"DATE '2024-01-0{self.chance.randint(1, 3)}'"
        text = f"'{self.chance.randint(0, 99)}'"
        return f"({', '.join(values.get(column, text) for column in self.columns)})"

    def condition(self) -> str:
        k = self.chance.randint(0, 11)
        one = f"k = {k}"
        return self.chance.choice([one, one, one, f"k > {k}", f"k % 5 = {k % 5}", "p = 'x'", "p IS NULL"])

    def insert(self) -> str:
        return f"INSERT INTO t VALUES {self.rows()}"

    def delete(self) -> str:
        return f"DELETE FROM t WHERE {self.condition()}"

    def update(self) -> str:
        new = self.chance.choice([f"{self.text} = 'new'", "p = 'y'", "k = k + 1"])
        return f"UPDATE t SET {new} WHERE {self.condition()}"

    def merge(self) -> str:
        k, text = self.chance.randint(0, 9), self.text
        source = f"SELECT id AS k FROM range({k}, {k + 4})"
        values = ", ".join({"k": "s.k", text: "'merged'"}.get(column, "NULL") for column in self.columns)
        return (
            f"MERGE INTO t USING ({source}) s ON t.k = s.k WHEN MATCHED AND t.k % 2 = 0 THEN DELETE "
            f"WHEN MATCHED THEN UPDATE SET {text} = 'merged' "
            f"WHEN NOT MATCHED THEN INSERT ({', '.join(self.columns)}) VALUES ({values})"
        )

    def overwrite(self) -> str:
        return f"INSERT OVERWRITE t SELECT * FROM t WHERE {self.condition()}"

    def overwrite_partitions(self) -> str:
        self.table.session.spark.conf.set(
            "spark.sql.sources.partitionOverwriteMode", self.chance.choice(["static", "dynamic"])
        )
        return f"INSERT OVERWRITE t VALUES {self.rows()}"

    def rewrite(self) -> str:
        name = f"'{self.table.name.schema}.t'"
        everything = "options => map('rewrite-all', 'true')"
        what = self.chance.choice(["data_files", "data_files", "manifests", "position_delete_files"])
        if what == "manifests":
            return f"CALL lake.system.rewrite_manifests({name})"
        return f"CALL lake.system.rewrite_{what}(table => {name}, {everything})"

    def alter(self) -> str:
        columns = [
            self.add_column,
            self.rename,
            self.swap,
            self.reorder,
            self.drop,
            self.add_again,
            self.nest,
        ]
        return self.chance.choice([self.evolve, self.evolve, self.widen, self.upgrade, *columns])()

    def evolve(self) -> str:
        fields = self.table.load().partitioning
        kept = self.chance.choice(["p", "bucket(3, k)", "truncate(1, v)"])
        if " p: identity" in fields and kept == "p":
            return "ALTER TABLE t DROP PARTITION FIELD p"
        if "bucket[3]" in fields or "trunc" in fields or kept.startswith("trunc"):
            return "ALTER TABLE t WRITE ORDERED BY k"
        return f"ALTER TABLE t ADD PARTITION FIELD {kept}"

    def add_column(self) -> str:
        self.columns.append(f"c{len(self.said)}")
        return f"ALTER TABLE t ADD COLUMN {self.columns[-1]} STRING"

    def rename(self) -> str:
        old, self.text = self.text, f"{self.text}v"
        self.columns[self.columns.index(old)] = self.text
        return f"ALTER TABLE t RENAME COLUMN {old} TO {self.text}"

    def swap(self) -> str:
        """The names of two columns of text that are not partitioned by."""
        others = [column for column in self.columns if column not in ("k", self.text, "p", "d", "s")]
        if not others:
            return self.add_column()
        pairs = [(self.text, "aside"), (others[0], self.text), ("aside", others[0])]
        one, other = self.columns.index(self.text), self.columns.index(others[0])
        self.columns[one], self.columns[other] = self.columns[other], self.columns[one]
        return "; ".join(f"ALTER TABLE t RENAME COLUMN {old} TO {new}" for old, new in pairs)

    def reorder(self) -> str:
        column = self.columns.pop(self.chance.randrange(len(self.columns)))
        self.columns.insert(0, column)
        return f"ALTER TABLE t ALTER COLUMN {column} FIRST"

    def drop(self) -> str:
        added = [column for column in self.columns if column not in ("k", self.text, "p", "d")]
        if not added:
            return self.add_column()
        self.columns.remove(added[0])
        return f"ALTER TABLE t DROP COLUMN {added[0]}"

    def add_again(self) -> str:
        """Under the name that the column of text has had."""
        old = self.rename()
        self.columns.append(f"again{len(self.said)}" if "v" in self.columns else "v")
        return f"{old}; ALTER TABLE t ADD COLUMN {self.columns[-1]} STRING"

    def widen(self) -> str:
        return "ALTER TABLE t ALTER COLUMN k TYPE BIGINT"

    def nest(self) -> str:
        if "s" in self.columns:
            return f"ALTER TABLE t ADD COLUMN s.x{len(self.said)} INT"
        self.columns.append("s")
        return "ALTER TABLE t ADD COLUMN s STRUCT<x: INT>"

    def upgrade(self) -> str:
        return "ALTER TABLE t SET TBLPROPERTIES ('format-version' = '3')"

    def roll_back(self) -> str:
        known = [state.version for state in self.table.states if state.version.snapshot_id is not None]
        if not known:
            return self.insert()
        schema = self.table.name.schema
        return f"CALL lake.system.set_current_snapshot('{schema}.t', {self.chance.choice(known)})"

    def check(self, pairs: int) -> int:
        """How many pairs of versions were compared; the rest has no change scan, for the reason allowed."""
        states = self.table.states
        wanted = [sorted(self.chance.sample(range(len(states)), 2)) for _ in range(pairs)]
        comparable = []
        for before, after in {(before, after) for before, after in wanted}:
            found = find_changes(self.table.session, states[after], states[before].version)
            if isinstance(found, Changes):
                comparable.append((before, after))
            else:
                assert any(allowed in found.reason for allowed in ALLOWED), found.reason
        if comparable:
            self.table.check(*comparable)
        return len(comparable)


def play(lake: Connection, seed: int, steps: int, pairs: int) -> int:
    schema = f"random_{seed}"
    lake.sql(f"CREATE SCHEMA {schema}; USE {schema}")
    history = History.begin(lake, seed)
    try:
        history.table.run(f"INSERT INTO t VALUES {history.rows()}")
        for _ in range(steps - 1):
            history.step()
        return history.check(pairs)
    except BaseException as error:
        error.add_note(f"seed {seed}:\n" + ";\n".join(history.said))
        raise


def play_all(lake: Connection, seeds: range, steps: int, pairs: int) -> int:
    def some(first: int) -> int:
        with headrace.connect(lake.lake_path) as own:
            return sum(play(own, seed, steps, pairs) for seed in seeds[first::THREADS])

    with ThreadPoolExecutor(THREADS) as threads:
        return sum(threads.map(some, range(THREADS)))


@pytest.mark.parametrize("seeds", fresh_batches("lake/change histories", 3, 20, share=0.3))
def test_random_histories(lake: Connection, seeds: range) -> None:
    assert play_all(lake, seeds, steps=6, pairs=4) > 2 * len(seeds)


@pytest.mark.parametrize("seeds", fresh_batches("lake/long change histories", 75, 4, share=0.02))
def test_long_random_histories(lake: Connection, seeds: range) -> None:
    assert play_all(lake, seeds, steps=10, pairs=12) > 2 * len(seeds)
