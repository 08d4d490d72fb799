"""Search as you type."""

from __future__ import annotations

import pytest

from headrace.views.search import HitKind, SearchHit, search


def hit(name: str, kind: HitKind = HitKind.TABLE, detail: str | None = "lake.public") -> SearchHit:
    return SearchHit(kind, f"lake.public.{name}", name, detail)


HITS = [
    hit("daily_orders"),
    hit("orders"),
    hit("orders_by_day", HitKind.DYNAMIC_TABLE),
    hit("reorder"),
    hit("order_id", HitKind.COLUMN, "lake.public.orders"),
    hit("Load Orders", HitKind.TASK, None),
]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("orders", ["orders", "orders_by_day", "daily_orders", "Load Orders", "order_id"]),
        ("ORDER", ["orders", "orders_by_day", "order_id", "daily_orders", "reorder", "Load Orders"]),
        ("day order", ["orders_by_day"]),
        ("public.reo", ["reorder"]),
        ("", []),
        ("   ", []),
        ("nosuch", []),
    ],
)
def test_search(text: str, names: list[str]) -> None:
    assert [each.name for each in search(text, HITS, 10).items] == names


def test_limit() -> None:
    assert len(search("order", HITS, 2).items) == 2
