"""How much memory the rows of a request take up, found out before it is taken.

A request of 16 MB can mean any number of rows: its buffers may be compressed, columns of NULL have no bytes,
and texts that many rows share are there once.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from headrace.errors import DataError
from headrace.model.counted import counted

LARGEST_ROWS = 256 << 20
"""Bytes of the rows of one request, in the columns of their table."""
_REFERENCE = 4
"""Bytes of a value of any length that is empty or NULL."""
_COMPRESSED_LENGTH = struct.Struct("<q")


def expect_room_for(rows: int, schema: pa.Schema, given: int = 0) -> None:
    """``given``: bytes of the values themselves, as far as they are known."""
    if given + rows * sum(_least_width(field.type) for field in schema) > LARGEST_ROWS:
        raise DataError(
            f"{counted(rows, 'row')} of the request take up more than {LARGEST_ROWS >> 20} MB",
            hint="send fewer rows in a request",
        )


def _least_width(kind: pa.DataType) -> int:
    if pa.types.is_struct(kind):
        return sum(_least_width(field.type) for field in kind)
    try:
        return max(1, int(kind.bit_width) // 8)
    except ValueError:
        return _REFERENCE


def expect_room_for_stream(body: bytes, schema: pa.Schema) -> None:
    """Of an Arrow stream whose buffers are not decompressed yet."""
    rows = size = 0
    for message in pa.ipc.MessageReader.open_stream(body):
        if message.type in ("record batch", "dictionary"):
            batch_rows, batch_size = _batch_size(message)
            rows += batch_rows if message.type == "record batch" else 0
            size += batch_size
    expect_room_for(rows, schema, size)


def expect_room_for_shared_values(table: pa.Table, schema: pa.Schema) -> None:
    """Of dictionaries and views, which become plain columns."""
    size = sum(_plain_size(chunk) for column in table.columns for chunk in column.chunks)
    expect_room_for(table.num_rows, schema, size)


def _plain_size(array: pa.Array) -> int:
    if pa.types.is_dictionary(array.type):
        values = array.dictionary
        width = _least_width(values.type)
        if not _has_lengths(values.type):
            return width * len(array)
        lengths = pc.binary_length(values).take(array.indices)
        return _total(lengths)
    if pa.types.is_string_view(array.type) or pa.types.is_binary_view(array.type):
        words = pa.Array.from_buffers(pa.int32(), 4 * (array.offset + len(array)), [None, array.buffers()[1]])
        return _total(words.take(pa.array(range(4 * array.offset, len(words), 4), pa.int64())))
    return int(array.nbytes)


def _has_lengths(kind: pa.DataType) -> bool:
    types = pa.types
    return any(
        is_kind(kind)
        for is_kind in (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    )


def _total(lengths: pa.Array) -> int:
    return pc.sum(lengths.cast(pa.int64())).as_py() or 0


def _batch_size(message: pa.ipc.Message) -> tuple[int, int]:
    """Rows of a batch, or values of a dictionary, and its bytes without compression."""
    header = _Table.root(bytes(message.metadata)).table(_HEADER)
    batch = header.table(_DICTIONARY_DATA) if message.type == "dictionary" else header
    body = memoryview(message.body)
    if not batch.has(_COMPRESSION):
        return batch.long(_ROWS), len(body)
    size = 0
    for offset, length in batch.pairs(_BUFFERS):
        if length >= _COMPRESSED_LENGTH.size:
            (whole,) = _COMPRESSED_LENGTH.unpack_from(body, offset)
            size += length if whole < 0 else whole
    return batch.long(_ROWS), size


_HEADER = 2
"""Of a message: the batch, or the dictionary with its batch."""
_DICTIONARY_DATA = 1
_ROWS, _BUFFERS, _COMPRESSION = 0, 2, 3


class _Table:
    """A table of FlatBuffers, whose fields have numbers. Arrow has verified that it is one."""

    def __init__(self, data: bytes, start: int) -> None:
        self._data = data
        self._start = start
        self._fields = start - self._read("<i", start)

    @staticmethod
    def root(data: bytes) -> _Table:
        return _Table(data, struct.unpack_from("<I", data)[0])

    def has(self, field: int) -> bool:
        return self._place(field) != 0

    def long(self, field: int) -> int:
        place = self._place(field)
        return self._read("<q", place) if place else 0

    def table(self, field: int) -> _Table:
        place = self._place(field)
        return _Table(self._data, place + self._read("<I", place))

    def pairs(self, field: int) -> Iterator[tuple[int, int]]:
        """A list of structs with two numbers."""
        place = self._place(field)
        if place:
            start = place + self._read("<I", place)
            for number in range(self._read("<I", start)):
                yield struct.unpack_from("<qq", self._data, start + 4 + 16 * number)

    def _place(self, field: int) -> int:
        """0: it has none."""
        entry = 4 + 2 * field
        if entry >= self._read("<H", self._fields):
            return 0
        offset = self._read("<H", self._fields + entry)
        return self._start + offset if offset else 0

    def _read(self, form: str, place: int) -> int:
        (found,) = struct.unpack_from(form, self._data, place)
        return int(found)
