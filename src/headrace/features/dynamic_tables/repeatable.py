"""A definition gives the same rows each time it is computed on the same sources; else it is refused."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from headrace.commands.statement_context import StatementContext
from headrace.errors import Refused
from headrace.model.names import TableName
from headrace.model.quoting import quote_string
from headrace.result import Result
from headrace.sql.queries.query import QueryFacts
from headrace.sql.query_parameters import parameter_of
from headrace.sql.spark.determinism import ADVICE, nondeterministic
from headrace.sql.spark.functions import CLOCK_WORDS
from headrace.sql.tokens.positions import Span, place_of

_PLAN_WIDTH = "spark.sql.debug.maxToStringFields"


@dataclass(frozen=True)
class Part:
    """Of a definition: the query itself, or a view that it reads."""

    facts: QueryFacts
    view: TableName | None = None
    read_at: Span | None = None
    """Where the query names the view, or another one that reads it."""

    def refusal(self, what: str, hint: str, span: Span, query: str) -> Refused:
        """``span`` is a place in this part's own text."""
        if self.view is None:
            return Refused(what, hint=hint, place=place_of(query, span))
        place = place_of(query, self.read_at) if self.read_at else None
        return Refused(f"{what} (in view {self.view})", hint=hint, place=place)


def refuse_parameters(query: str, facts: QueryFacts) -> None:
    for span in facts.parameters:
        raise Refused(
            "a definition cannot have parameters: it is run again at each refresh",
            hint="write the value itself",
            place=place_of(query, span),
        )
    for config in facts.session_configs:
        if parameter_of(config.key) is None:
            what = "" if config.key is None else f" {quote_string(config.key)}"
            raise Refused(
                f"a definition cannot read the settings of a session{what and f', such as{what}'}",
                hint="a parameter is written as SESSION_CONFIGS()['dt.args.name']",
                place=place_of(query, config.span),
            )


def refuse_chance(query: str, parts: Sequence[Part], columns: Collection[str]) -> None:
    """``columns`` are those of the sources, in lower case."""
    for part in parts:
        for what, hint, span in _by_chance(part.facts, columns):
            raise part.refusal(what, hint, span, query)


def _by_chance(facts: QueryFacts, columns: Collection[str]) -> Iterator[tuple[str, str, Span]]:
    """What, what to do instead, and where."""
    for call, advice in nondeterministic(facts.functions, columns):
        yield f"{call.name} does not return the same result each time", advice, call.span
    for span in facts.samples:
        hint = "filter by a hash of a key instead, such as pmod(hash(id), 10) = 0"
        yield "TABLESAMPLE does not return the same rows each time", hint, span
    for token in facts.metadata_columns:
        if token.value.lower() not in columns:
            hint = "use a key of the source: metadata columns change when files are rewritten"
            yield (
                f"{token.value} is a metadata column of Iceberg, not a column of the table",
                hint,
                token.span,
            )


_CLOCK_CAST = re.compile(
    rf"\b(?:try_)?(?:cast|to_date|to_timestamp\w*)\(\s*({'|'.join(CLOCK_WORDS)})\b(?!#)"
    r"[^(),]*?(?: as (?:date|timestamp\w*)\)|,)",
    re.IGNORECASE,
)


def refuse_clock_strings(query: str, expanded: str, parts: Sequence[Part], context: StatementContext) -> None:
    """``'now'`` is a string like others until Spark makes a timestamp of it; its plan tells."""
    candidates = [(part, span) for part in parts for span in part.facts.clock_strings]
    found = _CLOCK_CAST.search(_analyzed_plan(expanded, context)) if candidates else None
    if found:
        part, span = candidates[0]
        what = f"'{found[1]}' as a date or timestamp does not return the same result each time"
        raise part.refusal(what, ADVICE["date 'today'"], span, query)


def _analyzed_plan(expanded: str, context: StatementContext) -> str:
    with context.lake.borrow_session() as session:
        session.run(f"SET {_PLAN_WIDTH} = 100000")
        try:
            ((text,),) = Result(session.run(f"EXPLAIN EXTENDED {expanded}")).fetchall()
        finally:
            session.run(f"RESET {_PLAN_WIDTH}")
    return str(text).split("== Optimized Logical Plan ==")[0]
