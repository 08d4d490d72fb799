"""Files by their path: which ones may be named over the wire."""

from __future__ import annotations

from collections.abc import Sequence

FILE_FORMATS = frozenset(
    {
        *("parquet", "csv", "json", "orc", "text", "avro", "binaryfile", "xml", "image", "libsvm", "hive"),
        *("iceberg", "delta", "jdbc", "kafka", "rate", "rate-micro-batch", "socket", "noop", "console"),
        *("memory", "statestore", "state-metadata", "python"),
    }
)
"""Short names under which Spark finds a reader of files or of other systems."""


def is_inside(path: str, directories: Sequence[str]) -> bool:
    """Whether a path, a pattern too, can only lead to something below one of the directories."""
    plain = _plain(path)
    if not plain.startswith("/") and "://" not in plain:
        return False
    if any(part in (".", "..") for part in plain.split("/")) or any(mark in plain for mark in "{}%\\,"):
        return False
    roots = [_plain(directory).rstrip("/") for directory in directories]
    return any(plain.rstrip("/") == root or plain.startswith(f"{root}/") for root in roots)


def names_file(parts: Sequence[str]) -> bool:
    """Whether a name of two parts is a format and a path; no table has a slash in its name."""
    if len(parts) != 2:
        return False
    kind, path = parts
    return "/" in path or "/" in kind or (is_reader(kind) and (":" in path or path.startswith(".")))


def is_reader(kind: str) -> bool:
    """Whether it is a format of files, by its short name or its class."""
    return kind.lower() in FILE_FORMATS or "." in kind


def _plain(path: str) -> str:
    """Without the scheme of local files."""
    for scheme in ("file://", "file:"):
        if path[: len(scheme)].lower() == scheme:
            return path[len(scheme) :]
    return path
