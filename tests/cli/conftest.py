from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner, Result

from headrace.cli import main as command

FAKE = Path(__file__).with_name("fake_headrace.py")


@pytest.fixture(scope="session")
def fake() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fake_headrace", FAKE)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["fake_headrace"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def fake_command() -> list[str]:
    """How a shell calls ``headrace`` on the fake connection."""
    return [sys.executable, str(FAKE)]


@pytest.fixture
def headrace(fake: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """``headrace`` on the fake connection, in this process."""
    monkeypatch.setattr(command, "open_lake", fake.fake_lake)

    def run(*args: str, **kwargs: object) -> Result:
        return CliRunner().invoke(command.cli, args, prog_name="headrace", **kwargs)  # type: ignore[arg-type]

    return run
