"""Files by the locations that Iceberg writes down, on this machine and on S3, without the JVM.

S3 is set up as for every other program: by the environment variables of AWS, or its configuration files.
"""

from __future__ import annotations

import os
import re
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from pyarrow.fs import (
    FileInfo,
    FileSelector,
    FileSystem,
    FileType,
    LocalFileSystem,
    S3FileSystem,
    resolve_s3_region,
)

T = TypeVar("T")

_S3_SCHEMES = ("s3://", "s3a://", "s3n://")
_CONNECT_SECONDS = 5.0
_REQUEST_SECONDS = 30.0
_RETRY_AFTER_SECONDS = 60.0
_LOCAL = LocalFileSystem()
_AWS_ERROR = re.compile(
    r"AWS Error \w+ during \w+ operation: (?P<reason>.+?)(?: \(Request ID.*\))?$", re.DOTALL
)


@dataclass(frozen=True)
class _Bucket:
    name: str
    endpoint: str | None
    region: str | None


_left_alone: dict[_Bucket, float] = {}
"""Buckets that could not be reached, and until when, by the monotonic clock."""


@dataclass(frozen=True)
class FileEntry:
    location: str
    size: int
    modified_ms: int


class NotReadHere(OSError):
    """This process has no way to the file, which may exist."""


def is_s3(location: str) -> bool:
    return location.startswith(_S3_SCHEMES)


def s3_endpoint(environ: Mapping[str, str] = os.environ) -> str | None:
    """Of a server that is not Amazon's. Buckets are then part of the path, not of the host name."""
    return environ.get("AWS_ENDPOINT_URL_S3") or environ.get("AWS_ENDPOINT_URL")


def s3_region(environ: Mapping[str, str] = os.environ) -> str | None:
    return environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION")


def is_local(location: str) -> bool:
    return local_path(location) is not None


def local_path(location: str) -> Path | None:
    """None for what is on another file system."""
    path = Path(location.removeprefix("file://").removeprefix("file:"))
    return path if path.is_absolute() else None


def read_bytes(location: str) -> bytes:
    """Raises FileNotFoundError where there is no such file, and NotReadHere where that cannot be known."""
    return _with_file_system(location, _read)


def exists(location: str) -> bool:
    """Raises NotReadHere where that cannot be known."""
    return _with_file_system(location, _exists)


def list_files(location: str) -> list[FileEntry]:
    """All files below a directory, or the one file of that name.

    Raises FileNotFoundError where there is nothing, and NotReadHere where that cannot be known.
    """
    root = location.rstrip("/")
    prefix = root[: root.index("://") + 3] if "://" in root else ""
    return _with_file_system(root, lambda files, path: _list(files, path, prefix))


def read_start(location: str, size: int) -> bytes:
    """The first bytes of a file, decompressed if its name says that it is compressed."""
    return _with_file_system(location, lambda files, path: _read_start(files, path, size))


def delete_file(location: str) -> None:
    """One that is gone already is no error."""
    with suppress(FileNotFoundError):
        _with_file_system(location, lambda files, path: files.delete_file(path))


def probe_writing(directory: str) -> None:
    """Writes and deletes a file in a directory; raises OSError where that fails.

    On S3 an empty object remains, by which Arrow marks the directory.
    """
    _with_file_system(f"{directory.rstrip('/')}/.headrace-{uuid.uuid4().hex}", _write_and_delete)


def _read(files: FileSystem, path: str) -> bytes:
    with files.open_input_file(path) as file:
        content: bytes = file.read()
    return content


def _read_start(files: FileSystem, path: str, size: int) -> bytes:
    with files.open_input_stream(path, compression="detect") as file:
        content: bytes = file.read(size)
    return content


def _list(files: FileSystem, path: str, prefix: str) -> list[FileEntry]:
    there = files.get_file_info(path)
    if there.type is FileType.NotFound:
        raise FileNotFoundError(path)
    is_directory = there.type is FileType.Directory
    found = files.get_file_info(FileSelector(path, recursive=True)) if is_directory else [there]
    return [_entry(each, prefix) for each in found if each.type is FileType.File]


def _entry(found: FileInfo, prefix: str) -> FileEntry:
    return FileEntry(f"{prefix}{found.path}", found.size, (found.mtime_ns or 0) // 1_000_000)


def _exists(files: FileSystem, path: str) -> bool:
    return bool(files.get_file_info(path).type is not FileType.NotFound)


def _write_and_delete(files: FileSystem, path: str) -> None:
    with files.open_output_stream(path) as file:
        file.write(b"probe")
    files.delete_file(path)


def _with_file_system(location: str, action: Callable[[FileSystem, str], T]) -> T:
    path = local_path(location)
    if path is not None:
        return action(_LOCAL, str(path))
    if not is_s3(location):
        raise NotReadHere(f"{location} is on a file system that only Spark reads")
    within_s3 = location.partition("://")[2]
    return _with_bucket(_Bucket(within_s3.partition("/")[0], s3_endpoint(), s3_region()), within_s3, action)


def _with_bucket(bucket: _Bucket, path: str, action: Callable[[FileSystem, str], T]) -> T:
    """One that cannot be reached is left alone for a while: each attempt would hold up its caller."""
    if time.monotonic() < _left_alone.get(bucket, 0.0):
        raise NotReadHere(f"bucket {bucket.name} could not be reached")
    try:
        return action(_connect(bucket), path)
    except FileNotFoundError:
        raise
    except OSError as error:
        _left_alone[bucket] = time.monotonic() + _RETRY_AFTER_SECONDS
        raise NotReadHere(_reason(error)) from error


def _reason(error: OSError) -> str:
    """Without the request that failed, which the user did not make."""
    found = _AWS_ERROR.search(str(error))
    return found["reason"] if found else str(error)


@cache
def _connect(bucket: _Bucket) -> FileSystem:
    """Arrow reads neither the endpoint nor every variable of the region by itself."""
    is_amazon = bucket.endpoint is None
    region = bucket.region or (resolve_s3_region(bucket.name) if is_amazon else None)
    return S3FileSystem(
        region=region,
        endpoint_override=bucket.endpoint,
        connect_timeout=_CONNECT_SECONDS,
        request_timeout=_REQUEST_SECONDS,
    )
