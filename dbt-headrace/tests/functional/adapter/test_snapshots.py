"""Snapshots."""

from __future__ import annotations

from dbt.tests.adapter.simple_snapshot import test_various_configs as configs
from dbt.tests.adapter.simple_snapshot.new_record_check_mode import BaseSnapshotNewRecordCheckMode
from dbt.tests.adapter.simple_snapshot.new_record_dbt_valid_to_current import (
    BaseSnapshotNewRecordDbtValidToCurrent,
)
from dbt.tests.adapter.simple_snapshot.new_record_timestamp_mode import BaseSnapshotNewRecordTimestampMode
from dbt.tests.adapter.simple_snapshot.test_ephemeral_snapshot_hard_deletes import (
    BaseSnapshotEphemeralHardDeletes,
    BaseSnapshotNewColumnSpecificCheckCols,
    BaseSnapshotNewColumnTimestampStrategy,
    BaseSnapshotNewColumnWithDeletes,
)
from dbt.tests.adapter.simple_snapshot.test_snapshot import BaseSimpleSnapshot, BaseSnapshotCheck
from dbt.tests.adapter.simple_snapshot.test_various_configs import (
    BaseSnapshotColumnNames,
    BaseSnapshotColumnNamesFromDbtProject,
    BaseSnapshotDbtValidToCurrent,
    BaseSnapshotInvalidColumnNames,
    BaseSnapshotMultiUniqueKey,
)
from dbt.tests.fixtures.project import TestProjInfo
from dbt.tests.util import check_relations_equal, run_dbt


def ends(project: TestProjInfo, key: int) -> list[str]:
    """Days until which the rows of a key are valid."""
    query = f"select to_date(test_valid_to) from {project.test_schema}.snapshot_actual where id = {key}"
    return sorted(str(day) for (day,) in project.run_sql(query, fetch="all"))


class TestSnapshotNewRecordCheckMode(BaseSnapshotNewRecordCheckMode):
    pass


class TestSnapshotNewRecordDbtValidToCurrent(BaseSnapshotNewRecordDbtValidToCurrent):
    pass


class TestSnapshotNewRecordTimestampMode(BaseSnapshotNewRecordTimestampMode):
    pass


class TestSnapshotEphemeralHardDeletes(BaseSnapshotEphemeralHardDeletes):
    pass


class TestSnapshotNewColumnTimestampStrategy(BaseSnapshotNewColumnTimestampStrategy):
    pass


class TestSnapshotNewColumnSpecificCheckCols(BaseSnapshotNewColumnSpecificCheckCols):
    pass


class TestSnapshotNewColumnWithDeletes(BaseSnapshotNewColumnWithDeletes):
    pass


class TestSimpleSnapshot(BaseSimpleSnapshot):
    pass


class TestSnapshotCheck(BaseSnapshotCheck):
    pass


class TestSnapshotColumnNames(BaseSnapshotColumnNames):
    pass


class TestSnapshotColumnNamesFromDbtProject(BaseSnapshotColumnNamesFromDbtProject):
    pass


class TestSnapshotInvalidColumnNames(BaseSnapshotInvalidColumnNames):
    pass


class TestSnapshotDbtValidToCurrent(BaseSnapshotDbtValidToCurrent):
    def test_valid_to_current(self, project: TestProjInfo) -> None:
        for setup in (
            configs.create_seed_sql,
            configs.create_snapshot_expected_sql,
            configs.seed_insert_sql,
            configs.populate_snapshot_expected_valid_to_current_sql,
        ):
            project.run_sql(setup)
        run_dbt(["snapshot"])
        assert ends(project, 1) == ends(project, 10) == ["2099-12-31"]
        project.run_sql(configs.invalidate_sql)
        project.run_sql(configs.update_with_current_sql)
        run_dbt(["snapshot"])
        assert ends(project, 1) == ["2099-12-31"]
        assert ends(project, 10) == ["2016-08-20", "2099-12-31"]
        check_relations_equal(project.adapter, ["snapshot_actual", "snapshot_expected"])


class TestSnapshotMultiUniqueKey(BaseSnapshotMultiUniqueKey):
    pass
