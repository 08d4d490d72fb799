"""The messages of Flight SQL, in the envelope in which descriptors, tickets and actions have them."""

from __future__ import annotations

from google.protobuf.any_pb2 import Any as Envelope
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from headrace.errors import InterfaceError, NotSupportedError
from headrace.server.flight.messages import FlightSql_pb2 as sql

_KNOWN = {
    message.full_name: GetMessageClass(message) for message in sql.DESCRIPTOR.message_types_by_name.values()
}


def read_command(data: bytes) -> Message:
    """One of Flight SQL's; whoever gets it decides whether it answers this kind."""
    envelope = Envelope()
    try:
        envelope.ParseFromString(data)
        kind = _KNOWN.get(envelope.TypeName())
        if kind is None:
            raise NotSupportedError(
                f"the request is not a command of Flight SQL: {envelope.TypeName() or 'without a type'}",
                hint="connect with a driver for Arrow Flight SQL",
            )
        return kind.FromString(envelope.value)
    except DecodeError:
        raise InterfaceError(
            "the command cannot be read", hint="connect with a driver for Arrow Flight SQL"
        ) from None


def write_command(message: Message) -> bytes:
    envelope = Envelope()
    envelope.Pack(message)
    return envelope.SerializeToString()


def unsupported(message: Message) -> NotSupportedError:
    return NotSupportedError(f"{message.DESCRIPTOR.name} is not supported")


def refuse_transaction(message: Message) -> None:
    """Of a command that names the transaction it belongs to."""
    if message.HasField("transaction_id"):
        raise no_transactions()


def no_transactions() -> NotSupportedError:
    return NotSupportedError(
        "transactions are not supported: each statement is committed when it ends", hint="turn autocommit on"
    )
