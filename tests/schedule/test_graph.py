from __future__ import annotations

import pytest

from headrace.schedule.graph import Order, components, graph_of
from tests.schedule.tables import dynamic, named

CHAIN = graph_of([dynamic("c", "b"), dynamic("b", "a", "t"), dynamic("a", "t")])
DIAMOND = graph_of(
    [dynamic("top", "left", "right"), dynamic("left", "t"), dynamic("right", "t"), dynamic("other", "t")]
)


def walk(order: Order, failing: tuple[str, ...] = ()) -> list[list[str]]:
    steps = []
    while order:
        ready = order.ready()
        if ready:
            steps.append(sorted(name.table for name in ready))
        for name in ready:
            order.done(name, failed=name.table in failing)
    return steps


def names(*tables: str) -> frozenset:
    return frozenset(map(named, tables))


def test_base_tables_are_no_nodes():
    assert {named("a"): names(), named("b"): names("a"), named("c"): names("b")} == CHAIN


def test_components_are_tied_by_dynamic_tables_alone():
    assert sorted(map(sorted, components(DIAMOND))) == sorted(
        map(sorted, [names("left", "right", "top"), names("other")])
    )


@pytest.mark.parametrize(
    ("chosen", "steps"),
    [
        (("a", "b", "c"), [["a"], ["b"], ["c"]]),
        (("c", "a"), [["a"], ["c"]]),
        (("b",), [["b"]]),
        ((), []),
    ],
)
def test_sources_first(chosen, steps):
    assert walk(Order(CHAIN, names(*chosen))) == steps


def test_a_diamond_waits_for_both_sides():
    assert walk(Order(DIAMOND, names("left", "right", "top"))) == [["left", "right"], ["top"]]


def test_what_reads_a_failed_one_waits_for_the_next_round():
    order = Order(DIAMOND, names("left", "right", "top"))
    assert walk(order, failing=("left",)) == [["left", "right"]]
    assert order.skipped == names("top")


def test_a_failure_spoils_what_is_far_behind_it():
    order = Order(CHAIN, names("a", "b", "c"))
    assert walk(order, failing=("a",)) == [["a"]]
    assert order.skipped == names("b", "c")


def test_nothing_is_ready_while_its_source_runs():
    order = Order(CHAIN, names("a", "b"))
    assert order.ready() == [named("a")]
    assert order.ready() == []
    order.done(named("a"))
    assert order.ready() == [named("b")]
