"""Values and errors on their way between a server and its clients, and how little a client needs."""

from __future__ import annotations

import datetime as dt
import json
import math
import subprocess
import sys
import uuid
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from headrace import errors
from headrace.errors import InterfaceError, InternalError, Place
from headrace.wire import decode_error, decode_parameters, encode_error, encode_parameters


def there_and_back(value: Any) -> Any:
    sent = json.loads(json.dumps(encode_parameters([value]), allow_nan=False))
    (received,) = decode_parameters(sent) or ()
    return received


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, 0, -(2**63), 2**100, 1.5, math.inf, -math.inf, "", "it's ü", b"", b"\x00\xff"),
        *(Decimal("1.50"), Decimal("-0.1")),
        *(dt.date(2024, 6, 1), dt.time(1, 2, 3, 4), dt.timedelta(days=-1, microseconds=5)),
        *(dt.datetime(2024, 6, 1, 10, tzinfo=dt.UTC), dt.datetime(2024, 6, 1, 10)),  # noqa: DTZ001
        *([1, [2, b"x"]], [dt.date(2024, 6, 1)]),
    ],
)
def test_values_come_back_as_they_were(value: Any) -> None:
    received = there_and_back(value)
    assert (received, type(received)) == (value, type(value))


def test_kindred_values() -> None:
    identifier = uuid.uuid4()
    assert there_and_back(identifier) == str(identifier)
    assert there_and_back((1, 2)) == [1, 2]
    assert there_and_back(np.int64(5)) == 5
    assert there_and_back(bytearray(b"a")) == b"a"
    assert math.isnan(there_and_back(math.nan))
    assert decode_parameters(encode_parameters({"a": Decimal(1)})) == {"a": Decimal(1)}
    assert decode_parameters(encode_parameters(None)) is None


@pytest.mark.parametrize(
    "encoded", [{"decimal": "x"}, {"date": 5}, {"base64": "?"}, {"a": 1}, {"date": "1", "time": "2"}]
)
def test_what_is_no_value(encoded: Any) -> None:
    with pytest.raises(InterfaceError):
        decode_parameters([encoded])


KINDS = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.Error)]


@pytest.mark.parametrize("kind", KINDS)
def test_errors(kind: type[errors.Error]) -> None:
    error = kind("wrong", hint="do this", place=Place(2, 3, "SELECT x", 1))
    received = decode_error(json.loads(json.dumps(encode_error(error))))
    assert type(received) is kind
    assert str(received) == str(error)


@pytest.mark.parametrize("kind", ["nosuch", "Place", "dataclass", "__name__"])
def test_an_unknown_error_is_internal(kind: str) -> None:
    assert type(decode_error({"kind": kind, "message": "x"})) is InternalError


def test_a_client_needs_neither_spark_nor_a_database() -> None:
    program = (
        "import sys, headrace, headrace.remote; "
        "print({'pyspark', 'py4j', 'sqlalchemy', 'fastapi', 'pandas'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"
