"""An incremental model over a stream: a view of its rows, merged into a table again and again."""

from __future__ import annotations

from datetime import date

from headrace.connection import Connection

LIVE = """
CREATE TABLE ecommerce_events_multicategorystore_live (
  event_time TIMESTAMP, event_type STRING, product_id STRING, category_id STRING, category_code STRING,
  brand STRING, price DECIMAL(10,2), user_id STRING, user_session STRING)
TBLPROPERTIES ('change_tracking' = 'true');
"""
EVENTS = """
INSERT INTO ecommerce_events_multicategorystore_live
SELECT TIMESTAMP '2024-06-01 08:30:15' + make_dt_interval(0, 0, 0, id), 'view', CAST(id % 50 AS STRING), '7',
       'electronics.audio', 'acme', CAST(id % 100 AS DECIMAL(10,2)), CAST(id % 20 AS STRING), uuid()
FROM range({first}, {end});
"""
STREAM = """
CREATE TABLE STREAM {schema}.stream_ecommerce_events
on table ecommerce_events_multicategorystore_live
with PROPERTIES ('TABLE_STREAM_MODE' = 'APPEND_ONLY')
"""
ENRICHED = """
SELECT
  event_time,
  CAST(SUBSTRING(event_time,0,19) AS TIMESTAMP) AS event_timestamp,
  SUBSTRING(event_time,12,2) AS event_hour,
  event_type, product_id, category_id, category_code, brand,
  CAST(price AS DECIMAL(10,2)) AS price,
  user_id, user_session,
  CAST(SUBSTRING(event_time,0,19) AS date) AS event_date,
  CURRENT_TIMESTAMP() as loaded_at
FROM {source}
"""
MERGE = """
/* {"app": "dbt", "target_name": "dev"} */
-- back compat for old kwarg name
merge into {dbt}.events_enriched as DBT_INTERNAL_DEST
using {dbt}.events_enriched__dbt_tmp as DBT_INTERNAL_SOURCE
on FALSE
when not matched then insert ({columns})
values ({values})
"""


def run_model(lake: Connection, dbt: str) -> None:
    """What one run sends."""
    query = ENRICHED.format(source=f"{lake.schema}.stream_ecommerce_events")
    lake.sql(f"create or replace view {dbt}.events_enriched__dbt_tmp as {query}")
    columns = lake.sql(f"SELECT * FROM {dbt}.events_enriched LIMIT 0").columns
    merge = MERGE.replace("{dbt}", dbt).replace("{columns}", ",".join(f"`{column}`" for column in columns))
    lake.sql(merge.replace("{values}", ",".join(f"DBT_INTERNAL_SOURCE.`{column}`" for column in columns)))


def test_events_enriched(lake: Connection) -> None:
    dbt = f"{lake.schema}_dbt_dev"
    lake.sql(LIVE + EVENTS.format(first=0, end=3700) + STREAM.format(schema=lake.schema))
    lake.sql(f"CREATE SCHEMA {dbt}")
    source = f"{lake.schema}.ecommerce_events_multicategorystore_live"
    lake.sql(f"create table {dbt}.events_enriched as {ENRICHED.format(source=source)}")
    assert counted(lake, dbt) == 3700

    run_model(lake, dbt)
    assert counted(lake, dbt) == 3700
    lake.sql(EVENTS.format(first=3700, end=3720))
    run_model(lake, dbt)
    assert counted(lake, dbt) == 3720
    run_model(lake, dbt)
    assert counted(lake, dbt) == 3720
    lake.sql(EVENTS.format(first=3720, end=3725) + EVENTS.format(first=3725, end=3730))
    run_model(lake, dbt)
    assert counted(lake, dbt) == 3730
    first = "WHERE event_time < TIMESTAMP '2024-06-01 09:00:00'"
    hours = lake.sql(f"SELECT DISTINCT event_hour, event_date FROM {dbt}.events_enriched {first}").fetchall()
    assert hours == [("08", date(2024, 6, 1))]


def counted(lake: Connection, dbt: str) -> int:
    ((rows, sessions),) = lake.sql(
        f"SELECT count(*), count(DISTINCT user_session) FROM {dbt}.events_enriched"
    ).fetchall()
    assert rows == sessions
    return int(rows)
