"""Requests as drivers send them, one by one."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.flight as flight
from google.protobuf.message import Message

from headrace.server.flight.commands import write_command
from headrace.server.flight.messages import Flight_pb2 as messages
from headrace.server.flight.messages import FlightSql_pb2 as sql


class _Received(flight.ClientMiddlewareFactory):  # type: ignore[misc]
    cookie = ""

    def start_call(self, info: Any) -> Any:
        return _ReceivedHeaders(self)


class _ReceivedHeaders(flight.ClientMiddleware):  # type: ignore[misc]
    def __init__(self, received: _Received) -> None:
        self._received = received

    def received_headers(self, headers: dict[str, list[str]]) -> None:
        for value in headers.get("set-cookie", ()):
            self._received.cookie = value.partition(";")[0]


class RawClient:
    def __init__(self, address: str, token: str | None = None) -> None:
        self._address = address
        self.client = flight.connect(address)
        self.timeout = 30.0
        self.headers: list[tuple[bytes, bytes]] = []
        if token is not None:
            self.headers.append((b"authorization", f"Bearer {token}".encode()))

    @property
    def options(self) -> Any:
        return flight.FlightCallOptions(headers=self.headers, timeout=self.timeout)

    def info(self, command: Message) -> Any:
        descriptor = flight.FlightDescriptor.for_command(write_command(command))
        return self.client.get_flight_info(descriptor, self.options)

    def query(self, text: str) -> Any:
        return self.info(sql.CommandStatementQuery(query=text))

    def ticket(self, text: str) -> Any:
        return self.query(text).endpoints[0].ticket

    def rows(self, ticket: Any) -> Any:
        return self.client.do_get(ticket, self.options).read_all()

    def metadata(self, command: Message) -> Any:
        return self.rows(self.info(command).endpoints[0].ticket)

    def update(self, command: Message) -> int:
        descriptor = flight.FlightDescriptor.for_command(write_command(command))
        writer, reader = self.client.do_put(descriptor, pa.schema([]), self.options)
        with writer:
            writer.done_writing()
            return sql.DoPutUpdateResult.FromString(reader.read().to_pybytes()).record_count

    def action(self, kind: str, body: Message | bytes, packed: bool = True) -> list[bytes]:
        if isinstance(body, Message):
            body = write_command(body) if packed else body.SerializeToString()
        results = self.client.do_action(flight.Action(kind, body), self.options)
        return [each.body.to_pybytes() for each in results]

    def cancel(self, info: Any) -> int:
        request = messages.CancelFlightInfoRequest(info=messages.FlightInfo.FromString(info.serialize()))
        (answer,) = self.action("CancelFlightInfo", request, packed=False)
        return messages.CancelFlightInfoResult.FromString(answer).status

    def cookie(self) -> bytes:
        """That the server gives to a client without one."""
        received = _Received()
        client = flight.connect(self._address, middleware=[received])
        list(client.do_action(flight.Action("GetSessionOptions", b""), self.options))
        client.close()
        return received.cookie.encode()

    def close(self) -> None:
        self.client.close()
