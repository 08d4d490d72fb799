"""Schemas by their ids, from a registry that speaks Confluent's protocol: ``GET /schemas/ids/{id}``."""

from __future__ import annotations

import base64
import json
import time
from dataclasses import dataclass, field
from functools import lru_cache
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import SplitResult, urlsplit

from headrace.errors import NotFound, OperationalError, Refused

_SECONDS = 15
"""Of one request."""
_LARGEST = 4 << 20
_PART = 1 << 16
_KEPT = 10_000
"""Schemas; what an id stands for never changes."""
_SCHEMA_NOT_FOUND = 40403
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Registry:
    url: str
    username: str = ""
    password: str = field(default="", repr=False)


def registry_address(url: str) -> str:
    """Host and port."""
    parts = _parts(url)
    return f"{parts.hostname}:{parts.port or _PORTS[parts.scheme]}"


@lru_cache(_KEPT)
def fetch_schema(registry: Registry, number: int) -> str:
    """NotFound if the registry has no such schema of Avro; if it does not say so, the registry has failed."""
    unknown = NotFound(f"schema {number} does not exist in the registry {registry.url}")
    if number < 0:
        raise unknown
    status, body = _answer(registry, f"/schemas/ids/{number}")
    content = _content(body)
    if status == 404 and content.get("error_code") == _SCHEMA_NOT_FOUND:
        raise unknown
    if status != 200:
        raise _failure(registry, number, status, content)
    schema = content.get("schema")
    if not isinstance(schema, str):
        raise OperationalError(f"{registry.url} answered the request for schema {number} without a schema")
    if (kind := content.get("schemaType", "AVRO")) != "AVRO":
        raise NotFound(f"schema {number} of the registry {registry.url} is of the type {kind}, not AVRO")
    if content.get("references"):
        raise OperationalError(
            f"schema {number} of the registry {registry.url} refers to other schemas, which is not supported",
            hint="register it with the definitions of these types in it",
        )
    return schema


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in _PORTS and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_valid = False
    if not is_valid or "@" in parts.netloc or parts.query or parts.fragment:
        raise Refused(
            f"{url} is not the URL of a schema registry",
            hint="for example http://registry:8081; user and password have options of their own",
        )
    return parts


def _answer(registry: Registry, path: str) -> tuple[int, bytes]:
    """Redirects are not followed, and proxies of the environment are not used."""
    parts = _parts(registry.url)
    connect = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = connect(parts.hostname or "", parts.port, timeout=_SECONDS)
    until = time.monotonic() + _SECONDS
    try:
        connection.request("GET", parts.path.rstrip("/") + path, headers=_headers(registry))
        response = connection.getresponse()
        return response.status, _body(response, until)
    except (OSError, HTTPException, ValueError) as error:
        raise OperationalError(
            f"the schema registry {registry.url} cannot be reached: {error or type(error).__name__}",
            hint="check the address, and whether the registry runs",
        ) from None
    finally:
        connection.close()


def _headers(registry: Registry) -> dict[str, str]:
    headers = {"Accept": "application/vnd.schemaregistry.v1+json, application/json"}
    if registry.username:
        login = base64.b64encode(f"{registry.username}:{registry.password}".encode()).decode()
        headers["Authorization"] = f"Basic {login}"
    return headers


def _body(response: HTTPResponse, until: float) -> bytes:
    body = bytearray()
    while part := response.read1(_PART):
        body += part
        if len(body) > _LARGEST:
            raise HTTPException(f"the response has more than {_LARGEST >> 20} MB")
        if time.monotonic() > until:
            raise TimeoutError("timed out")
    return bytes(body)


def _content(body: bytes) -> dict[str, Any]:
    try:
        content = json.loads(body)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _failure(registry: Registry, number: int, status: int, content: dict[str, Any]) -> OperationalError:
    what = f"the schema registry {registry.url} answered the request for schema {number} with status {status}"
    if status in (401, 403):
        return OperationalError(
            what, hint="check schema.registry.username and the secret of schema.registry.password"
        )
    if 300 <= status < 400:
        return OperationalError(what, hint="redirects are not followed: use the URL of the registry itself")
    message = content.get("message")
    return OperationalError(f"{what}: {message}" if isinstance(message, str) else what)
