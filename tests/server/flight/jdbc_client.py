"""The Arrow Flight SQL driver for JDBC, in a Java program that is compiled for the tests."""

from __future__ import annotations

import subprocess
from pathlib import Path

from build_java import compile_into, find_tools

from headrace.install.jars import Jar

DRIVER = Jar(
    "org.apache.arrow",
    "flight-sql-jdbc-driver",
    "18.3.0",
    44798040,
    "3f418b46c880e263558c5de669bdbede2c5d4375527ced116fb29f795b03704c",
)
SOURCES = Path(__file__).parent / "java"
_SECONDS = 120


def driver_report(address: str, token: str, scratch: Path) -> dict[str, str]:
    """What the program has printed, by the name of each line."""
    tools = find_tools()
    driver = tools.jar(DRIVER)
    compile_into(scratch, [SOURCES], [driver], tools)
    url = f"jdbc:arrow-flight-sql://{address.partition('://')[2]}"
    opens = "--add-opens=java.base/java.nio=ALL-UNNAMED"
    command = [str(tools.java.path), opens, "-cp", f"{scratch}:{driver}", "DriverReport", url, token]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS)
    assert ran.returncode == 0, f"{ran.stdout}\n{ran.stderr}"
    return dict(line.split(": ", 1) for line in ran.stdout.splitlines())
