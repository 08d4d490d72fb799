"""Statements that reach outside the lake: code and files of the machine that runs them."""

from __future__ import annotations

from headrace.errors import Refused
from headrace.sql.lexer import Kind, Token, tokenize
from headrace.sql.text import Span, place_of

_ADDED = ("ARCHIVE", "ARCHIVES", "FILE", "FILES", "JAR", "JARS")
_CALLING = ("JAVA_METHOD", "REFLECT", "TRY_REFLECT")
_FILE_FORMATS = (
    *("PARQUET", "CSV", "JSON", "ORC", "TEXT", "AVRO", "BINARYFILE", "XML", "ICEBERG", "DELTA", "JDBC"),
    *("HIVE", "KAFKA", "IMAGE", "LIBSVM", "RATE", "SOCKET"),
)
_SETTING = "allow_outside = true in lake.toml permits it on a lake whose users are all trusted"


def refuse_outside(text: str) -> None:
    """What only a trusted user may run: over the wire it is refused."""
    tokens = tokenize(text)
    found = _reaching(tokens)
    if found is not None:
        what, span = found
        raise Refused(
            f"{what} reaches outside the lake and is refused", hint=_SETTING, place=place_of(text, span)
        )


def _reaching(tokens: tuple[Token, ...]) -> tuple[str, Span] | None:
    first = [token.upper for token in tokens[:3]]
    if first[:1] == ["ADD"] and first[1:2] and first[1] in _ADDED:
        return f"ADD {first[1]}", tokens[0].span.to(tokens[1].span)
    if first[:2] == ["LOAD", "DATA"]:
        return "LOAD DATA", tokens[0].span.to(tokens[1].span)
    for place, token in enumerate(tokens):
        following = [each.upper for each in tokens[place + 1 : place + 4]]
        what = _named(token, following, tokens[place - 1].upper if place else "", tokens)
        if what is not None:
            return what, token.span
    return None


def _named(token: Token, following: list[str], before: str, tokens: tuple[Token, ...]) -> str | None:
    word = token.upper if token.kind is not Kind.STRING else ""
    match word:
        case _ if word in _CALLING and following[:1] == ["("]:
            return f"{word.lower()}()"
        case "TRANSFORM" if following[:1] == ["("] and _has(tokens, "USING"):
            return "TRANSFORM ... USING"
        case "USING" if following[:1] and following[0] in ("JAR", "FILE", "ARCHIVE"):
            return f"USING {following[0]}"
        case "DIRECTORY" if before in ("OVERWRITE", "LOCAL"):
            return "INSERT OVERWRITE DIRECTORY"
        case "LOCATION" if following:
            return "LOCATION" if _creates(tokens) else None
        case _ if (
            word in _FILE_FORMATS and following[:1] == ["."] and before in ("FROM", "JOIN", ",", "TABLE")
        ):
            return f"{word.lower()}.`path`"
        case "FUNCTION" if before in ("CREATE", "TEMPORARY", "REPLACE") and _names_class(tokens):
            return "a function from a class"
        case "USING" if _creates(tokens) and following[:1] and following[0] in _FILE_FORMATS:
            return None if following[0] == "ICEBERG" else f"USING {following[0]}"
    return None


def _has(tokens: tuple[Token, ...], word: str) -> bool:
    return any(token.upper == word and token.kind is not Kind.STRING for token in tokens)


def _creates(tokens: tuple[Token, ...]) -> bool:
    return tokens[0].upper in ("CREATE", "REPLACE", "ALTER")


def _names_class(tokens: tuple[Token, ...]) -> bool:
    """``CREATE FUNCTION f AS 'a.b.C'``: a SQL function has RETURN there."""
    pairs = zip(tokens, tokens[1:], strict=False)
    return any(token.upper == "AS" and following.kind is Kind.STRING for token, following in pairs)
