"""Random whole queries in Spark SQL over random tables, and random contents and changes of the tables.

Each query is a function of its seed, and gives the same bag of rows however it is computed: windows have an
order that is total or does not matter, and what is computed in floating point is never summed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from tests.delta.random_expressions import Column, Expressions
from tests.delta.random_tables import INT, TEXT, TRUTH, Tables, random_tables

_JOINS = (
    *("JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN"),
    *("FULL JOIN", "CROSS JOIN", "CROSS JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"),
)


@dataclass(frozen=True)
class RandomQuery:
    tables: Tables
    sql: str
    plain: str
    """The same without QUALIFY."""


def random_query(seed: int, parts: int | None = None) -> RandomQuery:
    """``parts``: about how many subqueries and joins it has."""
    rng = Random(seed)
    tables = random_tables(rng)
    return query_over(rng, tables, rng.choice((0, 1, 1, 2, 2, 3, 4)) if parts is None else parts)


def query_over(rng: Random, tables: Tables, parts: int) -> RandomQuery:
    before = rng.getstate()
    text = Query(rng, tables, parts).text()
    rng.setstate(before)
    return RandomQuery(tables, text, Query(rng, tables, parts, qualify=False).text())


@dataclass(frozen=True)
class Source:
    """What can stand in FROM, without an alias."""

    text: str
    columns: dict[str, str]

    def under(self, alias: str) -> list[Column]:
        return [Column(f"{alias}.{name}", kind) for name, kind in self.columns.items()]


@dataclass
class Query(Expressions):
    tables: Tables
    budget: int
    """How many more parts the query may get."""
    qualify: bool = True
    """Whether QUALIFY is used, which Spark itself does not know; else a subquery says the same."""
    _aliases: int = 0
    _shared: list[Source] = field(default_factory=list)

    def text(self) -> str:
        clauses = []
        for n in range(self.rng.choice((0, 0, 0, 1, 2))):
            made = self.query(2)
            clauses.append(f"w{n} AS ({made.text})")
            self._shared.append(Source(f"w{n}", made.columns))
        body = self.query(3).text
        return f"WITH {', '.join(clauses)} {body}" if clauses else body

    def query(self, depth: int) -> Source:
        self.budget -= 1
        if depth > 1 and self.budget > 0 and self.rng.random() < 0.2:
            return self._set_operation(depth)
        return self._select(depth)

    def _set_operation(self, depth: int) -> Source:
        kind = self.rng.choice(
            ("UNION ALL", "UNION", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL", "UNION ALL")
        )
        left, right = self.scan_source(depth - 1), self.scan_source(depth - 1)
        width = min(len(left.columns), len(right.columns))
        kinds = [self.rng.choice((INT, TEXT)) for _ in range(width)]
        sides = []
        for side in (left, right):
            alias = self._alias()
            items = [f"{self._of_kind(kind, side.under(alias))} AS o{n}" for n, kind in enumerate(kinds)]
            sides.append(f"SELECT {', '.join(items)} FROM {side.text} AS {alias}")
        return Source(f"{sides[0]} {kind} {sides[1]}", {f"o{n}": kind for n, kind in enumerate(kinds)})

    def scan_source(self, depth: int) -> Source:
        if self._shared and self.rng.random() < 0.4:
            return self.rng.choice(self._shared)
        if depth > 0 and self.budget > 0 and self.rng.random() < 0.3:
            made = self.query(depth - 1)
            return replace(made, text=f"({made.text})")
        name, columns = self.rng.choice(list(self.tables.items()))
        return Source(str(name), columns)

    def _alias(self) -> str:
        self._aliases += 1
        return f"a{self._aliases}"

    def _select(self, depth: int) -> Source:
        clause, columns, conditions = self._from(depth)
        if self.rng.random() < 0.4:
            conditions.append(f"({self._predicate(columns, depth)})")
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        shape = self.rng.choice(("plain", "plain", "distinct", "group", "group", "global", "sets", "window"))
        match shape:
            case "group":
                items, tail = self._grouped(columns, depth)
            case "sets":
                items, tail = self._grouping_sets(columns)
            case "global":
                items, tail = self._aggregates(columns, 2), ""
                if self.rng.random() < 0.3:
                    tail = f" HAVING {self._about(self._aggregate(columns))}"
            case "window":
                items, tail = self._windowed(columns)
            case _:
                items, tail = self._plain(columns, depth), ""
        names = {f"o{n}": item.kind for n, item in enumerate(items)}
        listed = ", ".join(f"{item.text} AS {name}" for item, name in zip(items, names, strict=True))
        distinct = "DISTINCT " if shape == "distinct" else ""
        if " QUALIFY " in tail and not self.qualify:
            measure, bound = tail.removeprefix(" QUALIFY ").rsplit(" <= ", 1)
            inner = f"SELECT {listed}, {measure} AS qualified FROM {clause}{where}"
            return Source(f"SELECT {', '.join(names)} FROM ({inner}) WHERE qualified <= {bound}", names)
        return Source(f"SELECT {distinct}{listed} FROM {clause}{where}{tail}", names)

    def _from(self, depth: int) -> tuple[str, list[Column], list[str]]:
        """Conditions of joins may stand in WHERE."""
        conditions = []
        alias = self._alias()
        source = self.scan_source(depth)
        clause, columns = f"{source.text} AS {alias}", source.under(alias)
        for _ in range(self.rng.choice((0, 0, 1, 1, 2)) if self.budget > 0 else 0):
            self.budget -= 1
            if self.rng.random() < 0.12:
                clause, columns = self._lateral(clause, columns)
                continue
            alias = self._alias()
            source = self.scan_source(depth)
            kind = self.rng.choice(_JOINS)
            joined = source.under(alias)
            on = "" if kind == "CROSS JOIN" else f" ON {self._matching(columns, joined)}"
            if kind == "CROSS JOIN" and self.rng.random() < 0.7:
                conditions.append(self._matching(columns, joined))
            clause = f"{clause} {kind} {source.text} AS {alias}{on}"
            columns = columns if "SEMI" in kind or "ANTI" in kind else [*columns, *joined]
        return clause, columns, conditions

    def _lateral(self, clause: str, columns: list[Column]) -> tuple[str, list[Column]]:
        alias, inner = self._alias(), self._alias()
        source = self.scan_source(0)
        own = source.under(inner)
        where = self._matching(columns, own)
        match self.rng.choice(("rows", "aggregate", "groups")):
            case "rows":
                items, tail = [self.rng.choice(own)], ""
            case "aggregate":
                items, tail = self._aggregates(own, 1), ""
            case _:
                key = self.rng.choice(own)
                items, tail = [key, self._aggregate(own)], f" GROUP BY {key.text}"
        names = {f"o{n}": item.kind for n, item in enumerate(items)}
        listed = ", ".join(f"{item.text} AS {name}" for item, name in zip(items, names, strict=True))
        kind = self.rng.choice(("JOIN", "LEFT JOIN"))
        query = f"SELECT {listed} FROM {source.text} AS {inner} WHERE {where}{tail}"
        made = Source(query, names)
        return f"{clause} {kind} LATERAL ({query}) AS {alias} ON TRUE", [*columns, *made.under(alias)]

    def _predicate(self, columns: list[Column], depth: int) -> str:
        first = self._simple_predicate(columns, depth)
        match self.rng.randrange(6):
            case 0:
                return f"{first} AND {self._simple_predicate(columns, depth)}"
            case 1:
                return f"({first} OR {self._simple_predicate(columns, depth)})"
            case 2:
                return f"NOT ({first})"
        return first

    def _simple_predicate(self, columns: list[Column], depth: int) -> str:
        if self.budget > 0 and self.rng.random() < 0.4:
            return self._truth(columns, depth)
        if self.rng.random() < 0.3:
            return self._matching(columns, columns)
        return self._about(self.rng.choice(columns))

    def _truth(self, columns: list[Column], depth: int) -> str:
        """EXISTS, IN, or a comparison with a scalar subquery."""
        self.budget -= 1
        match self.rng.randrange(5):
            case 0 | 1:
                alias = self._alias()
                source = self.scan_source(depth - 1)
                own = source.under(alias)
                tail = ""
                if self.rng.random() < 0.2:
                    key = self.rng.choice(own).text
                    tail = f" GROUP BY {key} HAVING count(*) > 1"
                not_ = self.rng.choice(("", "NOT "))
                where = self._matching(columns, own)
                return f"{not_}EXISTS (SELECT 1 FROM {source.text} AS {alias} WHERE {where}{tail})"
            case 2 | 3:
                looked_for = self.rng.choice(columns)
                alias = self._alias()
                source = self.scan_source(depth - 1)
                own = source.under(alias)
                found = self._of_kind(looked_for.kind, own)
                where = f" WHERE {self._matching(columns, own)}" if self.rng.random() < 0.4 else ""
                not_ = self.rng.choice(("", "NOT "))
                return f"{looked_for.text} {not_}IN (SELECT {found} FROM {source.text} AS {alias}{where})"
        number = self._of_kind(INT, columns)
        return f"{number} {self.rng.choice(('>', '=', '<='))} {self._scalar(columns)}"

    def _scalar(self, columns: list[Column]) -> str:
        alias = self._alias()
        source = self.scan_source(0)
        own = source.under(alias)
        numbers = [c for c in own if c.kind == INT]
        inner = self.rng.choice(
            ["count(*)", *(f"{f}({self.rng.choice(numbers).text})" for f in ("max", "sum", "min") if numbers)]
        )
        inner = self.rng.choice((inner, inner, f"coalesce({inner}, 1)", f"{inner} + 1"))
        where = f" WHERE {self._matching(columns, own)}" if self.rng.random() < 0.7 else ""
        return f"(SELECT {inner} FROM {source.text} AS {alias}{where})"

    def _plain(self, columns: list[Column], depth: int) -> list[Column]:
        items = [
            self.rng.choice(columns) if self.rng.random() < 0.6 else self._expression(columns)
            for _ in range(self.rng.randint(1, 3))
        ]
        if self.budget > 0 and self.rng.random() < 0.3:
            self.budget -= 1
            items.append(
                Column(self._truth(columns, depth), TRUTH)
                if self.rng.random() < 0.5
                else Column(self._scalar(columns), INT)
            )
        return items

    def _grouped(self, columns: list[Column], depth: int) -> tuple[list[Column], str]:
        keys = [self.rng.choice(columns) for _ in range(self.rng.randint(1, 2))]
        plain = list(keys)
        if self.rng.random() < 0.25:
            keys.append(self._expression(columns))
        items = [*keys, *self._aggregates(columns, 2)]
        tail = f" GROUP BY {', '.join(key.text for key in keys)}"
        if self.rng.random() < 0.3:
            tail += f" HAVING {self._about(self._aggregate(columns))}"
            if self.budget > 0 and self.rng.random() < 0.3:
                tail += f" OR {self._truth(plain, depth)}"
        elif self.rng.random() < 0.2:
            items.append(Column(self._scalar(plain), INT))
        elif self.rng.random() < 0.2:
            measure = items[-1].text
            items.append(Column(f"rank() OVER (PARTITION BY {keys[0].text} ORDER BY {measure})", INT))
        return items, tail
