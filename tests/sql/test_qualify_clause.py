import pytest

from headrace.sql.parsed import ParsedStatement
from headrace.sql.queries.qualify_clause import without_qualify

RANK = "row_number() OVER (PARTITION BY k ORDER BY v)"


def plain(text: str) -> str:
    sent = without_qualify(ParsedStatement(text)).text
    return " ".join(sent.replace("__hr_qualifies", "c").split()).replace(" )", ")")


@pytest.mark.parametrize(
    ("text", "filtered"),
    [
        (
            f"SELECT k, v FROM t QUALIFY {RANK} = 1",
            f"SELECT * EXCEPT (c) FROM (SELECT k, v, ({RANK} = 1) AS c FROM t) WHERE c",
        ),
        (
            "select * from t where v > 1 qualify rn = 1 order by k limit 3",
            "SELECT * FROM (SELECT * from t where v > 1) WHERE rn = 1 order by k limit 3",
        ),
        (
            f"SELECT k, {RANK} AS r FROM t QUALIFY r = 1 AND k > 'a'",
            f"SELECT * FROM (SELECT k, {RANK} AS r FROM t) WHERE r = 1 AND k > 'a'",
        ),
        (
            f"SELECT t.*, {RANK} AS r FROM t QUALIFY r = 1",
            f"SELECT * FROM (SELECT t.*, {RANK} AS r FROM t) WHERE r = 1",
        ),
        (
            f"SELECT upper(k) AS k, {RANK} AS r FROM t QUALIFY r = 1 AND k = 'a'",
            f"SELECT * EXCEPT (c) FROM (SELECT upper(k) AS k, {RANK} AS r, (r = 1 AND k = 'a') AS c"
            " FROM t) WHERE c",
        ),
        (
            "SELECT DISTINCT k FROM t GROUP BY k HAVING count(*) > 1 QUALIFY rank() OVER w < 3"
            " WINDOW w AS (ORDER BY k)",
            "SELECT DISTINCT * EXCEPT (c) FROM (SELECT k, (rank() OVER w < 3) AS c FROM t GROUP BY k"
            " HAVING count(*) > 1 WINDOW w AS (ORDER BY k)) WHERE c",
        ),
        (
            "WITH a AS (SELECT k FROM t QUALIFY x) SELECT k FROM a UNION ALL SELECT k FROM b QUALIFY NOT y",
            "WITH a AS (SELECT * EXCEPT (c) FROM (SELECT k, (x) AS c FROM t) WHERE c) SELECT k FROM a"
            " UNION ALL SELECT * EXCEPT (c) FROM (SELECT k, (NOT y) AS c FROM b) WHERE c",
        ),
        (
            "SELECT k IS DISTINCT FROM v AS d FROM t QUALIFY (d)  OR max(v) OVER () = 1",
            "SELECT * EXCEPT (c) FROM (SELECT k IS DISTINCT FROM v AS d, ((d) OR max(v) OVER () = 1) AS c"
            " FROM t) WHERE c",
        ),
        (
            "INSERT INTO u SELECT /*+ BROADCAST(t) */ k FROM t -- last QUALIFY\nQUALIFY 'a' = k",
            "INSERT INTO u SELECT * FROM (SELECT /*+ BROADCAST(t) */ k FROM t -- last QUALIFY) WHERE 'a' = k",
        ),
        (
            "SELECT k FROM t QUALIFY k IN (SELECT k FROM u QUALIFY rn = 1)",
            "SELECT * EXCEPT (c) FROM (SELECT k, (k IN (SELECT * EXCEPT (c) FROM (SELECT k, (rn = 1) AS c"
            " FROM u) WHERE c)) AS c FROM t) WHERE c",
        ),
    ],
)
def test_a_clause_becomes_a_filter(text: str, filtered: str) -> None:
    assert plain(text) == filtered


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM t qualify WHERE qualify.id = 1",
        "SELECT qualify x FROM t",
        "SELECT a FROM t AS qualify JOIN u",
        "SELECT a FROM t qualify JOIN u ON a = b",
        "SELECT a FROM t qualify LATERAL VIEW explode(b) AS c",
        "SELECT a FROM t qualify(a, b)",
        "SELECT a FROM t WHERE qualify",
        "SELECT a FROM t WHERE qualify AND b OR qualify NOT IN (1)",
        "SELECT a FROM t GROUP BY qualify, a",
        "SELECT a FROM t ORDER BY `qualify` DESC",
        "SELECT 'x QUALIFY y' FROM t",
        "SELECT a FROM qualify",
        "SELECT a FROM t QUALIFY",
        "QUALIFY x",
        "(SELECT a FROM t) QUALIFY x",
    ],
)
def test_other_words_stay(text: str) -> None:
    assert without_qualify(ParsedStatement(text)).text == text
