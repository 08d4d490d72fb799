"""QUALIFY, which Spark cannot parse, as a filter around the query it belongs to.

``SELECT k, v FROM t QUALIFY rank() OVER (ORDER BY v) = 1`` becomes ``SELECT * EXCEPT (c) FROM (SELECT k, v,
(rank() OVER (ORDER BY v) = 1) AS c FROM t) WHERE c``, and where the condition is over what the list shows,
``SELECT k, rank() OVER (ORDER BY v) AS r FROM t QUALIFY r = 1``, the filter is the condition itself.

A name in the condition is an alias of a window function; else a column of what is read; else another alias.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from headrace.errors import SqlSyntaxError
from headrace.sql.parsed import ParsedStatement
from headrace.sql.queries.dialect import parse_query
from headrace.sql.spark.relations import SET_OPERATORS
from headrace.sql.tokens.lexer import Kind, Token, Tokens
from headrace.sql.tokens.positions import Span, splice

_CONDITION = "__hr_qualifies"
_AFTER = SET_OPERATORS | frozenset(
    {"ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW", ";", "|>"}
)
_OPERATORS = frozenset(["AND", "OR", "IN", "IS", "LIKE", "ILIKE", "RLIKE", "REGEXP", "BETWEEN", "DIV"])
_NO_OPERAND_BEFORE = _OPERATORS | frozenset(
    """
    SELECT FROM WHERE BY HAVING ON AS NOT JOIN WHEN THEN ELSE CASE DISTINCT ALL OVER USING LATERAL VIEW VALUES
    """.split()  # noqa: SIM905  (a table of words)
)
_NO_OPERAND_AFTER = (
    _AFTER
    | _OPERATORS
    | frozenset(
        """
        AS FROM WHERE GROUP HAVING ON USING JOIN INNER LEFT RIGHT FULL CROSS NATURAL SEMI ANTI LATERAL PIVOT
        UNPIVOT TABLESAMPLE VERSION TIMESTAMP FOR WHEN THEN ELSE END SELECT SET
        """.split()  # noqa: SIM905  (a table of words)
    )
)


@dataclass(frozen=True)
class _Clause:
    select: int
    """Indexes of tokens."""
    from_: int
    qualify: int
    after: int
    """What follows the condition, or the number of tokens."""
    end: int
    """What follows all clauses that belong into the subquery: as ``after``, but behind WINDOW."""


def without_qualify(statement: ParsedStatement) -> ParsedStatement:
    """The last clause goes first: no other one is inside its condition."""
    if "qualify" not in statement.text.lower():
        return statement
    while (found := _last_clause(statement.tokens)) is not None:
        statement = ParsedStatement(_as_filter(statement.text, statement.tokens, found))
    return statement


def _as_filter(text: str, tokens: Tokens, clause: _Clause) -> str:
    def between(first: int, behind: int) -> Span:
        return tokens[first].span.to(tokens[behind - 1].span)

    first = clause.select + 1
    quantified = tokens[first].upper in ("DISTINCT", "ALL")
    quantifier = f"{tokens[first].text} " if quantified else ""
    items = between(first + 1 if quantified else first, clause.from_)
    condition = between(clause.qualify + 1, clause.after)
    select = Span(tokens[clause.select].span.start, items.start)
    end = Span(tokens[clause.end - 1].span.end, tokens[clause.end - 1].span.end)
    removed = (between(clause.qualify, clause.after), "")
    if _is_over_outputs(items.of(text), condition.of(text)):
        outer = f"SELECT {quantifier}* FROM (SELECT "
        return splice(text, [(select, outer), removed, (end, f"\n) WHERE {condition.of(text)}")])
    outer = f"SELECT {quantifier}* EXCEPT ({_CONDITION}) FROM (SELECT "
    shown = (Span(items.end, items.end), f", ({condition.of(text)}\n) AS {_CONDITION}")
    return splice(text, [(select, outer), shown, removed, (end, f"\n) WHERE {_CONDITION}")])


def _is_over_outputs(items: str, condition: str) -> bool:
    """Whether the condition means the same where it can see only what the list shows."""
    try:
        tree = parse_query(f"SELECT {items} FROM t WHERE {condition}")
    except SqlSyntaxError:
        return False
    where = tree.args["where"]
    if any(where.find_all(exp.Window, exp.Query, exp.AggFunc)):
        return False
    listed = tree.expressions
    computed = {
        item.alias.lower(): item.find(exp.Window) is not None
        for item in listed
        if isinstance(item, exp.Alias) and not _is_own_name(item)
    }
    plain = {item.name.lower() for item in listed if isinstance(item, exp.Column) or _is_own_name(item)}
    has_star = any(isinstance(item, exp.Star) for item in listed)
    return all(
        not column.table and computed.get(name := column.name.lower(), has_star or name in plain)
        for column in where.find_all(exp.Column)
    )


def _is_own_name(item: exp.Expr) -> bool:
    return isinstance(item, exp.Alias) and isinstance(item.this, exp.Column) and item.this.name == item.alias


def _last_clause(tokens: Tokens) -> _Clause | None:
    for index in range(len(tokens) - 2, 0, -1):
        if tokens[index].upper == "QUALIFY" and _joins_operands(tokens, index):
            select, from_ = _opening(tokens, index)
            if select is not None and from_ is not None:
                after = _closing(tokens, index + 1)
                end = after
                if after < len(tokens) and tokens[after].upper == "WINDOW":
                    end = _closing(tokens, after + 1)
                return _Clause(select, from_, index, after, end)
    return None


def _joins_operands(tokens: Tokens, index: int) -> bool:
    """Where no other word could stand between what comes before and what comes after."""
    before, after = tokens[index - 1], tokens[index + 1]
    if not _can_end_operand(before) or not _can_start_operand(after):
        return False
    return after.text != "(" or not _is_column_list(tokens, index + 1)


def _can_end_operand(token: Token) -> bool:
    return token.text in (")", "]", "*") or (
        token.kind is not Kind.SYMBOL and token.upper not in _NO_OPERAND_BEFORE
    )


def _can_start_operand(token: Token) -> bool:
    return token.text in ("(", "-", "+", "~", "!", "?", ":") or (
        token.kind is not Kind.SYMBOL and token.upper not in _NO_OPERAND_AFTER
    )


def _is_column_list(tokens: Tokens, opening: int) -> bool:
    """``FROM t qualify (a, b)`` names the table and its columns."""
    for at in range(opening + 1, len(tokens)):
        if tokens[at].text == ")":
            following = tokens[at + 1 : at + 2]
            return not following or following[0].upper in {")", ",", *(_NO_OPERAND_AFTER - _OPERATORS)}
        if not (tokens[at].is_name or tokens[at].text == ","):
            return False
    return False


def _opening(tokens: Tokens, index: int) -> tuple[int | None, int | None]:
    """The SELECT and the FROM that the clause at ``index`` belongs to."""
    from_ = None
    for at, token in _around(tokens, range(index - 1, -1, -1), opens=")", closes="("):
        if token.upper == "FROM" and not _compares(tokens, at):
            from_ = at
        elif token.upper == "SELECT":
            return at, from_
    return None, None


def _compares(tokens: Tokens, at: int) -> bool:
    """``IS DISTINCT FROM``."""
    return tokens[at - 1].upper == "DISTINCT" and tokens[at - 2].upper in ("IS", "NOT")


def _closing(tokens: Tokens, start: int) -> int:
    for at, token in _around(tokens, range(start, len(tokens)), opens="(", closes=")"):
        if token.upper in _AFTER:
            return at
    return _end_of_level(tokens, start)


def _end_of_level(tokens: Tokens, start: int) -> int:
    depth = 0
    for at in range(start, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[at].text, 0)
        if depth < 0:
            return at
    return len(tokens)


def _around(tokens: Tokens, indexes: range, *, opens: str, closes: str) -> Iterator[tuple[int, Token]]:
    """Tokens outside of parentheses, until those that enclose them all end."""
    depth = 0
    for at in indexes:
        token = tokens[at]
        if token.text == opens:
            depth += 1
        elif token.text == closes:
            depth -= 1
            if depth < 0:
                return
        elif depth == 0:
            yield at, token
