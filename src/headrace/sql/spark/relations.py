"""Tables that a statement of any kind reads, found by its tokens alone.

Statements that no parser of ours knows (MERGE, pipes, scripting blocks) are read too: a name is a relation
where it follows FROM, JOIN, a comma between relations, the USING of a MERGE, or TABLE. Names of CTEs are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto

from headrace.sql.parsing.time_travel import after_time_travel
from headrace.sql.spark.functions import is_call
from headrace.sql.tokens.lexer import Kind, Token, Tokens, words_of
from headrace.sql.tokens.positions import Span
from headrace.sql.tokens.split import STATEMENT_STARTS
from headrace.sql.tokens.targets import after_parentheses, executed_expression, literal_value, read_target


class Form(Enum):
    IN_FROM = auto()
    TABLE_QUERY = auto()
    """``TABLE t`` as a query."""
    TABLE_ARGUMENT = auto()
    """``f(TABLE t)``"""
    TABLE_IN_PARENTHESES = auto()
    """``f(TABLE(t))``"""


@dataclass(frozen=True)
class TableReading:
    parts: tuple[str, ...] | None
    """None for an ``IDENTIFIER(...)`` that is no literal."""
    span: Span
    """Of the name."""
    end: int
    """Where the name with its version and options ends."""
    form: Form = Form.IN_FROM
    has_time_travel: bool = False
    alias_at: int | None = None
    """Where an alias could be added; None if it has one or can have none."""
    keyword: Span | None = None
    """The word TABLE of the other forms."""


@dataclass(frozen=True)
class Executed:
    """What EXECUTE IMMEDIATE runs."""

    span: Span
    literal: str | None
    """None where it is an expression."""


_QUERY_STARTS = frozenset({"SELECT", "WITH", "FROM", "VALUES", "TABLE", "MAP", "REDUCE"})
SET_OPERATORS = frozenset({"UNION", "EXCEPT", "INTERSECT", "MINUS", "SETMINUS"})
_AFTER_FROM = SET_OPERATORS | frozenset(
    {
        "WHERE",
        "GROUP",
        "HAVING",
        "ORDER",
        "SORT",
        "CLUSTER",
        "DISTRIBUTE",
        "LIMIT",
        "OFFSET",
        "WINDOW",
        "QUALIFY",
        "SELECT",
        "INSERT",
        "|>",
    }
)
_NO_ALIAS = _AFTER_FROM | frozenset(
    """
    ANTI ASOF CROSS DO END FOR FULL INNER JOIN LATERAL LEFT MAP NATURAL ON PIVOT REDUCE RIGHT SEMI SET
    TABLESAMPLE THEN UNPIVOT USING VALUES WATERMARK WHEN WITH
    """.split()  # noqa: SIM905  (a table of words)
)
_BEFORE_TABLE_QUERY = (
    SET_OPERATORS
    | STATEMENT_STARTS
    | frozenset({"", "(", ")", ",", "=>", "ALL", "DISTINCT", "AS", "QUERY", "RETURN", "EXPLAIN"})
)
_EXPLAIN_MODES = frozenset({"EXTENDED", "CODEGEN", "COST", "FORMATTED"})


@dataclass
class _Level:
    """Between two parentheses, or the whole statement."""

    opening: int = -1
    wants: bool = False
    """A relation comes next."""
    in_from: bool = False
    selects: bool = False
    merges: bool = False
    ctes: set[str] = field(default_factory=set)
    body_of: str | None = None
    """The CTE whose query this is."""


def relations(tokens: Tokens) -> tuple[TableReading, ...]:
    """In the order of the text; none for SHOW, whose FROM names schemas too."""
    return () if words_of(tokens[:1]) == ["SHOW"] else tuple(_Reader(tokens).read())


def executed_strings(tokens: Tokens) -> tuple[Executed, ...]:
    return tuple(
        executed
        for index in range(len(tokens) - 2)
        if words_of(tokens[index : index + 2]) == ["EXECUTE", "IMMEDIATE"]
        if (executed := _executed(tokens[index + 2 :])) is not None
    )


def _executed(tokens: Tokens) -> Executed | None:
    expression = executed_expression(tokens)
    if not expression:
        return None
    return Executed(expression[0].span.to(expression[-1].span), literal_value(expression))


class _Reader:
    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._levels = [_Level()]
        self._first_word = ""
        self._pending_cte: tuple[int, str, bool] | None = None
        """Where the parenthesis of a CTE opens, its name, and whether it can read itself."""

    @property
    def _level(self) -> _Level:
        return self._levels[-1]

    def _word(self, index: int) -> str:
        return self._tokens[index].upper if 0 <= index < len(self._tokens) else ""

    def read(self) -> Iterator[TableReading]:
        index = 0
        while index < len(self._tokens):
            token = self._tokens[index]
            if self._word(index - 1) in ("", *STATEMENT_STARTS) and len(self._levels) == 1:
                self._first_word = token.upper
            if self._word(index - 1) == ".":
                index += 1
            elif token.text in ("(", ")", ";") and token.kind is Kind.SYMBOL:
                self._punctuate(token.text, index)
                index += 1
            elif self._level.wants and token.is_name and token.upper not in (*_QUERY_STARTS, "LATERAL"):
                self._level.wants = False
                found, index = self._relation(index)
                if found is not None:
                    yield found
            elif token.upper == "TABLE" and self._is_query(index):
                found, index = self._table(index)
                if found is not None:
                    yield found
            else:
                self._see(token, index)
                index += 1

    def _punctuate(self, symbol: str, index: int) -> None:
        if symbol == "(":
            inner = _Level(opening=index, wants=self._level.wants, in_from=self._level.wants)
            if self._pending_cte is not None and self._pending_cte[0] == index:
                _, inner.body_of, recursive = self._pending_cte
                inner.ctes = {inner.body_of} if recursive else set()
            self._level.wants = False
            self._levels.append(inner)
        elif symbol == ")" and len(self._levels) > 1:
            closed = self._levels.pop()
            if closed.body_of is not None:
                self._level.ctes.add(closed.body_of)
                if self._word(index + 1) == ",":
                    self._expect_cte(index + 2, recursive=closed.body_of in closed.ctes)
        elif symbol == ";":
            self._levels = [_Level()]

    def _see(self, token: Token, index: int) -> None:
        level, word = self._level, token.upper
        if word == "JOIN" or (word == "FROM" and self._is_clause(index)):
            level.wants = level.in_from = True
        elif word == ",":
            level.wants = level.in_from
        elif word == "WITH":
            level.wants = level.in_from = False
            recursive = self._word(index + 1) == "RECURSIVE"
            self._expect_cte(index + 1 + recursive, recursive=recursive)
        elif word == "MERGE" and self._word(index + 1) in ("INTO", "WITH"):
            level.merges = True
        elif word == "USING" and level.merges:
            level.wants, level.merges = True, False
        elif word in _AFTER_FROM or (word == "LATERAL" and self._word(index + 1) == "VIEW"):
            level.selects = level.selects or word == "SELECT"
            level.wants = level.in_from = False
        elif word in _QUERY_STARTS:
            level.wants = False

    def _is_clause(self, index: int) -> bool:
        """Whether FROM starts a clause, and is not a word inside of ``extract(year FROM d)`` and the like."""
        level, previous = self._level, self._word(index - 1)
        if previous == "DISTINCT" and self._word(index - 2) in ("IS", "NOT"):
            return False
        return (
            len(self._levels) == 1
            or level.selects
            or index == level.opening + 1
            or previous in SET_OPERATORS
            or (previous == ")" and bool(level.ctes))
        )

    def _expect_cte(self, index: int, *, recursive: bool) -> None:
        """Notes where the query of ``name [(columns)] [AS] (`` opens."""
        if index >= len(self._tokens) or not self._tokens[index].is_name:
            return
        opening = index + 1
        if self._word(opening) == "(" and self._word(after := after_parentheses(self._tokens, opening)) in (
            "AS",
            "MAX",
            "(",
        ):
            opening = after
        if self._word(opening) == "MAX":
            opening += 4
        opening += self._word(opening) == "AS"
        if self._word(opening) == "(":
            self._pending_cte = (opening, self._tokens[index].value.lower(), recursive)

    def _relation(self, index: int) -> tuple[TableReading | None, int]:
        tokens = self._tokens
        parts, span, rest = read_target(tokens[index:], tokens[index].span)
        after_name = len(tokens) - len(rest)
        if self._word(after_name) == "(":
            return None, after_name
        after_version = after_time_travel(tokens, after_name)
        after_options = after_version
        if [self._word(after_options), self._word(after_options + 1)] == ["WITH", "("]:
            after_options = after_parentheses(tokens, after_options + 1)
        after_sample = self._after_sample(after_options)
        has_alias = self._is_alias(after_sample)
        found = TableReading(
            parts,
            span,
            tokens[after_options - 1].span.end,
            has_time_travel=after_version > after_name,
            alias_at=None if has_alias else tokens[after_sample - 1].span.end,
        )
        if has_alias:
            after_sample += 2 if self._word(after_sample) == "AS" else 1
        return (None if self._is_cte(parts) else found), after_sample

    def _after_sample(self, index: int) -> int:
        for word in ("TABLESAMPLE", "REPEATABLE"):
            if self._word(index) == word:
                index = after_parentheses(self._tokens, index + 1)
        return index

    def _is_alias(self, index: int) -> bool:
        if index >= len(self._tokens):
            return False
        token = self._tokens[index]
        return token.upper == "AS" or (token.is_name and token.upper not in _NO_ALIAS)

    def _is_cte(self, parts: tuple[str, ...] | None) -> bool:
        return (
            parts is not None
            and len(parts) == 1
            and any(parts[0].lower() in level.ctes for level in self._levels)
        )

    def _is_query(self, index: int) -> bool:
        """Whether TABLE starts a query, and is not a word of CREATE TABLE, INSERT INTO TABLE and the like."""
        previous = self._word(index - 1)
        if self._first_word == "EXPLAIN" and previous in _EXPLAIN_MODES:
            return True
        explains = self._first_word == "EXPLAIN" and "INSERT" in (self._word(1), self._word(2))
        inserts = self._first_word == "INSERT" or explains
        return previous in _BEFORE_TABLE_QUERY or (inserts and previous not in ("INTO", "OVERWRITE"))

    def _table(self, index: int) -> tuple[TableReading | None, int]:
        tokens, opened = self._tokens, self._word(index + 1) == "("
        start = index + 1 + opened
        if start >= len(tokens) or not tokens[start].is_name:
            return None, index + 1
        parts, span, rest = read_target(tokens[start:], tokens[start].span)
        end = len(tokens) - len(rest)
        if opened and self._word(end) != ")":
            return None, index + 1
        form = Form.TABLE_QUERY
        if opened:
            form = Form.TABLE_IN_PARENTHESES
        elif self._is_argument():
            form = Form.TABLE_ARGUMENT
        self._level.wants = self._level.in_from = False
        found = TableReading(parts, span, span.end, form, keyword=tokens[index].span)
        return (None if self._is_cte(parts) else found), end + opened

    def _is_argument(self) -> bool:
        opening = self._level.opening
        return opening > 0 and self._tokens[opening - 1].is_name and is_call(self._tokens, opening - 1)
