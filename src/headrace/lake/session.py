"""A conversation with Spark in one lake."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeAlias

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import DataType, _parse_datatype_json_string

from headrace.errors import Error, InternalError, NotFound, Refused, SqlSyntaxError
from headrace.lake.directory import LakeDirectory
from headrace.lake.spark.comparable import comparable
from headrace.lake.spark.engine import new_session
from headrace.lake.spark.java_classes import GUARDED_TABLES, java_class
from headrace.lake.spark.job_groups import JobGroups
from headrace.lake.spark.sandbox import GUARDED_CATALOG, Sandbox
from headrace.lake.spark.spark_errors import spark_errors
from headrace.lake.spark.spark_rows import SparkRows
from headrace.lake.spark.spark_types import type_text
from headrace.lake.spark.statement_parameters import bound
from headrace.lake.table.tables import TableCatalog
from headrace.model.catalog_backend import CatalogBackend
from headrace.model.dynamic_table import Column
from headrace.model.names import DEFAULT_SCHEMA, DEFAULT_WORKSPACE, DROPPED_SCHEMA, HIDDEN_SCHEMAS, TableName
from headrace.model.parameters import Parameters as Parameters
from headrace.model.quoting import show_identifier
from headrace.results.spools import Spools
from headrace.sql.tokens.positions import Rewritten, as_rewritten

_DATA_FREE = {
    "OneRowRelation",
    "LocalRelation",
    "Range",
    "CTERelationRef",
    "OneRowRelation$",
    "ResolvedInlineTable",
}
"""Leaves of a plan that read nothing stored."""

_TIDYING = (
    "analysis.EliminateSubqueryAliases",
    "optimizer.CollapseProject",
    "optimizer.RemoveRedundantAliases",
    "optimizer.CollapseProject",
    "optimizer.RemoveRedundantAliases",
    "optimizer.RemoveNoopOperators",
)


@dataclass(frozen=True)
class Analysis:
    """What Spark makes of a query without running it."""

    columns: tuple[Column, ...]
    tables: frozenset[TableName]
    foreign: tuple[str, ...]
    """Things it reads that are no table of any workspace."""
    deterministic: bool


StreamNames: TypeAlias = Callable[[], frozenset[TableName]]


class LakeSession:
    def __init__(
        self,
        lake: LakeDirectory,
        backend: CatalogBackend,
        streams: StreamNames = frozenset,
        sandbox: Sandbox | None = None,
    ) -> None:
        self.sandbox = sandbox
        self.spark: SparkSession = new_session(lake, backend, sandbox)
        self.catalog = TableCatalog(self.spark, backend)
        self.workspaces = frozenset({DEFAULT_WORKSPACE, *lake.settings.workspaces})
        self._zone = lake.settings.zone
        self._ignores_case = lake.settings.case_insensitive_names
        self._streams = streams
        self.jobs = JobGroups(self.spark.sparkContext)
        self.results = Spools(lake.result_limits)
        self.key_indexes = lake.key_indexes
        self.spark.sql(f"USE {DEFAULT_WORKSPACE}.{DEFAULT_SCHEMA}")

    @property
    def workspace(self) -> str:
        return str(self.spark.catalog.currentCatalog())

    @property
    def schema(self) -> str:
        return str(self.spark.catalog.currentDatabase())

    @cached_property
    def guarded_catalog(self) -> str:
        """The catalog of guarded tables, loaded into this session, where no RESET takes it away again."""
        with spark_errors():
            self.spark.conf.set(f"spark.sql.catalog.{GUARDED_CATALOG}", GUARDED_TABLES)
            self.spark.sql(f"SHOW TABLES IN {GUARDED_CATALOG}")
        return GUARDED_CATALOG

    def setting(self, key: str) -> str | None:
        return self.spark.conf.get(key, None)

    def change_setting(self, key: str, value: str | None) -> None:
        """None takes it away."""
        with spark_errors():
            if value is None:
                self.spark.conf.unset(key)
            else:
                self.spark.conf.set(key, value)

    def resolve(
        self, parts: tuple[str, ...], workspace: str | None = None, schema: str | None = None
    ) -> TableName:
        """The full name of what ``parts`` mean here and now, or as seen from the given schema.

        As it is spelled, if it exists; else as typed.
        """
        return self.as_spelled(self._full_name(parts, workspace, schema))

    def resolve_new(
        self, parts: tuple[str, ...], workspace: str | None = None, schema: str | None = None
    ) -> TableName:
        """The full name of something new: its schema as it is spelled, its name as typed."""
        name = self._full_name(parts, workspace, schema)
        return replace(name, schema=self.schema_as_spelled(name.workspace, name.schema))

    def as_spelled(self, name: TableName) -> TableName:
        """The name of what is there: exactly this one, or else the only one that differs from it in case."""
        if not self._ignores_case_in(name.workspace):
            return name
        streams = self._streams()
        if name in streams or self.catalog.is_known(name):
            return name
        here = replace(name, schema=self.schema_as_spelled(name.workspace, name.schema))
        alike = self.catalog.alike(here.workspace, here.schema, here.table)
        found = {replace(here, table=table) for table in alike} | _alike(here, streams)
        if here in found or not found:
            return here
        if len(found) > 1:
            listed = " or ".join(map(str, sorted(found)))
            raise NotFound(f"{name} does not exist", hint=f"did you mean {listed}?")
        return found.pop()

    def spell_current_schema(self) -> None:
        """After USE: Spark keeps the name of the schema as it was typed."""
        typed = self.schema
        spelled = self.schema_as_spelled(self.workspace, typed)
        if spelled != typed:
            self.spark.catalog.setCurrentDatabase(spelled)

    def schema_as_spelled(self, workspace: str, schema: str) -> str:
        if not self._ignores_case_in(workspace):
            return schema
        return self.catalog.schema_like(workspace, schema) or schema

    def _ignores_case_in(self, workspace: str) -> bool:
        return self._ignores_case and workspace == DEFAULT_WORKSPACE

    def _full_name(self, parts: tuple[str, ...], workspace: str | None, schema: str | None) -> TableName:
        if not all(parts):
            raise SqlSyntaxError("a name cannot be empty")
        dotted = ".".join(show_identifier(part) for part in parts)
        if len(parts) > 3:
            raise NotFound(f"{dotted} has too many parts", hint="names are workspace.schema.table")
        name = TableName.resolve(parts, workspace or self.workspace, schema or self.schema)
        if name.workspace not in self.workspaces:
            raise NotFound(
                f"workspace {show_identifier(name.workspace)} does not exist",
                hint=f"workspaces of this lake: {', '.join(sorted(self.workspaces))}",
            )
        if name.schema in HIDDEN_SCHEMAS:
            raise hidden_schema_refused(name.schema)
        return name

    def is_temporary_view(self, parts: tuple[str, ...]) -> bool:
        if len(parts) == 2 and parts[0].lower() == "global_temp":
            return True
        catalog: Any = self.spark._jsparkSession.sessionState().catalog()
        return len(parts) == 1 and bool(catalog.getTempView(parts[0]).isDefined())

    def temporary_view(self, parts: tuple[str, ...]) -> tuple[str, str, str] | None:
        """The query of a temporary view, and the workspace and schema that names in it are looked up in.

        None where there is no such view, or one that was made without a text.
        """
        if not self.is_temporary_view(parts):
            return None
        catalog: Any = self.spark._jsparkSession.sessionState().catalog()
        found = (
            catalog.getRawGlobalTempView(parts[1]) if len(parts) == 2 else catalog.getRawTempView(parts[0])
        )
        if found.isEmpty() or found.get().tableMeta().viewText().isEmpty():
            return None
        view = found.get().tableMeta()
        inside = view.viewCatalogAndNamespace()
        if inside.size() != 2:
            return None
        return str(view.viewText().get()), str(inside.apply(0)), str(inside.apply(1))

    def narrow_view(self, view: str, hides: Callable[[str], bool]) -> None:
        """A temporary view without some of its columns."""
        with spark_errors():
            frame = self.spark.table(view)
            kept = frame.drop(*filter(hides, frame.columns))
            kept.createOrReplaceTempView(view.strip("`"))

    def run(
        self, text: str | Rewritten, parameters: Parameters | None = None, *, blame: str | None = None
    ) -> SparkRows:
        """Queries are planned and stay lazy; commands have run when this returns.

        Errors point into ``blame``, the part of the text that the user wrote: by default all of it.
        """
        sent, arguments = self.bound(as_rewritten(text), parameters)
        wrote = sent if blame is None else as_rewritten(blame)
        with self.jobs.group() as group, spark_errors(wrote):
            frame = self.spark.sql(sent.text, args=arguments)
            return SparkRows(frame, wrote, partial(self.jobs.group, group), self.results)

    def bound(self, sent: Rewritten, parameters: Parameters | None) -> tuple[Rewritten, Any]:
        """A statement and its parameters as Spark takes them."""
        return bound(sent, parameters, self._zone)

    def canonical_type(self, text: str) -> str:
        """The one way Spark writes a type: ``INTEGER`` and ``int`` are the same."""
        return type_text(self._type(text))

    def comparable(self, expression: str, kind: str) -> str:
        """SQL of a value of type ``kind`` in a form that GROUP BY takes: see ``lake.comparable``."""
        return comparable(expression, self._type(kind))

    def _type(self, text: str) -> DataType:
        with spark_errors(text):
            parser: Any = self.spark._jsparkSession.sessionState().sqlParser()
            return _parse_datatype_json_string(parser.parseDataType(text).json())

    def analyze(self, query: str | Rewritten) -> Analysis:
        with spark_errors(query):
            frame = self.spark.sql(as_rewritten(query).text)
            return _analysis(frame)

    def check_explained(self, text: str | Rewritten) -> None:
        """Raises what is wrong with the statement in an EXPLAIN, which Spark would tell as its plan."""
        jvm: Any = self.spark._jvm
        state: Any = self.spark._jsparkSession.sessionState()
        skip = jvm.org.apache.spark.sql.execution.CommandExecutionMode.SKIP()
        with spark_errors(text):
            explained = state.sqlParser().parsePlan(as_rewritten(text).text).logicalPlan()
            state.executePlan(explained, skip).assertAnalyzed()

    def compute(self, query: str, blame: str) -> None:
        """Every row and column, kept nowhere; errors point into ``blame``, the user's part of the query."""
        with self.jobs.group(), spark_errors(blame):
            self.spark.sql(query).write.format("noop").mode("overwrite").save()

    @contextlib.contextmanager
    def settings(self, wanted: Mapping[str, str]) -> Iterator[None]:
        """Settings of this session while inside."""
        temporary: Any = java_class(self.spark, "headrace.queries.TemporarySettings")
        with spark_errors():
            inside = temporary.of(self.spark._jsparkSession, json.dumps(dict(wanted)))
        try:
            yield
        finally:
            inside.restore()

    @contextlib.contextmanager
    def acting_as(self, user: str) -> Iterator[None]:
        """What this thread plans inside has ``user`` as current_user()."""
        jvm: Any = self.spark._jvm
        current = jvm.org.apache.spark.sql.catalyst.CurrentUserContext.CURRENT_USER()
        current.set(user)
        try:
            yield
        finally:
            current.remove()

    def without_adaptive_plans(self) -> contextlib.AbstractContextManager[None]:
        """Spark then plans once and starts one job, not one for each shuffle: right for few rows."""
        return self.settings({"spark.sql.adaptive.enabled": "false"})

    def without_constraint_propagation(self) -> contextlib.AbstractContextManager[None]:
        """For plans that Spark's optimizer fails for: it loses columns in the constraints of some unions."""
        return self.settings({"spark.sql.constraintPropagation.enabled": "false"})

    def same_plan(self, query: str, other: str) -> bool:
        """Whether Spark understands both alike; a query that it cannot plan is like no other.

        Optimised, Spark does not always plan the same text alike; as analysed, plans differ by mere names.
        So either will do.
        """
        try:
            return self._plans_alike(query, other)
        except InternalError:
            with self.without_constraint_propagation():
                return self._plans_alike(query, other)
        except Error:
            return False

    def _plans_alike(self, query: str, other: str) -> bool:
        with spark_errors(query):
            plans: list[Any] = [self.spark.sql(text)._jdf.queryExecution() for text in (query, other)]
            if plans[0].optimizedPlan().sameResult(plans[1].optimizedPlan()):
                return True
            tidied = [self._tidied(plan.analyzed()) for plan in plans]
            return bool(tidied[0].sameResult(tidied[1]))

    def _tidied(self, plan: Any) -> Any:
        """Without the projections and aliases that change nothing."""
        for rule in _TIDYING:
            catalyst: Any = self.spark._jvm
            for part in f"org.apache.spark.sql.catalyst.{rule}$.MODULE$".split("."):
                catalyst = getattr(catalyst, part)
            plan = catalyst.apply(plan)
        return plan


def _alike(name: TableName, others: frozenset[TableName]) -> set[TableName]:
    wanted = (name.schema.lower(), name.table.lower())
    return {other for other in others if (other.schema.lower(), other.table.lower()) == wanted}


def hidden_schema_refused(schema: str) -> Refused:
    if schema != DROPPED_SCHEMA:
        return Refused(
            f"schema {schema} contains stored groups of dynamic tables and cannot be used",
            hint="the property 'state' of a dynamic table decides whether groups are stored",
        )
    return Refused(
        f"schema {DROPPED_SCHEMA} contains dropped tables and cannot be used",
        hint="use UNDROP TABLE to restore a dropped table",
    )


def _analysis(frame: DataFrame) -> Analysis:
    plan: Any = frame._jdf.queryExecution().analyzed()
    tables, foreign = set(), []
    for leaf in _leaves(plan):
        match leaf.getClass().getSimpleName():
            case "DataSourceV2Relation":
                name = _relation_name(leaf)
                if name is None:
                    foreign.append(str(leaf.name()))
                    continue
                tables.add(name)
            case kind if kind not in _DATA_FREE:
                foreign.append(str(leaf.nodeName()))
    columns = tuple(Column(field.name, type_text(field.dataType)) for field in frame.schema.fields)
    return Analysis(columns, frozenset(tables), tuple(foreign), bool(plan.deterministic()))


def _leaves(plan: Any) -> list[Any]:
    """Leaves of the plan and of the subqueries in its expressions."""
    found, nodes = [], [plan]
    while nodes:
        node = nodes.pop()
        children = node.children()
        if children.isEmpty():
            found.append(node)
        nodes.extend(children.apply(i) for i in range(children.size()))
        subqueries = node.subqueries()
        nodes.extend(subqueries.apply(i) for i in range(subqueries.size()))
    return found


def _relation_name(relation: Any) -> TableName | None:
    if not (relation.catalog().isDefined() and relation.identifier().isDefined()):
        return None
    identifier = relation.identifier().get()
    namespace = list(identifier.namespace())
    if len(namespace) != 1:
        return None
    return TableName(relation.catalog().get().name(), namespace[0], identifier.name())
