"""Where the lake is, and where in it models are built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from dbt.adapters.contracts.connection import Credentials
from dbt_common.exceptions import DbtRuntimeError

from headrace.model.names import DEFAULT_SCHEMA, DEFAULT_WORKSPACE


@dataclass
class HeadraceCredentials(Credentials):
    database: str = DEFAULT_WORKSPACE
    schema: str = DEFAULT_SCHEMA
    lake: str | None = None
    """The directory of a lake, to be opened by this process."""
    url: str | None = None
    """The address of a server that has a lake open."""
    token: str | None = field(default=None, repr=False)
    vcluster: str | None = None

    _ALIASES: ClassVar[dict[str, str]] = {"workspace": "database"}

    def __post_init__(self) -> None:
        if bool(self.lake) == bool(self.url):
            raise DbtRuntimeError("specify either lake, a directory, or url, the address of a server")
        if self.url and not self.url.lower().startswith(("http://", "https://")):
            raise DbtRuntimeError(f"url must start with http:// or https://, not {self.url!r}")
        if self.token and not self.url:
            raise DbtRuntimeError(
                "token is supported only with url: a lake's directory is opened without one"
            )

    @classmethod
    def __pre_deserialize__(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        """What ``dbt init`` was not told is left out."""
        given: dict[str, Any] = super().__pre_deserialize__(dict(data))  # type: ignore[no-untyped-call]
        return {key: value for key, value in given.items() if value != "" or key not in ("token", "vcluster")}

    @property
    def type(self) -> str:
        return "headrace"

    @property
    def unique_field(self) -> str:
        return self.url or self.lake or ""

    def _connection_keys(self) -> tuple[str, ...]:
        """What is shown; never the token."""
        return ("url" if self.url else "lake", "database", "schema", *(["vcluster"] if self.vcluster else []))
