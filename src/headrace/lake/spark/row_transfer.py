"""The rows of a query, sent by Spark's tasks to this process as they are computed.

The driver has a connection for small partitions; each task that has more rows opens one of its own. A
connection begins with a secret and the number of the partition, and sends frames: the length of a message,
its number of rows, the message; a length of 0 ends a partition. The answer is one byte, once all is stored.
``headrace.results`` in Java is the other end.
"""

from __future__ import annotations

import secrets
import socket
import struct
import threading
from contextlib import suppress
from functools import lru_cache
from io import BufferedReader

from pyspark import SparkContext
from pyspark.sql import DataFrame

from headrace.errors import Error
from headrace.lake.spark.java_classes import java_class
from headrace.results.source import Message
from headrace.results.spool import Spool

_DRIVER = -1
_NO_MORE_PARTITIONS = -1
_STORED = b"\x01"
_INT = struct.Struct(">i")


def transfer_rows(frame: DataFrame, spool: Spool, *, large_types: bool) -> None:
    """Runs the query; returns when the spool is complete. What the spool refuses is the error, if it does."""
    java = java_class(frame.sparkSession, "headrace.results.ResultTransfer")(frame._jdf, large_types)
    with _Receiver(spool, _bind_address(frame.sparkSession.sparkContext)) as receiver:
        try:
            java.send(receiver.port, receiver.secret)
        except Exception:
            if spool.error is not None:
                raise spool.error from None
            raise


class _Receiver:
    """Listens while the query runs."""

    def __init__(self, spool: Spool, host: str) -> None:
        self._spool = spool
        self._listener = _listen(host)
        self.port: int = self._listener.getsockname()[1]
        self.secret = secrets.token_hex(16)
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> _Receiver:
        return self

    def __exit__(self, *_: object) -> None:
        """Tasks of a query that failed may still be connected."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            connections = list(self._connections)
        for connection in connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with self._lock:
            self._connections.add(connection)
        try:
            with connection, connection.makefile("rb") as file, suppress(Error, OSError, EOFError):
                frames = _Frames(file)
                if secrets.compare_digest(frames.exactly(len(self.secret)), self.secret.encode()):
                    self._receive(frames)
                    connection.sendall(_STORED)
        finally:
            with self._lock:
                self._connections.discard(connection)

    def _receive(self, frames: _Frames) -> None:
        partition = frames.integer()
        if partition != _DRIVER:
            self._receive_partition(partition, frames)
            return
        while (partition := frames.integer()) != _NO_MORE_PARTITIONS:
            self._receive_partition(partition, frames)
        self._spool.finish(frames.integer())

    def _receive_partition(self, partition: int, frames: _Frames) -> None:
        segment = self._spool.segment(partition)
        while (message := frames.message()) is not None:
            segment.append(message)
        segment.end()


class _Frames:
    def __init__(self, file: BufferedReader) -> None:
        self._file = file

    def exactly(self, length: int) -> bytes:
        data = self._file.read(length)
        if len(data) != length:
            raise EOFError
        return data

    def integer(self) -> int:
        number: int = _INT.unpack(self.exactly(_INT.size))[0]
        return number

    def message(self) -> Message | None:
        length = self.integer()
        if length == 0:
            return None
        rows = self.integer()
        return Message(self.exactly(length), rows)


@lru_cache(maxsize=1)
def _bind_address(context: SparkContext) -> str:
    """As of the driver itself: executors reach both under the name of the driver."""
    return str(context.getConf().get("spark.driver.bindAddress", "127.0.0.1"))


def _listen(host: str) -> socket.socket:
    family = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0][0]
    return socket.create_server((host, 0), family=family, backlog=128)
