"""A process that runs a sync and refreshes what reads its tables, until it is killed."""

from __future__ import annotations

import sys

import headrace
from tests.internals import set_chunk_rows


def main() -> None:
    set_chunk_rows(int(sys.argv[2]))
    with headrace.connect(sys.argv[1]) as lake:
        while True:
            lake.sql("EXECUTE SYNC s")
            print("ran", flush=True)  # noqa: T201
            lake.sql("REFRESH DYNAMIC TABLE layer_1; REFRESH DYNAMIC TABLE layer_2")


if __name__ == "__main__":
    main()
