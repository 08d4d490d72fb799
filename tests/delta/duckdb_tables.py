"""Queries and their deltas on DuckDB, where thousands of cases take a minute and no JVM."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import duckdb
from sqlglot import exp

from headrace.algebra.build import build
from headrace.algebra.conditions import negation_inward
from headrace.algebra.inner_aggregates import innermost_aggregates, over_tables
from headrace.algebra.names import Names
from headrace.algebra.operators.aggregate import Aggregate
from headrace.algebra.operators.scan import Scan, SourceVersion
from headrace.algebra.predicate_pushdown import with_predicates_pushed_down
from headrace.algebra.render import render
from headrace.algebra.walk import at
from headrace.delta.differentiate import differentiate
from headrace.delta.key_lookups import KeyedRelation, with_key_lookups
from headrace.model.names import TableName
from headrace.sql.queries.qualify import qualified_tree

Row = tuple[Any, ...]
Weighted = Counter[Row]
Versions = tuple[Mapping[str, Sequence[Row]], Mapping[str, Sequence[Row]]]
"""Old and new rows of each table."""
Tables = Mapping[TableName, Mapping[str, str]]
"""Columns of each table and their types."""

TABLES: Tables = {
    TableName("lake", "p", "t"): {"a": "INT", "b": "STRING", "d": "DECIMAL(10,2)"},
    TableName("lake", "p", "u"): {"a": "INT", "k": "INT"},
    TableName("lake", "p", "v"): {"k": "INT", "b": "STRING"},
}
SCHEMA = {name: tuple(columns) for name, columns in TABLES.items()}


_ONE_IN = 3
"""Changes of which one is computed as a refresh does, too: conditions pushed down, rows looked up by key."""


class DuckDbTables:
    """One version after the other of the same tables."""

    def __init__(self, tables: Tables = TABLES, duck: duckdb.DuckDBPyConnection | None = None) -> None:
        self._tables = tables
        self._schema = {name: tuple(columns) for name, columns in tables.items()}
        self._deltas: dict[tuple[str, frozenset[TableName], bool, bool], list[str]] = {}
        self._texts: dict[str, str] = {}
        self._statements: dict[str, str | None] = {}
        self._duck = duckdb.connect() if duck is None else duck
        self._duck.execute("SET threads = 1; PRAGMA disable_optimizer; SET max_expression_depth = 100000")
        self._duck.execute("CREATE OR REPLACE MACRO raise_error(message) AS error(message)")
        self._duck.execute(" ; ".join(self._creations()))

    def _creations(self) -> list[str]:
        made = []
        for name, columns in self._tables.items():
            listed = ", ".join(f"{column} {kind}" for column, kind in columns.items())
            made += [f"CREATE OR REPLACE TABLE {name.table}_{v} ({listed})" for v in ("old", "new")]
            made.append(f"CREATE OR REPLACE TABLE {name.table}_change ({listed}, __hr_weight BIGINT)")
        return made

    def assert_exact(self, query: str, versions: Versions, same_as: str | None = None) -> None:
        """The delta rules give just the difference of what the user's own text gives, or ``same_as``."""
        changed = self._fill(*versions, query)
        text = same_as or query
        old, new = (self.result(text, version) for version in ("old", "new"))
        wanted = {row: new[row] - old[row] for row in old | new if new[row] != old[row]}
        assert self._change(query, changed) == wanted
        if zlib.crc32(repr(versions).encode()) % _ONE_IN == 0:
            assert self._change(query, changed, by_key=True) == wanted, "rows looked up by key"
            assert self._change(query, changed, over_groups=True) == wanted, "over stored groups"

    def result(self, query: str, version: str) -> Counter[Row]:
        """Of the query as Headrace reads it, over the tables as they were last filled."""
        return Counter(self._rows(self._text_at(query, version)))

    def _fill(
        self, old: Mapping[str, Sequence[Row]], new: Mapping[str, Sequence[Row]], query: str
    ) -> frozenset[TableName]:
        """Those tables that the query reads."""
        changed = set()
        statements = ["BEGIN"]
        for name in (n for n in self._tables if f"{n.schema}.{n.table}" in query):
            before, after = list(old.get(name.table, ())), list(new.get(name.table, ()))
            statements += _put(f"{name.table}_old", before)
            statements += _put(f"{name.table}_new", after)
            statements += _put(f"{name.table}_change", _change(before, after))
            if Counter(before) != Counter(after):
                changed.add(name)
        self._duck.execute(" ; ".join([*statements, "COMMIT"]))
        return frozenset(changed)

    def _change(
        self,
        query: str,
        changed: frozenset[TableName],
        *,
        by_key: bool = False,
        over_groups: bool = False,
    ) -> dict[Row, int]:
        """With ``by_key``, conditions are pushed down, and rows are looked up where that is possible.

        With ``over_groups``, too, and the groups of inner aggregates are read from tables of their own.
        """
        known = (query, changed, by_key, over_groups)
        if known not in self._deltas:
            self._deltas[known] = self._delta_texts(query, changed, by_key or over_groups, over_groups)
        texts = self._deltas[known]
        rows = [self._rows(text) for text in texts]
        summed: Weighted = Counter()
        for *row, weight in rows[-1] if rows else ():
            summed[tuple(row)] += weight
        return {row: weight for row, weight in summed.items() if weight}

    def _rows(self, text: str) -> list[Row]:
        return [tuple(row) for row in self._duck.execute(self._prepared(text)).fetchall()]

    def _prepared(self, text: str) -> str:
        """Prepared when it comes for the second time: then it takes a third of the time."""
        if text not in self._statements:
            self._statements[text] = None
            return text
        if self._statements[text] is None:
            name = f"statement_{len(self._statements)}_{zlib.crc32(text.encode())}"
            self._duck.execute(f"PREPARE {name} AS {text}")
            self._statements[text] = f"EXECUTE {name}"
        return self._statements[text] or text

    def _text_at(self, query: str, version: str) -> str:
        if query not in self._texts:
            tree = _as_spark_reads(qualified_tree(query, self._schema))
            for table in list(tree.find_all(exp.Table)):
                if table.db:
                    there = exp.to_table(f"{table.name}_VERSION")
                    table.replace(exp.alias_(there, table.alias_or_name, table=True))
            self._texts[query] = tree.sql(dialect="duckdb")
        return self._texts[query].replace("_VERSION", f"_{version}")

    def _delta_texts(
        self, query: str, changed: frozenset[TableName], by_key: bool, over_groups: bool
    ) -> list[str]:
        """Statements, the last of which gives the change; none where nothing can change."""
        names = Names()
        relation = build(query, self._schema, names).relation
        if by_key:
            relation = with_predicates_pushed_down(relation)
        statements = []
        if over_groups:
            groups = {
                each: TableName("lake", "p", f"groups_{len(self._deltas)}_{n}")
                for n, each in enumerate(innermost_aggregates(relation))
            }
            relation = over_tables(relation, groups)
            for aggregate, table in groups.items():
                statements += self._fill_groups(aggregate, table)
            changed |= {*groups.values()}
        change = differentiate(relation, changed, names)
        if change is None:
            return []
        found = KeyedRelation(change.relation, {})
        if by_key:
            found = with_key_lookups(change.relation, names, lambda _: False)
        lookups = _LookUps(found, len(self._deltas))
        tree = render(found.relation, lookups.source).subquery("x")
        for name, rows in lookups.queries().items():
            self._duck.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {rows}")
            statements += [f"DELETE FROM {name}", f"INSERT INTO {name} {rows}"]
        return [*statements, exp.select(*change.columns, change.weight).from_(tree).sql("duckdb")]

    def _fill_groups(self, aggregate: Aggregate, table: TableName) -> list[str]:
        """Statements that put the groups at both versions, and their change, into tables."""
        old, new = (
            render(at(aggregate, version), scan_source).sql("duckdb")
            for version in (SourceVersion.OLD, SourceVersion.NEW)
        )
        came, went = (
            f"SELECT *, {n} AS __hr_weight FROM (({a}) EXCEPT ALL ({b}))"
            for a, b, n in ((new, old, 1), (old, new, -1))
        )
        statements = []
        for suffix, rows in (("old", old), ("new", new), ("change", f"({came}) UNION ALL ({went})")):
            self._duck.execute(f"CREATE OR REPLACE TEMP TABLE {table.table}_{suffix} AS {rows}")
            statements += [
                f"DELETE FROM {table.table}_{suffix}",
                f"INSERT INTO {table.table}_{suffix} {rows}",
            ]
        return statements


class _LookUps:
    """Tables that hold just the rows that have the keys they are looked up by."""

    def __init__(self, keyed: KeyedRelation, number: int) -> None:
        self._keyed = keyed
        self._names = {scan: f"looked_up_{number}_{place}" for place, scan in enumerate(keyed.lookups)}

    def source(self, scan: Scan) -> exp.Expr:
        return exp.to_table(self._names[scan]) if scan in self._names else scan_source(scan)

    def queries(self) -> dict[str, str]:
        """Of the rows of each, by its name; keys may come from those before."""
        return {name: self._rows(scan).sql("duckdb") for scan, name in self._names.items()}

    def _rows(self, scan: Scan) -> exp.Expr:
        found, fields = self._keyed.lookups[scan], dict(scan.fields)
        pairs = [
            (exp.column(fields[column], "t"), exp.column(key, "wanted"))
            for column, key in zip(found.columns, found.keys.columns, strict=True)
        ]
        same: list[exp.Expr] = [exp.NullSafeEQ(this=own, expression=key) for own, key in pairs]
        if found.or_null:
            nulls = [exp.Is(this=each.copy(), expression=exp.null()) for pair in pairs for each in pair]
            same = [exp.or_(*same, *nulls)]
        keys = render(found.keys, self.source).subquery("wanted")
        is_wanted = exp.Exists(this=exp.select("1").from_(keys).where(exp.and_(*same)))
        return exp.select("*").from_(exp.alias_(scan_source(scan), "t", table=True)).where(is_wanted)


def _as_spark_reads(tree: exp.Expr) -> exp.Expr:
    """To Spark, IN and NOT IN of a subquery are never NULL."""
    tree = negation_inward(tree)
    for node in [n for n in tree.find_all(exp.In) if n.args.get("query") is not None]:
        outer = node
        while isinstance(outer.parent, exp.Paren):
            outer = outer.parent
        outer = outer.parent if isinstance(outer.parent, exp.Not) else node
        outer.replace(exp.Coalesce(this=outer.copy(), expressions=[exp.false()]))
    return tree


def _put(table: str, rows: Sequence[Row]) -> list[str]:
    listed = ", ".join(f"({', '.join(map(_literal, row))})" for row in rows)
    return [f"DELETE FROM {table}", *([f"INSERT INTO {table} VALUES {listed}"] if rows else [])]


def scan_source(scan: Scan) -> exp.Expr:
    return exp.to_table(f"{scan.table.table}_{scan.version.value}")


def _change(before: list[Row], after: list[Row]) -> list[Row]:
    """The difference by weights. Every third row also comes and goes: a change need not be consolidated."""
    totals = Counter(after)
    totals.subtract(before)
    rows = [(*row, 1 if n > 0 else -1) for row, n in totals.items() for _ in range(abs(n))]
    noise = [row for index, row in enumerate(totals) if index % 3 == 0]
    return rows + [(*row, sign) for row in noise for sign in (1, -1)]


def _literal(value: object) -> str:
    match value:
        case None:
            return "NULL"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case int() | Decimal():
            return str(value)
    raise TypeError(f"no literal for {value!r}")
