"""Contracts and constraints."""

from __future__ import annotations

import pytest
from dbt.tests.adapter.constraints import fixtures
from dbt.tests.adapter.constraints.test_constraints import (
    BaseConstraintQuotedColumn,
    BaseConstraintsRollback,
    BaseConstraintsRuntimeDdlEnforcement,
    BaseIncrementalConstraintsColumnsEqual,
    BaseIncrementalConstraintsRollback,
    BaseIncrementalConstraintsRuntimeDdlEnforcement,
    BaseIncrementalContractSqlHeader,
    BaseModelConstraintsRuntimeEnforcement,
    BaseTableConstraintsColumnsEqual,
    BaseTableContractSqlHeader,
    BaseViewConstraintsColumnsEqual,
)

DATA_TYPES = [
    ["1", "int", "int"],
    ["'1'", "string", "string"],
    ["true", "boolean", "boolean"],
    ["timestamp '2013-11-03 00:00:00-07'", "timestamp", "timestamp"],
    ["timestamp_ntz '2013-11-03 00:00:00'", "timestamp_ntz", "timestamp_ntz"],
    ["array('a','b','c')", "array<string>", "array<string>"],
    ["array(1,2,3)", "array<int>", "array<int>"],
    ["cast('1' as decimal(10,2))", "decimal(10,2)", "decimal(10,2)"],
]
"""A value, the type in the contract, and the type in the message."""

EXPECTED_SQL = """
create or replace table <model_identifier> (
    `id` int not null,
    `color` string,
    `date_day` string
) ;
insert into <model_identifier> (`id`, `color`, `date_day`)
select `id`, `color`, `date_day`
from (
    -- depends_on: <foreign_key_model_identifier>
    select
        'blue' as color,
        1 as id,
        '2019-01-01' as date_day
) as model_subq
"""
EXPECTED_QUOTED_SQL = """
create or replace table <model_identifier> (
    `id` int not null,
    `from` string not null,
    `date_day` string
) ;
insert into <model_identifier> (`id`, `from`, `date_day`)
select `id`, `from`, `date_day`
from (
    select
      'blue' as `from`,
      1 as id,
      '2019-01-01' as date_day
) as model_subq
"""


def in_spark(model: str) -> str:
    return model.replace("set session time zone", "set time zone").replace(
        "current_setting('timezone')", "current_timezone()"
    )


class TestTableConstraintsColumnsEqual(BaseTableConstraintsColumnsEqual):
    @pytest.fixture
    def string_type(self) -> str:
        return "string"

    @pytest.fixture
    def int_type(self) -> str:
        return "int"

    @pytest.fixture
    def data_types(self) -> list[list[str]]:
        return DATA_TYPES


class TestViewConstraintsColumnsEqual(BaseViewConstraintsColumnsEqual):
    @pytest.fixture
    def string_type(self) -> str:
        return "string"

    @pytest.fixture
    def int_type(self) -> str:
        return "int"

    @pytest.fixture
    def data_types(self) -> list[list[str]]:
        return DATA_TYPES


class TestIncrementalConstraintsColumnsEqual(BaseIncrementalConstraintsColumnsEqual):
    @pytest.fixture
    def string_type(self) -> str:
        return "string"

    @pytest.fixture
    def int_type(self) -> str:
        return "int"

    @pytest.fixture
    def data_types(self) -> list[list[str]]:
        return DATA_TYPES


class TestConstraintsRuntimeDdlEnforcement(BaseConstraintsRuntimeDdlEnforcement):
    @pytest.fixture(scope="class")
    def expected_sql(self) -> str:
        return EXPECTED_SQL


class TestIncrementalConstraintsRuntimeDdlEnforcement(BaseIncrementalConstraintsRuntimeDdlEnforcement):
    @pytest.fixture(scope="class")
    def expected_sql(self) -> str:
        return EXPECTED_SQL


class TestConstraintsRollback(BaseConstraintsRollback):
    @pytest.fixture(scope="class")
    def expected_error_messages(self) -> list[str]:
        return ["column id cannot be NULL"]


class TestIncrementalConstraintsRollback(BaseIncrementalConstraintsRollback):
    @pytest.fixture(scope="class")
    def expected_error_messages(self) -> list[str]:
        return ["column id cannot be NULL"]


class TestTableContractSqlHeader(BaseTableContractSqlHeader):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "my_model_contract_sql_header.sql": in_spark(fixtures.my_model_contract_sql_header_sql),
            "constraints_schema.yml": fixtures.model_contract_header_schema_yml,
        }


class TestIncrementalContractSqlHeader(BaseIncrementalContractSqlHeader):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "my_model_contract_sql_header.sql": in_spark(
                fixtures.my_model_incremental_contract_sql_header_sql
            ),
            "constraints_schema.yml": fixtures.model_contract_header_schema_yml,
        }


class TestModelConstraintsRuntimeEnforcement(BaseModelConstraintsRuntimeEnforcement):
    @pytest.fixture(scope="class")
    def expected_sql(self) -> str:
        return EXPECTED_SQL


class TestConstraintQuotedColumn(BaseConstraintQuotedColumn):
    @pytest.fixture(scope="class")
    def expected_sql(self) -> str:
        return EXPECTED_QUOTED_SQL
