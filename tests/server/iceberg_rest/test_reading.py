"""PyIceberg's client of a REST catalog reads the lake; the rest is plain HTTP."""

from __future__ import annotations

import base64
import getpass
import json
import logging
from datetime import UTC, datetime
from typing import Any

import httpx
import pyarrow as pa
import pytest
from fastapi.testclient import TestClient
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import (
    ForbiddenError,
    NoSuchNamespaceError,
    NoSuchTableError,
    OAuthError,
    RESTError,
    UnauthorizedError,
)

from headrace.errors import OperationalError
from headrace.model.names import DROPPED_SCHEMA
from headrace.model.role import Role
from headrace.server.access import Access
from headrace.server.app import make_app
from headrace.server.iceberg_rest.config_routes import ENDPOINTS
from headrace.server.service import Service

from .conftest import RestClient
from .hidden_key import WITHOUT_HIDDEN, make_hidden_key

NOW = datetime(2024, 6, 1, tzinfo=UTC)
ROWS = pa.table({"a": [1, 2, 3]})
TABLES = "/iceberg/v1/lake/namespaces/public/tables"


def error(answer: httpx.Response) -> tuple[int, str, str]:
    found = answer.json()["error"]
    assert found.keys() == {"message", "type", "code"}
    assert found["code"] == answer.status_code
    return answer.status_code, found["type"], found["message"]


def test_schemas_and_tables(tables: SqlCatalog, rest: RestClient) -> None:
    tables.create_namespace("empty", {"comment": "nothing yet"})
    tables.create_namespace(DROPPED_SCHEMA)
    tables.create_table("public.t", ROWS.schema).append(ROWS)
    tables.create_table(f"{DROPPED_SCHEMA}.gone", ROWS.schema)
    catalog = rest(warehouse="lake")
    assert catalog.list_namespaces() == [("empty",), ("public",)]
    assert catalog.list_namespaces("public") == []
    assert catalog.load_namespace_properties("empty") == {"comment": "nothing yet"}
    assert [catalog.namespace_exists(each) for each in ("public", "nosuch", DROPPED_SCHEMA)] == [
        True,
        False,
        False,
    ]
    assert catalog.list_tables("public") == [("public", "t")]
    assert catalog.list_views("public") == []
    assert [catalog.table_exists(each) for each in ("public.t", "public.u", f"{DROPPED_SCHEMA}.gone")] == [
        True,
        False,
        False,
    ]
    assert catalog.load_table("public.t").scan().to_arrow() == ROWS
    assert catalog.load_table("public.t").metadata == tables.load_table("public.t").metadata


@pytest.mark.parametrize("mode", ["all", "refs"])
def test_a_dynamic_table_has_the_columns_of_its_query(
    tables: SqlCatalog, dynamic_table: str, rest: RestClient, mode: str
) -> None:
    table = rest(**{"snapshot-loading-mode": mode}).load_table(dynamic_table)
    whole = tables.load_table(dynamic_table)
    first, second = whole.history()
    assert [(field.field_id, field.name) for field in table.schema().fields] == [(1, "a"), (3, "c")]
    assert sorted(table.scan().to_arrow().to_pylist(), key=str) == [
        {"a": 1, "c": "one"},
        {"a": 2, "c": "two"},
        {"a": 2, "c": "two"},
    ]
    assert table.scan(row_filter="c = 'one'").to_arrow().to_pylist() == [{"a": 1, "c": "one"}]
    assert table.scan(snapshot_id=second.snapshot_id).to_arrow().num_rows == 3
    if mode == "all":
        earlier = table.scan(snapshot_id=first.snapshot_id).to_arrow()
        assert sorted(earlier.to_pylist(), key=str) == [{"a": 1, "b": "one"}, {"a": 2, "b": "two"}]
    else:
        assert [each.snapshot_id for each in table.metadata.snapshots] == [second.snapshot_id]
    assert "__hr_" not in table.metadata.model_dump_json()
    assert "headrace." not in table.metadata.model_dump_json()


def test_a_key_and_an_order_with_a_hidden_column(tables: SqlCatalog, rest: RestClient) -> None:
    make_hidden_key(tables, "public.p")
    table = rest().load_table("public.p")
    assert sorted(table.scan().to_arrow().to_pylist(), key=str) == WITHOUT_HIDDEN
    assert table.scan(row_filter="a = 2").to_arrow().to_pylist() == WITHOUT_HIDDEN[2:]
    assert table.scan(row_filter="a = 1").to_arrow().num_rows == 2
    assert [field.name for field in table.spec().fields] == ["a"]
    assert table.sort_order().is_unsorted
    assert table.schema().identifier_field_ids == []
    assert "__hr_" not in str(table.inspect.partitions().to_pylist())


def test_a_table_that_the_client_has_is_not_sent_again(
    tables: SqlCatalog, dynamic_table: str, client: TestClient
) -> None:
    first = client.get(f"{TABLES}/d")
    tag = {"If-None-Match": first.headers["etag"]}
    again = client.get(f"{TABLES}/d", headers=tag)
    assert (again.status_code, again.content) == (304, b"")
    assert client.get(f"{TABLES}/d?snapshots=refs", headers=tag).status_code == 200
    tables.load_table(dynamic_table).append(pa.table({"a": [3], "__hr_id": ["z"], "c": ["three"]}))
    changed = client.get(f"{TABLES}/d", headers=tag)
    assert (changed.status_code, changed.headers["etag"] == first.headers["etag"]) == (200, False)


def test_a_dynamic_table_cannot_be_changed(dynamic_table: str, rest: RestClient, tables: SqlCatalog) -> None:
    catalog = rest()
    table = catalog.load_table(dynamic_table)
    before = tables.load_table(dynamic_table).metadata_location
    for change in (
        lambda: table.append(pa.table({"a": [5], "c": ["x"]})),
        lambda: table.delete("a = 1"),
        lambda: table.transaction().set_properties({"comment": "x"}).commit_transaction(),
        lambda: catalog.drop_table(dynamic_table),
        lambda: catalog.rename_table(dynamic_table, "public.e"),
    ):
        with pytest.raises(ForbiddenError, match="only a refresh can change it"):
            change()
    assert tables.load_table(dynamic_table).metadata_location == before


def test_what_does_not_exist(rest: RestClient, port: int) -> None:
    catalog = rest()
    with pytest.raises(NoSuchTableError, match=r"table lake\.public\.nosuch does not exist"):
        catalog.load_table("public.nosuch")
    with pytest.raises(NoSuchNamespaceError):
        catalog.list_tables("nosuch")
    with pytest.raises(NoSuchTableError):
        catalog.load_table("a.b.c")
    with pytest.raises(RESTError, match="warehouse other does not exist"):
        rest(warehouse="other")
    base = f"http://127.0.0.1:{port}/iceberg/v1"
    for path, kind in (
        ("lake/namespaces/public/tables/nosuch", "NoSuchTableException"),
        ("lake/namespaces/public/views/nosuch", "NoSuchViewException"),
        ("lake/namespaces/nosuch", "NoSuchNamespaceException"),
        ("lake/namespaces/nosuch/tables", "NoSuchNamespaceException"),
        (f"lake/namespaces/{DROPPED_SCHEMA}/tables", "NoSuchNamespaceException"),
        ("config?warehouse=other", "NoSuchWarehouseException"),
    ):
        assert error(httpx.get(f"{base}/{path}"))[:2] == (404, kind)
    assert error(httpx.get(f"{base}/other/namespaces"))[0] == 404
    assert error(httpx.get(f"{base}/nothing"))[:2] == (404, "UnsupportedOperationException")


def test_a_token_is_the_secret_of_a_client(service: Service, rest: RestClient, port: int) -> None:
    token = service.store.tokens.create("ann", NOW)
    assert rest(token=token).list_namespaces() == [("public",)]
    tokens = f"http://127.0.0.1:{port}/iceberg/v1/oauth/tokens"
    for credential in (f"anything:{token}", token):
        found = rest(credential=credential, **{"oauth2-server-uri": tokens})
        assert found.list_namespaces() == [("public",)]
    with pytest.raises(UnauthorizedError, match="the token is not valid or was revoked"):
        rest(token="hr_wrong")  # noqa: S106
    with pytest.raises(OAuthError, match="invalid_client"):
        rest(credential="x:hr_wrong", **{"oauth2-server-uri": tokens})
    basic = base64.b64encode(f"id:{token}".encode()).decode()
    granted = httpx.post(
        tokens, data={"grant_type": "client_credentials"}, headers={"Authorization": f"Basic {basic}"}
    )
    assert granted.json()["access_token"] == token
    exchange: dict[str, Any] = {
        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
        "subject_token": token,
        "subject_token_type": "urn:ietf:params:oauth:token-type:access_token",
    }
    assert httpx.post(tokens, data=exchange).json()["access_token"] == token
    for asked, refusal in (
        ({"grant_type": "password"}, (400, "unsupported_grant_type")),
        ({}, (400, "unsupported_grant_type")),
        ({"grant_type": "client_credentials"}, (401, "invalid_client")),
        (exchange | {"subject_token": "hr_wrong"}, (401, "invalid_client")),
    ):
        answer = httpx.post(tokens, data=asked)
        assert (answer.status_code, answer.json()["error"]) == refusal


def test_nobody_comes_in_without_a_token_from_elsewhere(service: Service, tables: SqlCatalog) -> None:
    outside = TestClient(make_app(service, Access("0.0.0.0", service.holder_of)))  # noqa: S104
    token = service.store.tokens.create("ann", NOW)
    for path in ("/iceberg/v1/config", TABLES, "/iceberg", "/iceberg/nothing", "/iceberg/v1/oauth/tokens"):
        status, kind, message = error(outside.get(path))
        assert (status, kind) == (401, "NotAuthorizedException")
        assert "a token is required" in message
    assert outside.get(TABLES, headers={"Authorization": f"Bearer {token}"}).json() == {"identifiers": []}
    assert outside.post("/iceberg/v1/oauth/tokens", data={}).status_code == 400


@pytest.mark.parametrize("role", [Role.READER, Role.OPERATOR, Role.DEVELOPER])
def test_changes_are_for_developers(role: Role, service: Service, tables: SqlCatalog) -> None:
    """What a request contains is not looked at before the role of its sender."""
    token = service.store.tokens.create(role.value, NOW, role)
    app = make_app(service, Access("0.0.0.0", service.holder_of))  # noqa: S104
    client = TestClient(app, headers={"Authorization": f"Bearer {token}"})
    assert client.get(TABLES).status_code == 200
    writes = [endpoint.split() for endpoint in ENDPOINTS if not endpoint.startswith(("GET", "HEAD"))]
    assert len(writes) == 7
    for method, path in writes:
        place = path.replace("{prefix}", "lake").replace("{", "").replace("}", "")
        answer = client.request(method, f"/iceberg{place}", json={})
        is_denied = answer.status_code == 403 and "does not permit" in error(answer)[2]
        assert is_denied is (role is not Role.DEVELOPER), (method, path, answer.text)


def test_a_page_of_another_site_changes_nothing(client: TestClient, tables: SqlCatalog) -> None:
    answer = client.post(TABLES, json={"name": "t"}, headers={"Origin": "https://evil.example"})
    assert error(answer)[:2] == (401, "NotAuthorizedException")


@pytest.mark.parametrize("method", ["drop", "rename", "create schema", "drop schema"])
def test_what_lake_statements_do_is_left_to_them(
    method: str, tables: SqlCatalog, rest: RestClient, service: Service, clusters: Any
) -> None:
    """Quoted, so that a name is never read as SQL."""
    odd = "a`; DROP TABLE t; --"
    tables.create_namespace(odd)
    tables.create_table((odd, odd), ROWS.schema)
    catalog, quoted = rest(), "`a``; DROP TABLE t; --`"
    match method:
        case "drop":
            catalog.purge_table((odd, odd))
            expected = f"DROP TABLE `lake`.{quoted}.{quoted}"
        case "rename":
            with pytest.raises(NoSuchTableError):  # it loads the table, which no cluster has renamed
                catalog.rename_table((odd, odd), ("public", odd))
            expected = f"ALTER TABLE `lake`.{quoted}.{quoted} RENAME TO `public`.{quoted}"
        case "create schema":
            catalog.create_namespace(("x`y",), {"it's": "a \\ b", "owner": "me"})
            expected = "CREATE SCHEMA `lake`.`x``y` WITH DBPROPERTIES ('it\\'s' = 'a \\\\ b')"
        case _:
            tables.drop_table((odd, odd))
            catalog.drop_namespace((odd,))
            expected = f"DROP SCHEMA `lake`.{quoted}"
    (seen,) = clusters.last.seen
    assert (seen.text, seen.user) == (expected, getpass.getuser())


def test_a_change_is_for_a_cluster(
    client: TestClient, tables: SqlCatalog, clusters: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "headrace")
    place = f"{tables.properties['warehouse']}/public/mine"
    asked = {"name": "t", "schema": {}, "location": place, "properties": {"format-version": "2"}}
    answer = client.post(TABLES, json=asked)
    assert (answer.status_code, answer.json()) == (200, {"made": True})
    made = tables.create_table("public.t", ROWS.schema)
    updates = [{"action": "set-properties", "updates": {"comment": "x"}}]
    assert client.post(f"{TABLES}/t", json={"updates": updates}).json() == {"made": True}
    copied = {"name": "copy", "metadata-location": made.metadata_location}
    assert client.post(f"{TABLES[:-7]}/register", json=copied).json() == {"made": True}
    create, commit, register = clusters.last.changes
    assert (create.change, create.table.table, create.places) == ("create", "t", (place,))
    assert json.loads(create.request)["properties"]["write.merge.mode"] == "merge-on-read"
    assert (commit.change, json.loads(commit.request), commit.places) == ("commit", {"updates": updates}, ())
    assert (register.table.table, register.places) == ("copy", (made.location(),))
    logged = [record.fields for record in caplog.records if record.message == "table changed"]
    assert [(each["change"], each["table"], each["user"]) for each in logged] == [
        (each.change.value, str(each.table), getpass.getuser()) for each in clusters.last.changes
    ]


def test_a_cluster_that_ends_leaves_the_outcome_unknown(
    client: TestClient, tables: SqlCatalog, clusters: Any
) -> None:
    tables.create_table("public.deadly", ROWS.schema)
    status, kind, message = error(client.post(f"{TABLES}/deadly", json={"updates": []}))
    assert (status, kind) == (500, "CommitStateUnknownException")
    assert "it is not known whether the change of lake.public.deadly was made" in message
    clusters.failure = OperationalError("there is no Java")
    assert error(client.post(f"{TABLES}/deadly", json={"updates": []}))[:2] == (
        503,
        "ServiceUnavailableException",
    )


def test_bad_requests(client: TestClient, tables: SqlCatalog) -> None:
    for answer, status in (
        (client.post(TABLES, content=b"{"), 400),
        (client.post(TABLES, json=[]), 400),
        (client.post(TABLES, json={"schema": {}}), 400),
        (client.post(f"{TABLES[:-7]}/register", json={"name": "t", "metadata-location": "/etc/passwd"}), 403),
        (client.post("/iceberg/v1/lake/tables/rename", json={"source": {}}), 400),
        (client.put(TABLES), 405),
        (client.get(f"{TABLES}/t?snapshots=some"), 400),
    ):
        assert error(answer)[0] == status, answer.text
