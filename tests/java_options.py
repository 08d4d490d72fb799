"""How the JVMs of a test run are started, those of the processes that tests start included."""

from __future__ import annotations

import os

import pytest

from tests.sampling import run_random

VARIABLE = "JDK_JAVA_OPTIONS"
HEAP = "SPARK_DRIVER_MEMORY"
_HEAP_SIZE = "2g"
"""Several JVMs run at once, each of which would grow to a quarter of the machine."""
_OPTIONS = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=256m "
    "-XX:InitialRAMPercentage=6 -XX:NewRatio=1 -XX:MetaspaceSize=300m"
)
"""A JVM of the tests lives for minutes: careful compilation would take a third of its time and not pay.

The 48 MB that Java sets aside for quickly compiled code are full after two minutes of tests; from then on it
would throw away code that is still needed, and compile it again. A heap that begins small is collected often.
"""
_INTERPRETED = "-Dspark.sql.codegen.wholeStage=false -Dspark.sql.codegen.factoryMode=NO_CODEGEN"
"""Spark interprets its queries: to compile one for a handful of rows takes a fifth of its time."""
_COMPILING_SHARE = 0.25
"""Of the test processes. In these Spark compiles its queries, as it does for users."""


def pytest_configure(config: pytest.Config) -> None:
    """Each process of a run draws its own."""
    os.environ.setdefault(HEAP, _HEAP_SIZE)
    draw = run_random(f"compiled queries {os.environ.get('PYTEST_XDIST_WORKER')}")
    os.environ[VARIABLE] = _OPTIONS if draw.random() < _COMPILING_SHARE else f"{_OPTIONS} {_INTERPRETED}"
