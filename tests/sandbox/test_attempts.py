"""No statement of a served lake reads, writes or probes a file outside, whatever it is made of.

The statements are run as the process of a cluster runs them: without the check of the text that a server does
first, so that what is refused here is refused by what Spark has understood.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from headrace.errors import Error, NotFound, NotSupportedError, Refused, SqlSyntaxError
from tests.sandbox.attempts import ATTEMPTS
from tests.sandbox.conftest import CONTENT, Served

_MISSING = "missing.txt"


def test_there_are_enough_attempts() -> None:
    assert len(set(ATTEMPTS)) >= 250


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_no_way_out(attempt: str, served: Served) -> None:
    before = _files(served.outside)
    message = _message(attempt, served, served.canary.name)
    assert CONTENT not in message
    if "{file}" in attempt:
        assert message == _message(attempt, served, _MISSING), "it tells whether the file exists"
    assert _files(served.outside) == before


def test_the_lake_is_as_it_was(served: Served) -> None:
    """After all attempts, in whatever order."""
    assert served.run("SELECT count(*) > 0 FROM known") == [(True,)]
    assert served.run("SELECT current_catalog(), current_schema()") == [("lake", "public")]


def _message(attempt: str, served: Served, name: str) -> str:
    path = served.outside / name
    text = (
        attempt.replace("{file}", str(path))
        .replace("{dir}", str(served.outside))
        .replace("{warehouse}", str(served.lake.directory.warehouse))
    )
    with pytest.raises(Error) as refused:
        served.run(text)
    assert isinstance(refused.value, (Refused, NotFound, NotSupportedError, SqlSyntaxError)), refused.value
    return refused.value.message.replace(str(path), "PATH")


def _files(directory: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in directory.rglob("*") if path.is_file()}
