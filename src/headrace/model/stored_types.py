"""Types as an Iceberg table holds them."""

from __future__ import annotations

import re

_WIDER = {r"\b(tinyint|smallint)\b": "int", r"\b(var)?char\(\d+\)": "string"}


def stored_type(spark_type: str) -> str:
    """Iceberg has no narrow integers and no strings of a given length."""
    for narrow, wide in _WIDER.items():
        spark_type = re.sub(narrow, wide, spark_type)
    return spark_type
