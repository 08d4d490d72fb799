"""Sessions whose statements stay inside the lake, as Spark itself understands them.

Spark's parser and analyser are extended: whatever text a session parses, and whatever plan it analyses, is
looked at node by node before it is run (``SandboxCheck.java``). That holds for blocks, EXECUTE IMMEDIATE,
views and SQL functions as for the statement itself.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from headrace.lake.directory import LakeDirectory
from headrace.lake.spark.java_classes import java_class
from headrace.lake.spark.sandbox_lists import READ_OPTIONS, changing_nodes, plan_nodes, safe_functions
from headrace.model.names import DEFAULT_WORKSPACE
from headrace.sql.sandbox.sandbox_rules import PROCEDURES
from headrace.sql.sandbox.sandbox_settings import HARMFUL_PREFIXES, HARMLESS, HARMLESS_PREFIXES

CHANGES_CATALOG = "__hr_changes"
"""The catalog of staged change scans; what is in it belongs to the JVM."""
GUARDED_CATALOG = "__hr_guarded"
"""The catalog of tables that take a commit only onto the snapshot that was loaded."""
_FILES_BY_PATH = "spark.sql.runSQLOnFiles"

_installing = threading.Lock()
_installed_in: Any = None


@dataclass(frozen=True)
class Sandbox:
    """What is inside."""

    catalogs: tuple[str, ...]
    warehouse: str
    directories: tuple[str, ...] = ()
    """Files below these may be named by their path."""
    brokers: tuple[str, ...] = ()
    """Servers of Kafka and registries of schemas that may be read."""
    staging: str | None = None
    """Where rows of sources are, in files that no statement can name."""
    reads_only: bool = False
    """Whether statements that change something are refused."""


def sandbox_of(lake: LakeDirectory) -> Sandbox | None:
    """What the lake's settings leave to those who send statements to a server; None: everything."""
    return None if lake.settings.allow_outside else closed_sandbox(lake)


def closed_sandbox(lake: LakeDirectory) -> Sandbox:
    """The lake itself, and what its settings name besides."""
    settings = lake.settings
    catalogs = (DEFAULT_WORKSPACE, *settings.workspaces, CHANGES_CATALOG, GUARDED_CATALOG)
    outside = settings.allowed_directories, settings.allowed_brokers
    return Sandbox(catalogs, str(lake.warehouse), *outside, str(lake.staging))


def closed_settings(directories: tuple[str, ...]) -> dict[str, str]:
    """So that Spark itself looks for no files by name, and puts no values into texts."""
    files = {} if directories else {_FILES_BY_PATH: "false"}
    return files | {"spark.sql.variable.substitute": "false"}


def install(root: SparkSession) -> None:
    """Makes sessions that are opened from now on able to be enclosed."""
    global _installed_in
    with _installing:
        if _installed_in is root._jvm:
            return
        sessions = java_class(root, "headrace.sandbox.SandboxSessions")
        sessions.install(root._jsparkSession.extensions())
        _installed_in = root._jvm


def enclose(session: SparkSession, sandbox: Sandbox) -> None:
    """Everything that ``session`` runs from now on stays inside."""
    policy = {
        "catalogs": sandbox.catalogs,
        "warehouses": (sandbox.warehouse,),
        "directories": (*sandbox.directories, *filter(None, (sandbox.staging,))),
        "brokers": sandbox.brokers,
        "functions": safe_functions(),
        "plans": plan_nodes(),
        "withheld_plans": changing_nodes() if sandbox.reads_only else (),
        "procedures": PROCEDURES,
        "settings": HARMLESS,
        "setting_prefixes": HARMLESS_PREFIXES,
        "refused_setting_prefixes": HARMFUL_PREFIXES,
        "read_options": READ_OPTIONS,
    }
    lists = json.dumps({name: list(each) for name, each in policy.items()})
    java_class(session, "headrace.sandbox.SandboxSessions").enclose(session._jsparkSession, lists)
