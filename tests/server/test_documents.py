"""The requests that docs/server.md shows, sent as curl would send them, to a server without Spark."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from httpx import Response

from headrace.result import from_stream
from headrace.server.service import Service

PAGE = (Path(__file__).parents[2] / "docs/server.md").read_text()
COMMANDS = [
    line.replace("\\\n", " ")
    for block in re.findall(r"^```shell\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    for line in re.split(r"(?<!\\)\n", block.strip())
]


def curl(client: TestClient, command: str, **known: str) -> Response:
    """The options that the page uses."""
    for name, value in known.items():
        command = command.replace(f"${name}", value).replace("'" + value + "'", value)
    words = iter(shlex.split(command)[1:])
    method, url, headers, body = "GET", "", {}, None
    for word in words:
        match word:
            case "-s":
                pass
            case "-X":
                method = next(words)
            case "-H":
                name, _, value = next(words).partition(": ")
                headers[name] = value
            case "-d":
                method, body = "POST", next(words)
            case "-o":
                next(words)
            case _:
                url = word
    return client.request(method, url, headers=headers, content=body)


def test_the_page_shows_requests() -> None:
    assert len(COMMANDS) == 23


def test_what_the_page_shows_works(client: TestClient) -> None:
    opened = curl(client, COMMANDS[0], URL="http://127.0.0.1:8642")
    known = {"URL": "http://127.0.0.1:8642", "SESSION": opened.json()["session"]}
    submitted = curl(client, COMMANDS[1], **known).json()
    assert submitted["state"] == "SUCCEED"
    known["JOB"] = submitted["job_id"]
    for command in COMMANDS[2:]:
        answer = curl(client, command, **known)
        assert answer.status_code in (200, 201, 202), f"{command}: {answer.text}"
        if "arrow" in command:
            assert from_stream(answer.content).num_rows == 3


def test_every_metric_is_named(client: TestClient, service: Service) -> None:
    text = client.get("/metrics").text
    names = {line.split(" ")[2] for line in text.splitlines() if line.startswith("# TYPE")}
    assert names
    assert [name for name in names if name not in PAGE] == []


@pytest.mark.parametrize(
    "limit",
    [
        "16 MB",
        "200",
        "of up to 1 MB",
        "256 MB",
        "10 GB",
        "20 GB",
        "5 seconds",
        "10 minutes",
        "an hour",
        "4 hours",
    ],
)
def test_limits_are_those_of_the_code(limit: str) -> None:
    from headrace.lake.settings import Settings
    from headrace.results.source import INLINE_BYTES
    from headrace.server import housekeeping, limits, sessions, statements

    real = {
        "16 MB": limits.LARGEST_REQUEST == 16 << 20,
        "200": statements.MOST_AT_ONCE == 200,
        "of up to 1 MB": INLINE_BYTES == 1 << 20,
        "256 MB": statements.KEPT_BYTES == 256 << 20,
        "10 GB": Settings().result_max_mb == 10 << 10,
        "20 GB": Settings().results_total_mb == 20 << 10,
        "5 seconds": housekeeping._ABANDONED_SECONDS == 5,
        "10 minutes": statements.KEPT_SECONDS == 600,
        "an hour": sessions.IDLE_SECONDS == 3600,
        "4 hours": Settings().statement_timeout_seconds == 4 * 3600,
    }
    assert limit in PAGE
    assert real[limit]


def test_events_and_their_limits_are_those_of_the_code() -> None:
    from headrace.server import event_feed, event_models, event_stream, event_view

    section = PAGE.partition("## Events\n")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert listed == [*event_models.EventType, event_models.RESET]
    assert f"last {event_feed.CAPACITY:,} events" in section
    assert f"Every {event_stream.HEARTBEAT_SECONDS:.0f} seconds" in section
    assert f"after {event_view.LONGEST_TEXT:,} characters" in section
    assert f"`/api/v1/events` | {event_feed.MOST_CLIENTS};" in PAGE
