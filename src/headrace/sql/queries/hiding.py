"""Tables narrowed to some of their columns, in the text of a statement that reads them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from headrace.errors import NotSupportedError
from headrace.model.names import TableName
from headrace.model.quoting import quote_identifier
from headrace.sql.parsed import ParsedStatement
from headrace.sql.queries.shorten import dotted_names, shortened_paths
from headrace.sql.spark.functions import metadata_columns
from headrace.sql.spark.relations import Form, TableReading
from headrace.sql.tokens.lexer import Tokens, words_of
from headrace.sql.tokens.positions import Edit, Rewritten, Span, place_of

OWN_PREFIX = "__hr_"
"""Of columns that Headrace keeps in a dynamic table for itself."""


def visible(columns: Iterable[str]) -> tuple[str, ...]:
    return tuple(column for column in columns if not is_hidden(column))


def is_hidden(column: str) -> bool:
    return column.lower().startswith(OWN_PREFIX)


@dataclass(frozen=True)
class Narrowed:
    """One place where a table is read, and what may be seen of it there."""

    relation: TableReading
    path: tuple[str, ...]
    """The table's name with all its parts, and a branch or tag if one is read."""
    columns: Sequence[str]


def narrowed(statement: ParsedStatement, places: Sequence[Narrowed]) -> list[Edit]:
    """The edits by which ``statement`` sees only the columns given.

    What the user wrote stays, with words put around it, but for a column named with its table's schema:
    the alias of a subquery has one part only.
    """
    twins = _twins(statement.relations, places) if places else set()
    if twins:
        _refuse_twins_by_one_name(statement, twins)
    return _edits(statement, places, twins)


def _edits(statement: ParsedStatement, places: Sequence[Narrowed], twins: Collection[str]) -> list[Edit]:
    if not places:
        return []
    tokens, every = statement.tokens, statement.relations
    metadata = tuple(dict.fromkeys(token.value.lower() for token in metadata_columns(tokens)))
    stars = list(_stars(tokens)) if metadata else []
    if stars and not _is_plain_select(tokens, every):
        metadata, stars = (), []
    starts = {relation.span.start for relation in every}
    aliases = {
        place.path: ".".join(place.path) if place.path[-1].lower() in twins else place.path[-1]
        for place in places
        if place.relation.alias_at is not None
    }
    edits = [edit for place in places for edit in _around(place, aliases.get(place.path, ""), metadata)]
    edits += [(Span(end, end), f" EXCEPT ({', '.join(metadata)})") for end in stars]
    return [*edits, *shortened_paths(tokens, starts, aliases)]


def _twins(every: Sequence[TableReading], places: Sequence[Narrowed]) -> set[str]:
    """Names of narrowed tables that others have too, none of them with an alias."""
    paths = {place.relation.span: place.path for place in places}
    named: dict[str, set[tuple[str, ...]]] = {}
    for relation in every:
        path = paths.get(relation.span, relation.parts)
        if path is not None and relation.alias_at is not None:
            named.setdefault(path[-1].lower(), set()).add(path)
    return {name for place in places if len(named.get(name := place.path[-1].lower(), ())) > 1}


def _refuse_twins_by_one_name(statement: ParsedStatement, twins: Collection[str]) -> None:
    starts = {relation.span.start for relation in statement.relations}
    for chain in dotted_names(statement.tokens):
        if len(chain) > 1 and chain[0].value.lower() in twins and chain[0].span.start not in starts:
            raise NotSupportedError(
                f"table name {chain[0].value} is ambiguous here",
                hint="give each table an alias",
                place=place_of(statement.text, chain[0].span),
            )


def only_columns(text: str, columns_of: Mapping[TableName, Sequence[str]]) -> Rewritten:
    """A query whose tables are all given by three parts; those that are not listed stay as they are."""
    statement = ParsedStatement(text)
    places = [
        Narrowed(relation, relation.parts, columns_of[TableName(*relation.parts)])
        for relation in statement.relations
        if relation.parts is not None and len(relation.parts) == 3
        if TableName(*relation.parts) in columns_of
    ]
    return Rewritten(text, tuple(_edits(statement, places, ())))


def _around(place: Narrowed, alias: str, metadata: Sequence[str]) -> Iterator[Edit]:
    """``metadata`` are Iceberg's own columns, which a subquery shows only if it lists them."""
    relation = place.relation
    columns = ", ".join(quote_identifier(column) for column in (*place.columns, *metadata))
    select = f"SELECT {columns} FROM"
    before, after = Span(relation.span.start, relation.span.start), Span(relation.end, relation.end)
    match relation.form:
        case Form.TABLE_QUERY if relation.keyword is not None:
            yield relation.keyword, select
            return
        case Form.TABLE_IN_PARENTHESES:
            yield before, f"{select} "
            return
    yield before, f"({select} "
    named = f" AS {quote_identifier(alias)}"
    if relation.alias_at == relation.end:
        yield after, f"){named}"
        return
    yield after, ")"
    if relation.alias_at is not None:
        yield Span(relation.alias_at, relation.alias_at), named


_BEFORE_STAR = frozenset({"SELECT", "DISTINCT", "ALL", ",", "."})


def _stars(tokens: Tokens) -> Iterator[int]:
    """Where stars end that stand for columns, and where columns are meant without one."""
    for before, token in pairwise(tokens):
        if token.text == "*" and before.upper in _BEFORE_STAR:
            yield token.span.end
    if tokens[0].upper == "FROM" or any(token.upper in ("NATURAL", "|>") for token in tokens):
        yield 0


def _is_plain_select(tokens: Tokens, every: Sequence[TableReading]) -> bool:
    """Whether each star of the statement means the columns of its one table."""
    words = words_of(tokens)
    return (
        len(every) == 1
        and every[0].form is Form.IN_FROM
        and words.count("SELECT") == 1
        and words[0] != "FROM"
        and not {"EXCEPT", "|>"} & set(words)
    )
