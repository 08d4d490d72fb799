from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.model.task import Task, TaskKind, cycle

NOON = datetime(2024, 6, 1, 12, tzinfo=UTC)


def tasks(**after):
    return [
        Task(name, name, TaskKind.SQL, "select 1", "ann", NOON, NOON, after=to) for name, to in after.items()
    ]


def test_a_task_has_a_name_and_no_negative_retries():
    with pytest.raises(ValueError, match="has a name"):
        Task("1", "", TaskKind.SQL, "select 1", "ann", NOON, NOON)
    with pytest.raises(ValueError, match="below zero"):
        Task("1", "t", TaskKind.SQL, "select 1", "ann", NOON, NOON, retries=-1)


@pytest.mark.parametrize(
    "after",
    [
        {},
        {"a": ()},
        {"a": ("nobody",)},
        {"a": ("b",), "b": ("c",), "c": ()},
        {"a": ("b", "c"), "b": ("d",), "c": ("d",), "d": ()},
    ],
)
def test_no_ring(after):
    assert cycle(tasks(**after)) is None


def test_a_task_after_itself():
    assert cycle(tasks(a=("a",))) == ["a", "a"]


def test_a_ring_is_told_in_the_order_of_waiting():
    found = cycle(tasks(x=("a",), a=("b",), b=("c",), c=("a",)))
    assert found in (["a", "b", "c", "a"], ["b", "c", "a", "b"], ["c", "a", "b", "c"])


@given(st.dictionaries(st.sampled_from("abcdef"), st.sets(st.sampled_from("abcdefg")).map(tuple)))
def test_a_ring_is_found_exactly_where_there_is_one(after):
    found = cycle(tasks(**after))
    if found is None:
        done: set[str] = {name for name in "abcdefg" if name not in after}
        for _ in after:
            done |= {name for name, to in after.items() if done.issuperset(to)}
        assert done.issuperset(after)
    else:
        assert found[0] == found[-1]
        assert all(later in after[first] for first, later in pairwise(found))
