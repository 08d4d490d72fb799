"""How to reach a database outside the lake."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class DatabaseType(StrEnum):
    POSTGRESQL = "POSTGRESQL"
    MYSQL = "MYSQL"
    ORACLE = "ORACLE"
    SQLSERVER = "SQLSERVER"
    JDBC = "JDBC"
    """Any other, which has a URL in the place of host, port and database."""

    @property
    def default_port(self) -> int:
        return {"POSTGRESQL": 5432, "MYSQL": 3306, "ORACLE": 1521, "SQLSERVER": 1433}.get(self.value, 0)

    @property
    def has_readable_log(self) -> bool:
        """Whether syncs can follow its changes; if not, they read its tables in batches."""
        return self in (DatabaseType.POSTGRESQL, DatabaseType.MYSQL)


class TlsMode(StrEnum):
    DISABLED = "DISABLED"
    REQUIRED = "REQUIRED"
    """Encrypted, whoever answers."""
    VERIFIED = "VERIFIED"
    """Encrypted, and the server has a certificate for its host."""


@dataclass(frozen=True)
class SourceConnection:
    name: str
    type: DatabaseType
    host: str
    port: int
    database: str
    user: str
    secret: str | None
    """The name of the secret that has the password."""
    comment: str | None
    creator: str
    created_at: datetime
    url: str | None = None
    """Of a connection with TYPE = JDBC."""
    tls: TlsMode | None = None
    """None: as the client does by default."""
    tls_ca: str | None = None
    """The name of the secret that has the certificates of authorities; None: those of the system."""

    @property
    def jdbc_url(self) -> str:
        """Of a database that is read through a driver."""
        match self.type:
            case DatabaseType.ORACLE:
                return f"jdbc:oracle:thin:@//{self.host}:{self.port}/{self.database}"
            case DatabaseType.SQLSERVER:
                return f"jdbc:sqlserver://{self.host}:{self.port};databaseName={self.database}"
        return self.url or ""
