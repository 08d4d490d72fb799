"""One statement, whoever's it is."""

from __future__ import annotations

from typing import assert_never

from headrace.commands.alter import alter_dynamic_table
from headrace.commands.alter_table import alter_table
from headrace.commands.arguments import run_argument
from headrace.commands.create import create_dynamic_table
from headrace.commands.create_stream import create_table_stream
from headrace.commands.describe import describe, show_create_table
from headrace.commands.drop import drop_dynamic_table, drop_table
from headrace.commands.drop_stream import drop_table_stream
from headrace.commands.explain import explain
from headrace.commands.guard import run_guarded
from headrace.commands.jobs import cancel_job, describe_job, show_jobs
from headrace.commands.optimize import optimize
from headrace.commands.proposals import proposing_names
from headrace.commands.refresh import refresh_dynamic_table
from headrace.commands.restore import restore
from headrace.commands.show import (
    show_dynamic_tables,
    show_refresh_history,
    show_tables,
    show_tables_history,
)
from headrace.commands.show_streams import describe_table_stream, show_table_streams
from headrace.commands.tasks import (
    change_task,
    describe_task,
    execute_task,
    show_task_runs,
    show_tasks,
)
from headrace.commands.undrop import undrop
from headrace.commands.vacuum import vacuum
from headrace.commands.vclusters import change_here, describe_vcluster, show_vclusters
from headrace.commands.verify import verify_dynamic_table
from headrace.commands.versions import describe_history
from headrace.commands.workbench import Workbench
from headrace.errors import InterfaceError, NotSupportedError
from headrace.lake.session import Parameters
from headrace.result import Result
from headrace.sql.jobs import CancelJob, DescribeJob, ShowJobs
from headrace.sql.parsed import ParsedStatement
from headrace.sql.statements import (
    AlterDynamicTable,
    AlterTable,
    CreateDynamicTable,
    CreateMaterializedView,
    CreateTableStream,
    Describe,
    DescribeHistory,
    DescribeTableStream,
    DropDynamicTable,
    DropTable,
    DropTableStream,
    Explain,
    NotYet,
    Optimize,
    Passthrough,
    RefreshDynamicTable,
    ResetArgument,
    Restore,
    SetArgument,
    ShowArgument,
    ShowCreateTable,
    ShowDynamicTables,
    ShowRefreshHistory,
    ShowTables,
    ShowTablesHistory,
    ShowTableStreams,
    Undrop,
    Vacuum,
    VerifyDynamicTable,
)
from headrace.sql.tasks import (
    AlterTask,
    CreateTask,
    DescribeTask,
    DropTask,
    ExecuteTask,
    ShowTaskRuns,
    ShowTasks,
)
from headrace.sql.text import place_of
from headrace.sql.vclusters import (
    AlterVcluster,
    CreateVcluster,
    DescribeVcluster,
    DropVcluster,
    ShowVclusters,
    UseVcluster,
)


def execute(parsed: ParsedStatement, parameters: Parameters | None, bench: Workbench) -> Result:
    with proposing_names(bench):
        return _execute(parsed, parameters, bench)


def _execute(parsed: ParsedStatement, parameters: Parameters | None, bench: Workbench) -> Result:  # noqa: C901  (one case each)
    statement, text = parsed.node, parsed.text
    match statement:
        case Passthrough():
            return run_guarded(parsed, parameters, bench)
        case ShowTables():
            return show_tables(statement, text, parameters, bench)
        case ShowTablesHistory():
            return show_tables_history(statement, text, parameters, bench)
        case ShowDynamicTables():
            return show_dynamic_tables(statement, text, parameters, bench)
        case ShowTableStreams():
            return show_table_streams(statement, text, parameters, bench)
        case ShowRefreshHistory():
            return show_refresh_history(statement, text, parameters, bench)
        case Describe():
            return describe(statement, parsed, parameters, bench)
        case DescribeHistory():
            return describe_history(statement, text, parameters, bench)
        case ShowCreateTable():
            return show_create_table(statement, parsed, parameters, bench)
        case DropTable():
            return drop_table(statement, parsed, parameters, bench)
        case ShowJobs():
            return show_jobs(statement, text, parameters, bench)
        case ShowVclusters():
            return show_vclusters(statement, text, parameters, bench)
        case ShowTasks():
            return show_tasks(statement, text, parameters, bench)
        case ShowTaskRuns():
            return show_task_runs(statement, text, parameters, bench)
    if parameters:
        raise InterfaceError(
            "this statement does not accept parameters", hint="write the values into the text"
        )
    match statement:
        case SetArgument() | ResetArgument() | ShowArgument():
            return run_argument(statement, bench)
        case CreateDynamicTable():
            return create_dynamic_table(statement, text, bench)
        case RefreshDynamicTable():
            return refresh_dynamic_table(statement, text, bench)
        case Explain():
            return explain(statement, text, bench)
        case VerifyDynamicTable():
            return verify_dynamic_table(statement, text, bench)
        case DropDynamicTable():
            return drop_dynamic_table(statement, text, bench)
        case CreateMaterializedView():
            raise NotSupportedError(
                "materialized views are not supported",
                hint="use CREATE DYNAMIC TABLE, which stores the result of a query and refreshes it",
                place=place_of(text, statement.span),
            )
        case AlterDynamicTable():
            return alter_dynamic_table(statement, text, bench)
        case AlterTable():
            return alter_table(statement, text, bench)
        case Undrop():
            return undrop(statement, text, bench)
        case Restore():
            return restore(statement, text, bench)
        case Vacuum():
            return vacuum(statement, text, bench)
        case Optimize():
            return optimize(statement, text, bench)
        case CreateTableStream():
            return create_table_stream(statement, text, bench)
        case DropTableStream():
            return drop_table_stream(statement, text, bench)
        case DescribeTableStream():
            return describe_table_stream(statement, text, bench)
        case DescribeJob():
            return describe_job(statement, text, bench)
        case CancelJob():
            return cancel_job(statement, text, bench)
        case DescribeVcluster():
            return describe_vcluster(statement, text, bench)
        case CreateVcluster() | AlterVcluster() | DropVcluster() | UseVcluster():
            return change_here(statement, text, bench)
        case CreateTask() | AlterTask() | DropTask():
            return change_task(statement, text, bench)
        case DescribeTask():
            return describe_task(statement, text, bench)
        case ExecuteTask():
            return execute_task(statement, text, bench, execute)
        case NotYet():
            raise NotSupportedError(
                f"{statement.feature} is not supported in this version", place=place_of(text, statement.span)
            )
        case _:
            assert_never(statement)
