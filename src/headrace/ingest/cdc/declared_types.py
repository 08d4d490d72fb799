"""Which changes of the type of a column leave the values of its rows as they are.

ALTER TABLE converts values without writing them to the log. So it matters how a type was declared, also where
both types are the same in Spark: ``varchar(9)`` may cut off what ``varchar(20)`` had.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

CHARSET = " CHARACTER SET "
_SIZES = re.compile(r"\((\d+(?:,\d+)*)\)")
_INTEGERS = ("tinyint", "smallint", "mediumint", "int", "bigint")
_TEXTS = ("tinytext", "text", "mediumtext", "longtext")
_BLOBS = ("tinyblob", "blob", "mediumblob", "longblob")
_WIDER = {
    *combinations(_TEXTS, 2),
    *combinations(_BLOBS, 2),
    *((each, text) for each in ("char", "varchar") for text in ("varchar", *_TEXTS[1:])),
    *(("varbinary", blob) for blob in _BLOBS[1:]),
    *(("character varying", "text"), ("text", "character varying")),
    *(("real", "double precision"), ("float", "double")),
}
_GROWING = (
    *("char", "varchar", "varbinary", "character varying", "bit varying"),
    *("decimal", "decimal unsigned", "numeric", "datetime", "timestamp", "time"),
    *("timestamp without time zone", "timestamp with time zone", "time without time zone"),
)
"""Values stay the same if the first number in parentheses becomes larger."""
_WHOLE_SECONDS = ("datetime", "timestamp", "time")
"""Without a number, in MySQL."""
_UNLIMITED = 1 << 40


@dataclass(frozen=True)
class _Declared:
    base: str
    sizes: Sequence[int]
    charset: str

    @property
    def limit(self) -> int:
        if self.sizes:
            return self.sizes[0]
        return 0 if self.base in _WHOLE_SECONDS else _UNLIMITED


def keeps_values(before: str, after: str) -> bool:
    """Of a column that was declared with the one type and now with the other."""
    old, new = _read(before), _read(after)
    if old.charset != new.charset and new.charset != "utf8mb4" and old.charset != "ascii":
        return False
    if old.base == new.base:
        is_same = old.sizes == new.sizes or _is_integer(old.base)
        return is_same or (old.base in _GROWING and old.sizes[1:] == new.sizes[1:] and old.limit <= new.limit)
    if _is_integer(old.base) and _is_integer(new.base):
        return _is_wider_integer(old.base, new.base)
    return (old.base, new.base) in _WIDER and old.limit <= new.limit


def _read(declared: str) -> _Declared:
    text, _, charset = declared.partition(CHARSET)
    found = _SIZES.search(text)
    base = " ".join(_SIZES.sub("", text, count=1).removesuffix(" zerofill").split())
    sizes = tuple(map(int, found[1].split(","))) if found else ()
    return _Declared(base.replace("integer", "int"), sizes, charset)


def _is_integer(base: str) -> bool:
    return base.removesuffix(" unsigned") in _INTEGERS


def _is_wider_integer(before: str, after: str) -> bool:
    """A column with a sign has more values than one without, if it has more bytes."""
    is_signed, becomes_signed = (not each.endswith(" unsigned") for each in (before, after))
    old, new = (_INTEGERS.index(each.removesuffix(" unsigned")) for each in (before, after))
    return new > old if becomes_signed or not is_signed else False
