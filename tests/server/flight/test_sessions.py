"""Which session a statement runs in: that of the client's cookie, or one that keeps nothing."""

from __future__ import annotations

import adbc_driver_flightsql.dbapi as adbc
import pyarrow.flight as flight
import pytest

from headrace.server.flight.messages import Flight_pb2 as messages
from headrace.server.service import Service

from ..fake_cluster import FakeClusters
from .adbc_client import COOKIES, connected, cursor_at, fetched
from .raw_client import RawClient


def sessions_of(clusters: FakeClusters) -> list[str]:
    return [each.session for each in clusters.last.seen]


def test_a_client_with_cookies_has_a_session_of_its_own(address: str, clusters: FakeClusters) -> None:
    with cursor_at(address, COOKIES) as ours, cursor_at(address, COOKIES) as other:
        fetched(ours, "USE ods")
        fetched(ours, "SELECT 1")
        fetched(other, "SELECT 1")
    first, second, third = sessions_of(clusters)
    assert first == second != third
    assert clusters.last.seen[1].journal == ("USE ods",)


def test_a_session_ends_with_its_connection(address: str, clusters: FakeClusters, service: Service) -> None:
    with cursor_at(address, COOKIES) as cursor:
        fetched(cursor, "SELECT 1")
    assert clusters.last.ended_sessions == sessions_of(clusters)
    assert len(service.sessions) == 0


def test_clients_without_cookies_share_a_session(address: str, clusters: FakeClusters) -> None:
    for _ in range(2):
        with cursor_at(address) as cursor:
            fetched(cursor, "SELECT 1")
    assert len(set(sessions_of(clusters))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "USE ods",
        "USE VCLUSTER other",
        "SET query_tag = 'x'",
        "RESET query_tag",
        "CREATE OR REPLACE TEMPORARY VIEW v AS SELECT 1",
        "DROP TEMPORARY FUNCTION f",
        "DECLARE x INT",
        "EXECUTE IMMEDIATE 'USE ods'",
        "BEGIN USE ods; END",
    ],
)
def test_nothing_is_set_where_nothing_is_kept(address: str, text: str, clusters: FakeClusters) -> None:
    with (
        cursor_at(address) as cursor,
        pytest.raises(adbc.OperationalError, match="requires a session, which this client does not keep"),
    ):
        fetched(cursor, text)
    assert not any(each.seen for each in clusters.processes)


def test_an_idle_session_is_gone(address: str, service: Service) -> None:
    with cursor_at(address, COOKIES) as cursor:
        fetched(cursor, "USE ods")
        (ended,) = service.sessions.forget_idle((), -1)
        with pytest.raises(adbc.OperationalError, match="the session no longer exists\nhint: connect again"):
            fetched(cursor, "SELECT 1")
    assert ended.schema == "ods"


def test_clients_without_cookies_do_not_notice_that(address: str, service: Service) -> None:
    with cursor_at(address) as cursor:
        fetched(cursor, "SELECT 1")
        service.sessions.forget_idle((), -1)
        assert len(fetched(cursor, "SELECT 1")) == 3


def test_the_schema_of_a_connection(address: str, clusters: FakeClusters) -> None:
    with connected(address, COOKIES) as connection:
        assert (connection.adbc_current_catalog, connection.adbc_current_db_schema) == ("lake", "public")
        connection.adbc_current_db_schema = "ods"
        assert connection.adbc_current_db_schema == "ods"
    assert clusters.last.seen[0].text == "USE `ods`"


def set_options(raw: RawClient, **options: str) -> dict[str, int]:
    request = messages.SetSessionOptionsRequest()
    for name, value in options.items():
        request.session_options[name].string_value = value
    (answer,) = raw.action("SetSessionOptions", request, packed=False)
    found = messages.SetSessionOptionsResult.FromString(answer)
    return {name: error.value for name, error in found.errors.items()}


def test_options_of_a_session(raw: RawClient, clusters: FakeClusters) -> None:
    with pytest.raises(flight.FlightError, match="SetSessionOptions requires a session"):
        set_options(raw, schema="ods")
    raw.headers.append((b"cookie", raw.cookie()))
    assert set_options(raw, catalog="lake", schema="ods") == {}
    assert clusters.last.seen[0].text == "USE `lake`.`ods`"
    wrong = set_options(raw, catalog="nosuch", colour="blue", vcluster="nosuch")
    kinds = messages.SetSessionOptionsResult
    assert wrong == {
        "catalog": kinds.INVALID_VALUE,
        "vcluster": kinds.INVALID_VALUE,
        "colour": kinds.INVALID_NAME,
    }


def test_closing_no_session(raw: RawClient) -> None:
    (answer,) = raw.action("CloseSession", messages.CloseSessionRequest(), packed=False)
    assert messages.CloseSessionResult.FromString(answer).status == messages.CloseSessionResult.CLOSED
