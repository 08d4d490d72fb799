"""Python scripts that an editor runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from headrace.server.access import Access
from headrace.server.app import make_app
from headrace.server.script_runs import AT_ONCE
from headrace.server.service import Service

from .conftest import LOCAL, OpenService
from .served import until
from .test_studio_api import with_token

RUNS = "/api/v1/script-runs"
PATIENT = """
import pathlib, time
print("began")
while not pathlib.Path({path!r}).exists():
    time.sleep(0.05)
print("ended")
"""


@pytest.fixture
def service(open_service: OpenService) -> Service:
    service = open_service("allow_outside = true\n")
    service.announce("http://127.0.0.1:1")
    return service


def test_a_lake_may_refuse_scripts(open_service: OpenService) -> None:
    service = open_service()
    client = TestClient(make_app(service, Access("127.0.0.1", lambda _: None)), base_url=LOCAL)
    answer = client.post(RUNS, json={"content": "print(1)"})
    assert (answer.status_code, answer.json()["error"]["message"]) == (
        403,
        "a script in Python reaches outside the lake",
    )


def begin(client: TestClient, script: str, **parameters: str) -> str:
    answer = client.post(RUNS, json={"content": script, "parameters": parameters})
    assert answer.status_code == 202, answer.text
    return str(answer.json()["run_id"])


def ended(client: TestClient, run_id: str) -> dict[str, Any]:
    until(lambda: client.get(f"{RUNS}/{run_id}").json()["end_time"], 20, "the end")
    found: dict[str, Any] = client.get(f"{RUNS}/{run_id}").json()
    return found


def test_the_output_grows_while_the_script_runs(client: TestClient, tmp_path: Path) -> None:
    go_on = tmp_path / "go on"
    run_id = begin(client, PATIENT.format(path=str(go_on)))
    until(lambda: client.get(f"{RUNS}/{run_id}").json()["log"] == "began\n", 20, "the first line")
    assert client.get(f"{RUNS}/{run_id}").json()["state"] == "RUNNING"
    go_on.touch()
    found = ended(client, run_id)
    assert (found["state"], found["log"], found["error_message"]) == ("SUCCEED", "began\nended\n", None)


def test_parameters_and_errors(client: TestClient) -> None:
    found = ended(client, begin(client, "import os\nprint(os.environ['HEADRACE_PARAM_X'])\n1 / 0", x="7"))
    assert found["state"] == "FAILED"
    assert found["log"].startswith("7\n")
    assert found["error_message"] == "ZeroDivisionError: division by zero"
    assert client.post(RUNS, json={"content": " "}).json()["error"]["message"] == "the script is empty"
    assert client.get(f"{RUNS}/nothing").status_code == 404


def test_a_script_is_cancelled_by_its_user_alone(
    service: Service, client: TestClient, tmp_path: Path
) -> None:
    ann, bob = with_token(service, "ann"), with_token(service, "bob")
    run_id = begin(ann, PATIENT.format(path=str(tmp_path / "never")))
    assert bob.get(f"{RUNS}/{run_id}").status_code == 404
    assert bob.post(f"{RUNS}/{run_id}/cancel").status_code == 404
    assert ann.post(f"{RUNS}/{run_id}/cancel").status_code == 202
    found = ended(ann, run_id)
    assert (found["state"], found["error_message"]) == ("CANCELLED", "the run was cancelled")


def test_only_so_many_at_once(client: TestClient, tmp_path: Path) -> None:
    script = PATIENT.format(path=str(tmp_path / "never"))
    runs = [begin(client, script) for _ in range(AT_ONCE)]
    refused = client.post(RUNS, json={"content": script})
    assert (refused.status_code, "is the maximum" in refused.json()["error"]["message"]) == (403, True)
    for run_id in runs:
        client.post(f"{RUNS}/{run_id}/cancel")
        ended(client, run_id)
    assert ended(client, begin(client, "print(1)"))["state"] == "SUCCEED"
