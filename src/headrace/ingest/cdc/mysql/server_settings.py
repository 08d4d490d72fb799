"""What a server must have in its log."""

from __future__ import annotations

from collections.abc import Mapping

from headrace.errors import OperationalError

_WANTED = (
    ("log_bin", "ON", "the server has no log of changes"),
    ("binlog_format", "ROW", "its log has statements in the place of changed rows"),
    ("binlog_row_image", "FULL", "its log does not have all columns of changed rows"),
    (
        "binlog_row_metadata",
        "FULL",
        "its log does not have the names of columns, and unsigned numbers would be read wrongly",
    ),
    ("log_bin_compress", "OFF", "its log is compressed, which is not supported"),
    ("binlog_transaction_compression", "OFF", "its log is compressed, which is not supported"),
    ("binlog_row_value_options", "", "its log has parts of JSON values"),
)
_OPTIONAL = ("log_bin_compress", "binlog_transaction_compression", "binlog_row_value_options")
"""Which not all servers have."""


def expect_settings(variables: Mapping[str, str]) -> None:
    if "binlog_row_metadata" not in variables:
        raise OperationalError(
            "the server is too old", hint="MySQL 8.0.14 or MariaDB 10.5, or newer, is required"
        )
    for name, wanted, otherwise in _WANTED:
        found = variables.get(name)
        if found is None and name in _OPTIONAL:
            continue
        if (found or "").upper() != wanted:
            raise OperationalError(
                f"{name} of the server is {found or 'not set'}, so {otherwise}",
                hint=f"set {name} = {wanted or repr('')} in the configuration of the server, and restart it",
            )
