"""dbt sees the adapter as it is installed, which is a copy of the sources."""

from __future__ import annotations

from pathlib import Path

import dbt.adapters.headrace

SOURCES = Path(__file__).parents[2] / "src"
INSTALLED = Path(dbt.adapters.headrace.__file__).parents[3]


def test_the_installed_adapter_is_the_one_of_this_checkout() -> None:
    files = [
        path.relative_to(SOURCES) for path in SOURCES.rglob("*.*") if path.suffix != ".pyc" and path.is_file()
    ]
    stale = [
        str(path)
        for path in files
        if not (INSTALLED / path).is_file()
        or (INSTALLED / path).read_bytes() != (SOURCES / path).read_bytes()
    ]
    assert stale == [], "scripts/bootstrap adapter installs them anew"
