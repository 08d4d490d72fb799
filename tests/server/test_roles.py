"""Which requests and statements the roles of tokens permit."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from fastapi.testclient import TestClient

from headrace.errors import PermissionDenied
from headrace.features.families import STATEMENTS
from headrace.model.access_token import Principal
from headrace.model.role import Privilege, Role, least_role
from headrace.server.access import SAFE_METHODS, Access
from headrace.server.app import http_api, make_app
from headrace.server.gate import is_open
from headrace.server.rights import check_statement
from headrace.server.service import Service
from headrace.sql.parsed import ParsedStatement

NOW = datetime(2024, 6, 1, tzinfo=UTC)
Signed = Callable[[Role], TestClient]

FOR_READERS = {
    "POST /api/v1/sessions",
    "DELETE /api/v1/sessions/{session}",
    "POST /api/v1/statements",
    "POST /api/v1/statements/{job_id}/cancel",
    "POST /api/v1/objects/{workspace}/{schema}/{name}/preview",
    "POST /api/v1/format",
    "DELETE /api/v1/tokens/{name}",
}
FOR_OPERATORS = {
    "POST /api/v1/jobs/{job_id}/cancel",
    "POST /api/v1/tasks/{name}/deploy",
    "POST /api/v1/tasks/{name}/offline",
    "POST /api/v1/tasks/{name}/pause",
    "POST /api/v1/tasks/{name}/resume",
    "POST /api/v1/tasks/bulk",
    "POST /api/v1/tasks/{name}/execute",
    "POST /api/v1/tasks/{name}/backfill",
    "POST /api/v1/task-runs/{run_id}/cancel",
    "POST /api/v1/task-runs/{run_id}/rerun",
    "POST /api/v1/backfills/{backfill_id}/cancel",
}
FOR_ADMINS = {"POST /api/v1/tokens"}

STATEMENTS_OF = {
    Role.READER: (
        "SELECT 1",
        "WITH c AS (SELECT 1) SELECT * FROM c",
        "EXPLAIN SELECT 1",
        "EXPLAIN REFRESH DYNAMIC TABLE d",
        "SHOW DYNAMIC TABLES",
        "SHOW JOBS",
        "SHOW TABLES",
        "DESC t",
        "DESC HISTORY t",
        "SHOW PIPES",
        "SHOW SYNCS",
        "SHOW CREATE TABLE t",
        "USE other",
        "USE VCLUSTER default",
        "SET query_tag = x",
        "CREATE TEMPORARY VIEW v AS SELECT 1",
        "EXECUTE IMMEDIATE 'SELECT 1'",
    ),
    Role.OPERATOR: (
        "REFRESH DYNAMIC TABLE d",
        "VERIFY DYNAMIC TABLE d",
        "ALTER DYNAMIC TABLE d SUSPEND",
        "ALTER DYNAMIC TABLE d RESUME",
        "EXECUTE TASK t",
        "ALTER TASK t PAUSE",
        "ALTER TASK t RESUME",
        "EXECUTE PIPE p",
        "ALTER PIPE p SET PIPE_EXECUTION_PAUSED = TRUE",
        "EXECUTE SYNC s",
        "ALTER SYNC s PAUSE",
        "ALTER VCLUSTER v SUSPEND",
        "CANCEL JOB 'x'",
    ),
    Role.DEVELOPER: (
        "INSERT INTO t VALUES (1)",
        "EXPLAIN INSERT INTO t VALUES (1)",
        "WITH c AS (SELECT 1) INSERT INTO t SELECT * FROM c",
        "UPDATE t SET a = 1",
        "DELETE FROM t",
        "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE",
        "TRUNCATE TABLE t",
        "CREATE TABLE t (a INT)",
        "DROP TABLE t",
        "DROP TABLE t PURGE",
        "UNDROP TABLE t",
        "RESTORE TABLE t TO VERSION AS OF 1",
        "ALTER TABLE t ADD COLUMN b INT",
        "ALTER TABLE t SET PROPERTIES ('data_retention_days' = '1')",
        "CREATE VIEW v AS SELECT 1",
        "CREATE SCHEMA s",
        "CREATE DYNAMIC TABLE d AS SELECT a FROM t",
        "DROP DYNAMIC TABLE d",
        "ALTER DYNAMIC TABLE d RENAME TO e",
        "CREATE TABLE STREAM s ON TABLE t",
        "VACUUM t",
        "OPTIMIZE t",
        "EXECUTE TASK t PARAMETERS ('target' = 'x')",
        "CREATE TASK t AS SELECT 1",
        "ALTER TASK t SET SCHEDULE INTERVAL 1 HOUR",
        "DROP TASK t",
        "ALTER PIPE p SET PIPE_EXECUTION_PAUSED = TRUE BATCH_INTERVAL_IN_SECONDS = 5",
        "ALTER SYNC s RESYNC TABLE 'public.t'",
        "CREATE CONNECTION c TYPE = POSTGRESQL HOST = 'h' DATABASE = 'd' USER = 'u' PASSWORD = secret('p')",
        "TEST CONNECTION c",
        "COPY INTO t FROM '/x' USING CSV",
        "CREATE VCLUSTER v",
        "DROP VCLUSTER v",
        "CALL lake.system.expire_snapshots('t')",
        "BEGIN INSERT INTO t VALUES (1); END",
        "EXECUTE IMMEDIATE 'INSERT INTO t VALUES (1)'",
    ),
}


@pytest.fixture
def signed(service: Service) -> Signed:
    app = make_app(service, Access("0.0.0.0", service.store.tokens.holder_of))  # noqa: S104

    def client(role: Role) -> TestClient:
        token = service.store.tokens.create(role.value, NOW, role)
        return TestClient(app, headers={"Authorization": f"Bearer {token}"})

    return client


def writes() -> list[tuple[str, str]]:
    """Method and path of each request that may change something."""
    return [
        (method.upper(), path)
        for path, methods in http_api().openapi()["paths"].items()
        for method in methods
        if method.upper() not in SAFE_METHODS and not is_open(method.upper(), path)
    ]


def required_by(route: str) -> Role:
    for role, routes in (
        (Role.READER, FOR_READERS),
        (Role.OPERATOR, FOR_OPERATORS),
        (Role.ADMIN, FOR_ADMINS),
    ):
        if route in routes:
            return role
    return Role.DEVELOPER


def test_the_roles_include_each_other() -> None:
    assert [least_role(privilege) for privilege in Privilege] == list(Role)
    assert Role.ADMIN.allows(Privilege.SELECT)
    assert not Role.READER.allows(Privilege.OPERATE)


@pytest.mark.parametrize("role", list(Role))
def test_requests(role: Role, signed: Signed) -> None:
    """What a request contains is not looked at before the role of its sender."""
    client, order = signed(role), list(Role)
    known = {f"{method} {path}" for method, path in writes()}
    assert known >= FOR_READERS | FOR_OPERATORS | FOR_ADMINS
    for method, path in writes():
        answer = client.request(method, path.replace("{", "").replace("}", ""), json={})
        is_permitted = order.index(required_by(f"{method} {path}")) <= order.index(role)
        is_denied = answer.status_code == 403 and answer.json()["error"]["kind"] == "PermissionDenied"
        if path == "/api/v1/tokens/{name}" and role is not Role.ADMIN:
            assert is_denied, "tokens of others"
        else:
            assert is_denied is not is_permitted, (method, path, answer.text)


@pytest.mark.parametrize(
    ("least", "text"), [(role, text) for role, texts in STATEMENTS_OF.items() for text in texts]
)
def test_statements(least: Role, text: str) -> None:
    order = list(Role)
    for role in Role:
        if order.index(role) >= order.index(least):
            check_statement(ParsedStatement(text), Principal("ann", role))
        else:
            with pytest.raises(PermissionDenied, match=f"^the role {role} does not permit"):
                check_statement(ParsedStatement(text), Principal("ann", role))


def test_a_statement_that_says_nothing_is_for_developers() -> None:
    """A new command is not open to readers by mistake."""
    undeclared = [kind for kind, each in STATEMENTS.commands.items() if each.requires is Privilege.MODIFY]
    assert not [kind for kind in undeclared if kind.__name__.startswith(("Show", "Describe"))]


def test_a_reader_through_the_api(signed: Signed) -> None:
    reader = signed(Role.READER)
    assert reader.get("/api/v1/account").json()["role"] == "reader"
    session = reader.post("/api/v1/sessions").json()["session"]
    asked = {"session": session, "wait_seconds": 10}
    assert reader.post("/api/v1/statements", json=asked | {"statement": "SELECT 1"}).status_code == 202
    denied = reader.post("/api/v1/statements", json=asked | {"statement": "DROP TABLE t PURGE"})
    assert denied.status_code == 403
    error = denied.json()["error"]
    assert error["message"] == "the role reader does not permit to run DROP statements of this kind"
    assert error["hint"] == "it requires the role developer: headrace token create NAME --role developer"


def test_a_session_ends_with_the_role_of_its_user(service: Service, signed: Signed) -> None:
    """Who has a new token with another role does not go on in the old one."""
    app = make_app(service, Access("0.0.0.0", service.store.tokens.holder_of))  # noqa: S104
    first = TestClient(app, headers={"Authorization": f"Bearer {service.store.tokens.create('ann', NOW)}"})
    session = first.post("/api/v1/sessions").json()["session"]
    service.store.tokens.revoke("ann", NOW)
    token = service.store.tokens.create("ann", NOW, Role.READER)
    again = TestClient(app, headers={"Authorization": f"Bearer {token}"})
    answer = again.post("/api/v1/statements", json={"session": session, "statement": "SELECT 1"})
    assert answer.status_code == 400
    assert "no longer exists" in answer.json()["error"]["message"]


def test_values_of_parameters_are_for_developers(signed: Signed) -> None:
    """They become part of the statements of a task, which run in the name of its creator."""
    operator = signed(Role.OPERATOR)
    for path, asked in (
        ("/api/v1/tasks/t/execute", {}),
        ("/api/v1/tasks/t/backfill", {"first": "2024-06-01", "last": "2024-06-02"}),
    ):
        assert operator.post(path, json=asked).status_code == 404
        given = asked | {"parameters": {"target": "t VALUES (1); DROP TABLE t"}}
        assert operator.post(path, json=given).status_code == 403


def test_roles_of_tokens(signed: Signed) -> None:
    admin, reader = signed(Role.ADMIN), signed(Role.READER)
    made = admin.post("/api/v1/tokens", json={"name": "carol", "role": "operator"}).json()
    assert (made["name"], made["role"]) == ("carol", "operator")
    assert admin.post("/api/v1/tokens", json={"name": "dan", "role": "king"}).status_code == 400
    assert [each["name"] for each in reader.get("/api/v1/tokens").json()["items"]] == ["reader"]
    listed = {each["name"]: each["role"] for each in admin.get("/api/v1/tokens").json()["items"]}
    assert listed == {"admin": "admin", "carol": "operator", "reader": "reader"}
    assert reader.delete("/api/v1/tokens/reader").status_code == 204
