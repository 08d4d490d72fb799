"""Connections by TLS, to a MariaDB that has a certificate."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import pytest

from headrace.connection import Connection
from headrace.errors import Error
from tests.certificates import certificate
from tests.ingest.source_mariadb import PASSWORD, running_mariadb
from tests.ingest.test_syncs import rows
from tests.internals import store_secret


def test_a_server_that_requires_tls(lake: Connection, tmp_path: Path) -> None:
    own, key = certificate(tmp_path, "127.0.0.1")
    other, _ = certificate(tmp_path, "127.0.0.2")
    store_secret(lake, "tls_password", PASSWORD)
    store_secret(lake, "tls_ca", own.read_text())
    store_secret(lake, "tls_other", other.read_text())
    with running_mariadb(f"--ssl-cert={own}", f"--ssl-key={key}") as server:
        database = server.database()
        database.run("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)")
        server.run("ALTER USER reader@'%' REQUIRE SSL")
        for number, (options, message) in enumerate(
            (
                ("", None),
                ("TLS = DISABLED", "Access denied"),
                ("TLS = REQUIRED", None),
                ("TLS = VERIFIED", "certificate verify failed"),
                ("TLS = VERIFIED TLS_CA = secret('tls_other')", "certificate verify failed"),
                ("TLS = VERIFIED TLS_CA = secret('tls_password')", "does not contain certificates"),
                ("TLS = VERIFIED TLS_CA = secret('tls_ca')", None),
            )
        ):
            lake.sql(
                f"CREATE CONNECTION tls{number} TYPE = MYSQL {database.address} USER = 'reader'"
                f" PASSWORD = secret('tls_password') {options}"
            )
            if message is None:
                assert rows(lake, f"TEST CONNECTION tls{number}")[0][1:] == (1, None)
                continue
            with pytest.raises(Error, match=message) as refused:
                lake.sql(f"TEST CONNECTION tls{number}")
            assert refused.value.hint
        described = dict(rows(lake, "DESC CONNECTION tls6"))
        assert (described["tls"], described["tls_ca"]) == ("VERIFIED", "secret('tls_ca')")
        lake.sql(f"CREATE SYNC s FROM CONNECTION tls6 TABLES '{database.name}.t'; EXECUTE SYNC s")
        database.run("INSERT INTO t VALUES (2)")
        lake.sql("EXECUTE SYNC s")
        assert sorted(rows(lake, "SELECT * FROM t")) == [(1,), (2,)], "the log is read by TLS, too"
        lake.sql("DROP SYNC s")


@pytest.mark.parametrize("options", ["REQUIRED", "VERIFIED", "VERIFIED TLS_CA = secret('pg_ca')"])
def test_a_postgresql_without_tls(lake: Connection, options: str) -> None:
    """One that answers no to the question whether it encrypts."""
    store_secret(lake, "pg_ca", "-----BEGIN CERTIFICATE-----")
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(8)
                connection.sendall(b"N")
                connection.recv(1)

        port = listener.getsockname()[1]
        threading.Thread(target=answer, daemon=True).start()
        lake.sql(
            f"CREATE CONNECTION pg_tls TYPE = POSTGRESQL HOST = '127.0.0.1' PORT = {port}"
            f" DATABASE = 'd' USER = 'u' TLS = {options}"
        )
        with pytest.raises(Error, match="server does not support SSL, but SSL was required"):
            lake.sql("TEST CONNECTION pg_tls")
    lake.sql("DROP CONNECTION pg_tls")
