"""Random conditions, expressions, aggregates and window functions over given columns."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.delta.random_tables import DECIMAL, INT, REAL, TEXT, TRUTH


@dataclass(frozen=True)
class Column:
    text: str
    kind: str


@dataclass
class Expressions:
    rng: Random

    def _matching(self, left: list[Column], right: list[Column]) -> str:
        """A condition over two sides, mostly an equality."""
        pairs = [(x, y) for x in left for y in right if x.kind == y.kind and x.kind != REAL]
        if not pairs:
            return self._about(self.rng.choice(right))
        x, y = self.rng.choice(pairs)
        condition = f"{x.text} {self.rng.choice(('=', '=', '=', '=', '<=>', '<', '<>'))} {y.text}"
        match self.rng.randrange(5):
            case 0:
                return f"{condition} AND {self._about(self.rng.choice(right))}"
            case 1:
                return f"{condition} AND {self._about(self.rng.choice(left))}"
        return condition

    def _about(self, column: Column) -> str:
        """A condition on one value."""
        test = {
            INT: ("> 1", "= 1", "<> 2", "IN (0, 2)", "IN (1, NULL)"),
            TEXT: ("= 'x'", "<> 'y'", "IN ('x', '')", "LIKE '%x%'"),
            DECIMAL: ("> 0", "<= 1.5", "= 0"),
            REAL: ("> 1", "IS NOT NULL"),
            TRUTH: ("", "IS NOT TRUE", "= false"),
        }[column.kind]
        return f"{column.text} {self.rng.choice((*test, 'IS NULL', 'IS NOT NULL'))}".rstrip()

    def _of_kind(self, kind: str, columns: list[Column]) -> str:
        fitting = [c.text for c in columns if c.kind == kind]
        constants = {
            INT: ("1", "CAST(NULL AS INT)"),
            TEXT: ("'x'",),
            DECIMAL: ("CAST(1.5 AS DECIMAL(10,2))",),
            REAL: ("CAST(1 AS DOUBLE)",),
            TRUTH: ("true",),
        }
        return self.rng.choice(fitting or constants[kind])

    def _expression(self, columns: list[Column]) -> Column:
        column = self.rng.choice(columns)
        other = self._of_kind(column.kind, columns)
        text = column.text
        forms = {
            INT: (f"{text} + 1", f"{text} - {other}", f"coalesce({text}, 7)", f"nullif({text}, {other})"),
            TEXT: (f"upper({text})", f"{text} || {other}", f"coalesce({text}, 'z')"),
            DECIMAL: (f"-{text}", f"coalesce({text}, 0.5)"),
            REAL: (text,),
            TRUTH: (f"NOT {text}", text),
        }
        if self.rng.random() < 0.2:
            condition = self._about(self.rng.choice(columns))
            return Column(f"CASE WHEN {condition} THEN {text} ELSE {other} END", column.kind)
        return Column(self.rng.choice(forms[column.kind]), column.kind)

    def _aggregate(self, columns: list[Column]) -> Column:
        column = self.rng.choice(columns)
        text = column.text
        forms = [("count(*)", INT), (f"count({text})", INT), (f"count(DISTINCT {text})", INT)]
        if column.kind in (INT, DECIMAL):
            forms += [
                (f"sum({text})", column.kind),
                (f"avg({text})", REAL),
                (f"sum(DISTINCT {text})", column.kind),
            ]
        if column.kind != TRUTH:
            forms += [(f"min({text})", column.kind), (f"max({text})", column.kind)]
        made, kind = self.rng.choice(forms)
        if self.rng.random() < 0.25:
            made = f"{made} FILTER (WHERE {self._about(self.rng.choice(columns))})"
        return Column(made, kind)

    def _aggregates(self, columns: list[Column], most: int) -> list[Column]:
        return [self._aggregate(columns) for _ in range(self.rng.randint(1, most))]

    def _grouping_sets(self, columns: list[Column]) -> tuple[list[Column], str]:
        keys = list(dict.fromkeys(self.rng.choice(columns) for _ in range(self.rng.randint(1, 3))))
        listed = ", ".join(key.text for key in keys)
        first, last = keys[0].text, keys[-1].text
        forms = [f"ROLLUP ({listed})", f"CUBE ({listed})", f"GROUPING SETS (({listed}), ({first}), ())"]
        if len(keys) > 1:
            others = ", ".join(key.text for key in keys[:-1])
            forms += [f"{others}, ROLLUP ({last})", f"ROLLUP ({others}), CUBE ({last})"]
        told = Column(f"grouping_id({listed})" if len(keys) > 1 else f"grouping({first})", INT)
        form = self.rng.choice(forms)
        return [*keys, *self._aggregates(columns, 2), told], f" GROUP BY {form} HAVING count(*) > 0"

    def _windowed(self, columns: list[Column]) -> tuple[list[Column], str]:
        total = ", ".join(column.text for column in columns)
        some = self.rng.choice(columns)
        apart = f"PARTITION BY {self.rng.choice(columns).text} " if self.rng.random() < 0.75 else ""
        running = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
        measure = self.rng.choice([c for c in columns if c.kind in (INT, DECIMAL)] or [Column("1", INT)])
        made = self.rng.choice(
            (
                Column(f"row_number() OVER ({apart}ORDER BY {total})", INT),
                Column(f"rank() OVER ({apart}ORDER BY {some.text} DESC)", INT),
                Column(f"dense_rank() OVER ({apart}ORDER BY {some.text})", INT),
                Column(f"count({some.text}) OVER ({apart.rstrip()})", INT),
                Column(f"sum({measure.text}) OVER ({apart.rstrip()})", measure.kind),
                Column(f"sum({measure.text}) OVER ({apart}ORDER BY {total} {running})", measure.kind),
                Column(f"lag({some.text}) OVER ({apart}ORDER BY {total})", some.kind),
                Column(f"max({some.text}) OVER ({apart}ORDER BY {some.text})", some.kind),
            )
        )
        tail = ""
        if self.rng.random() < 0.3:
            tail = f" QUALIFY dense_rank() OVER ({apart}ORDER BY {some.text}) <= 2"
        return [*columns[:3], made], tail
