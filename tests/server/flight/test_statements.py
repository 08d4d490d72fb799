"""Statements over Flight SQL: rows, counts, errors and cancelling."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import adbc_driver_flightsql.dbapi as adbc
import pyarrow as pa
import pyarrow.flight as flight
import pytest

from headrace.results.source import Message
from headrace.server.flight.messages import Flight_pb2 as messages
from headrace.server.flight.messages import FlightSql_pb2 as sql
from headrace.server.flight.row_batches import LARGEST_BATCH, parts_of
from headrace.server.service import Service

from ..fake_cluster import NUMBERS
from ..served import until
from .adbc_client import cursor_at, fetched
from .raw_client import RawClient


def test_rows_are_arrow(address: str) -> None:
    with cursor_at(address) as cursor:
        cursor.execute("SELECT 1")
        assert cursor.fetch_arrow_table() == NUMBERS
        assert [each[0] for each in cursor.description] == ["n", "s"]
        assert cursor.rowcount == 3


def test_a_large_result_comes_in_batches_that_clients_take(raw: RawClient) -> None:
    info = raw.query("MANY 20")
    reader = raw.client.do_get(info.endpoints[0].ticket, raw.options)
    batches = [chunk.data for chunk in reader]
    assert pa.Table.from_batches(batches)["n"].to_pylist() == list(range(20_000))
    assert max(batch.nbytes for batch in batches) <= LARGEST_BATCH
    assert info.schema.names == ["n", "s"]


def test_rows_are_there_before_the_statement_has_ended(raw: RawClient, service: Service) -> None:
    info = raw.query("MANY 20 UNTIL_CANCELLED")
    reader = raw.client.do_get(info.endpoints[0].ticket, raw.options)
    assert reader.read_chunk().data["n"][0].as_py() == 0
    assert len(service.statements.running()) == 1
    assert raw.cancel(info) == messages.CANCEL_STATUS_CANCELLED
    with pytest.raises(flight.FlightCancelledError, match="the statement was cancelled"):
        for _ in reader:
            pass


def test_large_batches_are_cut_between_rows() -> None:
    batch = pa.record_batch({"s": ["x" * 1000] * 10_000})
    parts = list(parts_of(Message.of(batch), batch.schema))
    assert len(parts) == 3
    assert pa.Table.from_batches(parts) == pa.Table.from_batches([batch])
    single = pa.record_batch({"s": ["x" * (LARGEST_BATCH + 1)]})
    assert [part.num_rows for part in parts_of(Message.of(single), single.schema)] == [1]


def test_an_update_answers_with_its_count(raw: RawClient) -> None:
    assert raw.update(sql.CommandStatementUpdate(query="UPDATE t SET n = 1")) == 0
    with pytest.raises(flight.FlightServerError, match="there is no nosuch"):
        raw.update(sql.CommandStatementUpdate(query="UPDATE nosuch SET n = 1"))


def test_an_error_has_message_place_and_hint(address: str) -> None:
    with cursor_at(address) as cursor, pytest.raises(adbc.OperationalError) as caught:
        cursor.adbc_statement.set_sql_query("SELECT nosuch")
        cursor.adbc_statement.execute_query()
    text = str(caught.value)
    assert "there is no nosuch at line 1, column 8\n  SELECT nosuch\n         ^^^^^^\nhint: look" in text
    assert "Traceback" not in text


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("SELECT nosuch", flight.FlightServerError, "there is no nosuch"),
        ("SELECT java_method('a', 'b')", flight.FlightUnauthorizedError, "java_method"),
        ("DIE", flight.FlightUnavailableError, "the process has ended"),
        ("SELECT 1; SELECT 2", flight.FlightServerError, "only one statement at a time"),
        ("SELECT 'a", flight.FlightServerError, "line 1"),
        ("bug", flight.FlightInternalError, "internal error of the server"),
    ],
)
def test_kinds_of_errors(raw: RawClient, text: str, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said) as caught:
        raw.query(text)
    assert "Traceback" not in str(caught.value)
    assert "hr_123" not in str(caught.value)


def test_requests_that_are_none_of_flight_sql(raw: RawClient) -> None:
    with pytest.raises(flight.FlightError, match="connect with a driver for"):
        raw.client.get_flight_info(flight.FlightDescriptor.for_path("table"), raw.options)
    for wrong in (b"", b"SELECT 1", b"\n\x03abc"):
        with pytest.raises(flight.FlightError, match="connect with a driver for Arrow Flight SQL"):
            raw.rows(flight.Ticket(wrong))
    with pytest.raises(flight.FlightError, match="CommandStatementSubstraitPlan is not supported"):
        raw.info(sql.CommandStatementSubstraitPlan())
    with pytest.raises(flight.FlightError, match="the action nonsense is not supported"):
        raw.action("nonsense", b"")
    with pytest.raises(flight.FlightError, match="cannot be read"):
        raw.action("CancelFlightInfo", b"\xff")


@pytest.mark.parametrize("kind", ["BeginTransaction", "EndTransaction", "BeginSavepoint", "EndSavepoint"])
def test_transactions_are_refused(raw: RawClient, kind: str) -> None:
    with pytest.raises(
        flight.FlightError, match="each statement is committed when it ends\nhint: turn autocommit on"
    ):
        raw.action(kind, sql.ActionBeginTransactionRequest())
    with pytest.raises(flight.FlightError, match="transactions are not supported"):
        raw.info(sql.CommandStatementQuery(query="SELECT 1", transaction_id=b"1"))


def test_autocommit_cannot_be_turned_off(address: str) -> None:
    with pytest.warns(Warning, match="Cannot disable autocommit"):
        adbc.connect(address).close()


def test_a_client_cancels_while_it_waits(address: str, service: Service) -> None:
    with cursor_at(address) as cursor, ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(cursor.execute, "SLEEP")
        until(lambda: service.statements.running(), 10, "the start")
        cursor.adbc_cancel()
        with pytest.raises(adbc.OperationalError):
            waiting.result(20)
        until(lambda: not service.statements.running(), 10, "the cancellation")


def test_a_client_that_stops_reading_cancels(raw: RawClient, service: Service) -> None:
    reader = raw.client.do_get(raw.ticket("MANY 40 UNTIL_CANCELLED"), raw.options)
    reader.read_chunk()
    (statement,) = service.statements.running()
    reader.cancel()
    until(lambda: statement.abandoned_at is not None, 20, "the end of the reading")


def test_a_timeout_of_the_client(raw: RawClient, service: Service) -> None:
    raw.timeout = 0.5
    with pytest.raises(flight.FlightTimedOutError):
        raw.query("SLEEP")
    until(lambda: not service.statements.running(), 10, "the cancellation")


def test_statements_side_by_side(address: str) -> None:
    barrier = threading.Barrier(4)

    def read() -> int:
        with cursor_at(address) as cursor:
            barrier.wait(20)
            return len(fetched(cursor, "MANY 3"))

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda _: read(), range(4))) == [3000] * 4
