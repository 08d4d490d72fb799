"""Options of file formats that a user may give: those of Spark's readers that say how a file is written."""

from __future__ import annotations

from collections.abc import Mapping

from headrace.errors import NotSupportedError
from headrace.features.pipes.model import FileFormat, FileSource

_TIMES = "dateFormat timestampFormat timestampNTZFormat locale"
_KNOWN: Mapping[FileFormat, str] = {
    FileFormat.CSV: f"header sep delimiter quote escape comment encoding charset lineSep nullValue emptyValue"
    f" nanValue positiveInf negativeInf multiLine ignoreLeadingWhiteSpace ignoreTrailingWhiteSpace"
    f" unescapedQuoteHandling charToEscapeQuoteEscaping maxColumns maxCharsPerColumn {_TIMES}",
    FileFormat.JSON: f"multiLine encoding charset lineSep primitivesAsString prefersDecimal allowComments"
    f" allowSingleQuotes allowUnquotedFieldNames allowNumericLeadingZeros allowNonNumericNumbers"
    f" allowBackslashEscapingAnyCharacter {_TIMES}",
    FileFormat.PARQUET: "datetimeRebaseMode int96RebaseMode",
    FileFormat.AVRO: "datetimeRebaseMode",
    FileFormat.ORC: "",
}


_NAMED = 8
"""Options that a message lists."""


def check_options(source: FileSource) -> None:
    known = _KNOWN[source.format].split()
    for key in source.options:
        if key.lower() not in (each.lower() for each in known):
            raise NotSupportedError(f"{source.format} files have no option {key}", hint=_hint(source, known))


def _hint(source: FileSource, known: list[str]) -> str:
    if not known:
        return f"remove it: {source.format} files have no options"
    return f"options are {', '.join(known[:_NAMED])}{' and others' if known[_NAMED:] else ''}"


def is_set(source: FileSource, option: str) -> bool:
    return value_of(source, option, "false").lower() == "true"


def value_of(source: FileSource, option: str, default: str) -> str:
    found = {key.lower(): value for key, value in source.options.items()}
    return found.get(option.lower(), default)
