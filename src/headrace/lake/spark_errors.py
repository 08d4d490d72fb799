"""Spark's exceptions as Headrace's: one message, the place in the SQL, what to do."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException

from headrace.errors import (
    AlreadyExists,
    Cancelled,
    DataError,
    Error,
    IntegrityError,
    NotFound,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    SqlSyntaxError,
)
from headrace.sql.text import Span, place_of

Kind = Callable[..., Error]


@dataclass(frozen=True)
class _Sign:
    """Something recognisable in the chain of causes."""

    pattern: re.Pattern[str]
    kind: Kind
    message: str
    hint: str | None = None


_SIGNS = (
    _Sign(
        re.compile(r"No space left on device|Disk quota exceeded|database or disk is full|File too large"),
        OperationalError,
        "the disk is full",
        "free some space and run the statement again; nothing was committed",
    ),
    _Sign(
        re.compile(r"cancelled (part of|by|because)|Job \d+ cancelled|SparkJobCancelled|OPERATION_CANCELED"),
        Cancelled,
        "cancelled",
    ),
    _Sign(
        re.compile(r"(?:FileNotFoundException|NotFoundException)[^\n]*?(?:File |: )(?P<what>(?:file:)?/\S+)"),
        OperationalError,
        "a file is missing: {what}",
        "restore it, or read an older version of the table",
    ),
    _Sign(
        re.compile(r"(?P<what>(?:file:)?/\S+) is not a Parquet file"),
        OperationalError,
        "a file of the table is damaged: {what}",
        "restore the file, or read an older version of the table",
    ),
    _Sign(
        re.compile(r"(?P<what>/\S+) \(?Permission denied|Permission denied[^\n/]*(?P<which>/\S*)"),
        OperationalError,
        "no permission for {what}",
        "check who owns the lake's directory",
    ),
    _Sign(
        re.compile(r"total size of serialized results .* is bigger than spark.driver.maxResultSize"),
        OperationalError,
        "the result is too large to be brought here",
        "add a LIMIT or aggregate, or work with .spark()",
    ),
    _Sign(
        re.compile(r"OutOfMemoryError"),
        OperationalError,
        "Spark ran out of memory",
        "set spark.driver.memory under [settings.spark] in lake.toml",
    ),
    _Sign(
        re.compile(r"CommitFailedException|ValidationException[^\n]*conflict"),
        OperationalError,
        "another writer changed the table at the same moment",
        "run the statement again; nothing was committed",
    ),
    _Sign(
        re.compile(r"NamespaceNotEmptyException[^\n]*?: (?P<what>[^\n]+)"),
        ProgrammingError,
        "the schema is not empty",
        "drop its tables first",
    ),
)

_SIGNS_WITHOUT_CONDITION = (
    _Sign(re.compile(r"AlreadyExistsException: (?P<what>[^\n]+)"), AlreadyExists, "{what}"),
    _Sign(re.compile(r"NoSuch(?:Table|View|Namespace)Exception: (?P<what>[^\n]+)"), NotFound, "{what}"),
)

_KINDS: tuple[tuple[str, Kind], ...] = (
    ("PARSE_", SqlSyntaxError),
    ("UNSUPPORTED_", NotSupportedError),
    ("NOT_SUPPORTED", NotSupportedError),
    ("_NOT_FOUND", NotFound),
    ("UNRESOLVED_", NotFound),
    ("_ALREADY_EXISTS", AlreadyExists),
    ("NOT_NULL_", IntegrityError),
    ("MERGE_CARDINALITY", IntegrityError),
    ("CAST_", DataError),
    ("DIVIDE_BY_ZERO", DataError),
    ("ARITHMETIC_OVERFLOW", DataError),
    ("NUMERIC_", DataError),
    ("INVALID_ARRAY_INDEX", DataError),
    ("DATETIME_", DataError),
    ("CANNOT_PARSE_TIMESTAMP", DataError),
)

_HINTS = {
    "TABLE_OR_VIEW_NOT_FOUND": "SHOW TABLES lists what there is; names are workspace.schema.table",
    "SCHEMA_NOT_FOUND": "SHOW SCHEMAS lists what there is",
    "UNRESOLVED_ROUTINE": "SHOW FUNCTIONS lists what there is",
    "DIVIDE_BY_ZERO": "try_divide(a, b) gives NULL instead",
    "CAST_INVALID_INPUT": "correct the value, or use try_cast, which gives NULL instead",
}

_NOISE = re.compile(r"\s*SQLSTATE: \w+.*", re.DOTALL)
_LABEL = re.compile(r"^\s*\[[A-Z0-9_.]+\]\s*")
_ADVICE = re.compile(
    r"\s*(If you did not qualify the name.*|To tolerate the error on drop.*|Verify the spelling.*"
    r"|If necessary set \"?spark\.sql\.ansi\.enabled.*|Use `try_\w+` to tolerate.*)",
    re.DOTALL,
)
_OFFSET = re.compile(r"\(line (\d+), pos (\d+)\)")


@contextlib.contextmanager
def spark_errors(text: str = "") -> Iterator[None]:
    """Whatever Spark raises inside comes out as a Headrace error that points into ``text``."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise translate(error, text) from error


def translate(error: Exception, text: str = "") -> Error:
    known = isinstance(error, PySparkException) and error.getCondition()
    for sign in _SIGNS if known else _SIGNS + _SIGNS_WITHOUT_CONDITION:
        if found := sign.pattern.search(_whole_text(error)):
            words = {key: value for key, value in found.groupdict().items() if value}
            what = words.get("what") or words.get("which") or "a file"
            return sign.kind(sign.message.format(what=what.rstrip(".,:)")), hint=sign.hint)
    if isinstance(error, PySparkException):
        return _from_condition(error, text)
    return OperationalError(
        f"Spark failed: {_first_line(error)}", hint="the log in the lake's logs/ says more"
    )


def _whole_text(error: Exception) -> str:
    if isinstance(error, Py4JJavaError):
        return f"{error}\n{error.java_exception}"
    trace = getattr(error, "_stackTrace", None)
    return f"{error}\n{trace or ''}"


def _from_condition(error: PySparkException, text: str) -> Error:
    condition = error.getCondition() or ""
    message = _tidy(str(error))
    kind = next((kind for sign, kind in _KINDS if sign in condition), ProgrammingError)
    if not condition:
        kind = OperationalError
    hint = next((hint for sign, hint in _HINTS.items() if condition.startswith(sign)), None)
    made = kind(message, hint=hint)
    span = _span_of(error, text)
    return made.at(place_of(text, span)) if span else made


def _tidy(message: str) -> str:
    message = _LABEL.sub("", message.split("\n== SQL")[0].split(";\n")[0])
    message = _ADVICE.sub("", _NOISE.sub("", message))
    message = re.sub(r"\s*\n\s*", " ", message).strip().rstrip(".")
    return message[:1].lower() + message[1:] if message[:2].istitle() else message


def _span_of(error: PySparkException, text: str) -> Span | None:
    if not text:
        return None
    for context in error.getQueryContext():
        with contextlib.suppress(PySparkException, Py4JError):
            start, fragment = context.startIndex(), context.fragment()
            if text.count(fragment) == 1:
                start = text.index(fragment)
            if fragment and text[start : start + len(fragment)] == fragment:
                return Span(start, start + len(fragment))
    if found := _OFFSET.search(str(error)):
        line, column = int(found[1]), int(found[2])
        lines = text.splitlines(keepends=True)
        if line <= len(lines):
            start = min(sum(len(before) for before in lines[: line - 1]) + column, len(text) - 1)
            return Span(start, start + 1)
    return None


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in _whole_text(error).splitlines() if line.strip()]
    meaningful = [line for line in lines if not line.startswith(("An error occurred while calling", "at "))]
    return (meaningful or lines or ["unknown error"])[0].removeprefix(": ")
