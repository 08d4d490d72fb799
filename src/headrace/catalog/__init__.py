"""The metadata store: definitions, history, what runs. The Iceberg tables stay the truth about data."""

from headrace.catalog.definition_lifecycle import Altering, DefinitionLifecycle, Unfinished
from headrace.catalog.definitions import Definitions
from headrace.catalog.dropped import DroppedAt, DroppedObjects
from headrace.catalog.engine import sqlite_url
from headrace.catalog.heads import CatalogHeads
from headrace.catalog.jobs import Jobs
from headrace.catalog.leases import SCHEDULER_LEASE, Leases
from headrace.catalog.locks import AdvisoryLocks
from headrace.catalog.partitions import PartitionRecords
from headrace.catalog.refresh_history import JobProfiles, RefreshHistory
from headrace.catalog.refresh_outcomes import RefreshOutcomes
from headrace.catalog.schema import DropStage, Lifecycle
from headrace.catalog.store import MetadataStore
from headrace.catalog.streams import TableStreams
from headrace.catalog.task_runs import TaskRuns
from headrace.catalog.tasks import Tasks
from headrace.catalog.tokens import Tokens
from headrace.catalog.vclusters import Vclusters
from headrace.catalog.warehouse import find_warehouse

__all__ = [
    "SCHEDULER_LEASE",
    "AdvisoryLocks",
    "Altering",
    "CatalogHeads",
    "DefinitionLifecycle",
    "Definitions",
    "DropStage",
    "DroppedAt",
    "DroppedObjects",
    "JobProfiles",
    "Jobs",
    "Leases",
    "Lifecycle",
    "MetadataStore",
    "PartitionRecords",
    "RefreshHistory",
    "RefreshOutcomes",
    "TableStreams",
    "TaskRuns",
    "Tasks",
    "Tokens",
    "Unfinished",
    "Vclusters",
    "find_warehouse",
    "sqlite_url",
]
