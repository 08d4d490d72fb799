"""What a session of a reader can do: read, and nothing else, whatever the statement is made of."""

from __future__ import annotations

from typing import Any

import pytest

from headrace.errors import Error, PermissionDenied, Refused
from headrace.model.access_token import Principal
from headrace.model.role import Role
from headrace.server.rights import check_statement
from headrace.sql.parsed import ParsedStatement
from headrace.sql.parsing.statements import Passthrough
from tests.sandbox.changes import CHANGES, STATEMENTS, disguises
from tests.sandbox.conftest import Served

READS = (
    "SELECT * FROM known",
    "WITH c AS (SELECT * FROM known) SELECT count(*) FROM c",
    "SELECT * FROM public.known.snapshots",
    "TABLE known",
    "SHOW TABLES",
    "SHOW SCHEMAS",
    "SHOW COLUMNS IN known",
    "SHOW CREATE TABLE known",
    "SHOW DYNAMIC TABLES WHERE name = 'none'",
    "SHOW JOBS LIMIT 1",
    "DESC known",
    "DESC HISTORY known",
    "DESC EXTENDED known",
    "EXPLAIN SELECT * FROM known",
    "EXPLAIN CREATE DYNAMIC TABLE d AS SELECT id FROM known",
    "USE lake.public",
    "SET query_tag = mine",
    "CREATE OR REPLACE TEMPORARY VIEW of_session AS SELECT * FROM known",
    "SELECT * FROM of_session",
    "DECLARE OR REPLACE VARIABLE x INT DEFAULT 1",
    "SET VARIABLE x = 2",
    "EXECUTE IMMEDIATE 'SELECT * FROM known'",
    "BEGIN SELECT * FROM known; END",
    "SELECT * FROM information_schema.tables",
)


@pytest.fixture(scope="module")
def reader(served: Served) -> Served:
    return Served(served.lake, served.lake.new_session(reads_only=True), served.outside)


def send(text: str, reader: Served) -> Any:
    """As a server does."""
    check_statement(ParsedStatement(text), Principal("ann", Role.READER))
    return reader.run(text)


def state_of(reader: Served) -> Any:
    """Schemas, tables and views, and the metadata of each, which every commit moves."""
    backend = reader.lake.backend
    return backend.schemas(), backend.locations(), backend.locations("VIEW")


@pytest.mark.parametrize("text", READS)
def test_a_reader_reads(text: str, reader: Served) -> None:
    send(text, reader)


def test_there_are_enough_attempts() -> None:
    assert len(set(CHANGES)) >= 250


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_reader_changes_nothing(statement: str, reader: Served) -> None:
    before = state_of(reader)
    for text in disguises(statement):
        with pytest.raises(PermissionDenied if text == statement else Error):
            send(text, reader)
        if isinstance(ParsedStatement(text).node, Passthrough):
            with pytest.raises(Refused if text == statement else Error):
                reader.run(text)
    assert state_of(reader) == before


def test_on_a_lake_that_is_open_to_its_users(open_served: Any) -> None:
    """Developers may reach outside of it; readers may not, and change nothing."""
    own = open_served("allow_outside = true\n")
    own.run("CREATE TABLE t (a INT)")
    reader = Served(own.lake, own.lake.new_session(reads_only=True), own.outside)
    for text in ("INSERT INTO t VALUES (1)", f"SELECT * FROM text.`{own.canary}`"):
        with pytest.raises(Error):
            reader.run(text)
    own.run("INSERT INTO t VALUES (2)")
    assert reader.run("SELECT a FROM t") == [(2,)]
