"""Which files of a directory a source means."""

from __future__ import annotations

from pathlib import Path

import pytest

from headrace.errors import Refused
from headrace.features.pipes.model import FileFormat, FileSource
from headrace.ingest.files.listing import list_source
from headrace.sql.parsing.statements import Word
from headrace.sql.tokens.positions import Span


def listed(directory: Path, pattern: str) -> list[str]:
    path = Word(str(directory), Span(0, 0))
    found = list_source(FileSource(path, format=FileFormat.CSV, pattern=pattern))
    return sorted(each.location.removeprefix(f"{directory}/") for each in found)


def test_a_pattern_is_about_the_whole_name(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("a.csv", "b.json", "sub/a.csv", f"{'a' * 60}.csv"):
        (tmp_path / name).touch()
    assert listed(tmp_path, "a.csv|b") == ["a.csv"]
    assert listed(tmp_path, "(?i)SUB/.*[.]csv") == ["sub/a.csv"]
    assert listed(tmp_path, "(a+)+!") == [], "in no time"
    with pytest.raises(Refused, match="the regular expression cannot be used") as refused:
        listed(tmp_path, "(?=a).*")
    assert refused.value.hint == "REGEXP has the syntax of RE2, without lookahead and references to groups"
