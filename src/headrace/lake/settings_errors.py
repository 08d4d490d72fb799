"""What is wrong in ``lake.toml``, in the words of the user: which key, what it must be, what to do."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticCustomError

from headrace.errors import LakeDamaged

Model = TypeVar("Model", bound=BaseModel)

_SENTENCE = "sentence"
_UNKNOWN = "extra_forbidden"
_NO_TABLE = "dict_type"
_SIMILAR = 0.8


def read_table(model: type[Model], table: Mapping[str, Any], place: str = "lake.toml") -> Model:
    """``place`` is what messages begin with."""
    try:
        return model.model_validate(table)
    except ValidationError as error:
        details = error.errors(include_url=False)
    first = min(details, key=lambda each: each["type"] != _UNKNOWN)
    raise _explain(first, model, place)


def refusal(sentence: str, hint: str | None = None) -> PydanticCustomError:
    """What a validator raises if its message is more than what type and limits of the field say."""
    return PydanticCustomError(_SENTENCE, "{sentence}", {"sentence": sentence, "hint": hint})


def _explain(error: ErrorDetails, model: type[BaseModel], place: str) -> LakeDamaged:
    key = ".".join(map(str, error["loc"]))
    if error["type"] == _UNKNOWN:
        known = sorted(_fields(model, error["loc"][:-1]))
        return LakeDamaged(f"{place}: unknown setting {key!r}", hint=_suggestion(error["loc"][-1], known))
    if error["type"] == _SENTENCE:
        return LakeDamaged(f"{place}: {error['msg']}", hint=error["ctx"]["hint"])
    if error["type"] == _NO_TABLE:
        return LakeDamaged(f"{place}: [{key}] must be a table")
    field = _fields(model, error["loc"][:-1])[str(error["loc"][-1])]
    return LakeDamaged(f"{place}: {key} must be {_expected(error['type'], field, error['input'])}")


def _suggestion(word: int | str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(str(word), known, n=1, cutoff=_SIMILAR)
    return f"did you mean {close[0]}?" if close else f"known settings: {', '.join(known)}"


def _fields(model: type[BaseModel], path: Sequence[int | str]) -> dict[str, FieldInfo]:
    """Of the table at a path, the outermost being that of ``model``."""
    for key in path:
        inner = model.model_fields[str(key)].annotation
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            raise TypeError(f"{key} of {model.__name__} is not a model")
        model = inner
    return model.model_fields


def _expected(kind: str, field: FieldInfo, value: object) -> str:
    match kind:
        case "int_type" | "greater_than_equal" | "less_than_equal":
            return f"a whole number from {_limit(field, 'ge')} to {_limit(field, 'le')}, not {value!r}"
        case "float_type" | "greater_than" | "finite_number":
            return f"a number greater than {_limit(field, 'gt')}, not {value!r}"
        case "bool_type":
            return f"true or false, not {value!r}"
        case "string_type" | "string_too_short":
            return "a string"
        case "model_type":
            return "a table of settings"
    raise ValueError(f"no sentence for the error {kind}")


def _limit(field: FieldInfo, name: str) -> object:
    return next(getattr(each, name) for each in field.metadata if hasattr(each, name))
