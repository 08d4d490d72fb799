"""A distribution is only built around a jar of the Java sources beside it, and with the pages of Studio."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

JAR = "src/headrace/install/headrace-jvm.jar"
SOURCES = "jvm/src/main/java"
PAGES = "src/headrace/server/studio_assets/index.html"
DIGEST_ENTRY = "META-INF/headrace-sources"
"""The entry of the jar that tells which sources it was compiled from."""


class JarHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "editable" and not is_current(Path(self.root)):
            self.app.abort(f"{JAR} is missing or out of date; run `make jar` first")
        if version != "editable" and not (Path(self.root) / PAGES).exists():
            self.app.abort(f"{PAGES} is missing; run `make studio-assets` first")


def is_current(root: Path) -> bool:
    """Whether the jar was compiled from the sources as they are."""
    if not (root / JAR).exists():
        return False
    with zipfile.ZipFile(root / JAR) as jar:
        return DIGEST_ENTRY in jar.namelist() and jar.read(DIGEST_ENTRY).decode() == sources_digest(root)


def sources_digest(root: Path) -> str:
    digest = hashlib.sha256()
    for source in sorted((root / SOURCES).rglob("*.java")):
        digest.update(f"{source.relative_to(root / SOURCES).as_posix()}\n".encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()
