"""The Flight SQL endpoint of a server: where it listens, and how it ends."""

from __future__ import annotations

import threading

import pyarrow as pa

from headrace.errors import OperationalError
from headrace.ingest.stream_writers.targets import Targets
from headrace.server.access import Access
from headrace.server.flight.callers import CallerFactory
from headrace.server.flight.cookies import SessionCookies
from headrace.server.flight.flight_server import FlightParts, FlightSqlServer
from headrace.server.flight.flight_sessions import FlightSessions
from headrace.server.flight.ingestion import Ingestion
from headrace.server.flight.object_tables import ObjectTables
from headrace.server.flight.prepared_statements import PreparedStatements
from headrace.server.flight.statement_execution import StatementExecution
from headrace.server.flight_address import FlightAddress
from headrace.server.service import Service
from headrace.views.catalog_queries import CatalogQueries

STOP_SECONDS = 10
"""Requests may take that long to end after their statements were cancelled."""


def listen(address: FlightAddress, service: Service, access: Access) -> FlightSqlServer:
    """Requests are answered from now on."""
    certificates = _certificates(address)
    callers = CallerFactory(access, address.host, SessionCookies())
    try:
        return FlightSqlServer(address.url(address.port), _parts(service), callers, certificates)
    except (OSError, pa.ArrowException) as error:
        raise OperationalError(
            f"cannot listen at {address.url(address.port)}: {str(error).partition(' Detail:')[0]}",
            hint="choose another port with --flight-port",
        ) from None


def stop(server: FlightSqlServer) -> None:
    """A client that does not read its answer cannot keep the server from ending."""
    ending = threading.Thread(target=server.shutdown, daemon=True)
    ending.start()
    ending.join(STOP_SECONDS)


def _parts(service: Service) -> FlightParts:
    catalog = CatalogQueries(service.queries, service.queries.metadata)
    sessions = FlightSessions(service.sessions, service.runner.end_session)
    execution = StatementExecution(sessions, service.runner, service.statements)
    targets = Targets(service.queries.heads, service.store.definitions.names)
    return FlightParts(
        execution,
        PreparedStatements(execution, catalog.columns),
        Ingestion(execution, service.runner, targets, service.directory.staging),
        ObjectTables(service.queries, catalog.columns),
    )


def _certificates(address: FlightAddress) -> list[tuple[bytes, bytes]]:
    if address.certificate is None or address.key is None:
        return []
    try:
        return [(address.certificate.read_bytes(), address.key.read_bytes())]
    except OSError as error:
        raise OperationalError(
            f"{error.filename} cannot be read: {error.strerror}",
            hint="--flight-tls-cert and --flight-tls-key name PEM files",
        ) from None
