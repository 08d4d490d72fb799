"""Tests speak to the public API, and to what is behind it through one module."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
INSIDE = re.compile(r"\._(context|open_context|jvm|gateway|jsc|java)\b")


def test_only_one_module_reaches_behind_the_api() -> None:
    trees = (HERE, HERE.parent / "dbt-headrace" / "tests")
    files = {path for tree in trees for path in tree.rglob("*.py")} - {Path(__file__), HERE / "internals.py"}
    reaching = {
        f"{path.relative_to(HERE.parent)}:{number}: {line.strip()}"
        for path in files
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if INSIDE.search(line)
    }
    assert reaching == set(), "use tests/internals.py"
