from __future__ import annotations

from headrace.model.names import TableName
from headrace.model.near_names import did_you_mean, near_names


def name(text: str) -> TableName:
    return TableName("lake", *text.split("."))


KNOWN = [name(text) for text in ("s.orders", "t.order", "s.customers", "__hr_dropped.orders2", "t.ORDERS")]


def test_close_names_come_first_from_the_same_schema() -> None:
    assert near_names(name("s.ordesr"), KNOWN) == [name("s.orders"), name("t.order"), name("t.ORDERS")]
    assert near_names(name("t.customers"), KNOWN)[0] == name("s.customers")
    assert near_names(name("s.nothing"), KNOWN) == []


def test_the_question() -> None:
    assert did_you_mean([name("s.a"), name("t.a b")]) == "did you mean lake.s.a or lake.t.`a b`?"
    assert did_you_mean([]) is None
