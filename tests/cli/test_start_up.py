"""What the command imports before it runs. Modules are counted: seconds depend on the machine."""

from __future__ import annotations

import subprocess
import sys

import pytest

FEW_MODULES = 200
"""`import click` alone brings about 100."""
HEAVY = {
    *("alembic", "fastapi", "httpx", "numpy", "pandas", "prompt_toolkit", "py4j", "pyarrow"),
    *("pydantic", "pygments", "pyspark", "rich", "sqlalchemy", "sqlglot", "uvicorn"),
}
REPORT_MODULES = """
import sys
from headrace.cli.main import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""


def imported_by(*arguments: str) -> set[str]:
    ran = subprocess.run([sys.executable, "-c", REPORT_MODULES, *arguments], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout
    return set(ran.stderr.split())


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("sql", "--help")])
def test_help_and_version_import_no_heavy_library(arguments: tuple[str, ...]) -> None:
    modules = imported_by(*arguments)
    assert not {module.partition(".")[0] for module in modules} & HEAVY
    assert len(modules) < FEW_MODULES
