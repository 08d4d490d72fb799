"""Spark's exceptions as Headrace's: one message, the place in the SQL, what to do."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.errors.exceptions.captured import CapturedException, convert_exception

from headrace.errors import (
    AlreadyExists,
    Cancelled,
    DataError,
    Error,
    IntegrityError,
    InternalError,
    NotFound,
    NotSupportedError,
    OperationalError,
    PermissionDenied,
    Place,
    ProgrammingError,
    Refused,
    SqlSyntaxError,
)
from headrace.lake.spark.spark_conditions import as_name, say
from headrace.sql.sandbox.sandbox_rules import OUTSIDE_HINT
from headrace.sql.tokens.positions import Rewritten, Span, as_rewritten, place_of

Kind = Callable[..., Error]


@dataclass(frozen=True)
class _Sign:
    """Something recognisable in the chain of causes."""

    pattern: re.Pattern[str]
    kind: Kind
    message: str
    hint: str | None = None


_TRANSFORMS = "use a column, years(c), months(c), days(c), hours(c), bucket(n, c) or truncate(n, c)"

_SIGNS = (
    _Sign(
        re.compile(r"the position of this version is lost"),
        OperationalError,
        "the table was restored to a version whose position in the source is no longer known",
        "restore it to another version, or load the data into a new table",
    ),
    _Sign(
        re.compile(r"headrace\.sandbox\.SandboxRefusal: (?P<what>[^\n]+)"),
        Refused,
        "{what} reaches outside the lake",
        OUTSIDE_HINT,
    ),
    _Sign(
        re.compile(r"headrace\.sandbox\.PermissionRefusal: (?P<what>[^\n]+)"),
        PermissionDenied,
        "this session may only read: the plan node {what} changes something",
        "it requires the role developer: headrace token create NAME --role developer",
    ),
    _Sign(
        re.compile(r"headrace\.catalog\.DirectoryConflict: (?P<what>[^\n]+)"),
        Refused,
        "{what}",
        "each table requires a separate directory: omit LOCATION, or use another one",
    ),
    _Sign(
        re.compile(r"^headrace\.messages\.BadMessage: (?P<what>[^\n]+)", re.MULTILINE),
        DataError,
        "{what}",
    ),
    _Sign(
        re.compile(r"^headrace\.messages\.BadSchema: (?P<what>[^\n]+)", re.MULTILINE),
        OperationalError,
        "{what}",
    ),
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
        "the result is too large to be fetched",
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
        "another writer changed the table at the same time",
        "run the statement again; nothing was committed",
    ),
    _Sign(
        re.compile(r"\[INTERNAL_ERROR|NoSuchElementException: key not found: \S+#\d+"),
        InternalError,
        "Spark reported an internal error",
        "see the log in the lake's logs/ directory",
    ),
)

_SIGNS_OF_ICEBERG = (
    _Sign(re.compile(r"AlreadyExistsException: (?P<what>[^\n]+)"), AlreadyExists, "{what}"),
    _Sign(re.compile(r"NoSuch(?:Table|View|Namespace)Exception: (?P<what>[^\n]+)"), NotFound, "{what}"),
    _Sign(
        re.compile(r"NamespaceNotEmptyException"),
        ProgrammingError,
        "the schema is not empty",
        "drop its tables first",
    ),
    _Sign(
        re.compile(r"Cannot find snapshot with ID (?P<what>-?\d+)|unknown snapshot id: (?P<which>-?\d+)"),
        NotFound,
        "the table has no version {what}",
        "SELECT snapshot_id, committed_at FROM schema.name.snapshots lists them",
    ),
    _Sign(
        re.compile(r"Cannot find a snapshot older than (?P<what>\S+)"),
        NotFound,
        "the table has no version as old as {what}",
        "SELECT snapshot_id, committed_at FROM schema.name.snapshots lists them",
    ),
    _Sign(
        re.compile(r"(?:Couldn't find column (?P<what>\S+) in|Cannot find field '(?P<which>[^']+)' in)"),
        NotFound,
        "column {what} does not exist",
    ),
    _Sign(
        re.compile(r"[Uu]nsupported format in USING: (?P<what>\S+)"),
        NotSupportedError,
        "tables of a lake are Iceberg tables, not {what}",
        "omit USING, or write USING iceberg",
    ),
    _Sign(
        re.compile(r"that references temporary view: \[(?P<what>[^\]]+)\]"),
        ProgrammingError,
        "a view cannot read the temporary view {what}",
        "create it as a view of the lake first",
    ),
    _Sign(
        re.compile(r"mismatched input '(?P<what>[^']*)' expecting"),
        SqlSyntaxError,
        "syntax error at or near '{what}'",
    ),
    _Sign(
        re.compile(r"[Nn]ot a supported type: (?P<what>[^\n]+)"),
        NotSupportedError,
        "a table cannot store the type {what}",
        "CAST it in the query",
    ),
    _Sign(
        re.compile(r"[Cc]annot write a schema with an empty group"),
        NotSupportedError,
        "a table cannot store columns without a type, such as NULL",
        "CAST them to a type in the query",
    ),
    _Sign(
        re.compile(r"No enum constant [\w.$]+\.(?P<what>\w+)|For input string: \"(?P<which>[^\"]*)\""),
        DataError,
        "{what} is not a valid value",
        "check the properties of the table",
    ),
    _Sign(
        re.compile(r"Transform is not supported: (?P<what>[^\n]+)"),
        NotSupportedError,
        "a table cannot be partitioned by {what}",
        _TRANSFORMS,
    ),
    _Sign(
        re.compile(
            r"Invalid source type (?P<what>\S+) for transform"
            r"|Cannot partition by non-primitive source field: (?P<which>\w+)"
        ),
        ProgrammingError,
        "a column of type {what} cannot be partitioned in this way",
        _TRANSFORMS,
    ),
)

_KINDS: tuple[tuple[str, Kind], ...] = (
    ("CANNOT_PARSE_", DataError),
    ("PARSE_", SqlSyntaxError),
    ("UNSUPPORTED_", NotSupportedError),
    ("NOT_SUPPORTED", NotSupportedError),
    ("_NOT_FOUND", NotFound),
    ("UNRESOLVED_", NotFound),
    ("_ALREADY_EXISTS", AlreadyExists),
    ("NOT_NULL_", IntegrityError),
    ("CAST_", DataError),
    ("NUMERIC_", DataError),
    ("DATETIME_", DataError),
    ("MALFORMED_", DataError),
)
"""Of conditions without words of ours."""

_JAVA_KINDS: tuple[tuple[str, Kind], ...] = (
    ("UnsupportedOperationException", NotSupportedError),
    ("IllegalArgumentException", ProgrammingError),
    ("ValidationException", ProgrammingError),
)
_LOGS = "see the log in the lake's logs/ directory"

_JAVA_CLASS = re.compile(r"^\s*(?:[\w$]+\.)+[\w$]*(?:Exception|Error)\b:?\s*")
_PACKAGE = re.compile(r"\b(?:org|java|scala)(?:\.\w+)+\.(?=\w)")
_NOISE = re.compile(r"\s*SQLSTATE: \w+.*", re.DOTALL)
_LABEL = re.compile(r"^\s*\[([A-Z0-9_.]+)\]\s*")
_ADVICE = re.compile(
    r"\s*(If you did not qualify the name.*|To tolerate the error on drop.*|Verify the spelling.*"
    r"|If necessary set \S*spark\.sql.*|Please,? refer to .*|Please,? fix `args`.*)",
    re.DOTALL,
)
_QUOTED_NAME = re.compile(r"`(?:[^`]|``)+`(?:\.`(?:[^`]|``)+`)*")
_SENTENCE_END = re.compile(r"(?<=[^\s.])\.\s+(?=[A-Z])")
_OFFSET = re.compile(r"\(line (\d+), pos (\d+)\)")


@contextlib.contextmanager
def spark_errors(text: str | Rewritten = "") -> Iterator[None]:
    """Whatever Spark raises inside comes out as a Headrace error that points into ``text`` as typed."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise translate(error, text) from error


def translate(error: Exception, text: str | Rewritten = "") -> Error:
    sent = as_rewritten(text)
    causes = _causes(error)
    conditions = [(cause, _condition(cause)) for cause in causes]
    for cause, condition in conditions:
        if said := say(condition, cause.getMessageParameters() or {}):
            made, culprit = said
            return _as_typed(made.at(_place(cause, sent, culprit)), culprit, sent)
    descriptions = [_description(cause) for cause in causes] or [str(error)]
    if sign := _from_signs("\n".join(descriptions), sent.original):
        return sign
    for cause, condition in conditions:
        if condition:
            kind = next((kind for part, kind in _KINDS if part in condition), ProgrammingError)
            return _in_sparks_words(kind, _description(cause)).at(_place(cause, sent, None))
    return _unlabelled(descriptions[-1])


def _causes(error: Exception) -> list[CapturedException]:
    """The exceptions of the JVM, from the outermost to the root."""
    captured = convert_exception(error.java_exception) if isinstance(error, Py4JJavaError) else error
    found: list[CapturedException] = []
    while isinstance(captured, CapturedException):
        found.append(captured)
        captured = captured._cause  # type: ignore[assignment]
    return found


def _condition(cause: CapturedException) -> str:
    """Of exceptions that PySpark has no class for only the text is kept; it starts with the condition."""
    label = _LABEL.match(_JAVA_CLASS.sub("", str(cause)))
    return cause.getCondition() or (label[1] if label else "")


def _description(cause: CapturedException) -> str:
    """Java's class and message, without the text of the statement."""
    origin: Any = cause._origin
    message = str(cause) if origin is None else f"{origin.getClass().getName()}: {cause}"
    return message.split("\n== SQL")[0]


def _from_signs(trace: str, text: str) -> Error | None:
    for sign in _SIGNS + _SIGNS_OF_ICEBERG:
        if found := sign.pattern.search(trace):
            words = {key: value for key, value in found.groupdict().items() if value}
            what = _trimmed(words.get("what") or words.get("which") or "a file")
            span = _only_one(what, text, Span(0, len(text)))
            made = sign.kind(sign.message.format(what=what), hint=sign.hint)
            return made.at(place_of(text, span) if span else None)
    return None


def _trimmed(what: str) -> str:
    what = what.rstrip(".,:")
    return what if "(" in what else what.rstrip(".,:)")


def _unlabelled(description: str) -> Error:
    kind = next((kind for part, kind in _JAVA_KINDS if part in description), None)
    if kind is not None:
        return _in_sparks_words(kind, description)
    made = _in_sparks_words(OperationalError, description)
    return OperationalError(f"Spark failed: {made.message}", hint=_LOGS)


def _in_sparks_words(kind: Kind, message: str) -> Error:
    """The first sentence says what is wrong, the others what to do."""
    first, *others = _SENTENCE_END.split(_tidy(message), maxsplit=1)
    hint = _lower_first(others[0]).rstrip(".") if others else None
    return kind(_lower_first(first).rstrip("."), hint=hint)


def _tidy(message: str) -> str:
    message = _LABEL.sub("", _JAVA_CLASS.sub("", message.split(";\n")[0]))
    message = _ADVICE.sub("", _NOISE.sub("", message))
    message = _PACKAGE.sub("", message)
    message = _QUOTED_NAME.sub(lambda name: as_name(name.group()), message)
    return re.sub(r"\s*\n\s*", " ", message).strip() or "Not supported by Spark with Iceberg"


def _lower_first(message: str) -> str:
    return message[:1].lower() + message[1:] if message[:2].istitle() else message


def _place(error: CapturedException, sent: Rewritten, culprit: str | None) -> Place | None:
    text, span = sent.original, _span_of(error, sent)
    if culprit is not None and (narrow := _only_one(culprit, text, span or Span(0, len(text)))):
        return place_of(text, sent.whole(narrow))
    says_nothing = span is None or span.of(text).strip(" ;\n") == text.strip(" ;\n")
    return None if span is None or says_nothing else place_of(text, span)


def _as_typed(error: Error, culprit: str | None, sent: Rewritten) -> Error:
    """A name that went to Spark in a shorter form is told as the user wrote it."""
    if culprit is not None and error.place is not None and sent.edits:
        typed = error.place.source_line[error.place.column - 1 :][: error.place.length]
        if typed.lower().endswith(f".{culprit.lower()}"):
            error.message = error.message.replace(culprit, typed)
    return error


def _only_one(culprit: str, text: str, within: Span) -> Span | None:
    """Where ``culprit``, or the last parts of a name, stand; None unless there is just one such place."""
    parts = culprit.split(".")
    for words in (".".join(parts[index:]) for index in range(len(parts))):
        pattern = re.compile(rf"(?<![\w`]){re.escape(words)}(?![\w`])", re.IGNORECASE)
        found = list(pattern.finditer(text, within.start, within.end))
        if len(found) == 1:
            return Span(*found[0].span())
    return None


def _span_of(error: CapturedException, sent: Rewritten) -> Span | None:
    text = sent.original
    if not text:
        return None
    for context in error.getQueryContext():
        with contextlib.suppress(PySparkException, Py4JError):
            start, fragment = context.startIndex(), context.fragment()
            if context.objectType() == "VIEW":
                continue
            if text.count(fragment) == 1:
                return Span(text.index(fragment), text.index(fragment) + len(fragment))
            if fragment and sent.text[start : start + len(fragment)] == fragment:
                return sent.origin_of(Span(start, start + len(fragment)))
    if found := _OFFSET.search(str(error)):
        line, column = int(found[1]), int(found[2])
        lines = sent.text.splitlines(keepends=True)
        if line <= len(lines):
            start = min(sum(len(before) for before in lines[: line - 1]) + column, len(sent.text) - 1)
            return sent.origin_of(Span(start, start + 1))
    return None
