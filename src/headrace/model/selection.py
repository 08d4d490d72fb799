"""The selection language of lists and graphs: which nodes of a graph are meant. Pure.

::

    sales*                      nodes by name; * stands for any characters
    +sales_by_day               a node and all that it is made from
    sales_by_day+               a node and all that is made from it
    schema:sales state:failing  terms next to each other must all hold
    mode:FULL, kind:task        of alternatives separated by commas, one must hold
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from headrace.errors import DataError

KEYS = ("name", "schema", "workspace", "state", "mode", "kind")
"""What a term can ask for."""

_TERM = re.compile(
    r"""\s*(?P<comma>,)
    | \s*(?P<up>\+?)(?:(?P<key>[A-Za-z_]+):)?
      (?:"(?P<quoted>[^"]*)"|(?P<plain>[^\s,"+:]+))(?P<down>\+?)(?=[\s,]|$)""",
    re.VERBOSE,
)
_HINT = 'examples: +sales_by_day, schema:sales state:failing, mode:FULL, kind:task, "a name with spaces"+'


@dataclass(frozen=True)
class Term:
    key: str
    pattern: str
    with_upstream: bool = False
    with_downstream: bool = False


@dataclass(frozen=True)
class Selection:
    alternatives: tuple[tuple[Term, ...], ...]
    """None: everything."""


@dataclass(frozen=True)
class Selectable:
    """A node of the graph: its values by the keys of terms, the name by several."""

    id: str
    values: Mapping[str, tuple[str, ...]]


def parse_selection(text: str) -> Selection:
    alternatives: list[tuple[Term, ...]] = []
    terms: list[Term] = []
    position = 0
    while position < len(text.rstrip()):
        found = _TERM.match(text, position)
        if found is None or (found["comma"] and not terms):
            raise _unreadable(text, position)
        position = found.end()
        if found["comma"]:
            alternatives.append(tuple(terms))
            terms = []
        else:
            terms.append(_term(found))
    if alternatives and not terms:
        raise _unreadable(text, position)
    return Selection((*alternatives, tuple(terms)) if terms else ())


def _term(found: re.Match[str]) -> Term:
    key = (found["key"] or "name").lower()
    if key not in KEYS:
        raise DataError(f"{key}: is not known", hint=f"terms are {', '.join(f'{each}:' for each in KEYS)}")
    pattern = found["quoted"] if found["quoted"] is not None else found["plain"]
    return Term(key, pattern, bool(found["up"]), bool(found["down"]))


def _unreadable(text: str, position: int) -> DataError:
    return DataError(f"the selection cannot be read at {text[position:].strip() or 'its end'!r}", hint=_HINT)


def select(selection: Selection, nodes: Iterable[Selectable], edges: Iterable[tuple[str, str]]) -> set[str]:
    """The ids of the nodes that are meant; an edge leads from what is read to what is made from it."""
    listed, pairs = list(nodes), list(edges)
    if not selection.alternatives:
        return {node.id for node in listed}
    chosen: set[str] = set()
    for terms in selection.alternatives:
        chosen |= set.intersection(*(_meant_by(term, listed, pairs) for term in terms))
    return chosen


def _meant_by(term: Term, nodes: list[Selectable], edges: list[tuple[str, str]]) -> set[str]:
    start = {node.id for node in nodes if _matches(term, node)}
    found = set(start)
    if term.with_upstream:
        found |= reachable(start, [(to, from_) for from_, to in edges])
    if term.with_downstream:
        found |= reachable(start, edges)
    return found


def reachable(start: set[str], edges: Iterable[tuple[str, str]]) -> set[str]:
    """What edges lead to from the start, itself included."""
    following: dict[str, list[str]] = {}
    for from_, to in edges:
        following.setdefault(from_, []).append(to)
    found, pending = set(start), list(start)
    while pending:
        fresh = [each for each in following.get(pending.pop(), ()) if each not in found]
        found.update(fresh)
        pending += fresh
    return found


def _matches(term: Term, node: Selectable) -> bool:
    pattern = _folded(term.pattern).replace("[", "[[]").replace("?", "[?]")
    return any(fnmatchcase(_folded(value), pattern) for value in node.values.get(term.key, ()))


def _folded(text: str) -> str:
    """Case and the word separator do not matter: ``state:waiting_for_data``."""
    return text.lower().replace(" ", "_").replace("-", "_")
