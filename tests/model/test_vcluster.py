from datetime import UTC, datetime

import pytest

from headrace.model.vcluster import Vcluster

NOON = datetime(2024, 6, 1, 12, tzinfo=UTC)


def vcluster(name="v", **more):
    return Vcluster("1", name, "ann", NOON, NOON, **more)


@pytest.mark.parametrize(
    ("size", "called"),
    [(1, "XSMALL"), (2, "SMALL"), (3, "3"), (4, "MEDIUM"), (8, "LARGE"), (16, "XLARGE"), (17, "17")],
)
def test_sizes_are_called(size, called):
    assert vcluster(size=size).size_name == called


@pytest.mark.parametrize(
    "wrong", [{"name": ""}, {"size": 0}, {"max_concurrency": 0}, {"auto_suspend_seconds": -1}]
)
def test_it_cannot_be_made_wrong(wrong):
    with pytest.raises(ValueError, match="virtual cluster"):
        vcluster(**wrong)
