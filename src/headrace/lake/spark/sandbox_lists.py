"""What a statement of a served lake may be made of: kinds of plan nodes, procedures, options.

The names are Spark's own. A node that a later Spark adds is refused until it stands here.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

_PLANS = {
    "catalyst.plans.logical": """
        AddCheckConstraint AddColumns AddConstraint Aggregate AlterColumns AlterTableClusterBy
        AlterTableCollation AlterViewAs AlterViewSchemaBinding AnalyzeColumn AnalyzeTable AppendData AsOfJoin
        CTERelationDef CTERelationRef CacheTable CacheTableAsSelect Call CollectMetrics CommandResult
        CommentOnNamespace CommentOnTable CompoundBody CreateNamespace CreateTable CreateTableAsSelect
        CreateVariable CreateView Deduplicate DeleteFromTable DeleteFromTableWithFilters DescribeColumn
        DescribeFunction DescribeNamespace DescribeRelation Distinct DropColumns DropConstraint DropFunction
        DropNamespace DropPartitions DropTable DropVariable DropView EmptyRelation Except ExceptionHandler
        Expand Filter ForStatement Generate GlobalLimit IfElseStatement InsertIntoStatement Intersect
        IterateStatement Join LateralJoin LeaveStatement LimitAll LocalLimit LocalRelation LoopStatement
        MergeIntoTable MergeRows MultiResult NoopCommand Offset OneRowRelation OverwriteByExpression
        OverwritePartitionsDynamic Pivot Project Range RebalancePartitions RefreshFunction RefreshTable
        RenameColumn RenameTable Repartition RepartitionByExpression RepeatStatement ReplaceColumns
        ReplaceData ReplaceTable ReplaceTableAsSelect ResolvedHint Sample SearchedCaseStatement
        SetCatalogAndNamespace SetNamespaceLocation SetNamespaceProperties SetTableLocation
        SetTableProperties SetVariable SetViewProperties ShowColumns ShowCreateTable ShowFunctions
        ShowPartitions ShowTablePartition ShowTableProperties ShowTables ShowTablesExtended ShowViews
        SimpleCaseStatement SingleStatement Sort Subquery SubqueryAlias Tail Transpose TruncatePartition
        TruncateTable UncacheTable Union UnionLoop UnionLoopRef Unpivot UnresolvedHint UnresolvedWith
        UnsetTableProperties UnsetViewProperties UpdateTable View WhileStatement Window WithCTE
        WithWindowDefinition WriteDelta
        AddPartitionField CreateOrReplaceBranch CreateOrReplaceTag DropBranch DropIdentifierFields
        DropPartitionField DropTag OrderAwareCoalesce ReplacePartitionField SetIdentifierFields
        SetWriteDistributionAndOrdering
        AppendColumns AppendColumnsWithObject CoGroup DeserializeToObject JoinWith MapElements MapGroups
        MapPartitions SerializeFromObject TypedFilter
    """,
    "catalyst.plans.logical.views": "CreateIcebergView DropIcebergView ResolvedV2View ShowIcebergViews",
    "catalyst.analysis": """
        CurrentNamespace NameParameterizedQuery PlanWithUnresolvedIdentifier PosParameterizedQuery
        RelationTimeTravel
        ResolvedIdentifier ResolvedInlineTable ResolvedNamespace ResolvedNonPersistentFunc
        ResolvedPersistentFunc ResolvedPersistentView ResolvedProcedure ResolvedTable ResolvedTempView
        SQLFunctionNode SQLTableFunction UnresolvedExecuteImmediate UnresolvedFunctionName UnresolvedHaving
        UnresolvedIdentifier UnresolvedInlineTable UnresolvedNamespace UnresolvedProcedure UnresolvedRelation
        UnresolvedSubqueryColumnAliases UnresolvedTVFAliases UnresolvedTable UnresolvedTableOrView
        UnresolvedTableValuedFunction UnresolvedTranspose UnresolvedView
    """,
    "catalyst.expressions": "PipeOperator",
    "execution": "ExternalRDD LogicalRDD",
    "execution.columnar": "InMemoryRelation",
    "execution.command": """
        ClearCacheCommand CreateSQLFunctionCommand CreateViewCommand DescribeColumnCommand
        DescribeFunctionCommand DescribeProcedureCommand DescribeQueryCommand DescribeRelationJsonCommand
        DescribeTableCommand DropFunctionCommand DropTempViewCommand ExplainCommand RefreshFunctionCommand
        ResetCommand SetCatalogCommand SetCommand SetNamespaceCommand ShowCatalogsCommand
        ShowCurrentNamespaceCommand ShowFunctionsCommand ShowNamespacesCommand ShowProceduresCommand
        UnsetNamespacePropertiesCommand
    """,
    "execution.datasources": "LogicalRelation",
    "execution.datasources.v2": "DataSourceV2Relation DataSourceV2ScanRelation",
}

_CHANGES = """
    AddCheckConstraint AddColumns AddConstraint AlterColumns AlterTableClusterBy AlterTableCollation
    AlterViewAs AlterViewSchemaBinding AnalyzeColumn AnalyzeTable AppendData CacheTable CacheTableAsSelect
    Call CommentOnNamespace CommentOnTable CreateNamespace CreateTable CreateTableAsSelect CreateView
    DeleteFromTable DeleteFromTableWithFilters DropColumns DropConstraint DropFunction DropNamespace
    DropPartitions DropTable DropView InsertIntoStatement MergeIntoTable MergeRows OverwriteByExpression
    OverwritePartitionsDynamic RenameColumn RenameTable ReplaceColumns ReplaceData ReplaceTable
    ReplaceTableAsSelect SetNamespaceLocation SetNamespaceProperties SetTableLocation SetTableProperties
    SetViewProperties TruncatePartition TruncateTable UncacheTable UnsetTableProperties UnsetViewProperties
    UpdateTable WriteDelta AddPartitionField CreateOrReplaceBranch CreateOrReplaceTag DropBranch
    DropIdentifierFields DropPartitionField DropTag ReplacePartitionField SetIdentifierFields
    SetWriteDistributionAndOrdering CreateIcebergView DropIcebergView ClearCacheCommand
    CreateSQLFunctionCommand DropFunctionCommand UnsetNamespacePropertiesCommand
"""
"""Of these, what changes something that other sessions see or use. Temporary views, variables and settings
belong to the session."""

READ_OPTIONS = (
    *("snapshot-id", "as-of-timestamp", "branch", "tag", "start-snapshot-id", "end-snapshot-id"),
    *(
        "split-size",
        "lookback",
        "file-open-cost",
        "vectorization-enabled",
        "batch-size",
        "streaming-skip-delete",
    ),
    *(
        "target-file-size-bytes",
        "fanout-enabled",
        "distribution-mode",
        "isolation-level",
        "check-nullability",
    ),
)
"""Of Iceberg, for ``FROM t WITH (...)``: none names a file or another table."""


def plan_nodes() -> Iterator[str]:
    for package, names in _PLANS.items():
        yield from (f"{package}.{name}" for name in names.split())


def changing_nodes() -> Iterator[str]:
    changes = frozenset(_CHANGES.split())
    return (node for node in plan_nodes() if node.rpartition(".")[2] in changes)


def safe_functions() -> list[str]:
    """Functions of Spark that read and run nothing but their arguments."""
    return (files("headrace.lake.spark") / "safe_functions.txt").read_text().split()
