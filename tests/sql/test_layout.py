"""Layout of scripts: only white space and the case of keywords change."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.errors import SqlSyntaxError
from headrace.sql.tokens.layout import format_script
from headrace.sql.tokens.lexer import tokenize

ROOT = Path(__file__).parent.parent.parent
SCRIPTS = [
    *(path.read_text() for path in sorted(ROOT.glob("tests/**/*.sql")) if "bad_inputs" not in str(path)),
    *(path.read_text() for path in sorted(ROOT.glob("src/**/*.sql"))),
    *(
        block
        for page in sorted(ROOT.glob("docs/*.md"))
        for block in re.findall(r"^```sql\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    ),
]
PIECES = st.sampled_from(
    [
        *(
            "select",
            "a",
            "from",
            "(",
            ")",
            ",",
            "t",
            "where",
            ";",
            "-- c\n",
            "/* c */",
            "'x'",
            "join",
            "left",
        ),
        *(
            "on",
            "as",
            "case",
            "when",
            "end",
            "with",
            "union",
            "all",
            "b.c",
            "\n",
            "group by",
            "`q`",
            "1",
            ".",
        ),
    ]
)

SCRIPT = """-- top
with x as (select a, b from t where a = 1), y as (select 1 as n) -- two
select distinct x.a, case when b > 1 then 'x' end as c, (select max(n) from y) m, left(s, 2)
from x left outer join y on x.a = y.n /* why */
group by 1, 2; insert into t values (1, 2);
create or replace dynamic table d refresh interval 1 minute as select a from t
"""
LAID_OUT = """-- top
WITH x AS (
  SELECT
    a,
    b
  FROM t
  WHERE a = 1
),
y AS (
  SELECT 1 AS n
) -- two
SELECT DISTINCT
  x.a,
  CASE WHEN b > 1 THEN 'x' END AS c,
  (
    SELECT max(n)
    FROM y
  ) m,
  LEFT(s, 2)
FROM x
LEFT OUTER JOIN y ON x.a = y.n /* why */
GROUP BY 1, 2;

INSERT INTO t
VALUES (1, 2);

CREATE OR REPLACE DYNAMIC TABLE d refresh interval 1 minute AS
SELECT a
FROM t
"""


def words(text: str) -> list[str]:
    return [token.text.lower() for token in tokenize(text)]


def comments(text: str) -> list[str]:
    return re.findall(r"--[^\n]*|/\*.*?\*/", text, re.DOTALL)


def test_layout() -> None:
    assert format_script(SCRIPT) == LAID_OUT


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: " ".join(script.split())[:40])
def test_every_token_stays(script: str) -> None:
    formatted = format_script(script)
    assert words(formatted) == words(script)
    assert [each.rstrip() for each in comments(formatted)] == [each.rstrip() for each in comments(script)]
    assert format_script(formatted) == formatted


@given(st.lists(PIECES, max_size=30).map(" ".join))
def test_every_token_stays_in_any_order(script: str) -> None:
    assert words(format_script(script)) == words(script)


def test_names_keep_their_case() -> None:
    assert format_script("select t.from, x as end from t") == "SELECT\n  t.from,\n  x AS end\nFROM t\n"


def test_what_cannot_be_read() -> None:
    with pytest.raises(SqlSyntaxError):
        format_script("select 'x")
