"""The wheels, installed into new environments: what they bring, and what they can do without."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from .distributions import PROJECTS, ROOT, build_wheel, declaration, new_environment
from .server.served import serving
from .test_docs import blocks

IMPORT_ALL = """
import importlib, pkgutil, sys, headrace
def ignore(name): pass
for module in pkgutil.walk_packages(headrace.__path__, "headrace.", ignore):
    if not module.name.endswith("__main__") and ".migrations" not in module.name:
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            print(module.name, "needs", error.name)
heavy = {"pyspark", "sqlalchemy", "alembic", "fastapi", "sqlglot", "pandas"}
print("loaded:", *sorted(heavy & sys.modules.keys()))
"""
README_EXAMPLES = """
import sys, headrace
with headrace.connect("./lake") as lake:
    print(lake.sql(sys.argv[1]))
    exec(sys.argv[2])
"""
REMOTE_EXAMPLE = """
import sys, headrace
with headrace.connect(sys.argv[1]) as lake:
    result = lake.sql("SELECT category, gmv FROM sales_by_category ORDER BY gmv DESC")
    print(result.fetchall(), "pyspark" in sys.modules)
    try:
        result.df()
    except headrace.NotSupportedError as error:
        print(error)
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    directory = tmp_path_factory.mktemp("wheels")
    return {project: build_wheel(project, directory) for project in PROJECTS}


@pytest.fixture(scope="module")
def client(wheels: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An environment without the engine."""
    directory = tmp_path_factory.mktemp("client") / "made"
    with new_environment(directory, [wheels["headrace-client"]], "headrace-client") as environment:
        yield environment


@pytest.fixture
def engine(wheels: Mapping[str, Path], tmp_path: Path) -> Iterator[Path]:
    brought = [wheels["headrace-client"], wheels["headrace"]]
    with new_environment(tmp_path / "engine", brought, "headrace-client", "headrace") as environment:
        yield environment


def contents(wheel: Path) -> set[str]:
    names = set(zipfile.ZipFile(wheel).namelist())
    return {name for name in names if ".dist-info/" not in name}


def run(*command: str | Path, cwd: Path) -> str:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True).stdout


def test_every_file_is_in_exactly_one_wheel(wheels: Mapping[str, Path]) -> None:
    engine, client = contents(wheels["headrace"]), contents(wheels["headrace-client"])
    assert engine & client == set()
    sources = {
        str(path.relative_to(ROOT / "src"))
        for path in (ROOT / "src" / "headrace").rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".md")
    }
    assert engine | client == sources


def test_no_wheel_is_built_around_a_jar_of_other_sources(wheels: Mapping[str, Path], tmp_path: Path) -> None:
    """Its source distribution, in which a Java class was changed."""
    (source,) = wheels["headrace"].parent.glob("headrace-*.tar.gz")
    project = shutil.copytree(source.with_name(source.name.removesuffix(".tar.gz")), tmp_path / "changed")
    (java,) = project.rglob("SandboxRefusal.java")
    java.write_text(java.read_text().replace("super(message)", "super(message, null)"))
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    answer = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    assert "headrace-jvm.jar is missing or out of date; run `make jar` first" in answer.stdout + answer.stderr
    assert list(tmp_path.glob("*.whl")) == []


def test_the_engine_has_the_web_pages(wheels: Mapping[str, Path]) -> None:
    assert "headrace/server/studio_assets/index.html" in contents(wheels["headrace"])


def test_every_wheel_has_the_licence(wheels: Mapping[str, Path]) -> None:
    text = (ROOT / "LICENSE").read_bytes()
    for wheel in wheels.values():
        archive = zipfile.ZipFile(wheel)
        (licence,) = [name for name in archive.namelist() if name.endswith("/LICENSE")]
        assert archive.read(licence) == text


def test_both_halves_are_of_one_version() -> None:
    import headrace

    assert f"headrace-client=={headrace.__version__}" in declaration("headrace")["dependencies"]  # type: ignore[operator]


def test_the_client_needs_nothing_of_the_engine(client: Path, tmp_path: Path) -> None:
    """A module that does belongs to the engine: both pyproject.toml name those of cli/ and sql/."""
    assert run(client / "bin" / "python", "-c", IMPORT_ALL, cwd=tmp_path) == "loaded:\n"


@pytest.mark.parametrize(
    "command", ["sql -e select+1", "history", "serve", "init lake", "doctor", "demo", "warm", "token list"]
)
def test_the_client_says_what_brings_the_engine(client: Path, tmp_path: Path, command: str) -> None:
    words = [word.replace("+", " ") for word in command.split()]
    answer = subprocess.run(
        [client / "bin" / "headrace", *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 1
    assert answer.stderr.startswith("error: this requires the engine, but only headrace-client is installed")
    assert "pip install headrace" in answer.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_engine_runs_the_readme_and_serves_the_client(engine: Path, client: Path, tmp_path: Path) -> None:
    ((script,), (program,), (shown,)) = (blocks("README.md", kind) for kind in ("sql", "python", "text"))
    printed = run(engine / "bin" / "python", "-c", README_EXAMPLES, script, program, cwd=tmp_path)
    assert printed.startswith(shown)
    assert "| Clothing | 2      | 1259.00 |" in printed

    with serving(tmp_path / "lake", program=engine / "bin" / "headrace") as server:
        answer = run(client / "bin" / "python", "-c", REMOTE_EXAMPLE, server.url, cwd=tmp_path)
        assert answer.splitlines()[0] == (
            "[('Clothing', Decimal('1259.00')), ('Electronics', Decimal('1155.00'))] False"
        )
        assert ".df() requires pandas" in answer
        graph = run(client / "bin" / "headrace", "graph", "--url", server.url, cwd=tmp_path)
        assert "sales_by_category" in graph
