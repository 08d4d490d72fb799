"""The metadata store: definitions, history, what runs. The Iceberg tables stay the truth about data."""

from headrace.catalog.backends import open_backend
from headrace.catalog.dropped import DroppedAt, DroppedObjects
from headrace.catalog.engine import sqlite_url
from headrace.catalog.leases import SCHEDULER_LEASE
from headrace.catalog.locks import AdvisoryLocks
from headrace.catalog.schema import DropStage, Lifecycle
from headrace.catalog.store import Altering, MetadataStore, Unfinished
from headrace.catalog.warehouse import find_warehouse

__all__ = [
    "SCHEDULER_LEASE",
    "AdvisoryLocks",
    "Altering",
    "DropStage",
    "DroppedAt",
    "DroppedObjects",
    "Lifecycle",
    "MetadataStore",
    "Unfinished",
    "find_warehouse",
    "open_backend",
    "sqlite_url",
]
