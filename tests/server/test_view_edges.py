"""Which views are read by which dynamic tables."""

from __future__ import annotations

from headrace.views.view_edges import ViewReads, ViewText, folded

from ..catalog.samples import name
from .test_graph import dynamic

VIEWS = {
    name("recent"): ViewText("SELECT * FROM Orders WHERE day > 1", "public"),
    name("joined", "report"): ViewText("SELECT * FROM recent JOIN report.clean USING (id)", "public"),
    name("odd"): ViewText("SELECT FROM (", "public"),
}
TABLES = [name("orders"), name("clean", "report"), name("other")]
READS = ViewReads(VIEWS, {folded(each): each for each in (*TABLES, *VIEWS)})


def test_what_a_view_reads() -> None:
    assert READS.of_view(name("recent")) == {name("orders")}
    assert READS.of_view(name("joined", "report")) == {name("recent"), name("clean", "report")}
    assert READS.of_view(name("odd")) == set()


def test_what_a_dynamic_table_reads_through_views() -> None:
    plain = dynamic("plain", "SELECT id FROM orders", "id", orders="id")
    assert READS.of_table(plain) == (set(), set())
    nested = dynamic("nested", "SELECT id FROM report.joined", "id", orders="id", other="id")
    views, behind = READS.of_table(nested)
    assert views == {name("joined", "report")}
    assert behind == {name("recent"), name("orders"), name("clean", "report")}
    both = dynamic("both", "SELECT id FROM recent UNION ALL SELECT id FROM orders", "id", orders="id")
    assert READS.of_table(both) == ({name("recent")}, set())
