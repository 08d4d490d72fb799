from __future__ import annotations

from pathlib import Path

import pytest

from headrace.errors import InterfaceError
from headrace.model.address import Database, Directory, Server, read_address, read_server_url


@pytest.mark.parametrize(
    "path", ["lake", "./localhost:8642", "../a:b", "/data/a:b", "~/a:b", ".", "http", "a/b:c", "my.lake"]
)
def test_directories(path: str) -> None:
    assert read_address(path) == Directory(Path(path))


@pytest.mark.parametrize(
    "url", ["http://localhost", "https://host.example:8642/", "HTTP://Host:1", "http://[::1]:8642"]
)
def test_servers(url: str) -> None:
    assert read_address(url) == Server(url)
    assert read_server_url(url) == url


@pytest.mark.parametrize("url", ["postgresql://ann:secret@db.example:5432/lake", "postgresql:///lake"])
def test_databases(url: str) -> None:
    assert read_address(url) == Database(url)


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        ("localhost:8642", "http://localhost:8642"),
        ("localhost", "http://localhost:8642"),
        ("127.0.0.1:8642", "http://127.0.0.1:8642"),
        ("127.0.0.1", "http://127.0.0.1:8642"),
        ("[::1]:8642", "http://[::1]:8642"),
        ("user@host:8642", "http://user@host:8642"),
        ("host:8642/path", "http://host:8642/path"),
        ("htp://localhost:8642", "http://localhost:8642"),
        ("httpss://host", "https://host"),
        ("http//host", "http://host"),
        ("https:/host", "https://host"),
        ("http:localhost:8642", "http://localhost:8642"),
        ("postgres://ann@db/lake", "postgresql://ann@db/lake"),
        ("postgresql:/db/lake", "postgresql://db/lake"),
        ("jdbc:postgresql://db/lake", "postgresql://db/lake"),
        ("file:///data/lake", "/data/lake"),
    ],
)
def test_a_misspelt_url_is_an_error_with_the_right_spelling(text: str, spelling: str) -> None:
    with pytest.raises(InterfaceError) as raised:
        read_address(text)
    assert raised.value.hint == f"write {spelling}; for a directory of that name, use ./{text}"


@pytest.mark.parametrize("text", ["s3://bucket/lake", "a:b", "C:lake", "2026-01-01T10:00"])
def test_what_has_no_right_spelling_is_an_error_too(text: str) -> None:
    with pytest.raises(InterfaceError, match="URLs start with http://, https:// or postgresql://"):
        read_address(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("http://", "it has no host"),
        ("http://host:port", "Port could not be cast"),
        ("http://host:99999", "Port out of range"),
        ("http://host:0", "its port is 0"),
        ("http://ho st", "white space"),
        (" ", "is empty"),
    ],
)
def test_a_url_is_checked(text: str, problem: str) -> None:
    with pytest.raises(InterfaceError, match=problem):
        read_address(text)


def test_a_password_is_not_shown() -> None:
    for text in ("postgres://ann:secret@db/lake", "postgresql://ann:secret@db:port/lake", "h://a:secret@b"):
        with pytest.raises(InterfaceError) as raised:
            read_address(text)
        assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("localhost:8642", "write http://localhost:8642"),
        ("host.example", "write http://host.example:8642"),
        ("./lake", "use a URL such as http://localhost:8642"),
        ("postgresql://db/lake", "a lake in a database is opened with --lake postgresql://..."),
    ],
)
def test_where_only_a_server_will_do(text: str, hint: str) -> None:
    with pytest.raises(InterfaceError, match="is not the URL of a server") as raised:
        read_server_url(text)
    assert raised.value.hint == hint
