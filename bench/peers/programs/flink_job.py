"""A running Flink job, through the REST interface of its cluster: rows that it has read, checkpoints."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

_LIMIT_S = 3600
_PAUSE_S = 0.02
_CALL_LIMIT_S = 30


class FlinkJob:
    def __init__(self, port: int, job_id: str, source: str) -> None:
        """The source is a table; the rows that it emits are counted."""
        self._address = f"http://127.0.0.1:{port}/jobs/{job_id}"
        self._source = source
        self._metrics = ""

    def wait_for_rows(self, rows: int) -> None:
        """Until the source has emitted so many since the start."""
        self._wait(lambda: self._rows() >= rows)

    def checkpoint(self, tables: Sequence[Path]) -> None:
        """Takes one, and waits until it is committed to these Iceberg tables."""
        trigger = self._call("/checkpoints", {"checkpointType": "CONFIGURED"})["request-id"]
        done: dict[str, Any] = {}

        def is_done() -> bool:
            done.update(self._call(f"/checkpoints/{trigger}"))
            return bool(done["status"]["id"] == "COMPLETED")

        self._wait(is_done)
        if "checkpointId" not in done["operation"]:
            raise RuntimeError(f"the checkpoint failed: {done['operation']}")
        number = int(done["operation"]["checkpointId"])
        self._wait(lambda: all(committed_checkpoint(table) >= number for table in tables))

    def _rows(self) -> int:
        self._metrics = self._metrics or self._find_metrics()
        if not self._metrics:
            return 0
        (found,) = self._call(self._metrics) or ({"sum": 0},)
        return int(found["sum"])

    def _find_metrics(self) -> str:
        """Empty until the source has started."""
        for vertex in self._call("")["vertices"]:
            if vertex["name"].startswith(f"Source: {self._source}["):
                path = f"/vertices/{vertex['id']}/subtasks/metrics"
                for metric in self._call(path):
                    if metric["id"].startswith("Source__") and metric["id"].endswith(".numRecordsOut"):
                        return f"{path}?agg=sum&get={urllib.parse.quote(metric['id'])}"
        return ""

    def _wait(self, is_done: Callable[[], bool]) -> None:
        deadline = time.monotonic() + _LIMIT_S
        while not is_done():
            state = self._call("")["state"]
            if state not in ("CREATED", "RUNNING"):
                raise RuntimeError(f"the job is {state}: {self._call('/exceptions')}")
            if time.monotonic() > deadline:
                raise TimeoutError(f"the job has not finished its work within {_LIMIT_S} s")
            time.sleep(_PAUSE_S)

    def _call(self, path: str, body: dict[str, str] | None = None) -> Any:
        content = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self._address + path, content, headers)  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=_CALL_LIMIT_S) as response:  # noqa: S310
                return json.loads(response.read())
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{path} of the job: {error.read().decode()}") from error


def committed_checkpoint(table: Path) -> int:
    """The last one that is committed to an Iceberg table in a directory; 0 before the first."""
    versions = (table / "metadata").glob("v*.metadata.json")
    newest = max(versions, key=lambda file: int(file.name.removeprefix("v").split(".")[0]))
    metadata = json.loads(newest.read_text())
    for snapshot in metadata.get("snapshots", []):
        if snapshot["snapshot-id"] == metadata["current-snapshot-id"]:
            return int(snapshot["summary"]["flink.max-committed-checkpoint-id"])
    return 0
