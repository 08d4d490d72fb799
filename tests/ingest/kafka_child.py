"""A process with the jars of Kafka: runs the statements that come in, one per line, and answers in JSON."""

from __future__ import annotations

import json
import sys

import headrace


def main() -> None:
    with headrace.connect(sys.argv[1]) as lake:
        print("ready", flush=True)  # noqa: T201
        for line in sys.stdin:
            try:
                result = lake.sql(json.loads(line))
                answer = {
                    "rows": [list(map(str, row)) for row in result.fetchall()],
                    "notices": result.notices,
                }
            except headrace.Error as error:
                answer = {"error": type(error).__name__, "message": error.message, "hint": error.hint}
            print(json.dumps(answer), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
