"""Where a lake is: in a directory, behind a server, or in a database. Pure: nothing is looked up."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

from headrace.errors import InterfaceError

DEFAULT_PORT = 8642


@dataclass(frozen=True)
class Server:
    url: str


@dataclass(frozen=True)
class Database:
    url: str


@dataclass(frozen=True)
class Directory:
    path: Path


Address: TypeAlias = Server | Database | Directory

_SCHEMES = ("http", "https", "postgresql")
_CLEARLY_PATHS = ("/", "./", "../", "~")
_URLS = "URLs start with http://, https:// or postgresql://"
_SCHEME = re.compile(r"(?P<scheme>[a-z][a-z0-9+.\-]*)(?P<separator>:/*|/{2,})(?P<rest>.*)", re.IGNORECASE)
_HOST_AND_PORT = re.compile(r"(?:[^:/]*@)?(?:\w[\w.\-]*|\[[0-9a-f:.]+\])(?::\d+)?(?:/.*)?", re.IGNORECASE)
_HOST_ALONE = re.compile(r"localhost|\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\]", re.IGNORECASE)


def read_address(text: str) -> Address:
    """A URL, or a path; what looks like a misspelt URL is an error and never a path."""
    if not text.strip():
        raise InterfaceError("the path or URL of the lake is empty", hint="specify a directory or a URL")
    if text.startswith(_CLEARLY_PATHS) or text in (".", ".."):
        return Directory(Path(text))
    scheme = text.partition("://")[0].lower()
    if "://" in text and scheme in _SCHEMES:
        _check_url(text)
        return Database(text) if scheme == "postgresql" else Server(text)
    if _looks_like_address(text):
        raise InterfaceError(f"{shown(text)!r} is neither a URL nor clearly a directory", hint=_hint(text))
    return Directory(Path(text))


def read_server_url(text: str) -> str:
    """The URL of a server, for where only a server will do."""
    try:
        if isinstance(address := read_address(text), Server):
            return address.url
    except InterfaceError as error:
        hint = _server_hint(text) or error.hint
        raise InterfaceError(f"{shown(text)!r} is not the URL of a server", hint=hint) from None
    if isinstance(address, Database):
        hint = "a lake in a database is opened with --lake postgresql://..."
    else:
        hint = _server_hint(text) or f"use a URL such as http://localhost:{DEFAULT_PORT}"
    raise InterfaceError(f"{shown(text)!r} is not the URL of a server", hint=hint)


def _looks_like_address(text: str) -> bool:
    first = text.split("/", 1)[0]
    return (
        ":" in first
        or "://" in text
        or (f"{first}//" == text[: len(first) + 2] and _known_scheme(first) is not None)
        or _HOST_ALONE.fullmatch(first) is not None
    )


def _hint(text: str) -> str:
    as_path = f"for a directory of that name, use ./{shown(text)}"
    better = _server_hint(text)
    return f"{better}; {as_path}" if better else f"{_URLS}; {as_path}"


def _server_hint(text: str) -> str | None:
    spelling = _right_spelling(text)
    return None if spelling is None else f"write {shown(spelling)}"


def _right_spelling(text: str) -> str | None:
    """The URL that was meant; None where there is no telling."""
    found = _SCHEME.fullmatch(text)
    known = None if found is None else _known_scheme(found["scheme"])
    if found is not None and known == "file":
        return f"/{found['rest'].lstrip('/')}"
    if found is not None and known == "jdbc":
        return _right_spelling(found["rest"]) or found["rest"]
    if found is not None and known is not None and found["rest"]:
        return _valid(f"{known}://{found['rest']}")
    if "://" in text or not _HOST_AND_PORT.fullmatch(text):
        return None
    host = text.split("/", 1)[0]
    has_port = re.search(r":\d+$", host) is not None
    return _valid(f"http://{text}" if has_port else f"http://{host}:{DEFAULT_PORT}")


def _valid(url: str) -> str | None:
    try:
        _check_url(url)
    except InterfaceError:
        return None
    return url


def _known_scheme(word: str) -> str | None:
    """The scheme that the word is, or is a likely misspelling of."""
    word = word.lower()
    if word in ("file", "jdbc", *_SCHEMES):
        return word
    if word in ("postgres", "postgressql", "pg", "psql"):
        return "postgresql"
    close = difflib.get_close_matches(word, ("http", "https", "postgresql"), n=1, cutoff=0.75)
    return close[0] if close else None


def _check_url(url: str) -> None:
    shape = "postgresql://user@host:5432/database" if url.lower().startswith("p") else "http://host:8642"
    try:
        parts = urlsplit(url)
        problem = _problem(url, parts.hostname, parts.port, may_lack_host=parts.scheme == "postgresql")
    except ValueError as error:
        problem = str(error)
    if problem is not None:
        raise InterfaceError(f"{shown(url)!r} is not a URL: {problem}", hint=f"use a URL such as {shape}")


def _problem(url: str, host: str | None, port: int | None, may_lack_host: bool) -> str | None:
    if any(character.isspace() for character in url):
        return "it contains white space"
    if not host and not may_lack_host:
        return "it has no host"
    return "its port is 0" if port == 0 else None


def shown(url: str) -> str:
    """Without its password."""
    return re.sub(r"(://[^:/@]*):[^@/]*@", r"\1:...@", url)
