from __future__ import annotations

from collections.abc import Iterator

import pytest

from headrace.catalog.locks import AdvisoryLocks
from headrace.errors import OperationalError
from tests.lake.locks_conformance import LocksConformance, held_elsewhere, killed_while_holding
from tests.postgres import Postgres, running_postgres

HOLDER = """
import sys, time
from headrace.catalog.locks import AdvisoryLocks
with AdvisoryLocks(sys.argv[1]).hold("a", 0) as held:
    assert held
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with running_postgres() as server:
        yield server


@pytest.fixture
def url(postgres: Postgres) -> Iterator[str]:
    yield postgres.url_of(postgres.empty_database())
    postgres.drop_databases()


class TestAdvisoryLocks(LocksConformance):
    @pytest.fixture
    def locks(self, url: str) -> AdvisoryLocks:
        return AdvisoryLocks(url)

    def test_among_processes(self, url: str, locks: AdvisoryLocks) -> None:
        def look() -> None:
            assert not held_elsewhere(locks, "a", 0)
            assert held_elsewhere(locks, "b", 0)

        killed_while_holding(HOLDER, url, look)
        assert held_elsewhere(locks, "a", 5)


def test_a_server_that_is_not_there() -> None:
    locks = AdvisoryLocks("postgresql://nobody:secret@127.0.0.1:1/nothing")
    with pytest.raises(OperationalError) as caught, locks.hold("a", 0):
        pass
    assert "secret" not in str(caught.value)
