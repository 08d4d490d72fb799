"""Functions whose result depends on more than their arguments, and what to write instead."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from headrace.sql.spark.functions import CLOCK_TYPES, CLOCK_WORDS, FunctionCall

_RANDOM = "derive it from the row, for example with xxhash64(key), or compute it when the rows are written"
_RANDOM_ID = "use a key of the source, or hash one: sha2(concat_ws('|', key1, key2), 256)"
_CLOCK = "use current_date for the day of the refresh, or a timestamp column of the source"
_CLOCK_LITERAL = (
    "use current_date for the day of the refresh, with date_add or date_sub for the days around it"
)
_ROW_ID = "use a key of the source, or row_number() over an order without ties"
_FILE = "store it in a column of the source when loading: files change when a table is compacted"
_USER = (
    "the scheduler also refreshes the table; store the user in a column of the source, "
    "or filter in a view on top of it"
)
_SESSION = "write the name itself: a refresh does not run in your session"
_REFLECTION = "the result of Java code may change from call to call; compute it when the rows are written"
_ENCRYPTION = (
    "each call uses a new initialization vector; use mode ECB, pass the vector, "
    "or encrypt when the rows are written"
)

ADVICE = {
    "rand": _RANDOM,
    "random": _RANDOM,
    "randn": _RANDOM,
    "randstr": _RANDOM,
    "uniform": _RANDOM,
    "shuffle": "use sort_array, or leave the array as it is",
    "uuid": _RANDOM_ID,
    "now": _CLOCK,
    "current_timestamp": _CLOCK,
    "current_time": _CLOCK,
    "localtimestamp": _CLOCK,
    "unix_timestamp": _CLOCK,
    "monotonically_increasing_id": _ROW_ID,
    "spark_partition_id": _ROW_ID,
    "input_file_name": _FILE,
    "input_file_block_start": _FILE,
    "input_file_block_length": _FILE,
    "current_user": _USER,
    "user": _USER,
    "session_user": _USER,
    "current_catalog": _SESSION,
    "current_database": _SESSION,
    "current_schema": _SESSION,
    "java_method": _REFLECTION,
    "reflect": _REFLECTION,
    "try_reflect": _REFLECTION,
    "aes_encrypt": _ENCRYPTION,
    **{f"{type_} '{word}'": _CLOCK_LITERAL for type_ in CLOCK_TYPES for word in CLOCK_WORDS},
}
"""By name in lower case. current_date is absent: a new date makes a refresh FULL."""

CURRENT_DATE = frozenset({"current_date", "curdate"})

_BUILTIN_SCHEMAS = ("system.builtin.", "builtin.")
_IV_ARGUMENT = 5
"""aes_encrypt(expr, key, mode, padding, iv)."""


def nondeterministic(
    functions: Iterable[FunctionCall], columns: Collection[str] = ()
) -> list[tuple[FunctionCall, str]]:
    """Calls that a definition cannot hold, with what to do instead.

    A name without parentheses that is among ``columns`` is the column.
    """
    known = {column.lower() for column in columns}
    return [
        (call, ADVICE[builtin_name(call)])
        for call in functions
        if builtin_name(call) in ADVICE
        and not _is_fixed(call)
        and not (call.parenless and call.name in known)
    ]


def uses_current_date(functions: Iterable[FunctionCall], columns: Collection[str] = ()) -> bool:
    known = {column.lower() for column in columns}
    return any(
        builtin_name(call) in CURRENT_DATE and not (call.parenless and call.name in known)
        for call in functions
    )


def builtin_name(call: FunctionCall) -> str:
    """The name without the schemas in which Spark keeps its own functions."""
    for schema in _BUILTIN_SCHEMAS:
        if call.name.startswith(schema):
            return call.name.removeprefix(schema)
    return call.name


def _is_fixed(call: FunctionCall) -> bool:
    """Whether the arguments leave nothing to chance."""
    match builtin_name(call):
        case "unix_timestamp":
            return call.argument_count > 0
        case "aes_encrypt":
            return call.argument_count >= _IV_ARGUMENT or "ECB" in map(str.upper, call.literals)
        case _:
            return False
