"""A process that runs a pipe and refreshes what reads its table, until it is killed: called with the lake."""

from __future__ import annotations

import sys

import headrace


def main() -> None:
    with headrace.connect(sys.argv[1]) as lake:
        while True:
            lake.sql("EXECUTE PIPE p")
            print("ran", flush=True)  # noqa: T201
            lake.sql("REFRESH DYNAMIC TABLE layer_1; REFRESH DYNAMIC TABLE layer_2")


if __name__ == "__main__":
    main()
