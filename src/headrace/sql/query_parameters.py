"""The parameters of a query: each ``SESSION_CONFIGS()['dt.args.name']`` in it. Names know no case."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from headrace.features.dynamic_tables.grammar_arguments import PREFIX
from headrace.model.quoting import string_literal
from headrace.sql.parsed import ParsedStatement
from headrace.sql.spark.functions import SessionConfig, session_configs
from headrace.sql.tokens.positions import Span, splice


def argument_key(name: str) -> str:
    """The setting or property that gives the parameter its value."""
    return PREFIX + name.lower()


def parameter_of(key: str | None) -> str | None:
    """The name of the parameter that a setting stands for; None if for none."""
    if key is None or not key.lower().startswith(PREFIX):
        return None
    return key[len(PREFIX) :].lower() or None


def parameters_in(statement: ParsedStatement) -> list[tuple[str, Span]]:
    """In the order of the text."""
    named = ((parameter_of(config.key), config.span) for config in _configs(statement))
    return [(name, span) for name, span in named if name is not None]


def parameter_names(query: str) -> tuple[str, ...]:
    """Each once."""
    return tuple(dict.fromkeys(name for name, _ in parameters_in(ParsedStatement(query))))


def bind(query: str, values: Mapping[str, str]) -> str:
    """``query`` with each parameter replaced by its value, as a string."""
    statement = ParsedStatement(query)
    return _replaced(statement, lambda config: _literal(values.get(parameter_of(config.key) or "")))


def bind_settings(statement: ParsedStatement, setting: Callable[[str], str | None]) -> ParsedStatement:
    """Each ``SESSION_CONFIGS()['key']`` is replaced by what the session has for it, or NULL."""

    def value(config: SessionConfig) -> str | None:
        if config.key is None:
            return None
        name = parameter_of(config.key)
        found = setting(config.key if name is None else argument_key(name))
        return "CAST(NULL AS STRING)" if found is None else string_literal(found)

    return statement.with_text(_replaced(statement, value))


def _literal(value: str | None) -> str | None:
    return None if value is None else string_literal(value)


def _replaced(statement: ParsedStatement, value: Callable[[SessionConfig], str | None]) -> str:
    """Where there is room, what follows keeps its place, so that errors point to where they are."""
    found = [(config.span, value(config)) for config in _configs(statement)]
    edits = [(span, text.ljust(span.end - span.start)) for span, text in found if text is not None]
    return splice(statement.text, edits)


def _configs(statement: ParsedStatement) -> tuple[SessionConfig, ...]:
    named = "session_configs" in statement.text.lower()
    return session_configs(statement.tokens) if named else ()
