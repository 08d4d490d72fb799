"""All statement families: by which rules a statement is read, and which command executes it.

A new family is a folder beside this file and an entry in this table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.features.connections import grammar as connections
from headrace.features.dynamic_tables import grammar as dynamic_tables
from headrace.features.dynamic_tables import grammar_statements as tables
from headrace.features.family import Command, Family, StatementTable
from headrace.features.jobs import grammar as jobs
from headrace.features.key_indexes import grammar as key_indexes
from headrace.features.pipes import grammar as pipes
from headrace.features.pipes import grammar_copy as copy
from headrace.features.pipes import grammar_pipes
from headrace.features.recovery import grammar as recovery
from headrace.features.stream_writers import grammar as stream_writers
from headrace.features.streams import grammar as streams
from headrace.features.syncs import grammar as syncs
from headrace.features.tasks import grammar as tasks
from headrace.features.vclusters import grammar as vclusters
from headrace.features.volumes import grammar as volumes
from headrace.model.role import Privilege
from headrace.sql.parsing import not_yet, show_describe, statements


def _on_action(*operations: type) -> Callable[[Any], Privilege]:
    """Of an ALTER: these of its actions change no definition."""
    return lambda statement: _step(isinstance(statement.action, operations))


def _step(is_operation: bool) -> Privilege:
    return Privilege.OPERATE if is_operation else Privilege.MODIFY


def _execution(statement: tasks.ExecuteTask) -> Privilege:
    """Parameters become part of the statements of the task."""
    return _step(not statement.parameters)


def _sync_step(statement: syncs.AlterSync) -> Privilege:
    return _step(statement.action in (syncs.SyncAction.PAUSE, syncs.SyncAction.RESUME))


def _pipe_step(statement: grammar_pipes.AlterPipe) -> Privilege:
    return _step(statement.options == grammar_pipes.PipeOptions(is_paused=statement.options.is_paused))


FAMILIES: tuple[Family, ...] = (
    Family(
        "headrace.features.dynamic_tables",
        dynamic_tables.RULES,
        {
            tables.CreateDynamicTable: Command("create:create_dynamic_table"),
            tables.RefreshDynamicTable: Command(
                "refresh_statement:refresh_dynamic_table", requires=Privilege.OPERATE
            ),
            tables.Explain: Command("explain_statement:explain", requires=Privilege.SELECT),
            tables.VerifyDynamicTable: Command(
                "verify_statement:verify_dynamic_table", requires=Privilege.OPERATE
            ),
            tables.AlterDynamicTable: Command(
                "alter_statement:alter_dynamic_table", requires=_on_action(tables.Suspend, tables.Resume)
            ),
            tables.AlterTable: Command("alter_table:alter_table"),
            tables.SetArgument: Command("session_arguments:set_argument", requires=Privilege.SELECT),
            tables.ResetArgument: Command("session_arguments:reset_argument", requires=Privilege.SELECT),
            tables.ShowArgument: Command("session_arguments:show_argument", requires=Privilege.SELECT),
        },
    ),
    Family(
        "headrace.features.recovery",
        recovery.RULES,
        {
            tables.DropDynamicTable: Command("drop:drop_dynamic_table"),
            recovery.DropTable: Command("drop:drop_table", accepts_parameters=True),
            recovery.Undrop: Command("undrop:undrop"),
            recovery.Restore: Command("restore:restore"),
            recovery.Vacuum: Command("vacuum:vacuum"),
            recovery.Optimize: Command("optimize:optimize"),
            recovery.DescribeHistory: Command(
                "describe_history:describe_history", accepts_parameters=True, requires=Privilege.SELECT
            ),
        },
    ),
    Family(
        "headrace.features.streams",
        streams.RULES,
        {
            streams.CreateTableStream: Command("create_stream:create_table_stream"),
            streams.DropTableStream: Command("drop_stream:drop_table_stream"),
            streams.DescribeTableStream: Command(
                "show_streams:describe_table_stream", requires=Privilege.SELECT
            ),
            streams.ShowTableStreams: Command(
                "show_streams:show_table_streams", accepts_parameters=True, requires=Privilege.SELECT
            ),
        },
    ),
    Family(
        "headrace.ingest",
        pipes.RULES,
        {
            copy.CopyInto: Command("copy_statement:copy_into"),
            grammar_pipes.CreatePipe: Command("pipe_definitions:create_pipe"),
            grammar_pipes.ExplainCreatePipe: Command("pipe_definitions:explain_create_pipe"),
            grammar_pipes.AlterPipe: Command("pipe_definitions:alter_pipe", requires=_pipe_step),
            grammar_pipes.DropPipe: Command("pipe_definitions:drop_pipe"),
            grammar_pipes.DescribePipe: Command("pipe_views:describe_pipe", requires=Privilege.SELECT),
            grammar_pipes.ShowPipes: Command(
                "pipe_views:show_pipes", accepts_parameters=True, requires=Privilege.SELECT
            ),
            grammar_pipes.ExecutePipe: Command("pipe_run:execute_pipe", requires=Privilege.OPERATE),
        },
    ),
    Family(
        "headrace.ingest",
        volumes.RULES,
        {
            volumes.CreateVolume: Command("volume_statements:create_volume"),
            volumes.DropVolume: Command("volume_statements:drop_volume"),
            volumes.DescribeVolume: Command("volume_statements:describe_volume", requires=Privilege.SELECT),
            volumes.ShowVolumes: Command(
                "volume_statements:show_volumes", accepts_parameters=True, requires=Privilege.SELECT
            ),
        },
    ),
    Family(
        "headrace.ingest",
        connections.RULES,
        {
            connections.CreateConnection: Command("connection_statements:create_connection"),
            connections.DropConnection: Command("connection_statements:drop_connection"),
            connections.DescribeConnection: Command(
                "connection_statements:describe_connection", requires=Privilege.SELECT
            ),
            connections.ShowConnections: Command(
                "connection_statements:show_connections", accepts_parameters=True, requires=Privilege.SELECT
            ),
            connections.TestConnection: Command("connection_statements:test_connection"),
        },
    ),
    Family(
        "headrace.ingest",
        syncs.RULES,
        {
            syncs.CreateSync: Command("sync_definitions:create_sync"),
            syncs.AlterSync: Command("sync_changes:alter_sync", requires=_sync_step),
            syncs.DropSync: Command("sync_definitions:drop_sync"),
            syncs.ExecuteSync: Command("sync_run:execute_sync", requires=Privilege.OPERATE),
            syncs.DescribeSync: Command("sync_views:describe_sync", requires=Privilege.SELECT),
            syncs.ShowSyncs: Command(
                "sync_views:show_syncs", accepts_parameters=True, requires=Privilege.SELECT
            ),
        },
    ),
    Family(
        "headrace.ingest.stream_writers",
        stream_writers.RULES,
        {stream_writers.ShowStreamWriters: Command("show:show_stream_writers", requires=Privilege.SELECT)},
    ),
    Family(
        "headrace.features.tasks",
        tasks.RULES,
        {
            tasks.CreateTask: Command("task_commands:change_task"),
            tasks.AlterTask: Command("task_commands:change_task", requires=_on_action(tasks.TaskStep)),
            tasks.DropTask: Command("task_commands:change_task"),
            tasks.ExecuteTask: Command("task_commands:execute_task", requires=_execution),
            tasks.DescribeTask: Command("task_commands:describe_task", requires=Privilege.SELECT),
            tasks.ShowTasks: Command(
                "task_commands:show_tasks", accepts_parameters=True, requires=Privilege.SELECT
            ),
            tasks.ShowTaskRuns: Command(
                "task_commands:show_task_runs", accepts_parameters=True, requires=Privilege.SELECT
            ),
        },
    ),
    Family(
        "headrace.features.vclusters",
        vclusters.RULES,
        {
            vclusters.CreateVcluster: Command("vcluster_commands:change_here"),
            vclusters.AlterVcluster: Command(
                "vcluster_commands:change_here",
                requires=_on_action(vclusters.ResumeVcluster, vclusters.SuspendVcluster),
            ),
            vclusters.DropVcluster: Command("vcluster_commands:change_here"),
            vclusters.UseVcluster: Command("vcluster_commands:change_here", requires=Privilege.SELECT),
            vclusters.DescribeVcluster: Command(
                "vcluster_commands:describe_vcluster", requires=Privilege.SELECT
            ),
            vclusters.ShowVclusters: Command(
                "vcluster_commands:show_vclusters", accepts_parameters=True, requires=Privilege.SELECT
            ),
        },
    ),
    Family(
        "headrace.features.jobs",
        jobs.RULES,
        {
            jobs.ShowJobs: Command(
                "job_commands:show_jobs", accepts_parameters=True, requires=Privilege.SELECT
            ),
            jobs.DescribeJob: Command("job_commands:describe_job", requires=Privilege.SELECT),
            jobs.CancelJob: Command("job_commands:cancel_job", requires=Privilege.OPERATE),
        },
    ),
    Family(
        "headrace.features.key_indexes",
        key_indexes.RULES,
        {
            key_indexes.ShowKeyIndexes: Command(
                "show_indexes:show_key_indexes", accepts_parameters=True, requires=Privilege.SELECT
            ),
        },
    ),
    Family(
        "headrace.commands",
        show_describe.RULES + not_yet.RULES,
        {
            tables.ShowDynamicTables: Command(
                "show:show_dynamic_tables", accepts_parameters=True, requires=Privilege.SELECT
            ),
            tables.ShowRefreshHistory: Command(
                "show:show_refresh_history", accepts_parameters=True, requires=Privilege.SELECT
            ),
            tables.CreateMaterializedView: Command("unsupported_statements:refuse_materialized_view"),
            statements.ShowTables: Command(
                "show:show_tables", accepts_parameters=True, requires=Privilege.SELECT
            ),
            statements.ShowTablesHistory: Command(
                "show:show_tables_history", accepts_parameters=True, requires=Privilege.SELECT
            ),
            statements.ShowCreateTable: Command(
                "describe:show_create_table", accepts_parameters=True, requires=Privilege.SELECT
            ),
            statements.Describe: Command(
                "describe:describe", accepts_parameters=True, requires=Privilege.SELECT
            ),
            statements.NotYet: Command("unsupported_statements:refuse_not_yet"),
            statements.Passthrough: Command("passthrough:run_guarded", accepts_parameters=True),
        },
    ),
)

STATEMENTS = StatementTable(FAMILIES)
