"""A definition gives the same rows each time it is computed on the same sources; else it is refused."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from headrace.commands.workbench import Workbench
from headrace.errors import NotSupportedError, Place, Refused
from headrace.lake.results import Result
from headrace.sql.determinism import nondeterministic
from headrace.sql.functions import CLOCK_WORDS
from headrace.sql.query import QueryFacts
from headrace.sql.text import Span, place_of

FactsOf = tuple[QueryFacts, str | None]
"""Facts of the query, or of the view with that name."""

_PLAN_WIDTH = "spark.sql.debug.maxToStringFields"


def refuse_parameters(query: str, facts: QueryFacts) -> None:
    for span in facts.parameters:
        raise Refused(
            "a definition cannot have parameters: it is run again at each refresh",
            hint="write the value itself",
            place=place_of(query, span),
        )
    for config in facts.session_configs:
        raise NotSupportedError(
            "parameterised definitions (SESSION_CONFIGS) are not available in this version",
            hint="write the value itself",
            place=place_of(query, config.span),
        )


def refuse_chance(query: str, all_facts: Sequence[FactsOf], columns: Collection[str]) -> None:
    """``columns`` are those of the sources, in lower case."""
    for facts, view in all_facts:
        for what, hint, span in _by_chance(facts, columns):
            raise Refused(what + _in_view(view), hint=hint, place=_place(query, span, view))


def _by_chance(facts: QueryFacts, columns: Collection[str]) -> Iterator[tuple[str, str, Span]]:
    """What, what to do instead, and where."""
    for call, advice in nondeterministic(facts.functions, columns):
        yield f"{call.name} does not give the same result each time", advice, call.span
    for span in facts.samples:
        hint = "filter by a hash of a key instead, such as pmod(hash(id), 10) = 0"
        yield "TABLESAMPLE does not give the same rows each time", hint, span
    for token in facts.metadata_columns:
        if token.value.lower() not in columns:
            hint = "use a key of the source: what Iceberg notes of a row changes when files are rewritten"
            yield f"{token.value} is Iceberg's own and no column of the table", hint, token.span


_CLOCK_CAST = re.compile(
    rf"\b(?:try_)?(?:cast|to_date|to_timestamp\w*)\(\s*({'|'.join(CLOCK_WORDS)})\b(?!#)"
    r"[^(),]*?(?: as (?:date|timestamp\w*)\)|,)",
    re.IGNORECASE,
)


def refuse_clock_strings(query: str, expanded: str, all_facts: Sequence[FactsOf], bench: Workbench) -> None:
    """``'now'`` is a string like others until Spark makes a timestamp of it; its plan tells."""
    candidates = [(span, view) for facts, view in all_facts for span in facts.clock_strings]
    found = _CLOCK_CAST.search(_analyzed_plan(expanded, bench)) if candidates else None
    if found:
        span, view = candidates[0]
        raise Refused(
            f"'{found[1]}' as a date or timestamp does not give the same result each time{_in_view(view)}",
            hint="use current_date for the day of the refresh, with date_add or date_sub for days around it",
            place=_place(query, span, view),
        )


def _analyzed_plan(expanded: str, bench: Workbench) -> str:
    with bench.lake.borrow_session() as session:
        session.run(f"SET {_PLAN_WIDTH} = 100000")
        try:
            ((text,),) = Result(session.run(f"EXPLAIN EXTENDED {expanded}")).fetchall()
        finally:
            session.run(f"RESET {_PLAN_WIDTH}")
    return str(text).split("== Optimized Logical Plan ==")[0]


def _in_view(view: str | None) -> str:
    return f" (in view {view})" if view else ""


def _place(query: str, span: Span, view: str | None) -> Place | None:
    return None if view else place_of(query, span)
