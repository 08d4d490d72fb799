"""Where a server speaks Flight SQL."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from headrace.errors import InterfaceError


@dataclass(frozen=True)
class FlightAddress:
    host: str
    port: int
    certificate: Path | None = None
    key: Path | None = None

    @property
    def scheme(self) -> str:
        return "grpc" if self.certificate is None else "grpc+tls"

    def url(self, port: int) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{port}"


def flight_address(
    host: str, port: int | None, certificate: Path | None, key: Path | None
) -> FlightAddress | None:
    """None where no port is given."""
    if (certificate is None) != (key is None):
        raise InterfaceError(
            "TLS requires a certificate and its key", hint="give both --flight-tls-cert and --flight-tls-key"
        )
    if port is None:
        if certificate is not None:
            raise InterfaceError("TLS is for the port of Flight SQL", hint="give --flight-port, too")
        return None
    return FlightAddress(host, port, certificate, key)
