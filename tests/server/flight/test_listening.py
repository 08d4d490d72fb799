"""Where the endpoint listens, with TLS and without, and how it ends."""

from __future__ import annotations

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path

import adbc_driver_flightsql.dbapi as adbc
import pyarrow.flight as flight
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from headrace.errors import InterfaceError, OperationalError
from headrace.server.access import Access
from headrace.server.flight.listening import STOP_SECONDS, listen, stop
from headrace.server.flight_address import FlightAddress, flight_address
from headrace.server.service import Service

from ...catalog.samples import NOON
from ..served import until
from .adbc_client import cursor_at, fetched
from .raw_client import RawClient

ROOTS = "adbc.flight.sql.client_option.tls_root_certs"


def make_certificate(directory: Path) -> tuple[Path, Path]:
    """For this machine's loopback address, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    valid = builder.not_valid_before(NOON - timedelta(days=9999)).not_valid_after(NOON + timedelta(days=9999))
    own = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    certificate = valid.add_extension(own, critical=False).sign(key, hashes.SHA256())
    files = directory / "cert.pem", directory / "key.pem"
    files[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return files


def access_of(service: Service) -> Access:
    return Access("127.0.0.1", service.holder_of)


def test_tls(service: Service, tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path)
    server = listen(FlightAddress("127.0.0.1", 0, certificate, key), service, access_of(service))
    try:
        address = f"grpc+tls://127.0.0.1:{server.port}"
        with cursor_at(address, {ROOTS: certificate.read_text()}) as cursor:
            assert len(fetched(cursor, "SELECT 1")) == 3
        with (
            cursor_at(address) as cursor,
            pytest.raises(adbc.OperationalError, match="certificate signed by unknown authority"),
        ):
            fetched(cursor, "SELECT 1")
    finally:
        stop(server)


def test_a_port_that_is_taken(service: Service) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OperationalError, match=f"cannot listen at grpc://127.0.0.1:{port}") as caught:
            listen(FlightAddress("127.0.0.1", port), service, access_of(service))
    assert caught.value.hint == "choose another port with --flight-port"


def test_certificates_that_cannot_be_used(service: Service, tmp_path: Path) -> None:
    missing = FlightAddress("127.0.0.1", 0, tmp_path / "cert.pem", tmp_path / "key.pem")
    with pytest.raises(OperationalError, match=r"cert\.pem cannot be read"):
        listen(missing, service, access_of(service))
    for file in ("cert.pem", "key.pem"):
        (tmp_path / file).write_text("this is none")
    with pytest.raises(OperationalError, match="cannot listen at"):
        listen(missing, service, access_of(service))


def test_options_that_belong_together(tmp_path: Path) -> None:
    file = tmp_path / "file.pem"
    assert flight_address("127.0.0.1", None, None, None) is None
    for port, certificate, key in ((0, file, None), (0, None, file), (None, file, file)):
        with pytest.raises(InterfaceError, match="TLS"):
            flight_address("127.0.0.1", port, certificate, key)


def test_addresses_as_urls() -> None:
    assert FlightAddress("::1", 0).url(7) == "grpc://[::1]:7"
    assert FlightAddress("127.0.0.1", 0, Path("c"), Path("k")).url(7) == "grpc+tls://127.0.0.1:7"


def test_a_request_that_waits_cannot_keep_it_from_ending(service: Service) -> None:
    server = listen(FlightAddress("127.0.0.1", 0), service, access_of(service))
    client = RawClient(f"grpc://127.0.0.1:{server.port}")
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(client.query, "SLEEP")
        until(lambda: service.statements.running(), 10, "the start")
        start = time.monotonic()
        service.runner.cancel_all()
        stop(server)
        assert time.monotonic() - start < STOP_SECONDS
        with pytest.raises(flight.FlightUnavailableError, match="the server is being shut down"):
            waiting.result(20)
    client.close()
