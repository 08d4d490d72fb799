"""NOT_AS_SHIPPED.md names whatever of dbt's suite does not run as it is shipped, and nothing else."""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import dbt.tests.adapter
import pytest

TESTS = Path(__file__).parents[1]
PAGE = (TESTS / "NOT_AS_SHIPPED.md").read_text()


def listed(heading: str) -> set[str]:
    (section,) = re.findall(rf"^## {heading}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    return set(re.findall(r"^\| ([A-Z][\w.]+) \|", section, re.MULTILINE))


def classes_of(module: ModuleType) -> Iterator[type]:
    yield from (each for each in vars(module).values() if isinstance(each, type))


def is_test(name: str) -> bool:
    return name.startswith("test_")


def shipped() -> set[type]:
    """Classes with tests for adapters to subclass."""
    (root,) = map(Path, dbt.tests.adapter.__path__)
    found: set[type] = set()
    for path in root.rglob("*.py"):
        name = ".".join(("dbt.tests.adapter", *path.relative_to(root).with_suffix("").parts))
        found |= {each for each in classes_of(importlib.import_module(name)) if each.__module__ == name}
    return {each for each in found if not each.__name__.startswith("Test") and any(map(is_test, dir(each)))}


def ours() -> list[type]:
    found = []
    for path in sorted((TESTS / "functional" / "adapter").rglob("test_*.py")):
        spec = importlib.util.spec_from_file_location(f"of_the_suite_{path.stem}", path)
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found += [each for each in classes_of(module) if each.__name__.startswith("Test")]
    return [each for each in found if each.__module__.startswith("of_the_suite_")]


def own(each: type) -> set[str]:
    """What a class of ours has that is not the suite's: of its own, or of a class that it shares with others."""
    mine = [base for base in each.__mro__ if base.__module__.startswith("of_the_suite_")]
    return {name for base in mine for name in vars(base) if not name.startswith("__")}


def is_skipped(each: type, test: str) -> bool:
    return any(mark.name == "skip" for mark in getattr(getattr(each, test), "pytestmark", ()))


def is_shipped(each: type, test: str) -> bool:
    """Whether the suite has the test, too."""
    return any(test in vars(base) for base in each.__mro__ if base.__module__.startswith("dbt.tests."))


@pytest.mark.filterwarnings("ignore")
def test_all_is_named() -> None:
    classes = ours()
    bases = {base for each in classes for base in each.__mro__}
    given = {each.__name__ for each in classes if any(not is_test(name) for name in own(each))}
    changed = [(each, name) for each in classes for name in own(each) if is_test(name)]
    skipped = {f"{each.__name__}.{name}" for each, name in changed if is_skipped(each, name)}
    replaced = {f"{each.__name__}.{name}" for each, name in changed if is_shipped(each, name)}
    unused = {each.__name__ for each in shipped() - bases}
    assert listed("Given values") == given
    assert listed("Overridden") == replaced - skipped
    assert listed("Left out") == unused | skipped
