"""Settings and properties that name code, files or other systems."""

from __future__ import annotations

from collections.abc import Iterator

from headrace.sql.tokens.lexer import Kind, Tokens
from headrace.sql.tokens.targets import after_parentheses

_PROPERTY_LISTS = frozenset({"TBLPROPERTIES", "PROPERTIES", "OPTIONS", "DBPROPERTIES", "SERDEPROPERTIES"})
HARMLESS_PREFIXES = ("spark.sql.", "dt.", "headrace.")
HARMFUL_PREFIXES = (
    *("spark.sql.catalog.", "spark.sql.catalog", "spark.sql.extensions", "spark.sql.warehouse"),
    *("spark.sql.runsqlonfiles", "spark.sql.variable.", "spark.sql.hive.", "spark.sql.redaction."),
    *("spark.sql.execution.py", "spark.sql.pyspark.", "spark.sql.artifact.", "spark.sql.defaultcatalog"),
    *("spark.sql.querylistener", "spark.sql.queryexecutionlisteners", "spark.sql.streaming."),
    *("spark.sql.sources.commitprotocolclass", "spark.sql.sources.outputcommitterclass"),
    *("spark.sql.parquet.output", "spark.sql.cache.serializer"),
    *("spark.sql.analyzer.", "spark.sql.adaptive.custom"),
    *("spark.sql.parser.", "spark.sql.ansi.doublequotedidentifiers", "spark.sql.legacy."),
)
"""The last of them change how Spark reads a statement, so that others than those judged would be run."""
HARMLESS = frozenset({"spark.sql.legacy.timeparserpolicy", "spark.sql.legacy.charvarcharasstring"})
_OF_CLUSTERS = frozenset(
    {
        *("spark.executor.instances", "spark.executor.cores", "spark.executor.memory"),
        *("spark.executor.memoryoverhead", "spark.driver.memory", "spark.default.parallelism"),
        *("spark.dynamicallocation.enabled", "spark.dynamicallocation.minexecutors"),
        *("spark.dynamicallocation.maxexecutors", "spark.dynamicallocation.initialexecutors"),
    }
)
_PATH_KEYS = frozenset(
    {
        *("path", "location", "write.data.path", "write.metadata.path"),
        *("write.object-storage.path", "write.folder-storage.path", "write.location-provider.impl"),
    }
)


def may_set(key: str) -> bool:
    """A name without a dot is nobody's but the user's; most of the others go into Hadoop's settings."""
    lowered = key.lower()
    if lowered.startswith(HARMFUL_PREFIXES):
        return lowered in HARMLESS
    names_class = lowered.endswith(("class", "classes"))
    return "." not in lowered or (lowered.startswith(HARMLESS_PREFIXES) and not names_class)


def may_set_for_cluster(key: str) -> bool:
    return key.lower() in _OF_CLUSTERS or (key.lower().startswith("spark.sql.") and may_set(key))


def names_place(key: str) -> bool:
    """Whether a property's value says where files are, or which class handles them."""
    lowered = key.lower()
    is_place = lowered in _PATH_KEYS or lowered.endswith(("impl", ".path", "-path", "-location"))
    return is_place and not lowered.startswith("dt.")


def properties(tokens: Tokens) -> Iterator[tuple[str | None, Tokens, Tokens]]:
    """Key, its tokens and those of its value; a key of None is one that a parameter gives."""
    for index, token in enumerate(tokens[:-1]):
        if token.upper in _PROPERTY_LISTS and tokens[index + 1].upper == "(":
            inside = tokens[index + 2 : after_parentheses(tokens, index + 1) - 1]
            for part in _at_commas(inside):
                yield _property(part)


def _property(part: Tokens) -> tuple[str | None, Tokens, Tokens]:
    equals = next((at for at, token in enumerate(part) if token.upper in ("=", "==")), None)
    if equals is not None:
        key, value = part[:equals], part[equals + 1 :]
    else:
        is_text = part[0].kind is Kind.STRING
        end = (
            1
            if is_text
            else next((at for at, token in enumerate(part) if token.kind is Kind.STRING), len(part))
        )
        key, value = part[:end], part[end:]
    is_plain = all(token.is_name or token.upper in (".", "-") or token.kind is Kind.STRING for token in key)
    return ("".join(token.value for token in key) if is_plain else None), key or part, value


def _at_commas(tokens: Tokens) -> Iterator[Tokens]:
    start = 0
    for index, token in enumerate(tokens):
        if token.upper == ",":
            if tokens[start:index]:
                yield tokens[start:index]
            start = index + 1
    if tokens[start:]:
        yield tokens[start:]
