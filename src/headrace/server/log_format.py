"""Log records as lines of text or JSON; neither has secrets, literals of SQL or values of rows."""

from __future__ import annotations

import json
import logging
import re
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

_SECRETS = (
    (re.compile(r"(?<=://)([^\s/@:]*):[^\s/@]*@"), r"\1:***@"),
    (re.compile(r"\bhr_[A-Za-z0-9_-]+"), "hr_***"),
    (re.compile(r"(?i)\b(bearer|password|passwd|secret|token)(\s*[=:]\s*|\s+)\S+"), r"\1\2***"),
)
_LITERAL = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
_PLAIN = re.compile(r"[^\s\"=]+")


class LogFormat(StrEnum):
    TEXT = "text"
    JSON = "json"


class TextFormatter(logging.Formatter):
    """``2026-01-31T10:00:00.000Z INFO statement id=... state=SUCCEED``; a trace follows, line by line."""

    def format(self, record: logging.LogRecord) -> str:
        facts = _facts(record)
        head = [facts.pop("time"), facts.pop("level"), facts.pop("event")]
        trace = facts.pop("trace", None)
        line = " ".join([*head, *(f"{key}={_shown(value)}" for key, value in facts.items())])
        return line if trace is None else "\n  ".join([line, *trace])


class JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return json.dumps(_facts(record), default=str, ensure_ascii=False)


def formatter(wanted: LogFormat) -> logging.Formatter:
    return JsonFormatter() if wanted is LogFormat.JSON else TextFormatter()


def without_secrets(text: str) -> str:
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    return text


def without_literals(text: str) -> str:
    """For texts that may quote values."""
    return _LITERAL.sub("'...'", text)


def _facts(record: logging.LogRecord) -> dict[str, Any]:
    moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
    facts: dict[str, Any] = {"time": moment.replace("+00:00", "Z"), "level": record.levelname}
    fields: dict[str, Any] | None = getattr(record, "fields", None)
    if fields is not None:
        facts["event"] = record.getMessage()
        facts |= {key: _cleaned(value) for key, value in fields.items()}
    else:
        message = without_literals(without_secrets(record.getMessage()))
        facts |= {"event": "message", "logger": record.name, "message": message}
    if record.exc_info and record.exc_info[1] is not None:
        facts["error"] = type(record.exc_info[1]).__name__
        facts["trace"] = list(_trace(record.exc_info[1]))
    return facts


def _cleaned(value: Any) -> Any:
    return without_literals(without_secrets(value)) if isinstance(value, str) else value


def _shown(value: Any) -> str:
    text = str(value)
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def _trace(error: BaseException) -> Iterator[str]:
    """Where it was raised, and its class. Its message is left out: that may quote a row or a statement."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        yield from _trace(cause)
        yield "then:"
    for frame in traceback.extract_tb(error.__traceback__):
        yield f"{frame.filename}:{frame.lineno} in {frame.name}"
    reason = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
    yield without_literals(without_secrets(f"{type(error).__name__}{reason}"))
