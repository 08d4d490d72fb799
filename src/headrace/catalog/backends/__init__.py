"""The kinds of Iceberg catalog that a lake can have: one file each, chosen here by the scheme of a URL."""

from __future__ import annotations

from collections.abc import Callable

from headrace.catalog.backends.postgresql import PostgresqlCatalog
from headrace.catalog.backends.sqlite import SqliteCatalog
from headrace.errors import NotSupportedError
from headrace.model.catalog_backend import CatalogBackend

BACKENDS: dict[str, Callable[[str], CatalogBackend]] = {
    "sqlite": SqliteCatalog,
    "postgresql": PostgresqlCatalog,
    "postgres": PostgresqlCatalog,
}


def open_backend(url: str) -> CatalogBackend:
    """Nothing is opened before it is first used."""
    scheme = url.partition(":")[0].partition("+")[0]
    if scheme not in BACKENDS:
        raise NotSupportedError(
            f"{scheme} is not supported as the catalog of a lake",
            hint=f"use a URL that starts with one of {', '.join(f'{known}://' for known in BACKENDS)}",
        )
    return BACKENDS[scheme](url)
