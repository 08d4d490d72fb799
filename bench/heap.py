"""A lake whose JVM has a given heap."""

from __future__ import annotations

from pathlib import Path

from headrace.lake.directory import make_lake

HEAP = "1g"


def make_lake_with_heap(path: Path, heap: str = HEAP) -> None:
    make_lake(path)
    marker = path / "lake.toml"
    marker.write_text(f'{marker.read_text()}\n[settings.spark]\n"spark.driver.memory" = "{heap}"\n')
