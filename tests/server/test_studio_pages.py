"""Studio is served at /: its pages, its files, and what browsers may do with them."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from headrace.server.access import Access
from headrace.server.app import make_app
from headrace.server.service import Service
from headrace.server.studio_pages import NOT_BUILT, PAGES

ROUTER = Path(__file__).parents[2] / "studio" / "src" / "app" / "router.tsx"


@pytest.fixture
def pages(service: Service, tmp_path: Path) -> TestClient:
    files = tmp_path / "studio" / "assets"
    files.mkdir(parents=True)
    (files / "app-1a2b.js").write_text("const shown = 1;" * 100)
    (files / "font.woff2").write_bytes(b"wOF2 compressed")
    (files.parent / "index.html").write_text('<script nonce="__NONCE__" src="/assets/app-1a2b.js"></script>')
    app = make_app(service, Access("127.0.0.1", service.store.tokens.holder_of), files.parent)
    return TestClient(app, base_url="http://127.0.0.1:8642")


def policy(client: TestClient) -> dict[str, list[str]]:
    text = client.get("/").headers["content-security-policy"]
    return {name: values for name, *values in (part.split() for part in text.split(";"))}


@pytest.mark.parametrize("path", ["/", *(f"/{page}" for page in PAGES), "/catalog/lake/public/a%20b"])
def test_every_page_is_the_same_document(pages: TestClient, path: str) -> None:
    answer = pages.get(path)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert "app-1a2b.js" in answer.text


def test_what_is_no_page_is_not_found(pages: TestClient) -> None:
    answer = pages.get("/nosuch/page")
    assert (answer.status_code, answer.json()["error"]["kind"]) == (404, "NotFound")


def test_the_policy_allows_only_files_of_this_server(pages: TestClient) -> None:
    found = policy(pages)
    assert found["default-src"] == ["'none'"]
    assert found["script-src"] == ["'self'"]
    assert found["connect-src"] == ["'self'"]
    assert found["frame-ancestors"] == ["'none'"]
    assert not any("unsafe" in value for values in found.values() for value in values)


def test_every_response_has_a_nonce_of_its_own(pages: TestClient) -> None:
    first, second = pages.get("/"), pages.get("/")
    found = re.search(r'nonce="(.+?)"', first.text)
    assert found is not None
    assert f"'nonce-{found.group(1)}'" in first.headers["content-security-policy"]
    assert found.group(1) not in second.text


def test_files_are_cached_and_compressed(pages: TestClient) -> None:
    answer = pages.get("/assets/app-1a2b.js", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-encoding"] == "gzip"
    assert int(answer.headers["content-length"]) < 200
    assert answer.text == "const shown = 1;" * 100
    plain = pages.get("/assets/app-1a2b.js", headers={"Accept-Encoding": "identity"})
    assert plain.text == answer.text
    assert "content-encoding" not in plain.headers
    assert len(gzip.compress(plain.content)) < len(plain.content)


def test_without_a_build_the_rest_works(service: Service, tmp_path: Path) -> None:
    app = make_app(service, Access("127.0.0.1", service.store.tokens.holder_of), tmp_path / "nothing")
    client = TestClient(app, base_url="http://127.0.0.1:8642")
    answer = client.get("/")
    assert (answer.status_code, answer.text) == (404, NOT_BUILT)
    assert client.get("/api/v1/health").status_code == 200
    assert client.get("/assets/app.js").status_code == 404


def test_the_server_and_the_pages_know_the_same_paths() -> None:
    paths = re.findall(r'path: "/([a-z-]+)', ROUTER.read_text())
    assert sorted(set(paths)) == sorted(PAGES)
