"""Resuming from a bounded log: nothing is lost without notice, nothing comes twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.model.change import ClusterChange
from headrace.model.vcluster import VclusterState
from headrace.server.event_feed import EventFeed
from headrace.server.event_ring import EventRing

STEPS = st.lists(st.one_of(st.just("publish"), st.just("read"), st.integers(1, 12)), max_size=80)


@given(capacity=st.integers(1, 8), limit=st.integers(1, 5), steps=STEPS)
def test_a_reader_misses_nothing_that_it_is_not_told_of(
    capacity: int, limit: int, steps: list[str | int]
) -> None:
    """A number stands for so many events at once. The model is a list of all of them."""
    ring: EventRing[int] = EventRing(capacity)
    published: list[int] = []
    position = 0
    for step in steps:
        if step == "read":
            found = ring.after(position, limit)
            if found is None:
                assert len(published) - position > capacity
                position = ring.newest
                continue
            assert [event for _, event in found] == published[position : position + limit]
            assert [number for number, _ in found] == list(range(position + 1, position + 1 + len(found)))
            position += len(found)
            continue
        for _ in range(1 if step == "publish" else int(step)):
            published.append(len(published))
            ring.append(published[-1])
        assert ring.newest == len(published)


@given(capacity=st.integers(1, 8), events=st.integers(0, 20), number=st.integers(-3, 25))
def test_which_numbers_can_be_resumed_from(capacity: int, events: int, number: int) -> None:
    ring: EventRing[int] = EventRing(capacity)
    for event in range(events):
        ring.append(event)
    assert ring.has_all_after(number) is (max(0, events - capacity) <= number <= events)
    assert (ring.after(number, 100) is None) is not ring.has_all_after(number)


def test_a_ring_has_room() -> None:
    with pytest.raises(ValueError, match="at least one"):
        EventRing(0)


def feed_of(*states: VclusterState, capacity: int = 100) -> EventFeed:
    feed = EventFeed(capacity)
    for number, state in enumerate(states):
        feed.publish(ClusterChange(f"c{number}", state))
    return feed


@pytest.mark.parametrize(
    "text", ["", "x", "-1", "{run}", "{run}-", "{run}-x", "{run}-4", "{run}-²", "other-2"]
)
def test_ids_that_say_nothing(text: str) -> None:
    feed = feed_of(*[VclusterState.RUNNING] * 3)
    assert feed.number_of(text.replace("{run}", feed.id_of(0).partition("-")[0])) is None


@given(capacity=st.integers(1, 5), events=st.integers(0, 12), number=st.integers(0, 12))
def test_an_id_leads_to_its_number_or_to_none(capacity: int, events: int, number: int) -> None:
    feed = feed_of(*[VclusterState.RUNNING] * events, capacity=capacity)
    is_available = max(0, events - capacity) <= number <= events
    assert feed.number_of(feed.id_of(number)) == (number if is_available else None)
    assert EventFeed().number_of(feed.id_of(number)) is None


def test_a_state_is_published_once() -> None:
    feed = EventFeed()
    for state in (
        VclusterState.RUNNING,
        VclusterState.RUNNING,
        VclusterState.SUSPENDED,
        VclusterState.RUNNING,
    ):
        feed.publish(ClusterChange("default", state))
    assert feed.newest == 3
