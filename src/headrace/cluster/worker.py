"""The process of a virtual cluster: a Spark application that does what its server asks for.

Started with the number of a socket that it shares with the server. When the server is gone so is its purpose,
and it ends at once, whatever it was at: a commit has happened or has not.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing.connection import Connection as Channel
from urllib.parse import quote

from headrace.cluster.messages import (
    Assignment,
    Cancel,
    ChangeTable,
    CommitRows,
    Describe,
    Described,
    EndSession,
    Execute,
    Failed,
    IngestFile,
    JobProgressRequest,
    Progress,
    ReadRows,
    Refreshed,
    RefreshTable,
    ReleaseRows,
    Reply,
    Request,
    RowRecorded,
    RowsCommitted,
    RowsRead,
    RowsReady,
    Started,
    StatementReply,
    Stop,
    TableChanged,
)
from headrace.commands.databases import shared_locks
from headrace.commands.execute import execute
from headrace.commands.external_changes import change_table
from headrace.commands.open_lake import OpenLake
from headrace.commands.statement_context import StatementContext
from headrace.errors import EngineLost, Error, InternalError, NotFound
from headrace.lake.commit.streamed_rows import StreamedRows
from headrace.lake.directory import LakeDirectory, open_directory
from headrace.lake.external.file_frames import file_view
from headrace.lake.session import LakeSession
from headrace.lake.spark.engine import engine_ends_within, engine_needed
from headrace.lake.spark.job_groups import cancel_until_over, progress_of
from headrace.lake.spark.sandbox import closed_settings, sandbox_of
from headrace.lake.spark.spark_rows import SparkRows
from headrace.model.change import Recorded
from headrace.model.clock import system_clock
from headrace.model.quoting import quote_identifier
from headrace.model.role import Privilege
from headrace.refresh.run import Request as Wanted
from headrace.refresh.run import refresh_table
from headrace.result import Rows
from headrace.results.source import INLINE_BYTES, Chunk
from headrace.results.spool import Spool, whole_stream, write_table
from headrace.results.spools import Spools
from headrace.sql.parsed import ParsedStatement

_GONE = 1
READ_SECONDS = 10.0
"""Whoever waits for rows hears after so long that there are none yet."""


class ServerLink:
    """Replies to the server, from any thread."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._sending = threading.Lock()

    def send(self, reply: Reply) -> None:
        with self._sending:
            self._channel.send(reply)

    def report(self, row: Recorded) -> None:
        with suppress(OSError):  # the server has ended, and this process is about to
            self.send(RowRecorded(row))


class Worker:
    def __init__(self, channel: Channel, link: ServerLink, lake: OpenLake) -> None:
        self._channel = channel
        self._send = link.send
        self._lake = lake
        self._sessions: dict[str, LakeSession] = {}
        self._opening = threading.Lock()
        self._unanswered: set[str] = set()
        self._context = lake.catalog_session.spark.sparkContext
        self._results = Spools(lake.directory.result_limits)

    def serve(self) -> None:
        """Until it is told to stop."""
        while not isinstance(request := self._channel.recv(), Stop):
            if isinstance(request, Execute | IngestFile | RefreshTable):
                self._unanswered.add(request.job)
            elif isinstance(request, Describe):
                self._unanswered.add(request.statement.job)
            threading.Thread(target=self._handle, args=(request,), daemon=True).start()

    def _handle(self, request: Request) -> None:
        match request:
            case Execute():
                self._answer(request.job, lambda: self._execute(request))
            case Describe():
                self._answer(request.statement.job, lambda: self._describe(request.statement))
            case IngestFile():
                self._answer(request.job, lambda: self._ingest(request))
            case RefreshTable():
                self._answer(request.job, lambda: self._refresh(request))
            case CommitRows():
                self._answer(request.job, lambda: self._commit_rows(request))
            case ChangeTable():
                self._answer(request.job, lambda: self._change_table(request))
            case Cancel():
                cancel_until_over(self._context, request.job, lambda: request.job not in self._unanswered)
            case JobProgressRequest():
                self._send(Progress(request.job, progress_of(self._context, [request.job])))
            case ReadRows():
                self._send(RowsRead(request.id, self._read_rows(request)))
            case ReleaseRows():
                self._results.release(request.job)
            case EndSession():
                self._sessions.pop(request.session, None)
                self._results.release_session(request.session)

    def _answer(self, job: str, work: Callable[[], Reply]) -> None:
        try:
            with engine_needed():
                reply = work()
        except EngineLost:
            os._exit(_GONE)
        except Error as error:
            reply = Failed(job, error)
        except Exception as error:  # noqa: BLE001  (whoever waits for the job must hear of it)
            reply = Failed(job, _as_error(error))
        self._unanswered.discard(job)
        self._send(reply)

    def _execute(self, request: Execute) -> StatementReply:
        session, lost = self._session(request)
        context = StatementContext(self._lake, session, request.user)
        with (
            self._storing(request) as spool,
            context.session.jobs.group(request.job),
            session.acting_as(request.user),
        ):
            result = execute(ParsedStatement(request.text), request.parameters, context)
            types = tuple(result.types)
            spool.notify_above(INLINE_BYTES, lambda: self._announce(request.job, spool, types))
            _store(result.rows, spool)
            count = spool.rows if types else result.row_count
        return StatementReply(
            request.job,
            self._inline_rows(request, spool),
            types,
            (*lost, *result.notices),
            context.session.workspace,
            context.session.schema,
            count,
            context.query_tag,
        )

    def _describe(self, request: Execute) -> Described:
        """A query is planned and not run; what answers without Spark has its rows as well."""
        session, _ = self._session(request)
        context = StatementContext(self._lake, session, request.user)
        with session.jobs.group(request.job), session.acting_as(request.user):
            rows = execute(ParsedStatement(request.text), request.parameters, context).rows
            schema = rows.schema() if isinstance(rows, SparkRows) else rows.arrow().schema
        return Described(request.job, bytes(schema.serialize()))

    def _ingest(self, request: IngestFile) -> StatementReply:
        columns = ", ".join(map(quote_identifier, request.columns))
        with self._lake.borrow_session() as session, session.jobs.group(request.job):
            context = StatementContext(self._lake, session, request.user)
            with file_view([str(request.file)], "parquet", {}, None, session) as view:
                text = f"{request.write} SELECT {columns} FROM {view}"
                result = execute(ParsedStatement(text), None, context)
                spool = self._results.open(request.job, request.job)
                _store(result.rows, spool)
        stream = whole_stream(spool)
        self._results.release(request.job)
        return StatementReply(
            request.job, stream, (), result.notices, session.workspace, session.schema, result.row_count
        )

    @contextmanager
    def _storing(self, request: Execute) -> Iterator[Spool]:
        """Of a statement that fails, whoever reads its rows hears of it; then the server releases them."""
        spool = self._results.open(request.job, request.session)
        try:
            yield spool
        except BaseException as error:
            spool.fail(_as_error(error))
            if spool.usage.total <= INLINE_BYTES:
                self._results.release(request.job)
            raise

    def _announce(self, job: str, spool: Spool, types: tuple[str, ...]) -> None:
        self._send(RowsReady(job, bytes(spool.schema.serialize()), types))

    def _inline_rows(self, request: Execute, spool: Spool) -> bytes | None:
        if spool.usage.total > INLINE_BYTES:
            if request.session not in self._sessions:  # it has ended meanwhile
                self._results.release(request.job)
            return None
        stream = whole_stream(spool)
        self._results.release(request.job)
        return stream

    def _read_rows(self, request: ReadRows) -> Chunk | Error:
        try:
            return self._results.find(request.job).read(request.row, READ_SECONDS)
        except Error as error:
            return error

    def _session(self, request: Execute) -> tuple[LakeSession, list[str]]:
        """The session as it was in another process, and what of it could not be brought back."""
        lost: list[str] = []
        with self._opening:
            session = self._sessions.get(request.session)
            if session is None:
                session = self._lake.new_session(reads_only=not request.role.allows(Privilege.MODIFY))
                context = StatementContext(self._lake, session, request.user)
                for text in request.journal:
                    try:
                        with session.acting_as(request.user):
                            execute(ParsedStatement(text), None, context)
                    except Error as error:
                        lost.append(f"the session could not be restored completely: {text} ({error.message})")
                self._sessions[request.session] = session
            return session, lost

    def _refresh(self, request: RefreshTable) -> Refreshed:
        table = self._lake.store.definitions.find(request.table)
        if table is None:
            raise NotFound(f"dynamic table {request.table} does not exist")
        session = self._lake.catalog_session
        with session.jobs.group(request.job), self._lake.alone_with(table):
            current = self._lake.store.definitions.find(request.table)
            if current is None:
                raise NotFound(f"dynamic table {request.table} no longer exists")
            context = StatementContext(self._lake, session).refresh_context
            wanted = Wanted(
                trigger=request.trigger,
                job_id=request.job,
                given=request.given,
                arguments=request.arguments,
            )
            return Refreshed(request.job, refresh_table(current, context, wanted))

    def _commit_rows(self, request: CommitRows) -> RowsCommitted:
        with self._lake.borrow_session() as session, session.jobs.group(request.job):
            staging = self._lake.directory.staging
            rows = StreamedRows(request.table, request.uuid, request.files, session, staging)
            now = int(self._lake.clock().timestamp())
            return RowsCommitted(request.job, rows.commit(request.ended, now))

    def _change_table(self, request: ChangeTable) -> TableChanged:
        with self._lake.borrow_session() as session, session.jobs.group(request.job):
            context = StatementContext(self._lake, session)
            answer = change_table(request.change, request.table, request.request, request.places, context)
            return TableChanged(request.job, answer)


def _as_error(error: BaseException) -> Error:
    return error if isinstance(error, Error) else InternalError(f"{type(error).__name__}: {error}")


def _store(rows: Rows, spool: Spool) -> None:
    if isinstance(rows, SparkRows):
        rows.write_to(spool)
    else:
        write_table(rows.arrow(), spool)


def _directory(assignment: Assignment) -> LakeDirectory:
    """The lake as this cluster has it: with the cluster's own settings of Spark, and a log of its own."""
    lake = open_directory(assignment.lake)
    logs = lake.logs / f"cluster-{quote(assignment.cluster, safe='')}"
    logs.mkdir(exist_ok=True)
    settings = lake.settings
    closed = {} if settings.allow_outside else closed_settings(settings.allowed_directories)
    spark = {**lake.settings.spark, **closed, **assignment.spark}
    return replace(lake, settings=lake.settings.model_copy(update={"spark": spark}), log_directory=logs)


def _end_with_engine() -> None:
    engine_ends_within(None)
    os._exit(_GONE)


def main() -> None:
    channel = Channel(int(sys.argv[1]))
    assignment: Assignment = channel.recv()
    link = ServerLink(channel)
    try:
        directory = _directory(assignment)
        locks, sandbox = shared_locks(directory), sandbox_of(directory)
        lake = OpenLake(directory, system_clock, lambda _: None, locks, sandbox, link.report)
    except Error as error:
        link.send(Started(error))
        return
    lake.compacts = assignment.compacts
    threading.Thread(target=_end_with_engine, daemon=True).start()
    link.send(Started())
    try:
        Worker(channel, link, lake).serve()
    except (EOFError, OSError):
        os._exit(_GONE)
    lake.close()


if __name__ == "__main__":
    main()
