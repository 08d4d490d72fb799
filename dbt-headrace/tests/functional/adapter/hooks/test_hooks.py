"""Hooks before and after."""

from __future__ import annotations

from typing import Any

import pytest
from dbt.tests.adapter.hooks.test_model_hooks import (
    BaseDuplicateHooksInConfigs,
    BaseHookRefs,
    BaseHooksRefsOnSeeds,
    BasePrePostModelHooks,
    BasePrePostModelHooksInConfig,
    BasePrePostModelHooksInConfigKwargs,
    BasePrePostModelHooksInConfigWithCount,
    BasePrePostModelHooksOnSeeds,
    BasePrePostModelHooksOnSeedsPlusPrefixed,
    BasePrePostModelHooksOnSeedsPlusPrefixedWhitespace,
    BasePrePostModelHooksOnSnapshots,
    BasePrePostSnapshotHooksInConfigKwargs,
)
from dbt.tests.adapter.hooks.test_run_hooks import BaseAfterRunHooks, BasePrePostRunHooks
from dbt.tests.fixtures.project import TestProjInfo


def hook_rows(project: TestProjInfo, table: str, state: str) -> list[dict[str, Any]]:
    columns = [
        "target_name",
        "target_schema",
        "target_threads",
        "target_type",
        "target_pass",
        "run_started_at",
        "invocation_id",
        "thread_id",
    ]
    query = f"select {', '.join(columns)} from {project.test_schema}.{table} where test_state = '{state}'"
    return [dict(zip(columns, row, strict=True)) for row in project.run_sql(query, fetch="all")]


def check_hook(seen: dict[str, Any], project: TestProjInfo) -> None:
    assert seen["target_name"] == "default"
    assert seen["target_schema"] == project.test_schema
    assert seen["target_threads"] == 4
    assert seen["target_type"] == "headrace"
    assert seen["target_pass"] == ""
    assert seen["run_started_at"] and seen["invocation_id"]
    assert seen["thread_id"].startswith("Thread-") or seen["thread_id"] == "MainThread"


class WhatModelHooksSaw:
    """The suite looks for the settings of a PostgreSQL."""

    def check_hooks(self, state: str, project: TestProjInfo, host: str | None, count: int = 1) -> None:
        rows = hook_rows(project, "on_model_hook", state)
        assert len(rows) == count
        for seen in rows:
            check_hook(seen, project)


class TestPrePostModelHooks(WhatModelHooksSaw, BasePrePostModelHooks):
    pass


class TestHookRefs(WhatModelHooksSaw, BaseHookRefs):
    pass


class TestPrePostModelHooksOnSeeds(BasePrePostModelHooksOnSeeds):
    pass


class TestHooksRefsOnSeeds(BaseHooksRefsOnSeeds):
    pass


class TestPrePostModelHooksOnSeedsPlusPrefixed(BasePrePostModelHooksOnSeedsPlusPrefixed):
    pass


class TestPrePostModelHooksOnSeedsPlusPrefixedWhitespace(BasePrePostModelHooksOnSeedsPlusPrefixedWhitespace):
    pass


class TestPrePostModelHooksOnSnapshots(BasePrePostModelHooksOnSnapshots):
    pass


class TestPrePostModelHooksInConfig(WhatModelHooksSaw, BasePrePostModelHooksInConfig):
    pass


class TestPrePostModelHooksInConfigWithCount(WhatModelHooksSaw, BasePrePostModelHooksInConfigWithCount):
    pass


class TestPrePostModelHooksInConfigKwargs(WhatModelHooksSaw, BasePrePostModelHooksInConfigKwargs):
    pass


class TestPrePostSnapshotHooksInConfigKwargs(BasePrePostSnapshotHooksInConfigKwargs):
    pass


class TestDuplicateHooksInConfigs(BaseDuplicateHooksInConfigs):
    pass


class TestPrePostRunHooks(BasePrePostRunHooks):
    @pytest.fixture(scope="class")
    def project_config_update(self) -> Any:
        given = BasePrePostRunHooks.project_config_update.__wrapped__(self)
        given["on-run-end"] = [hook.replace(" text", " string") for hook in given["on-run-end"]]
        return given

    def check_hooks(self, state: str, project: TestProjInfo, host: str | None) -> None:
        (seen,) = hook_rows(project, "on_run_hook", state)
        check_hook(seen, project)


class TestAfterRunHooks(BaseAfterRunHooks):
    pass
