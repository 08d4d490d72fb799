"""Which columns of a table a query makes use of."""

from __future__ import annotations

import pytest

from headrace.model.dynamic_table import Definition, Source
from headrace.model.names import TableName
from headrace.sql.columns_read import may_read

D, E = TableName("lake", "public", "d"), TableName("lake", "public", "e")
READ = "`lake`.`public`.`d`"
OTHER = "`lake`.`public`.`e`"


def reads_c(query: str) -> bool:
    definition = Definition(query, query, query, (Source(D, ("a", "b", "c")), Source(E, ("b", "c"))))
    return may_read(definition, D, {"c"})


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT * FROM {READ}",
        f"SELECT d.C FROM {READ}",
        f"SELECT x.a FROM {READ} x WHERE c > 1",
        f"SELECT a FROM {READ} ORDER BY c LIMIT 1",
        f"SELECT x.a FROM {READ} x JOIN {OTHER} y USING (c)",
        f"SELECT a FROM {READ} NATURAL JOIN {OTHER}",
        f"SELECT y.b FROM {OTHER} y WHERE EXISTS (SELECT 1 FROM {READ} x WHERE x.c = y.c)",
        f"WITH w AS (SELECT c AS other FROM {READ}) SELECT other FROM w",
        f"SELECT count(DISTINCT c) AS n FROM {READ}",
        f"SELECT sum(a) OVER (PARTITION BY c) AS s FROM {READ}",
        f"SELECT * FROM {READ} PIVOT (sum(a) FOR b IN (1, 2))",
        f"SELECT `c` FROM {READ} WHERE (((",
    ],
)
def test_read(query: str) -> None:
    assert reads_c(query)


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT a FROM {READ}",
        f"SELECT count(*) AS n FROM {READ}",
        f"SELECT x.a, y.c FROM {READ} x JOIN {OTHER} y ON x.b = y.b",
        f"SELECT a AS c FROM {READ}",
        f"SELECT 'c' AS a FROM {READ}",
        f"SELECT 'c' FROM {READ} WHERE (((",
    ],
)
def test_not_read(query: str) -> None:
    assert not reads_c(query)
