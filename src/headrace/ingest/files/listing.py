"""Which files of a source are there, and which of them are complete."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

from headrace.errors import NotFound, OperationalError, Refused
from headrace.features.pipes.model import FileSource
from headrace.lake.file_systems import FileEntry, NotReadHere, is_s3, list_files, local_path

_UNFINISHED = (".tmp", ".temp", ".part", ".partial", ".inprogress", ".crdownload", ".filepart", "._copying_")
"""Endings by which programs mark files that they are still writing."""


def root_of(path: str) -> str:
    """The directory or file, as files below it are written down."""
    if is_s3(path):
        return "s3://" + path.partition("://")[2].rstrip("/")
    local = local_path(path)
    if local is None:
        raise Refused(
            f"{path} is not an absolute path and not an address on S3",
            hint="write the whole path, such as '/data/orders' or 's3://bucket/orders'",
        )
    return str(local).rstrip("/") or "/"


def list_source(source: FileSource) -> list[FileEntry]:
    """The files that the source means, in the order in which they are loaded."""
    root = root_of(source.path.text)
    try:
        listed = list_files(root)
    except FileNotFoundError:
        raise NotFound(f"{root} does not exist", hint="create the directory first") from None
    except NotReadHere as error:
        raise OperationalError(
            f"{root} cannot be read: {error}", hint="check the address and the credentials"
        ) from None
    except OSError as error:
        raise OperationalError(f"{root} cannot be read: {error.strerror or error}") from None
    named = _named(
        source, {_below(each, root): each for each in listed if _is_finished(_below(each, root))}, root
    )
    return sorted(named, key=lambda each: (each.modified_ms, each.location))


def _named(source: FileSource, files: dict[str, FileEntry], root: str) -> Iterable[FileEntry]:
    if source.files:
        missing = [name for name in source.files if name not in files]
        if missing:
            raise NotFound(
                f"{root} has no file {missing[0]}", hint="names in FILES are those below the directory"
            )
        return [files[name] for name in source.files]
    if source.pattern is not None:
        return _matching(source.pattern, files)
    return files.values()


def _matching(pattern: str, files: dict[str, FileEntry]) -> list[FileEntry]:
    """In time that grows with the length of the names; Python could take days, and stop the process."""
    try:
        found = pc.match_substring_regex(pa.array(list(files), pa.string()), rf"\A(?:{pattern})\z")
    except pa.ArrowInvalid as error:
        raise Refused(
            f"the regular expression cannot be used: {error}",
            hint="REGEXP has the syntax of RE2, without lookahead and references to groups",
        ) from None
    return [file for file, fits in zip(files.values(), found.to_pylist(), strict=True) if fits]


def _below(file: FileEntry, root: str) -> str:
    """Its path below the root; of the root itself its name."""
    if file.location == root:
        return root.rpartition("/")[2]
    return file.location.removeprefix(root).lstrip("/")


def _is_finished(name: str) -> bool:
    """Names that begin with an underscore or a dot are those of no data, as Hadoop has it."""
    hidden = any(part.startswith((".", "_")) for part in name.split("/"))
    return not hidden and not name.lower().endswith(_UNFINISHED)


def settled(files: Iterable[FileEntry], before_ms: int) -> list[FileEntry]:
    """Files that have not been written to since a moment. On S3 a file is there when it is complete."""
    return [each for each in files if each.modified_ms <= before_ms or is_s3(each.location)]
