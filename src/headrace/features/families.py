"""All statement families: by which rules a statement is read, and which command executes it.

A new family is a folder beside this file and an entry in this table.
"""

from __future__ import annotations

from headrace.features.dynamic_tables import grammar as dynamic_tables
from headrace.features.dynamic_tables import grammar_statements as tables
from headrace.features.family import Command, Family, StatementTable
from headrace.features.jobs import grammar as jobs
from headrace.features.recovery import grammar as recovery
from headrace.features.streams import grammar as streams
from headrace.features.tasks import grammar as tasks
from headrace.features.vclusters import grammar as vclusters
from headrace.sql import looks, not_yet, statements

FAMILIES: tuple[Family, ...] = (
    Family(
        dynamic_tables.RULES,
        {
            tables.CreateDynamicTable: Command(
                "headrace.features.dynamic_tables.create:create_dynamic_table"
            ),
            tables.RefreshDynamicTable: Command(
                "headrace.features.dynamic_tables.refresh_statement:refresh_dynamic_table"
            ),
            tables.Explain: Command("headrace.features.dynamic_tables.explain_statement:explain"),
            tables.VerifyDynamicTable: Command(
                "headrace.features.dynamic_tables.verify_statement:verify_dynamic_table"
            ),
            tables.AlterDynamicTable: Command(
                "headrace.features.dynamic_tables.alter_statement:alter_dynamic_table"
            ),
            tables.DropDynamicTable: Command("headrace.features.recovery.drop:drop_dynamic_table"),
            tables.ShowDynamicTables: Command("headrace.commands.show:show_dynamic_tables", True),
            tables.ShowRefreshHistory: Command("headrace.commands.show:show_refresh_history", True),
            tables.AlterTable: Command("headrace.features.dynamic_tables.alter_table:alter_table"),
            tables.SetArgument: Command("headrace.features.dynamic_tables.session_arguments:set_argument"),
            tables.ResetArgument: Command(
                "headrace.features.dynamic_tables.session_arguments:reset_argument"
            ),
            tables.ShowArgument: Command("headrace.features.dynamic_tables.session_arguments:show_argument"),
            tables.CreateMaterializedView: Command("headrace.commands.unsupported:refuse_materialized_view"),
        },
    ),
    Family(
        looks.RULES,
        {
            statements.ShowTables: Command("headrace.commands.show:show_tables", True),
            statements.ShowTablesHistory: Command("headrace.commands.show:show_tables_history", True),
            statements.ShowCreateTable: Command("headrace.commands.describe:show_create_table", True),
            statements.Describe: Command("headrace.commands.describe:describe", True),
        },
    ),
    Family(
        recovery.RULES,
        {
            recovery.DropTable: Command("headrace.features.recovery.drop:drop_table", True),
            recovery.Undrop: Command("headrace.features.recovery.undrop:undrop"),
            recovery.Restore: Command("headrace.features.recovery.restore:restore"),
            recovery.Vacuum: Command("headrace.features.recovery.vacuum:vacuum"),
            recovery.Optimize: Command("headrace.features.recovery.optimize:optimize"),
            recovery.DescribeHistory: Command("headrace.features.recovery.versions:describe_history", True),
        },
    ),
    Family(
        streams.RULES,
        {
            streams.CreateTableStream: Command("headrace.features.streams.create_stream:create_table_stream"),
            streams.DropTableStream: Command("headrace.features.streams.drop_stream:drop_table_stream"),
            streams.DescribeTableStream: Command(
                "headrace.features.streams.show_streams:describe_table_stream"
            ),
            streams.ShowTableStreams: Command(
                "headrace.features.streams.show_streams:show_table_streams", True
            ),
        },
    ),
    Family(
        tasks.RULES,
        {
            tasks.CreateTask: Command("headrace.features.tasks.task_commands:change_task"),
            tasks.AlterTask: Command("headrace.features.tasks.task_commands:change_task"),
            tasks.DropTask: Command("headrace.features.tasks.task_commands:change_task"),
            tasks.ExecuteTask: Command("headrace.features.tasks.task_commands:execute_task"),
            tasks.DescribeTask: Command("headrace.features.tasks.task_commands:describe_task"),
            tasks.ShowTasks: Command("headrace.features.tasks.task_commands:show_tasks", True),
            tasks.ShowTaskRuns: Command("headrace.features.tasks.task_commands:show_task_runs", True),
        },
    ),
    Family(
        vclusters.RULES,
        {
            vclusters.CreateVcluster: Command("headrace.features.vclusters.vcluster_commands:change_here"),
            vclusters.AlterVcluster: Command("headrace.features.vclusters.vcluster_commands:change_here"),
            vclusters.DropVcluster: Command("headrace.features.vclusters.vcluster_commands:change_here"),
            vclusters.UseVcluster: Command("headrace.features.vclusters.vcluster_commands:change_here"),
            vclusters.DescribeVcluster: Command(
                "headrace.features.vclusters.vcluster_commands:describe_vcluster"
            ),
            vclusters.ShowVclusters: Command(
                "headrace.features.vclusters.vcluster_commands:show_vclusters", True
            ),
        },
    ),
    Family(
        jobs.RULES,
        {
            jobs.ShowJobs: Command("headrace.features.jobs.job_commands:show_jobs", True),
            jobs.DescribeJob: Command("headrace.features.jobs.job_commands:describe_job"),
            jobs.CancelJob: Command("headrace.features.jobs.job_commands:cancel_job"),
        },
    ),
    Family(
        not_yet.RULES,
        {statements.NotYet: Command("headrace.commands.unsupported:refuse_not_yet")},
    ),
    Family((), {statements.Passthrough: Command("headrace.commands.guard:run_guarded", True)}),
)

STATEMENTS = StatementTable(FAMILIES)
