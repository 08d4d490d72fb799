import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.errors import SqlSyntaxError
from headrace.sql.tokens.split import is_complete, split

BLOCK = """BEGIN
  DECLARE n INT DEFAULT CASE WHEN true THEN 1 ELSE 2 END;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN SELECT 1; END;
  IF n > 0 THEN SELECT if(n > 1, 'a;', 'b') AS end; ELSEIF n = 0 THEN SELECT 2; ELSE SELECT 3; END IF;
  WHILE n < 3 DO SET n = n + 1; END WHILE;
  lbl: LOOP LEAVE lbl; END LOOP lbl;
  REPEAT SET n = n - 1; UNTIL n = 0 END REPEAT;
  FOR r AS SELECT begin, t.end, t.case FROM t DO SELECT r.x; END FOR;
  CASE n WHEN 1 THEN SELECT 1; ELSE SELECT CASE n WHEN 2 THEN 3 END; END CASE;
  BEGIN DROP TABLE IF EXISTS x; END;
END"""

MIXED = "select ';' as `;`, \";\" -- ;\n, r';\\'"
COMMANDS = ["select 1L", "show tables like 'a;b'", "explain select ';'"]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("", []),
        (" ;; -- nothing;\n/* ; */ ;", []),
        ("select 1", ["select 1"]),
        ("select 1; select 2;", ["select 1", "select 2"]),
        ("select ';' as `;`, \";\" -- ;\n, r';\\' /* ; /* ; */ ; */; b", [MIXED, "b"]),
        ("-- first\nselect 1 -- tail\n;", ["select 1"]),
        ("select 1L; show tables like 'a;b'; explain select ';'; c", [*COMMANDS, "c"]),
        (BLOCK + "; select 1", [BLOCK, "select 1"]),
        ("l1: " + BLOCK + " l1; select 1", ["l1: " + BLOCK + " l1", "select 1"]),
        ("begin atomic begin select 1; end; end; x", ["begin atomic begin select 1; end; end", "x"]),
        (
            "select case a when 1 then 2 end; select begin; x",
            ["select case a when 1 then 2 end", "select begin", "x"],
        ),
    ],
)
def test_split(script, expected):
    statements = split(script)
    assert [statement.text for statement in statements] == expected
    assert all(script.startswith(statement.text, statement.offset) for statement in statements)


def test_an_open_block_takes_the_rest():
    assert [statement.text for statement in split("begin select 1; select 2")] == ["begin select 1; select 2"]


def test_split_says_where_a_string_begins():
    with pytest.raises(SqlSyntaxError) as caught:
        split("select 1;\nselect 'abc; select 2")
    assert (caught.value.place.line, caught.value.place.column) == (2, 8)


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("", False),
        ("select 1", False),
        ("select 1;", True),
        ("select 1; -- done", True),
        ("select 1; select", False),
        ("select 'a;", False),
        ("select 1 -- ;", False),
        ("/* ;", False),
        ("select `a;", False),
        ("begin select 1;", False),
        ("begin select 1; end", False),
        ("begin select 1; end;", True),
        ("begin if a then select 1; end if;", False),
        (BLOCK + ";", True),
    ],
)
def test_is_complete(text, complete):
    assert is_complete(text) is complete


PIECES = st.sampled_from(
    [
        "select 1",
        "insert into t values (';')",
        "select `a;b`",
        'select ";"',
        "select 1L -- ;\n + 2",
        "select /* ; */ case x when 1 then ';' end",
        "with x as (select ';') select * from x",
        "refresh table t",
        BLOCK,
    ]
)
SEPARATORS = st.sampled_from([";", " ;\n", ";;", "; -- c;\n", ";/* ; */"])


@given(st.lists(st.tuples(PIECES, SEPARATORS)))
def test_statements_come_back_whole(pairs):
    script = "".join(piece + separator for piece, separator in pairs)
    assert [statement.text for statement in split(script)] == [piece for piece, _ in pairs]


@given(st.text(alphabet="a;'\"`-/*\\\n bBEGIND"))
def test_splitting_again_changes_nothing(script):
    try:
        statements = [statement.text for statement in split(script)]
    except SqlSyntaxError:
        return
    assert [s.text for s in split(";\n".join(statements))] == statements
