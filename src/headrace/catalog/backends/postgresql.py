"""Iceberg's JDBC catalog in a PostgreSQL database, which processes and machines share."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from headrace.catalog.backends.jdbc import JdbcCatalog


class PostgresqlCatalog(JdbcCatalog):
    @property
    def connection_properties(self) -> Mapping[str, str]:
        url = urlsplit(self.url)
        port = f":{url.port}" if url.port else ""
        settings = {"uri": f"jdbc:postgresql://{url.hostname or 'localhost'}{port}{url.path}"}
        if url.username:
            settings["jdbc.user"] = unquote(url.username)
        if url.password:
            settings["jdbc.password"] = unquote(url.password)
        return settings
