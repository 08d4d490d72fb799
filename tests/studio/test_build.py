"""What a build of Studio consists of, and that it was generated from the API as it is."""

from __future__ import annotations

import gzip
import json
import re
import runpy
import subprocess
from pathlib import Path
from typing import Any

import pytest

from headrace.server.studio_pages import BUILT_FILES

ROOT = Path(__file__).parents[2]
LARGEST_LOAD = 400_000
FIRST_PAGE = "src/pages/overview/overview-page.tsx"
LOADED_LATER = ("plot", "graph-view", "lineage-page")


@pytest.fixture(scope="module")
def manifest() -> dict[str, dict[str, Any]]:
    """By source file."""
    found: dict[str, dict[str, Any]] = json.loads((BUILT_FILES / "manifest.json").read_text())
    return found


def loaded(manifest: dict[str, dict[str, Any]], *entries: str) -> set[str]:
    """The files that a browser loads for these: what they import, and styles."""
    found: set[str] = set()
    waiting, seen = list(entries), set[str]()
    while waiting:
        each = waiting.pop()
        if each not in seen:
            seen.add(each)
            found |= {manifest[each]["file"], *manifest[each].get("css", [])}
            waiting += manifest[each].get("imports", [])
    return found


def transferred(name: str) -> int:
    content = (BUILT_FILES / name).read_bytes()
    return len(content) if name.endswith(".woff2") else len(gzip.compress(content, 9))


def test_the_first_page_loads_at_most_400_kb(manifest: dict[str, dict[str, Any]]) -> None:
    files = loaded(manifest, "index.html", FIRST_PAGE)
    (font,) = (BUILT_FILES / "assets").glob("inter-latin-wght-normal-*.woff2")
    sizes = {name: transferred(name) for name in {*files, f"assets/{font.name}"}}
    assert sum(sizes.values()) <= LARGEST_LOAD, sorted(sizes.items(), key=lambda item: -item[1])


def test_charts_and_graph_are_loaded_when_they_are_shown(manifest: dict[str, dict[str, Any]]) -> None:
    first = loaded(manifest, "index.html", FIRST_PAGE)
    assert [name for name in first if any(part in name for part in LOADED_LATER)] == []


def test_nothing_is_inline_and_nothing_is_elsewhere() -> None:
    page = (BUILT_FILES / "index.html").read_text()
    assert re.findall(r"<script(?![^>]* src=)", page) == []
    assert re.findall(r"<style| style=| on\w+=", page) == []
    assert re.findall(r'(?:src|href)="(?!/assets/)', page) == []


def test_the_api_client_is_generated_from_the_api_as_it_is() -> None:
    """If not: `.venv/bin/python scripts/dump-openapi > studio/openapi.json`."""
    described = runpy.run_path(str(ROOT / "scripts" / "dump-openapi"))["described"]()
    assert (ROOT / "studio" / "openapi.json").read_text() == described


def test_the_lockfile_names_no_registry() -> None:
    lock = json.loads((ROOT / "studio" / "package-lock.json").read_text())
    assert [name for name, each in lock["packages"].items() if "resolved" in each] == []
    here = {name: each for name, each in lock["packages"].items() if name and not _of_another_system(each)}
    assert [name for name, each in here.items() if "integrity" not in each] == []


def _of_another_system(package: dict[str, Any]) -> bool:
    """Optional packages with binaries, which are not fetched here."""
    return bool(package.get("optional")) and (
        package.get("os") != ["linux"] or package.get("cpu") not in (["x64"], ["arm64"])
    )


def test_the_logic_of_the_pages() -> None:
    ran = subprocess.run([ROOT / "scripts" / "studio", "test"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
