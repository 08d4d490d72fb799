"""Who may ask, and for whose statements."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import adbc_driver_flightsql.dbapi as adbc
import pyarrow as pa
import pyarrow.flight as flight
import pytest

from headrace.model.role import Role
from headrace.server.flight.callers import COOKIE, bearer
from headrace.server.flight.commands import read_command
from headrace.server.flight.cookies import SessionCookies
from headrace.server.flight.messages import FlightSql_pb2 as sql
from headrace.server.service import Service

from ...catalog.samples import NOON
from ..fake_cluster import FakeClusters
from .adbc_client import BEARER, cursor_at, fetched
from .raw_client import RawClient


@pytest.fixture
def ann(service: Service) -> str:
    return service.store.tokens.create("ann", NOON)


@pytest.fixture
def bob(service: Service) -> str:
    return service.store.tokens.create("bob", NOON)


@pytest.fixture
def clients(guarded: str, ann: str, bob: str) -> Iterator[tuple[RawClient, RawClient]]:
    pair = RawClient(guarded, ann), RawClient(guarded, bob)
    yield pair
    for each in pair:
        each.close()


def test_without_a_token_nothing_is_answered(guarded: str) -> None:
    with cursor_at(guarded) as cursor:
        with pytest.raises(adbc.ProgrammingError, match="a token is required\nhint: create one") as caught:
            cursor.execute("SELECT 1")
        assert caught.value.status_code.name == "UNAUTHENTICATED"


def test_a_token_as_bearer(guarded: str, ann: str, service: Service) -> None:
    with cursor_at(guarded, {BEARER: f"Bearer {ann}"}) as cursor:
        assert fetched(cursor, "SELECT 1") == [(1, "a"), (2, "b"), (3, None)]
    assert creators(service) == {"ann"}


def test_a_token_as_password(guarded: str, ann: str, service: Service) -> None:
    with cursor_at(guarded, {"username": "whoever", "password": ann}) as cursor:
        assert len(fetched(cursor, "SELECT 1")) == 3
    assert creators(service) == {"ann"}


def creators(service: Service) -> set[str]:
    return {job.creator for job in service.store.jobs.history()}


def test_a_wrong_token(guarded: str) -> None:
    with (
        cursor_at(guarded, {BEARER: "Bearer hr_wrong"}) as cursor,
        pytest.raises(adbc.ProgrammingError, match="the token is not valid or was revoked"),
    ):
        cursor.execute("SELECT 1")
    with pytest.raises(adbc.ProgrammingError, match="the token is not valid or was revoked"):
        adbc.connect(guarded, db_kwargs={"username": "ann", "password": "hr_wrong"})


def test_a_revoked_token(clients: tuple[RawClient, RawClient], service: Service) -> None:
    client, _ = clients
    ticket = client.ticket("SELECT 1")
    service.store.tokens.revoke("ann", NOON)
    with pytest.raises(flight.FlightUnauthenticatedError):
        client.rows(ticket)


def test_a_wrong_token_is_refused_on_this_machine_too(address: str) -> None:
    client = RawClient(address, "hr_wrong")
    with pytest.raises(flight.FlightUnauthenticatedError):
        client.query("SELECT 1")
    client.close()


def test_a_ticket_is_of_no_use_to_another_token(clients: tuple[RawClient, RawClient]) -> None:
    ann, bob = clients
    ticket = ann.ticket("SELECT 1")
    with pytest.raises(flight.FlightError, match="no longer exists"):
        bob.rows(ticket)
    assert ann.rows(ticket).num_rows == 3


def test_another_token_cannot_cancel(clients: tuple[RawClient, RawClient]) -> None:
    ann, bob = clients
    info = ann.query("SELECT 1")
    with pytest.raises(flight.FlightError, match="no longer exists"):
        bob.cancel(info)


def test_a_prepared_statement_is_of_no_use_to_another_token(clients: tuple[RawClient, RawClient]) -> None:
    ann, bob = clients
    request = sql.ActionCreatePreparedStatementRequest(query="SELECT 1")
    (answer,) = ann.action("CreatePreparedStatement", request)
    made = read_command(answer)
    assert isinstance(made, sql.ActionCreatePreparedStatementResult)
    command = sql.CommandPreparedStatementQuery(prepared_statement_handle=made.prepared_statement_handle)
    with pytest.raises(flight.FlightError, match="the prepared statement no longer exists"):
        bob.info(command)
    assert ann.info(command).schema.names == ["n", "s"]


def test_the_cookie_of_a_session_is_of_no_use_to_another_token(clients: tuple[RawClient, RawClient]) -> None:
    ann, bob = clients
    cookies = SessionCookies()
    made_up = f"{COOKIE}={cookies.issue('bob')}".encode()
    bob.headers.append((b"cookie", made_up))
    with pytest.raises(flight.FlightError, match="the session no longer exists\nhint: connect again"):
        bob.query("SELECT 1")
    assert ann.query("SELECT 1").schema.names == ["n", "s"]


def test_cookies_are_of_one_user_and_one_server() -> None:
    cookies = SessionCookies()
    cookie = cookies.issue("ann")
    name = cookies.session_in(cookie, "ann")
    assert name != cookies.session_in(cookies.issue("ann"), "ann")
    for wrong in (f"x{cookie}", name, "", f"{cookie}0"):
        with pytest.raises(Exception, match="no longer exists"):
            cookies.session_in(wrong, "ann")
    with pytest.raises(Exception, match="no longer exists"):
        cookies.session_in(cookie, "bob")
    with pytest.raises(Exception, match="no longer exists"):
        SessionCookies().session_in(cookie, "ann")


def test_the_password_is_the_token() -> None:
    encoded = base64.b64encode(b"ann:hr_1:2").decode()
    assert bearer(f"Basic {encoded}") == "Bearer hr_1:2"
    assert bearer("Bearer hr_1") == "Bearer hr_1"
    assert bearer(None) is None
    with pytest.raises(Exception, match="send the token as the password"):
        bearer("Basic \xff")


def client_of(service: Service, guarded: str, role: Role) -> RawClient:
    return RawClient(guarded, service.store.tokens.create(f"a {role}", NOON, role))


WRITES = ("INSERT INTO t VALUES (1)", "CREATE TABLE t (a INT)", "DROP TABLE t", "DELETE FROM t")


@pytest.mark.parametrize("text", [*WRITES, "REFRESH DYNAMIC TABLE t"])
def test_a_reader_changes_nothing(guarded: str, service: Service, clusters: FakeClusters, text: str) -> None:
    client = client_of(service, guarded, Role.READER)
    for ask in (client.query, lambda text: client.update(sql.CommandStatementUpdate(query=text))):
        with pytest.raises(flight.FlightUnauthorizedError, match="the role reader does not permit"):
            ask(text)
    assert not any(each.seen for each in clusters.processes)
    assert client.query("SELECT 1").schema.names == ["n", "s"]
    client.close()


def test_a_reader_ingests_nothing(guarded: str, service: Service, clusters: FakeClusters) -> None:
    token = service.store.tokens.create("ann", NOON, Role.READER)
    with (
        cursor_at(guarded, {BEARER: f"Bearer {token}"}) as cursor,
        pytest.raises(adbc.ProgrammingError, match="the role reader does not permit to write rows"),
    ):
        cursor.adbc_ingest("t", pa.table({"a": [1]}), "create")
    assert clusters.processes == []


def test_an_operator_refreshes(guarded: str, service: Service, clusters: FakeClusters) -> None:
    client = client_of(service, guarded, Role.OPERATOR)
    client.query("REFRESH DYNAMIC TABLE t")
    assert clusters.last.seen[0].role is Role.OPERATOR
    with pytest.raises(flight.FlightUnauthorizedError, match="the role operator does not permit"):
        client.query(WRITES[0])
    client.close()
