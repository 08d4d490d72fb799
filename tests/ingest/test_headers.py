"""The columns of CSV files."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from headrace.features.pipes.model import FileFormat, FileSource, OnError
from headrace.ingest.files.listing import list_source
from headrace.ingest.files.rows import FileRows
from headrace.lake.session import LakeSession
from headrace.sql.parsing.statements import Word
from headrace.sql.tokens.positions import Span


def test_the_start_of_a_file_is_read_once(tmp_path: Path) -> None:
    for name, content in (("a.csv", "id,name\n1,x\n"), ("b.csv", "name\ny\n"), ("c.csv", "")):
        (tmp_path / name).write_text(content)
    place = Word(str(tmp_path), Span(0, 0))
    source = FileSource(place, format=FileFormat.CSV, options={"header": "true"})
    no_session = cast(LakeSession, None)
    rows = FileRows(source, tuple(list_source(source)), OnError.ABORT, no_session)
    assert [each.name for each in rows.columns()] == ["id", "name"]
    for file in tmp_path.iterdir():
        file.unlink()
    assert [each.name for each in rows.columns()] == ["id", "name"]
    assert sorted(rows.by_header) == [("id", "name"), ("name",)]
