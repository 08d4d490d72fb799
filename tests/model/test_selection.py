"""The selection language: how it is read, and what it means in a graph."""

from __future__ import annotations

import pytest

from headrace.errors import DataError
from headrace.model.selection import Selectable, Term, parse_selection, select

EDGES = [
    ("raw", "clean"),
    ("clean", "by_day"),
    ("clean", "by_user"),
    ("by_day", "task:send mail"),
    ("x", "y"),
]


def node(id_: str, **values: str) -> Selectable:
    return Selectable(id_, {"name": (id_.removeprefix("task:"), id_)} | {k: (v,) for k, v in values.items()})


NODES = [
    node("raw", schema="sales", kind="table"),
    node("clean", schema="sales", state="active", mode="INCREMENTAL"),
    node("by_day", schema="reports", state="failing", mode="FULL"),
    node("by_user", schema="reports", state="waiting for data", mode="INCREMENTAL"),
    node("task:send mail", schema="reports", kind="task"),
    node("x", schema="other"),
    node("y", schema="other", state="failing"),
]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("", "raw clean by_day by_user task:send_mail x y"),
        ("clean", "clean"),
        ("CLEAN", "clean"),
        ("by_*", "by_day by_user"),
        ("*", "raw clean by_day by_user task:send_mail x y"),
        ("+by_day", "raw clean by_day"),
        ("by_day+", "by_day task:send_mail"),
        ("+clean+", "raw clean by_day by_user task:send_mail"),
        ('+"send mail"', "raw clean by_day task:send_mail"),
        ("schema:reports", "by_day by_user task:send_mail"),
        ("schema:reports state:failing", "by_day"),
        ("state:failing", "by_day y"),
        ("state:waiting_for_data", "by_user"),
        ('state:"waiting for data"', "by_user"),
        ("mode:full", "by_day"),
        ("kind:task", "task:send_mail"),
        ("+state:failing", "raw clean by_day x y"),
        ("+state:failing schema:sales", "raw clean"),
        ("mode:FULL, kind:table", "raw by_day"),
        ("raw,x ,y", "raw x y"),
        ("nosuch", ""),
        ("cl?an", ""),
        ("[c]lean", ""),
    ],
)
def test_what_is_meant(text: str, meant: str) -> None:
    found = select(parse_selection(text), NODES, EDGES)
    assert {each.replace(" ", "_") for each in found} == set(meant.split())


def test_terms() -> None:
    assert parse_selection('+a+ schema:"my schema", state:failing').alternatives == (
        (Term("name", "a", True, True), Term("schema", "my schema")),
        (Term("state", "failing"),),
    )


@pytest.mark.parametrize(
    "text", [",", "a,", ",a", "a,,b", "+", "a++", "++a", 'a"b', '"a', "schema:", "a + b"]
)
def test_what_cannot_be_read(text: str) -> None:
    with pytest.raises(DataError, match="the selection cannot be read at"):
        parse_selection(text)


def test_an_unknown_key() -> None:
    with pytest.raises(DataError, match="color: is not known"):
        parse_selection("color:red")


def test_a_ring_has_an_end() -> None:
    assert select(parse_selection("a+"), [node("a"), node("b")], [("a", "b"), ("b", "a")]) == {"a", "b"}
