"""Signing in from a browser, and what pages of other sites can do with it: nothing."""

from __future__ import annotations

import getpass
from datetime import UTC, datetime
from http.cookies import SimpleCookie

import pytest
from fastapi.testclient import TestClient

from headrace.server.access import TOKEN_COOKIE, Access
from headrace.server.app import make_app
from headrace.server.service import Service

NOW = datetime(2024, 6, 1, tzinfo=UTC)
SITE = "http://lake.example:8642"


@pytest.fixture
def token(service: Service) -> str:
    return service.store.tokens.create("ann", NOW)


@pytest.fixture
def outside(service: Service) -> TestClient:
    """A browser's view of a server that other machines reach."""
    app = make_app(service, Access("0.0.0.0", service.store.tokens.holder_of))  # noqa: S104
    return TestClient(app, base_url=SITE)


@pytest.fixture
def signed_in(outside: TestClient, token: str) -> TestClient:
    answer = outside.post("/api/v1/sign-in", json={"token": f" {token}\n"}, headers={"Origin": SITE})
    assert answer.status_code == 200, answer.text
    return outside


def test_the_token_is_kept_in_a_cookie_that_scripts_and_other_sites_cannot_use(
    outside: TestClient, token: str
) -> None:
    answer = outside.post("/api/v1/sign-in", json={"token": token}, headers={"Origin": SITE})
    assert answer.json()["user"] == "ann"
    assert token not in answer.text
    cookie = SimpleCookie(answer.headers["set-cookie"])[TOKEN_COOKIE]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "strict", "/")
    assert not cookie["secure"]


def test_over_tls_the_cookie_is_not_sent_without_it(service: Service, token: str) -> None:
    app = make_app(service, Access("0.0.0.0", service.store.tokens.holder_of))  # noqa: S104
    secure = TestClient(app, base_url="https://lake.example")
    answer = secure.post("/api/v1/sign-in", json={"token": token})
    assert SimpleCookie(answer.headers["set-cookie"])[TOKEN_COOKIE]["secure"] is True


def test_a_wrong_token_is_refused(outside: TestClient, token: str) -> None:
    answer = outside.post("/api/v1/sign-in", json={"token": f"{token}x"})
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers
    assert outside.get("/api/v1/account").status_code == 401


def test_with_the_cookie_everything_is_open_as_with_the_token(signed_in: TestClient) -> None:
    account = signed_in.get("/api/v1/account").json()
    assert (account["user"], account["signed_in"], account["time_zone"]) == ("ann", True, "UTC")
    assert signed_in.get("/api/v1/dynamic-tables").status_code == 200
    assert signed_in.post("/api/v1/sessions", headers={"Origin": SITE}).status_code == 201


def test_signing_out_removes_the_cookie(signed_in: TestClient) -> None:
    assert signed_in.post("/api/v1/sign-out", headers={"Origin": SITE}).status_code == 204
    assert signed_in.get("/api/v1/account").status_code == 401


def test_a_revoked_token_ends_at_once(signed_in: TestClient, service: Service) -> None:
    service.store.tokens.revoke("ann", NOW)
    assert signed_in.get("/api/v1/account").status_code == 401
    assert signed_in.post("/api/v1/sign-out", headers={"Origin": SITE}).status_code == 204


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://lake.example:9999"},
        {"Origin": "http://lake.example:8642.evil.example"},
        {"Origin": SITE, "Sec-Fetch-Site": "cross-site"},
        {"Origin": SITE, "Sec-Fetch-Site": "same-site"},
        {"Origin": SITE, "Sec-Fetch-Site": "none"},
    ],
)
@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/api/v1/sessions"), ("DELETE", "/api/v1/sessions/x"), ("POST", "/api/v1/jobs/x/cancel")],
)
def test_no_other_page_writes_with_the_cookie(
    signed_in: TestClient, headers: dict[str, str], method: str, path: str
) -> None:
    answer = signed_in.request(method, path, headers=headers)
    assert answer.status_code == 401
    assert answer.json()["error"]["message"] == "the request comes from the page of another site"


@pytest.mark.parametrize("headers", [{"Origin": SITE}, {"Sec-Fetch-Site": "same-origin"}])
def test_the_pages_of_this_server_do(signed_in: TestClient, headers: dict[str, str]) -> None:
    assert signed_in.post("/api/v1/sessions", headers=headers).status_code == 201


@pytest.mark.parametrize("path", ["/api/v1/sign-in", "/api/v1/sign-out"])
def test_no_other_page_signs_a_user_in_or_out(outside: TestClient, token: str, path: str) -> None:
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        answer = outside.post(path, json={"token": token}, headers=headers)
        assert answer.status_code == 401
        assert "set-cookie" not in answer.headers


def test_a_header_with_a_token_comes_before_the_cookie(signed_in: TestClient, service: Service) -> None:
    other = {"Authorization": f"Bearer {service.store.tokens.create('bob', NOW)}"}
    assert signed_in.get("/api/v1/account", headers=other).json()["user"] == "bob"
    assert signed_in.get("/api/v1/account", headers={"Authorization": "Bearer x"}).status_code == 401


def test_on_this_machine_the_cookie_of_another_server_is_ignored(client: TestClient) -> None:
    answer = client.get("/api/v1/account", headers={"Cookie": f"{TOKEN_COOKIE}=of-another"}).json()
    assert (answer["user"], answer["signed_in"]) == (getpass.getuser(), False)
