"""Types as an Iceberg table holds them."""

from __future__ import annotations

import re

_WIDER = {
    r"\b(tinyint|smallint)\b": "int",
    r"\b(var)?char\(\d+\)": "string",
    r"\bstring collate [\w.]+": "string",
}


def stored_type(spark_type: str) -> str:
    """Iceberg has no narrow integers, no strings of a given length and no collations."""
    for narrow, wide in _WIDER.items():
        spark_type = re.sub(narrow, wide, spark_type)
    return spark_type
