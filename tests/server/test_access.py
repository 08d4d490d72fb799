"""Who is let in, and who is not."""

from __future__ import annotations

import getpass
import http.client
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from headrace.model.access_token import Principal
from headrace.model.role import Role
from headrace.server.access import Access, is_loopback
from headrace.server.app import make_app
from headrace.server.service import Service

from .test_api import listening

NOW = datetime(2024, 6, 1, tzinfo=UTC)
EVERYWHERE = [
    "/api/v1/health",
    "/api/v1/nothing",
    "/metrics",
    "/docs",
    "/docs/static/swagger-ui-bundle.js",
    "/openapi.json",
    "/api/v1/account",
    "/nosuch",
    "/api/v1/statements/x",
    "/api/v1/events?types=nosuch",
]


@pytest.fixture
def token(service: Service) -> str:
    return service.store.tokens.create("ann", NOW)


@pytest.fixture
def outside(service: Service) -> TestClient:
    """Of a server that other machines reach."""
    return TestClient(make_app(service, Access("0.0.0.0", service.store.tokens.holder_of)))  # noqa: S104


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("[::1]", True),
        ("LOCALHOST", True),
        ("0.0.0.0", False),  # noqa: S104
        ("192.168.0.1", False),
        ("localhost.evil.org", False),
        ("", False),
    ],
)
def test_loopback(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


@pytest.mark.parametrize("path", EVERYWHERE)
@pytest.mark.parametrize("header", [None, "Bearer wrong", "Basic abc", "Bearer", ""])
def test_nothing_without_a_token(outside: TestClient, token: str, path: str, header: str | None) -> None:
    headers = {} if header is None else {"Authorization": header}
    answer = outside.get(path, headers=headers)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.json()["error"]["kind"] == "AccessDenied"
    assert "openapi" not in answer.text.lower()


def test_a_large_body_is_not_read_without_a_token(outside: TestClient) -> None:
    assert outside.post("/api/v1/statements", content=b"x" * (17 << 20)).status_code == 401


@pytest.mark.parametrize("path", EVERYWHERE)
def test_with_a_token(outside: TestClient, token: str, path: str) -> None:
    answer = outside.get(path, headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code in (200, 400, 404)


def test_a_revoked_token_ends_at_once(outside: TestClient, token: str, service: Service) -> None:
    headers = {"Authorization": f"bearer {token}"}
    assert outside.get("/api/v1/health", headers=headers).status_code == 200
    service.store.tokens.revoke("ann", NOW)
    answer = outside.get("/api/v1/health", headers=headers)
    assert answer.status_code == 401
    assert token not in answer.text


def test_tokens_are_not_stored(service: Service, token: str) -> None:
    service.close()
    stored = b"".join(file.read_bytes() for file in service.directory.path.glob("metadata.db*"))
    assert b"ann" in stored
    assert token.encode() not in stored


def test_the_name_of_a_token_is_the_creator(outside: TestClient, token: str, service: Service) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    session = outside.post("/api/v1/sessions", headers=headers).json()["session"]
    asked = {"session": session, "statement": "SELECT 1", "wait_seconds": 5}
    job = outside.post("/api/v1/statements", json=asked, headers=headers).json()["job_id"]
    found = service.store.jobs.find(job)
    assert found is not None
    assert found.creator == "ann"


def test_sessions_and_statements_are_their_owners(outside: TestClient, token: str, service: Service) -> None:
    mine = {"Authorization": f"Bearer {token}"}
    other = {"Authorization": f"Bearer {service.store.tokens.create('bob', NOW)}"}
    session = outside.post("/api/v1/sessions", headers=mine).json()["session"]
    asked = {"session": session, "statement": "SELECT 1", "wait_seconds": 5}
    assert outside.post("/api/v1/statements", json=asked, headers=other).status_code == 400
    job = outside.post("/api/v1/statements", json=asked, headers=mine).json()["job_id"]
    for path in (f"/api/v1/statements/{job}", f"/api/v1/statements/{job}/rows"):
        assert outside.get(path, headers=mine).status_code == 200
        assert outside.get(path, headers=other).status_code == 400


def test_what_a_statement_says_is_its_creators(
    outside: TestClient, client: TestClient, token: str, service: Service
) -> None:
    mine = {"Authorization": f"Bearer {token}"}
    other = {"Authorization": f"Bearer {service.store.tokens.create('bob', NOW)}"}
    job = _statement(outside, "SELECT 'my secret'", mine)
    for reader, headers, text, notices in (
        (outside, mine, "SELECT 'my secret'", ["a notice"]),
        (outside, other, None, []),
        (client, {}, "SELECT 'my secret'", ["a notice"]),
    ):
        listed = reader.get("/api/v1/jobs", headers=headers).json()["items"]
        described = reader.get(f"/api/v1/jobs/{job}", headers=headers).json()
        assert [each["statement"] for each in listed if each["job_id"] == job] == [text]
        assert (described["statement"], described["creator"]) == (text, "ann")
        assert described["notices"] == notices


def test_only_its_creator_and_the_owner_cancel_a_statement(
    outside: TestClient, client: TestClient, token: str, service: Service
) -> None:
    mine = {"Authorization": f"Bearer {token}"}
    other = {"Authorization": f"Bearer {service.store.tokens.create('bob', NOW)}"}
    jobs = [_statement(outside, "SELECT SLEEP", mine, wait=0) for _ in range(3)]
    assert outside.post(f"/api/v1/jobs/{jobs[0]}/cancel", headers=other).status_code == 401
    refused = _statement(outside, f"CANCEL JOB '{jobs[0]}'", other)
    error = outside.get(f"/api/v1/statements/{refused}", headers=other).json()["error"]
    assert error["message"] == f"job {jobs[0]} is a statement of another user"
    assert outside.post(f"/api/v1/jobs/{jobs[0]}/cancel", headers=mine).status_code == 202
    _statement(outside, f"CANCEL JOB '{jobs[1]}'", mine)
    assert client.post(f"/api/v1/jobs/{jobs[2]}/cancel").status_code == 202
    for job in jobs:
        path = f"/api/v1/statements/{job}?wait_seconds=20"
        assert outside.get(path, headers=mine).json()["state"] == "CANCELLED"


def _statement(client: TestClient, text: str, headers: dict[str, str], wait: float = 20) -> str:
    session = client.post("/api/v1/sessions", headers=headers).json()["session"]
    asked = {"session": session, "statement": text, "wait_seconds": wait}
    job: str = client.post("/api/v1/statements", json=asked, headers=headers).json()["job_id"]
    return job


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """What a build of Studio leaves."""
    files = tmp_path / "studio" / "assets"
    files.mkdir(parents=True)
    (files / "page.css").write_text("body {}")
    (files.parent / "index.html").write_text('<link nonce="__NONCE__" href="/assets/page.css">')
    (tmp_path / "studio" / "secret").write_text("not a file of the page")
    return files.parent


def test_pages_need_no_token_and_everything_else_does(service: Service, pages: Path) -> None:
    app = make_app(service, Access("0.0.0.0", service.store.tokens.holder_of), pages)  # noqa: S104
    outside = TestClient(app)
    assert outside.get("/assets/page.css").text == "body {}"
    assert outside.head("/assets/page.css").status_code == 200
    assert outside.get("/assets/nosuch.css").status_code == 404
    for inside in ("/assets/../secret", "/assets/%2e%2e/secret", "/assets/..%2fsecret"):
        assert outside.get(inside).status_code in (401, 404)
    for path in (
        "/assets",
        "/assetsx/page.css",
        "/ASSETS/page.css",
        "//assets/page.css",
        "/x/assets/page.css",
        "/catalogue",
        "/index.html",
    ):
        assert outside.get(path).status_code == 401, path
    for path in ("/", "/catalog", "/assets/page.css"):
        assert outside.post(path).status_code == 401
    for path in EVERYWHERE:
        assert outside.get(path).status_code == 401


@pytest.mark.parametrize("path", ["../api/v1/health", "..%2fapi/v1/health", "%2e%2e/metrics", "../docs"])
@pytest.mark.parametrize("start", ["/assets/", "/catalog/"])
def test_no_way_around_the_gate_leads_through_pages(
    service: Service, pages: Path, path: str, start: str
) -> None:
    app = make_app(service, Access("0.0.0.0", service.store.tokens.holder_of), pages)  # noqa: S104
    with listening(app) as port:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", f"{start}{path}")
        answer = connection.getresponse()
        text = answer.read().decode()
        assert answer.status in (401, 404) or text.startswith("<link")
        connection.close()


@pytest.mark.parametrize("host", ["127.0.0.1:8642", "localhost", "[::1]:8642", "LocalHost:1"])
def test_on_this_machine_its_user_needs_none(client: TestClient, service: Service, host: str) -> None:
    answer = client.post("/api/v1/sessions", headers={"Host": host})
    assert answer.status_code == 201
    assert service.sessions.find(answer.json()["session"], Principal(getpass.getuser(), Role.ADMIN))


@pytest.mark.parametrize(
    "host", ["evil.org", "localhost.evil.org:8642", "10.0.0.1", "", "[::1", "evil@localhost:x"]
)
def test_a_name_that_only_leads_here_does(client: TestClient, host: str) -> None:
    assert client.get("/api/v1/health", headers={"Host": host}).status_code == 401


def test_pages_of_other_sites_may_not_ask(client: TestClient) -> None:
    assert client.post("/api/v1/sessions", headers={"Origin": "https://evil.org"}).status_code == 401
    assert client.post("/api/v1/sessions", headers={"Origin": "null"}).status_code == 401
    assert client.post("/api/v1/sessions", headers={"Origin": "http://localhost:3000"}).status_code == 201


def test_a_wrong_token_is_refused_on_this_machine_too(client: TestClient) -> None:
    answer = client.get("/api/v1/health", headers={"Authorization": "Bearer wrong"})
    assert answer.json()["error"]["message"] == "the token is not valid or was revoked"
