from __future__ import annotations

import pytest

from headrace import errors
from headrace.connection import Connection


def test_what_was_meant(lake: Connection) -> None:
    schema = lake.schema
    lake.sql(f"CREATE TABLE customers_of_{schema} (id INT)")
    lake.sql(f"CREATE DYNAMIC TABLE ids_of_{schema} AS SELECT id FROM customers_of_{schema}")
    for statement, meant in (
        (f"SELECT * FROM cutsomers_of_{schema}", "customers_of"),
        (f"INSERT INTO customer_of_{schema} VALUES (1)", "customers_of"),
        (f"DROP TABLE customer_of_{schema}", "customers_of"),
        (f"DESC TABLE customer_of_{schema}", "customers_of"),
        (f"OPTIMIZE customer_of_{schema}", "customers_of"),
        (f"REFRESH DYNAMIC TABLE ids_of_{schema}s", "ids_of"),
        (f"CREATE DYNAMIC TABLE d AS SELECT * FROM customer_of_{schema}", "customers_of"),
        (f"SELECT * FROM public.customers_of_{schema}", "customers_of"),
    ):
        with pytest.raises(errors.NotFound) as raised:
            lake.sql(statement)
        assert (raised.value.hint or "").startswith(f"did you mean lake.{schema}.{meant}_{schema}"), statement


def test_where_nothing_is_close_the_hint_lists(lake: Connection) -> None:
    with pytest.raises(errors.NotFound) as raised:
        lake.sql("SELECT * FROM zzzzzzzzzzzzzzzzzz")
    assert raised.value.hint == "SHOW TABLES lists all tables; names are workspace.schema.table"
