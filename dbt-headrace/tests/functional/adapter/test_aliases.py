"""Models under other names."""

from __future__ import annotations

import pytest
from dbt.tests.adapter.aliases import fixtures
from dbt.tests.adapter.aliases.test_aliases import (
    BaseAliasErrors,
    BaseAliases,
    BaseSameAliasDifferentDatabases,
    BaseSameAliasDifferentSchemas,
)

MACROS = {
    "cast.sql": fixtures.MACROS__CAST_SQL.replace("::text", ""),
    "expect_value.sql": fixtures.MACROS__EXPECT_VALUE_SQL,
}


class TestAliases(BaseAliases):
    @pytest.fixture(scope="class")
    def macros(self) -> dict[str, str]:
        return MACROS


class TestAliasErrors(BaseAliasErrors):
    pass


class TestSameAliasDifferentSchemas(BaseSameAliasDifferentSchemas):
    @pytest.fixture(scope="class")
    def macros(self) -> dict[str, str]:
        return MACROS


class TestSameAliasDifferentDatabases(BaseSameAliasDifferentDatabases):
    @pytest.fixture(scope="class")
    def macros(self) -> dict[str, str]:
        return MACROS
