from __future__ import annotations

from typing import Any

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.headrace.credentials import HeadraceCredentials


def given(**values: Any) -> HeadraceCredentials:
    credentials: HeadraceCredentials = HeadraceCredentials.from_dict(values)
    return credentials


def test_a_lake_and_a_server() -> None:
    lake = given(lake="./lake", schema="dbt_dev")
    assert (lake.database, lake.schema, lake.token) == ("lake", "dbt_dev", None)
    server = given(url="http://127.0.0.1:8642", token="secret", workspace="other", schema="s", vcluster="")
    assert (server.database, server.vcluster) == ("other", None)


def test_what_is_shown_holds_no_token() -> None:
    server = given(url="http://127.0.0.1:8642", token="secret", schema="s")
    shown = dict(server.connection_info())
    assert shown == {"url": "http://127.0.0.1:8642", "database": "lake", "schema": "s"}
    assert "secret" not in repr(server)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "specify either lake, a directory, or url, the address of a server"),
        ({"lake": "l", "url": "http://h"}, "specify either lake"),
        ({"url": "h:8642"}, "url must start with http:// or https://, not 'h:8642'"),
        ({"lake": "l", "token": "t"}, "token is supported only with url"),
    ],
)
def test_what_does_not_go_together(values: dict[str, str], message: str) -> None:
    with pytest.raises(DbtRuntimeError, match=message):
        given(**values)
