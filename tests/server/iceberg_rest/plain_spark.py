"""Spark with Iceberg's own client of a REST catalog, and nothing of Headrace: a process of its own.

As a program it runs the statements of its input, one per line in JSON, and answers each with its rows.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

from pyspark.sql import SparkSession

from headrace.install.jars import ICEBERG, jars_directory
from headrace.install.java import ensure_java


class PlainSpark:
    def __init__(self, process: subprocess.Popen[str], into: IO[str], out: IO[str]) -> None:
        self._process = process
        self._into = into
        self._out = out

    def rows(self, statement: str) -> list[list[Any]]:
        answer = self._run(statement)
        assert answer["error"] is None, answer["error"]
        found: list[list[Any]] = answer["rows"]
        return found

    def error(self, statement: str) -> str:
        """In Spark's words."""
        answer = self._run(statement)
        assert answer["error"] is not None, answer["rows"]
        return str(answer["error"])

    def _run(self, statement: str) -> dict[str, Any]:
        self._into.write(json.dumps(statement) + "\n")
        self._into.flush()
        answer: dict[str, Any] = json.loads(self._out.readline())
        return answer


@contextmanager
def plain_spark(settings: Mapping[str, str]) -> Iterator[PlainSpark]:
    command = [sys.executable, __file__, json.dumps(settings), str(jars_directory() / ICEBERG.file_name)]
    java = ensure_java(lambda _: None)
    environment = {**os.environ, "JAVA_HOME": str(java.home)}
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield PlainSpark(process, process.stdin, process.stdout)
        process.stdin.close()
        process.wait(60)


def main() -> None:
    documented, jar = sys.argv[1:]
    settings = {
        "spark.driver.extraClassPath": jar,
        "spark.driver.memory": "1g",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.catalog.lake.cache-enabled": "false",
        **json.loads(documented),
    }
    builder = SparkSession.builder.master("local[1]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    for line in sys.stdin:
        try:
            rows = [list(row) for row in spark.sql(json.loads(line)).collect()]
            answer: dict[str, Any] = {"rows": rows, "error": None}
        except Exception as error:  # noqa: BLE001  (the test looks at it)
            answer = {"rows": None, "error": str(error)}
        sys.stdout.write(json.dumps(answer, default=str) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
