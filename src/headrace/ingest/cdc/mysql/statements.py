"""What statements in the log do to tables that are synced: most changes are there as rows, these are not."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from headrace.ingest.cdc.changes import Change, Operation

_NAME = r"(?:`(?:[^`]|``)+`|[\w$]+)"
_TABLE = rf"{_NAME}(?:\s*\.\s*{_NAME})?"
_COMMENTS = re.compile(r"/\*(?!M?!).*?\*/|/\*M?!\d*|\*/|--\s[^\n]*", re.DOTALL)
_TRUNCATE = re.compile(rf"TRUNCATE\s+(?:TABLE\s+)?({_TABLE})", re.IGNORECASE)
_DROP = re.compile(
    rf"DROP\s+TABLE\s+(?:IF\s+EXISTS\s+)?({_TABLE}(?:\s*,\s*{_TABLE})*)|"
    rf"CREATE\s+OR\s+REPLACE\s+TABLE\s+({_TABLE})",
    re.IGNORECASE,
)
_DROP_DATABASE = re.compile(rf"DROP\s+(?:DATABASE|SCHEMA)\s+(?:IF\s+EXISTS\s+)?({_NAME})", re.IGNORECASE)
_RENAME = re.compile(r"RENAME\s+TABLES?\s+(.*)", re.IGNORECASE | re.DOTALL)
_ALTER = re.compile(
    rf"ALTER\s+(?:\w+\s+)*?TABLE\s+(?:IF\s+EXISTS\s+)?({_TABLE})(.*)", re.IGNORECASE | re.DOTALL
)
_BREAKING_ALTER = re.compile(
    r"\b(?:DROP|TRUNCATE|EXCHANGE|CONVERT)\s+PARTITION\b|\b(?:DISCARD|IMPORT)\b.*\bTABLESPACE\b|"
    r"\bRENAME\s+(?!COLUMN\b|INDEX\b|KEY\b)|\b(?:MODIFY|CHANGE)\b.*\b(?:ENUM|SET)\s*\(",
    re.IGNORECASE | re.DOTALL,
)
_OTHER_PARTS = (
    "INDEX|KEY|PRIMARY|FOREIGN|UNIQUE|FULLTEXT|SPATIAL|CONSTRAINT|CHECK|PARTITION|DEFAULT|SYSTEM|PERIOD"
)
_DROPPED_COLUMN = re.compile(
    rf"\bDROP\s+(?:COLUMN\s+)?(?:IF\s+EXISTS\s+)?(?!(?:{_OTHER_PARTS}|COLUMN|IF)\b)({_NAME})", re.IGNORECASE
)
_RENAMED_COLUMN = re.compile(
    rf"\bRENAME\s+COLUMN\s+({_NAME})|"
    rf"\bCHANGE\s+(?:COLUMN\s+)?(?:IF\s+EXISTS\s+)?(?!(?:COLUMN|IF)\b)({_NAME})\s+(?!\s|\2\s)",
    re.IGNORECASE,
)
_TEXTS = re.compile(r"'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\"", re.DOTALL)
_ROWS = re.compile(r"(?:INSERT|UPDATE|DELETE|REPLACE|LOAD)\b", re.IGNORECASE)
_REPLACED = "it was dropped, renamed or replaced"
_COLUMN = "column {} was dropped or renamed"
_ALTERED = "ALTER TABLE has changed rows, which the log does not have"
_AS_STATEMENT = (
    "the log has a statement in the place of changed rows; binlog_format must be ROW in all sessions"
)


def effects(query: str, schema: str, tables: Collection[str]) -> Iterator[Change]:
    """On those of the tables, which are ``schema.name``; ``schema`` is that of names without one."""
    text = _COMMENTS.sub(" ", query).strip()
    if found := _TRUNCATE.match(text):
        yield from (Change(table, Operation.TRUNCATE) for table in _named(found[1], schema, tables))
    elif found := _DROP.match(text) or _RENAME.match(text):
        yield from _broken(_REPLACED, _named(" ".join(filter(None, found.groups())), schema, tables))
    elif found := _DROP_DATABASE.match(text):
        dropped = _plain(found[1])
        yield from _broken(_REPLACED, [table for table in tables if table.partition(".")[0] == dropped])
    elif found := _ALTER.match(text):
        if (reason := _lost_by(found[2])) is not None:
            yield from _broken(reason, _named(found[1], schema, tables))
    elif _ROWS.match(text):
        words = {_plain(word).lower() for word in re.findall(_NAME, text)}
        named = [table for table in tables if table.partition(".")[2].lower() in words]
        yield from _broken(_AS_STATEMENT, named)


def altered(query: str, schema: str, tables: Collection[str]) -> set[str]:
    """Tables of which the statement changes something but rows."""
    found = _ALTER.match(_COMMENTS.sub(" ", query).strip())
    return set(_named(found[1], schema, tables)) if found else set()


def _lost_by(changes: str) -> str | None:
    """Why the rows are not known after an ALTER TABLE; None: they are, if the types of columns permit it."""
    if _BREAKING_ALTER.search(changes):
        return _ALTERED
    plain = _TEXTS.sub("''", changes)
    lost = _DROPPED_COLUMN.search(plain) or _RENAMED_COLUMN.search(plain)
    return None if lost is None else _COLUMN.format(_plain(next(filter(None, lost.groups()))))


def _broken(reason: str, tables: Collection[str]) -> Iterator[Change]:
    return (Change(table, Operation.BREAK, reason=reason) for table in tables)


def _named(listed: str, schema: str, tables: Collection[str]) -> list[str]:
    found = set()
    for name in re.findall(_TABLE, listed):
        parts = [_plain(part) for part in re.findall(_NAME, name)]
        found.add(".".join(parts if len(parts) == 2 else [schema, *parts]).lower())
    return [table for table in tables if table.lower() in found]


def _plain(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name
