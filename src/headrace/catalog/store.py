"""The stores of one metadata database."""

from __future__ import annotations

from sqlalchemy import Engine

from headrace.catalog.alert_log import AlertLog
from headrace.catalog.database_engine import connect
from headrace.catalog.database_errors import database_errors
from headrace.catalog.definition_lifecycle import DefinitionLifecycle
from headrace.catalog.definitions import Definitions
from headrace.catalog.leases import Leases
from headrace.catalog.migrate import migrate_database
from headrace.catalog.partitions import PartitionRecords
from headrace.catalog.refresh_history import JobProfiles, RefreshHistory
from headrace.catalog.refresh_outcomes import RefreshOutcomes
from headrace.catalog.stored_secrets import Secrets
from headrace.catalog.tokens import Tokens
from headrace.catalog.transactions import Transactions
from headrace.catalog.warehouse import WarehouseLocation
from headrace.features.connections.store import Connections
from headrace.features.development.store import Files
from headrace.features.jobs.store import Jobs
from headrace.features.pipes.store import Pipes
from headrace.features.recovery.store import DroppedObjects
from headrace.features.streams.store import TableStreams
from headrace.features.syncs.store import Syncs
from headrace.features.tasks.backfill_store import Backfills
from headrace.features.tasks.run_store import TaskRuns
from headrace.features.tasks.store import Tasks
from headrace.features.vclusters.store import Vclusters
from headrace.features.volumes.store import Volumes
from headrace.model.change import OnRecord, not_followed


class MetadataStore:
    """Opened and closed here; what reads or writes is given the store that it needs.

    Any thread may use them. Each of their methods is one transaction, on disk when it returns.
    """

    def __init__(self, engine: Engine, on_record: OnRecord = not_followed) -> None:
        """``on_record`` is called after each commit that records a refresh, job, file or task run."""
        self._transactions = Transactions(engine)
        write, read = self._transactions.write, self._transactions.read
        self.definitions = Definitions(write, read)
        self.lifecycle = DefinitionLifecycle(write, read)
        self.refreshes = RefreshHistory(write, read, on_record)
        self.refresh_outcomes = RefreshOutcomes(read)
        self.profiles = JobProfiles(read)
        self.dropped = DroppedObjects(write, read)
        self.vclusters = Vclusters(write, read)
        self.tasks = Tasks(write, read)
        self.task_runs = TaskRuns(write, read, on_record)
        self.files = Files(write, read, on_record)
        self.backfills = Backfills(write, read, on_record)
        self.jobs = Jobs(write, read, on_record)
        self.alerts = AlertLog(write, read)
        self.tokens = Tokens(write, read)
        self.leases = Leases(write, read)
        self.partitions = PartitionRecords(write, read)
        self.streams = TableStreams(write, read)
        self.pipes = Pipes(write, read)
        self.volumes = Volumes(write, read)
        self.secrets = Secrets(write, read)
        self.connections = Connections(write, read)
        self.syncs = Syncs(write, read)
        self.warehouse = WarehouseLocation(write, read)

    @classmethod
    def open(cls, url: str, on_record: OnRecord = not_followed) -> MetadataStore:
        """Creates the tables in an empty database and migrates an older one."""
        with database_errors():
            engine = connect(url)
            try:
                migrate_database(engine)
            except BaseException:
                engine.dispose()
                raise
        return cls(engine, on_record)

    def close(self) -> None:
        self._transactions.close()
