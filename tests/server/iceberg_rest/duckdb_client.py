"""DuckDB with its Iceberg extension, in an environment of its own: the two have one version."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from ...distributions import uv

_REQUIREMENTS = Path(__file__).with_name("duckdb-requirements.txt")
_PROGRAM = """
import json, sys
import duckdb, duckdb_extensions
for extension in ("avro", "httpfs", "iceberg"):
    duckdb_extensions.import_extension(extension)
connection = duckdb.connect()
connection.execute("LOAD avro; LOAD httpfs")
for statement in json.load(sys.stdin):
    rows = connection.execute(statement).fetchall()
    print(json.dumps(rows, default=str))
"""


class DuckDb:
    def __init__(self, directory: Path) -> None:
        """Its extensions go into ``directory``, too."""
        self._home = directory
        self._environment = directory / "environment"
        uv("venv", "--quiet", "--python", sys.executable, str(self._environment))
        where = ["--quiet", "--python", str(self._environment)]
        uv("pip", "sync", *where, "--require-hashes", str(_REQUIREMENTS))

    def rows(self, *statements: str) -> list[list[list[Any]]]:
        """Of each statement."""
        ran = subprocess.run(
            [str(self._environment / "bin" / "python"), "-c", _PROGRAM],
            input=json.dumps(statements),
            env={**os.environ, "HOME": str(self._home), "PYTHONPATH": ""},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert ran.returncode == 0, ran.stderr
        return [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("[")]
