"""SQL scripts laid out: a line for each clause, indented subqueries, keywords in upper case.

Only white space and the case of keywords change: every token and every comment stays, in its order. So this
holds for all statements, whether a parser knows them or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from headrace.sql.tokens.lexer import Kind, Token, Tokens, end_of_comment, tokenize
from headrace.sql.tokens.positions import Span

_INDENT = "  "
_CLAUSES = frozenset(
    {"SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "UNION", "EXCEPT", "INTERSECT", "VALUES"}
    | {"QUALIFY", "LATERAL", "WHEN", "WITH"}
)
"""Each begins a line of its query."""
_JOIN_WORDS = frozenset(
    {"JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "OUTER", "SEMI", "ANTI"}
)
_UPPER = (
    _CLAUSES
    | _JOIN_WORDS
    | frozenset(
        """
    ALL AND AS ASC BETWEEN BY CASE CREATE DESC DISTINCT DYNAMIC ELSE END EXISTS IN INSERT INTO IS LIKE MATCHED
    MERGE NOT NULL ON OR OVER PARTITION REPLACE SET TABLE THEN UPDATE USING VIEW
    """.split()  # noqa: SIM905  (a table of words)
    )
)
_QUERIES = frozenset({"SELECT", "WITH", "VALUES", "FROM"})
_MAY_PRECEDE_PARENTHESIS = _QUERIES | {"WHERE", "HAVING", "UNION", "EXCEPT", "INTERSECT", "QUALIFY"}
_AFTER_LIST = frozenset({"FROM", ";", "UNION", "WHERE"})
_CLOSE_TO_BEFORE = frozenset({",", ")", ";"})


def format_script(text: str) -> str:
    """SqlSyntaxError where it cannot be read."""
    layout = _Layout(text, tokenize(text))
    layout.write_all()
    return layout.text


@dataclass
class _Block:
    """A query, or what stands between two parentheses."""

    depth: int
    is_query: bool
    clause: str = ""
    cases: int = 0
    breaks_list: bool = False
    """Whether each item of the clause has its own line."""


@dataclass
class _Layout:
    source: str
    tokens: Tokens
    lines: list[str] = field(default_factory=lambda: [""])
    blocks: list[_Block] = field(default_factory=lambda: [_Block(0, is_query=True)])

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.lines).strip() + "\n"

    def write_all(self) -> None:
        position = 0
        for index, token in enumerate(self.tokens):
            gap = self.source[position : token.span.start]
            self._write_comments(gap)
            self._write(index, token, is_apart=bool(gap))
            position = token.span.end
        self._write_comments(self.source[position:])

    def _write(self, index: int, token: Token, *, is_apart: bool) -> None:
        block = self.blocks[-1]
        if token.upper == ")":
            self._close(token)
        elif self._begins_clause(index, block):
            self._begin_clause(index, block)
        else:
            self._add(self._shown(index), is_apart=is_apart or self._before(index).upper == ",")
            self._after(index, token, block)

    def _begin_clause(self, index: int, block: _Block) -> None:
        word = self.tokens[index].upper
        self._new_line(block.depth)
        block.clause = "JOIN" if word in _JOIN_WORDS else word
        block.breaks_list = word == "SELECT" and self._has_list(index)
        self._add(self._shown(index), is_apart=True)
        if block.breaks_list and self._at(index + 1).upper not in ("DISTINCT", "ALL"):
            self._new_line(block.depth + 1)

    def _after(self, index: int, token: Token, block: _Block) -> None:
        match token.upper:
            case "(":
                self._open(index, block)
            case ";":
                self._end_statement()
            case "CASE":
                block.cases += 1
            case "END":
                block.cases = max(0, block.cases - 1)
            case ",":
                self._after_comma(block)
            case "DISTINCT" | "ALL" if block.breaks_list and self._before(index).upper == "SELECT":
                self._new_line(block.depth + 1)

    def _after_comma(self, block: _Block) -> None:
        if block.breaks_list:
            self._new_line(block.depth + 1)
        elif block.clause == "WITH" and block.is_query:
            self._new_line(block.depth)

    def _open(self, index: int, block: _Block) -> None:
        is_query = self._at(index + 1).upper in ("SELECT", "WITH")
        line = self.lines[-1]
        own = (len(line) - len(line.lstrip())) // len(_INDENT) + 1
        self.blocks.append(_Block(own if is_query else block.depth, is_query))

    def _close(self, token: Token) -> None:
        closed = self.blocks.pop() if len(self.blocks) > 1 else None
        if closed is not None and closed.is_query:
            self._new_line(closed.depth - 1)
        self._add(token.text, is_apart=False)

    def _end_statement(self) -> None:
        if len(self.blocks) == 1:
            self.blocks = [_Block(0, is_query=True)]
            self.lines += ["", ""]

    def _begins_clause(self, index: int, block: _Block) -> bool:
        token, before, following = self.tokens[index], self._before(index).upper, self._at(index + 1).upper
        word = token.upper
        is_name = before == "." or (before == "AS" and word not in _QUERIES)
        if token.kind is not Kind.WORD or not block.is_query or is_name:
            return False
        if word in _JOIN_WORDS:
            return before not in _JOIN_WORDS and following != "(" and self._is_join(index)
        if word == "WHEN":
            return not block.cases and following in ("MATCHED", "NOT")
        if word in ("GROUP", "ORDER"):
            return following == "BY"
        if word == "WITH":
            return before in ("", "(", ";", "AS") and following != "PROPERTIES"
        return word in _CLAUSES and (following != "(" or word in _MAY_PRECEDE_PARENTHESIS)

    def _is_join(self, index: int) -> bool:
        while self._at(index).upper in _JOIN_WORDS:
            if self._at(index).upper == "JOIN":
                return True
            index += 1
        return False

    def _has_list(self, index: int) -> bool:
        """Whether the list after SELECT has more than one item."""
        depth, before = 0, ""
        for token in self.tokens[index + 1 :]:
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(token.upper, 0)
            is_over = depth < 0 or (depth == 0 and before != "." and token.upper in _AFTER_LIST)
            if is_over or (depth == 0 and token.upper == ","):
                return not is_over
            before = token.upper
        return False

    def _shown(self, index: int) -> str:
        token = self.tokens[index]
        is_name = "." in (self._before(index).upper, self._at(index + 1).upper) or (
            self._before(index).upper == "AS" and token.upper not in _QUERIES
        )
        is_keyword = token.kind is Kind.WORD and token.upper in _UPPER and not is_name
        return token.upper if is_keyword else token.text

    def _add(self, text: str, *, is_apart: bool) -> None:
        last = self.lines[-1]
        is_close = text in _CLOSE_TO_BEFORE or last.endswith("(") or not last.strip()
        self.lines[-1] = f"{last}{'' if is_close or not is_apart else ' '}{text}"

    def _new_line(self, depth: int) -> None:
        if self.lines[-1].strip():
            self.lines.append(_INDENT * depth)
        else:
            self.lines[-1] = _INDENT * depth

    def _write_comments(self, gap: str) -> None:
        for comment, begins_line in _comments(gap):
            block = self.blocks[-1]
            depth = block.depth + (1 if block.clause else 0)
            if begins_line:
                self._new_line(depth)
                self._add(comment, is_apart=True)
            else:
                self._append_comment(comment)
            if comment.startswith("--") or begins_line:
                self._new_line(depth)

    def _append_comment(self, comment: str) -> None:
        """To the line that its statement ends with, even if another line has begun."""
        while len(self.lines) > 1 and not self.lines[-1].strip():
            self.lines.pop()
        self._add(comment, is_apart=True)

    def _before(self, index: int) -> Token:
        return self._at(index - 1)

    def _at(self, index: int) -> Token:
        return self.tokens[index] if 0 <= index < len(self.tokens) else _NOTHING


_NOTHING = Token(Kind.SYMBOL, "", Span(0, 0))


def _comments(gap: str) -> Iterator[tuple[str, bool]]:
    """Each in what stands between two tokens, and whether it begins a line."""
    position, begins_line = 0, False
    while position < len(gap):
        if gap.startswith("--", position):
            end = gap.find("\n", position)
            end = len(gap) if end < 0 else end
        elif gap.startswith("/*", position):
            end = end_of_comment(gap, position)
        else:
            begins_line = begins_line or gap[position] == "\n"
            position += 1
            continue
        yield gap[position:end].rstrip(), begins_line
        position, begins_line = end, False
