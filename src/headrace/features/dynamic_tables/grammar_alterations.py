"""ALTER DYNAMIC TABLE, and what of ALTER TABLE is not Spark's."""

from __future__ import annotations

from collections.abc import Callable

from headrace.features.dynamic_tables.grammar_clauses import read_cluster, read_interval, read_mode
from headrace.features.dynamic_tables.grammar_statements import (
    Alteration,
    AlterDynamicTable,
    AlterTable,
    RenameColumn,
    RenameTo,
    Resume,
    SetComment,
    SetProperties,
    SetRefresh,
    SetRefreshMode,
    Suspend,
    UnsetProperties,
)
from headrace.sql.parsing.properties import RETENTION, read_properties, read_property_names
from headrace.sql.parsing.token_reader import TokenReader
from headrace.sql.tokens.lexer import Tokens, words_of
from headrace.sql.tokens.targets import read_target, split_at_commas

ALTER_DYNAMIC_FORM = (
    "actions: SUSPEND, RESUME, RENAME, SET COMMENT, SET or UNSET PROPERTIES, "
    "REFRESH INTERVAL, SET REFRESH_MODE"
)
ALTER_FORM = (
    "ALTER TABLE name SET PROPERTIES ('key' = 'value', ...) | UNSET PROPERTIES [IF EXISTS] ('key', ...)"
)


def read_alter_dynamic_table(cursor: TokenReader) -> AlterDynamicTable:
    """Of what follows ALTER DYNAMIC."""
    cursor.expect("TABLE")
    name = cursor.name("the name of a dynamic table")
    start = cursor.span
    action = _action(cursor)
    cursor.expect_end()
    return AlterDynamicTable(name, action, start.to(cursor.span_before))


def _action(cursor: TokenReader) -> Alteration:
    for words, read in _ACTIONS:
        if cursor.take(*words):
            return read(cursor)
    if cursor.take("SET"):
        raise cursor.error(
            f"expected COMMENT, PROPERTIES, REFRESH INTERVAL or REFRESH_MODE after SET{cursor.found()}"
        )
    if cursor.take("UNSET"):
        raise cursor.error(f"expected PROPERTIES after UNSET{cursor.found()}")
    if cursor.take("RENAME"):
        raise cursor.error(f"expected TO or COLUMN after RENAME{cursor.found()}")
    raise cursor.error(f"expected what to change{cursor.found()}")


def _suspend(_: TokenReader) -> Suspend:
    return Suspend()


def _resume(_: TokenReader) -> Resume:
    return Resume()


def _rename_to(cursor: TokenReader) -> RenameTo:
    return RenameTo(cursor.name("the new name"))


def _rename_column(cursor: TokenReader) -> RenameColumn:
    column = cursor.word("the name of a column")
    cursor.expect("TO")
    return RenameColumn(column, cursor.word("the new name of the column"))


def _set_comment(cursor: TokenReader) -> SetComment:
    return SetComment(cursor.string("a comment"))


def _set_properties(cursor: TokenReader) -> SetProperties:
    return SetProperties(read_properties(cursor))


def _unset_properties(cursor: TokenReader) -> UnsetProperties:
    if_exists = cursor.take("IF", "EXISTS")
    return UnsetProperties(read_property_names(cursor), if_exists)


def _refresh(cursor: TokenReader) -> SetRefresh:
    start = cursor.span
    cursor.expect("INTERVAL")
    seconds = read_interval(cursor)
    interval_span = start.to(cursor.span_before)
    cluster = read_cluster(cursor) if cursor.take("VCLUSTER") else None
    return SetRefresh(seconds, interval_span, cluster)


def _refresh_mode(cursor: TokenReader) -> SetRefreshMode:
    return SetRefreshMode(read_mode(cursor))


_ACTIONS: tuple[tuple[tuple[str, ...], Callable[[TokenReader], Alteration]], ...] = (
    (("SUSPEND",), _suspend),
    (("RESUME",), _resume),
    (("RENAME", "TO"), _rename_to),
    (("RENAME", "COLUMN"), _rename_column),
    (("SET", "COMMENT"), _set_comment),
    (("SET", "PROPERTIES"), _set_properties),
    (("SET", "TBLPROPERTIES"), _set_properties),
    (("UNSET", "PROPERTIES"), _unset_properties),
    (("UNSET", "TBLPROPERTIES"), _unset_properties),
    (("SET", "REFRESH_MODE"), _refresh_mode),
    (("SET", "REFRESH"), _refresh),
    (("REFRESH",), _refresh),
)
"""First words of an action, and the function that reads the rest."""


def _concerns_headrace(tokens: Tokens) -> bool:
    """Of what follows ALTER TABLE; nothing that Spark can read may be refused here."""
    if not tokens:
        return False
    _, _, rest = read_target(tokens, tokens[0].span)
    words = words_of(rest[:5])
    if words[:1] not in (["SET"], ["UNSET"]):
        return False
    if words[1:2] == ["PROPERTIES"]:
        return True
    properties = rest[5:] if words[2:4] == ["IF", "EXISTS"] else rest[3:]
    return words[1:2] == ["TBLPROPERTIES"] and any(map(_is_retention, split_at_commas(properties)))


def _is_retention(tokens: Tokens) -> bool:
    return bool(tokens) and tokens[0].value.lower() == RETENTION and words_of(tokens[1:2]) != ["."]


def read_alter_table(cursor: TokenReader) -> AlterTable | None:
    """Of what follows ALTER TABLE."""
    if not _concerns_headrace(cursor.upcoming):
        return None
    name = cursor.name("the name of a table")
    action = _property_action(cursor)
    cursor.expect_end()
    return AlterTable(name, action)


def _property_action(cursor: TokenReader) -> SetProperties | UnsetProperties:
    sets = cursor.next().upper == "SET"
    cursor.next()
    return _set_properties(cursor) if sets else _unset_properties(cursor)
