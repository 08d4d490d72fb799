from __future__ import annotations

import pytest

from headrace.errors import NotSupportedError
from headrace.model.names import TableName
from headrace.sql.parsed import ParsedStatement
from headrace.sql.queries.hiding import Narrowed, is_hidden, narrowed, only_columns, visible
from headrace.sql.tokens.positions import Rewritten, Span


def hidden(text: str, *tables: str) -> str:
    statement = ParsedStatement(text)
    places = [
        Narrowed(relation, ("lake", "s", relation.parts[-1]), ("a", "odd `name"))
        for relation in statement.relations
        if relation.parts is not None and relation.parts[-1] in (tables or ("d",))
    ]
    return Rewritten(text, tuple(narrowed(statement, places))).text


LIST = "SELECT `a`, `odd ``name` FROM"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT * FROM d", f"SELECT * FROM ({LIST} d) AS `d`"),
        ("SELECT x.* FROM s.d x", f"SELECT x.* FROM ({LIST} s.d) x"),
        ("SELECT * FROM d AS x(p, q)", f"SELECT * FROM ({LIST} d) AS x(p, q)"),
        (
            "SELECT s.d.a, lake.S.d.* FROM s.d, s.d.files",
            f"SELECT `d`.a, `d`.* FROM ({LIST} s.d) AS `d`, s.d.files",
        ),
        (
            "SELECT * FROM d VERSION AS OF 5 TABLESAMPLE (5 ROWS)",
            f"SELECT * FROM ({LIST} d VERSION AS OF 5) TABLESAMPLE (5 ROWS) AS `d`",
        ),
        ("TABLE d UNION ALL TABLE t", f"{LIST} d UNION ALL TABLE t"),
        ("SELECT * FROM f(TABLE d)", f"SELECT * FROM f(TABLE ({LIST} d))"),
        ("SELECT * FROM f(TABLE(d))", f"SELECT * FROM f(TABLE({LIST} d))"),
        ("SELECT * FROM t", "SELECT * FROM t"),
        ("SELECT t.a FROM x.t, y.t, d", f"SELECT t.a FROM x.t, y.t, ({LIST} d) AS `d`"),
    ],
)
def test_narrowed(text: str, expected: str) -> None:
    assert hidden(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "SELECT _row_id, a FROM d",
            "SELECT _row_id, a FROM (SELECT `a`, `odd ``name`, `_row_id` FROM d) AS `d`",
        ),
        (
            "SELECT *, d._FILE FROM d",
            "SELECT * EXCEPT (_file), d._FILE FROM (SELECT `a`, `odd ``name`, `_file` FROM d) AS `d`",
        ),
        (
            "SELECT *, _row_id FROM d, t",
            f"SELECT *, _row_id FROM ({LIST} d) AS `d`, t",
        ),
        (
            "SELECT count(*), max(_pos) FROM d",
            "SELECT count(*), max(_pos) FROM (SELECT `a`, `odd ``name`, `_pos` FROM d) AS `d`",
        ),
    ],
)
def test_columns_of_iceberg(text: str, expected: str) -> None:
    assert hidden(text) == expected


def test_tables_of_one_name() -> None:
    text = "SELECT s.d.a, x.d.a FROM s.d JOIN x.d ON s.d.a = x.d.a"
    statement = ParsedStatement(text)
    place = Narrowed(statement.relations[0], ("lake", "s", "d"), ("a",))
    assert Rewritten(text, tuple(narrowed(statement, [place]))).text == (
        "SELECT `lake.s.d`.a, x.d.a FROM (SELECT `a` FROM s.d) AS `lake.s.d` JOIN x.d ON `lake.s.d`.a = x.d.a"
    )
    mixed = ParsedStatement("SELECT d.a FROM s.d WHERE EXISTS (SELECT 1 FROM x.d WHERE x.d.a = s.d.a)")
    with pytest.raises(NotSupportedError, match="table name d is ambiguous here"):
        narrowed(mixed, [Narrowed(mixed.relations[0], ("lake", "s", "d"), ("a",))])


def test_only_columns() -> None:
    text = "SELECT lake.s.t.* FROM `lake`.`s`.`t`, lake.s.u"
    given = only_columns(text, {TableName("lake", "s", "t"): ("a",)})
    assert given.text == "SELECT `t`.* FROM (SELECT `a` FROM `lake`.`s`.`t`) AS `t`, lake.s.u"
    assert given.original == text


def test_hidden_names() -> None:
    assert visible(["a", "__hr_count", "__HR_x", "_hr_y"]) == ("a", "_hr_y")
    assert is_hidden("__hr_")


def test_places_of_the_new_text_are_found_in_the_old() -> None:
    text = "SELECT s.d.x, nope FROM s.d WHERE y"
    statement = ParsedStatement(text)
    place = Narrowed(statement.relations[0], ("lake", "s", "d"), ("a", "x"))
    rewritten = Rewritten(text, tuple(narrowed(statement, [place])))

    def origin(part: str) -> str:
        start = rewritten.text.index(part)
        return rewritten.origin_of(Span(start, start + len(part))).of(text)

    for kept in ("nope", "WHERE y", "s.d", "SELECT "):
        assert origin(kept) == kept
    assert origin("`d`.x") == "s.d.x"
    assert origin("(SELECT `a`, `x` FROM s.d)") == "s.d"
    assert rewritten.whole(Span(text.index("d.x"), text.index("d.x") + 3)).of(text) == "s.d.x"
    assert rewritten.whole(Span(text.index("nope"), text.index("nope") + 4)).of(text) == "nope"
