"""Event counts on a growing table, and a chain of two layers over a time column."""

from __future__ import annotations

import re

import pytest

from headrace.connection import Connection
from tests.oracle import assert_exact, last_refresh

LIVE = """
CREATE TABLE ecommerce_events_multicategorystore_live (
  event_time TIMESTAMP, event_type STRING, product_id STRING, price DECIMAL(10,2), user_id STRING);
INSERT INTO ecommerce_events_multicategorystore_live
SELECT TIMESTAMP '2024-06-01 00:00:00' + make_dt_interval(0, 0, 0, id),
       element_at(array('view', 'purchase', 'add_to_cart'), CAST(id % 3 AS INT) + 1),
       CAST(id % 50 AS STRING), CAST(id % 100 AS DECIMAL(10,2)), CAST(id % 20 AS STRING)
FROM range(3000);
"""
COUNTS = (
    "SELECT event_type, COUNT(*) AS events_count "
    "FROM ecommerce_events_multicategorystore_live GROUP BY event_type"
)


def test_event_type_count(lake: Connection) -> None:
    lake.sql(LIVE)
    lake.sql(f"CREATE DYNAMIC TABLE event_type_count REFRESH interval 1 minute vcluster default as {COUNTS}")
    lake.sql("REFRESH DYNAMIC TABLE event_type_count")
    ordered = "SELECT * FROM event_type_count ORDER BY events_count DESC, event_type"
    assert lake.sql(ordered).fetchall() == [("add_to_cart", 1000), ("purchase", 1000), ("view", 1000)]

    lake.sql(
        "INSERT INTO ecommerce_events_multicategorystore_live "
        "SELECT current_timestamp(), if(id < 7, 'purchase', 'view'), '1', 1, '1' FROM range(12)"
    )
    lake.sql("REFRESH DYNAMIC TABLE event_type_count")
    assert lake.sql(ordered).fetchall() == [("purchase", 1007), ("view", 1005), ("add_to_cart", 1000)]
    assert_exact(lake, "event_type_count", COUNTS)
    assert last_refresh(lake, "event_type_count")["stats"] == '{"rows_deleted":"2","rows_inserted":"2"}'


EVENTS = """
CREATE TABLE event_tb (event STRING, process DOUBLE, event_time TIMESTAMP);
INSERT INTO event_tb VALUES
  ('event-0', 20.0, TIMESTAMP '2023-09-20 14:43:13'), ('event-0', 20.0, TIMESTAMP '2023-09-19 11:40:13'),
  ('event-1', 21.0, TIMESTAMP '2023-09-19 14:30:14'), ('event-1', 22.0, TIMESTAMP '2023-09-20 14:20:15');
"""
GET_TIME = (
    "SELECT event, process, YEAR(event_time) event_year, MONTH(event_time) event_month, "
    "DAY(event_time) event_day, hour(event_time) event_hour, minute(event_time) event_minute FROM event_tb"
)
BY_MINUTE = (
    "SELECT event, event_hour, event_minute, SUM(process) process_sum "
    "FROM event_gettime GROUP BY event, event_hour, event_minute"
)


def test_events_by_minute(lake: Connection) -> None:
    lake.sql(EVENTS)
    lake.sql(
        f"CREATE dynamic TABLE IF NOT EXISTS event_gettime AS {GET_TIME}; REFRESH dynamic TABLE event_gettime"
    )
    lake.sql(
        f"CREATE dynamic TABLE IF NOT EXISTS event_group_minute AS {BY_MINUTE}; "
        "refresh dynamic table event_group_minute"
    )
    lake.sql("INSERT INTO event_tb VALUES ('event-0', 20.0, TIMESTAMP '2024-01-20 14:43:13')")
    lake.sql("REFRESH DYNAMIC TABLE event_gettime; REFRESH DYNAMIC TABLE event_group_minute")
    assert lake.sql("SELECT * FROM event_group_minute ORDER BY ALL").fetchall() == [
        ("event-0", 11, 40, 20.0),
        ("event-0", 14, 43, 40.0),
        ("event-1", 14, 20, 22.0),
        ("event-1", 14, 30, 21.0),
    ]
    assert_exact(lake, "event_gettime", GET_TIME)
    assert_exact(lake, "event_group_minute", BY_MINUTE)


@pytest.mark.incremental
def test_history_reads_as_it_should(lake: Connection) -> None:
    lake.sql(EVENTS)
    lake.sql(f"CREATE DYNAMIC TABLE event_gettime AS {GET_TIME}; REFRESH DYNAMIC TABLE event_gettime")
    lake.sql("INSERT INTO event_tb VALUES ('event-0', 20.0, TIMESTAMP '2024-01-20 14:43:13')")
    shown = str(lake.sql("REFRESH DYNAMIC TABLE event_gettime")).splitlines()
    header, row = ([cell.strip() for cell in shown[line].split("|")[1:-1]] for line in (1, 3))
    printed = dict(zip(header, row, strict=True))
    assert header[:16] == [
        "workspace_name",
        "schema_name",
        "name",
        "virtual_cluster",
        "start_time",
        "end_time",
        "duration",
        "state",
        "refresh_trigger",
        "suspended_reason",
        "refresh_mode",
        "error_message",
        "source_tables",
        "stats",
        "completion_target",
        "job_id",
    ]
    assert header[16:] == [
        "refresh_mode_reason",
        "source_versions",
        "rows_read",
        "bytes_read",
        "cluster_seconds",
        "refresh_arguments",
        "refresh_partition",
    ]
    moment = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{3})?"
    assert re.fullmatch(moment, printed["start_time"])
    assert re.fullmatch(moment, printed["end_time"])
    assert re.fullmatch(r"0 00:00:\d\d\.\d{3}000000", printed["duration"])
    assert re.fullmatch(r"\d{18}[a-z0-9]{11}", printed["job_id"])
    fixed = ("workspace_name", "name", "virtual_cluster", "state", "refresh_trigger", "suspended_reason")
    assert [printed[column] for column in fixed] == [
        "lake",
        "event_gettime",
        "DEFAULT",
        "SUCCEED",
        "MANUAL",
        "null",
    ]
    assert printed["source_tables"] == (
        f'[{{"schema":"{lake.schema}","table_name":"event_tb","workspace":"lake"}}]'
    )
    assert printed["stats"] == '{"rows_deleted":"0","rows_inserted":"1"}'
    assert (printed["refresh_mode"], printed["rows_read"]) == ("INCREMENTAL", "1")
