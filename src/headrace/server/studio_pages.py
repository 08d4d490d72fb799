"""Studio: the web pages at ``/`` and their files. They contain no data, and anybody may load them."""

from __future__ import annotations

import gzip
import mimetypes
import secrets
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from fastapi import APIRouter, Header, Response
from fastapi.responses import HTMLResponse, PlainTextResponse

from headrace.errors import NotFound

BUILT_FILES = Path(__file__).with_name("studio_assets")
"""Where ``make studio-assets`` puts them; the wheel carries them."""
FILES = "/assets"
PAGES = (
    "alerts",
    "catalog",
    "compute",
    "development",
    "dynamic-tables",
    "lineage",
    "streams",
    "tasks",
    "tokens",
)
"""First parts of the paths of pages, all of which are index.html; the program in it shows the page."""
NOT_BUILT = "Studio is not built: run `make studio-assets` in the source checkout; /docs describes the API.\n"
_NONCE = "__NONCE__"
"""What the build writes in place of the nonce of a response."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_KEPT = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
_SECURE = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def is_studio(path: str) -> bool:
    first, _, rest = path.removeprefix("/").partition("/")
    return path == "/" or first in PAGES or (f"/{first}" == FILES and rest != "")


@dataclass(frozen=True)
class StudioFiles:
    """Looked up by each request, so that a new build needs no new server."""

    directory: Path

    def page(self) -> Response:
        index = self.directory / "index.html"
        if not index.exists():
            return PlainTextResponse(NOT_BUILT, 404)
        nonce = secrets.token_urlsafe(16)
        headers = {"Cache-Control": "no-store", "Content-Security-Policy": _POLICY.format(nonce=nonce)}
        text = index.read_text(encoding="utf-8").replace(_NONCE, nonce)
        return HTMLResponse(text, headers=headers | _SECURE)

    def file(self, name: str, accepted: str) -> Response:
        path = self._listed().get(name)
        if path is None:
            raise NotFound(f"{FILES}/{name} does not exist")
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        if "gzip" in accepted and kind != "font/woff2":
            headers = _KEPT | _SECURE | {"Content-Encoding": "gzip"}
            return Response(_compressed(path), headers=headers, media_type=kind)
        return Response(path.read_bytes(), headers=_KEPT | _SECURE, media_type=kind)

    def _listed(self) -> dict[str, Path]:
        """By name; what is not listed is not served, whatever the name leads to."""
        files = self.directory / FILES.strip("/")
        return {path.relative_to(files).as_posix(): path for path in files.rglob("*") if path.is_file()}


def studio_routes(files: StudioFiles) -> APIRouter:
    routes = APIRouter(include_in_schema=False)

    def page() -> Response:
        return files.page()

    def file(name: str, accept_encoding: str = Header("")) -> Response:
        return files.file(name, accept_encoding)

    paths = ("/", *(f"/{each}" for each in PAGES), *(f"/{each}/{{rest:path}}" for each in PAGES))
    for path in paths:
        routes.add_api_route(path, page, methods=["GET", "HEAD"])
    routes.add_api_route(f"{FILES}/{{name:path}}", file, methods=["GET", "HEAD"])
    return routes


@lru_cache(maxsize=256)
def _compressed(path: Path) -> bytes:
    """The files of a build do not change."""
    return gzip.compress(path.read_bytes(), 9, mtime=0)
