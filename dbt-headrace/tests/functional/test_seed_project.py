"""An incremental model over a table stream, and a dynamic table on top of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import headrace
from dbt_commands import Project
from headrace.connection import Connection

LIVE = """
CREATE TABLE public.ecommerce_events_multicategorystore_live(
`event_time` timestamp,
`event_type` string,
`product_id` string,
`category_id` string,
`category_code` string,
`brand` string,
`price` decimal(10,2),
`user_id` string,
`user_session` string)
TBLPROPERTIES(
'change_tracking'='true');
"""
STREAM = """
CREATE TABLE STREAM public.stream_ecommerce_events
on table ecommerce_events_multicategorystore_live
with PROPERTIES ('TABLE_STREAM_MODE' = 'APPEND_ONLY')
"""
EVENTS = """
INSERT INTO public.ecommerce_events_multicategorystore_live
SELECT TIMESTAMP '2024-06-01 08:30:15' + make_dt_interval(0, 0, 0, id), 'view', CAST(id % 99 AS STRING), '7',
       'electronics.audio', 'acme', CAST(id % 100 AS DECIMAL(10,2)), CAST(id % 20 AS STRING), uuid()
FROM range({first}, {end});
"""
SOURCES = """
sources:
  - name: quning
    schema: public
    tables:
      - name: ecommerce_events_multicategorystore_live
      - name: stream_ecommerce_events
  - name: public
    tables:
      - name: stream_ecommerce_events
"""
EVENTS_ENRICHED = """
{{
config(
materialized='incremental'
)
}}
SELECT
event_time,
CAST(SUBSTRING(event_time,0,19) AS TIMESTAMP) AS event_timestamp,
SUBSTRING(event_time,12,2) AS event_hour,
SUBSTRING(event_time,15,2) AS event_minute,
SUBSTRING(event_time,18,2) AS event_second,
event_type,
product_id,
category_id,
category_code,
brand,
CAST(price AS DECIMAL(10,2)) AS price,
user_id,
user_session,
CAST(SUBSTRING(event_time,0,19)AS date) AS event_date,
CURRENT_TIMESTAMP() as loaded_at
FROM
{% if is_incremental() %}
{{source('quning', 'stream_ecommerce_events')}}
{% else %}
{{source('quning', 'ecommerce_events_multicategorystore_live')}}
{% endif %}
"""
STREAM_ONLY = """
{{
config(
materialized='incremental'
)
}}
SELECT
`event_time` ,
`event_type` ,
`product_id` ,
`category_id` ,
`category_code` ,
`brand` ,
`price` ,
`user_id` ,
`user_session` ,
CURRENT_TIMESTAMP() as load_time
FROM
{{source('public', 'stream_ecommerce_events')}}
"""
PRODUCT_GROSSING = """
{{
config(
materialized = 'dynamic_table',
refresh_vc = 'default',
refresh_interval = '5 MINUTE'
)
}}
select
event_date,
product_id,
sum(price) sum_price
from
{{ ref("events_enriched")}}
group by event_date,product_id
"""
FIRST = "{{ config(materialized='table') }}\nwith source_data as (select 1 as id union all select null as id)\nselect * from source_data"
SECOND = "select * from {{ ref('my_first_dbt_model') }} where id = 1"


@pytest.fixture
def lake(dbt_lake: Connection, tmp_path: Path) -> Iterator[Connection]:
    """A lake of the test's own, beside the one that keeps Spark alive."""
    with headrace.connect(tmp_path / "lake") as connection:
        connection.sql(LIVE + EVENTS.format(first=0, end=3700) + STREAM)
        yield connection


@pytest.fixture
def project(lake: Connection, tmp_path: Path) -> Project:
    target = {"type": "headrace", "lake": str(tmp_path / "lake"), "vcluster": "DEFAULT", "threads": 4}
    made = Project(
        tmp_path / "shop", dev={**target, "schema": "dbt_dev"}, prod={**target, "schema": "dbt_prod"}
    )
    made.write("models/sources.yml", SOURCES)
    return made


def test_stream_and_dynamic_table(lake: Connection, project: Project) -> None:
    debugged = project.dbt("debug")
    assert debugged.succeeded
    assert "Connection test: [OK connection ok]" in debugged.said
    assert "All checks passed!" in debugged.said

    project.write("models/example/my_first_dbt_model.sql", FIRST)
    project.write("models/example/my_second_dbt_model.sql", SECOND)
    assert project.dbt("run").statuses == {"my_first_dbt_model": "success", "my_second_dbt_model": "success"}

    project.write("models/events_enriched.sql", EVENTS_ENRICHED)
    assert project.dbt("build", "--model", "events_enriched").statuses == {"events_enriched": "success"}
    assert counted(lake) == 3700
    ran = project.dbt("run", "--model", "events_enriched")
    assert ran.succeeded
    assert counted(lake) == 3700
    made_view, merged = (sql.split("*/", 1)[1] for sql in ran.sent if "__dbt_tmp` as" in sql)
    assert "create or replace view `lake`.`dbt_dev`.`events_enriched__dbt_tmp` as" in made_view
    assert "`lake`.`public`.`stream_ecommerce_events`" in made_view
    assert [line.strip() for line in merged.splitlines() if line.strip()][:5] == [
        "-- back compat for old kwarg name",
        "merge into `lake`.`dbt_dev`.`events_enriched` as DBT_INTERNAL_DEST",
        "using `lake`.`dbt_dev`.`events_enriched__dbt_tmp` as DBT_INTERNAL_SOURCE",
        "on FALSE",
        "when not matched then insert",
    ]

    lake.sql(EVENTS.format(first=3700, end=3720))
    project.dbt("run", "--model", "events_enriched")
    assert counted(lake) == 3720
    project.dbt("run", "--model", "events_enriched")
    assert counted(lake) == 3720

    project.write("models/product_grossing.sql", PRODUCT_GROSSING)
    assert project.dbt("build", "--model", "product_grossing").statuses == {"product_grossing": "success"}
    assert (
        project.read("target/run/shop/models/product_grossing.sql")
        .strip()
        .startswith(
            "create or replace dynamic table `lake`.`dbt_dev`.`product_grossing`\n"
            "refresh interval 5 minute\n"
            "vcluster default\n"
            "as\n"
        )
    )
    look_at_what_was_built(lake)
    documented(project)


def look_at_what_was_built(lake: Connection) -> None:
    lake.sql("USE dbt_dev")
    assert lake.sql("show tables").fetchall() == [
        ("dbt_dev", "events_enriched", False, False, False, False),
        ("dbt_dev", "events_enriched__dbt_tmp", True, False, False, False),
        ("dbt_dev", "my_first_dbt_model", False, False, False, False),
        ("dbt_dev", "my_second_dbt_model", True, False, False, False),
        ("dbt_dev", "product_grossing", False, False, False, True),
    ]
    described = dict(lake.sql("desc extended product_grossing").fetchall())
    assert list(described.items())[:3] == [
        ("event_date", "date"),
        ("product_id", "string"),
        ("sum_price", "decimal(20,2)"),
    ]
    assert described["schema"] == "dbt_dev"
    assert described["type"] == "DYNAMIC TABLE"
    assert described["refresh_type"] == "on schedule"
    assert described["refresh_interval_second"] == "300"
    assert described["refresh_vcluster"] == "DEFAULT"
    assert described["statistics"].startswith("99 rows ")
    history = lake.sql("show dynamic table refresh history where name ='product_grossing'").df()
    assert len(history) == 1
    row = history.iloc[0]
    assert (row["virtual_cluster"], row["state"], row["refresh_trigger"]) == ("DEFAULT", "SUCCEED", "MANUAL")
    assert json.loads(row["source_tables"]) == [
        {"schema": "dbt_dev", "table_name": "events_enriched", "workspace": "lake"}
    ]
    assert json.loads(row["stats"]) == {"rows_deleted": "0", "rows_inserted": "99"}


def documented(project: Project) -> None:
    assert project.dbt("docs", "generate").succeeded
    catalog = project.artifact("catalog")
    table = catalog["nodes"]["model.shop.product_grossing"]
    assert table["metadata"]["type"] == "DYNAMIC TABLE"
    assert {name: column["type"] for name, column in table["columns"].items()} == {
        "event_date": "date",
        "product_id": "string",
        "sum_price": "decimal(20,2)",
    }
    assert table["stats"]["row_count"]["value"] == 99
    assert table["stats"]["bytes"]["value"] > 1000
    stream = catalog["sources"]["source.shop.quning.stream_ecommerce_events"]
    assert stream["metadata"]["type"] == "TABLE STREAM"
    assert list(stream["columns"])[:3] == ["__change_type", "__commit_version", "__commit_timestamp"]
    parents = project.artifact("manifest")["parent_map"]
    assert parents["model.shop.product_grossing"] == ["model.shop.events_enriched"]
    assert parents["model.shop.events_enriched"] == [
        "source.shop.quning.ecommerce_events_multicategorystore_live"
    ]


def test_a_failed_run_moves_nothing(lake: Connection, project: Project) -> None:
    project.write("models/events_enriched.sql", EVENTS_ENRICHED)
    assert project.dbt("build").succeeded
    lake.sql(EVENTS.format(first=3700, end=3720))
    before = offset(lake)
    broken = EVENTS_ENRICHED.replace("event_type,", "raise_error('no type') as event_type,")
    project.write("models/events_enriched.sql", broken)
    failed = project.dbt("run")
    assert failed.statuses == {"events_enriched": "error"}
    assert "no type" in failed.said
    assert (offset(lake), counted(lake)) == (before, 3700)

    project.write("models/events_enriched.sql", EVENTS_ENRICHED)
    assert project.dbt("run").succeeded
    assert counted(lake) == 3720
    moved = offset(lake)
    assert moved != before
    assert project.dbt("run").succeeded
    assert (offset(lake), counted(lake)) == (moved, 3720)


def test_from_the_stream_alone(lake: Connection, project: Project) -> None:
    """The first run too: what was there before the stream is not its business."""
    project.write("models/events_enriched.sql", STREAM_ONLY)
    lake.sql(EVENTS.format(first=3700, end=3710))
    assert project.dbt("build").succeeded
    assert counted(lake) == 10
    assert project.dbt("run").succeeded
    assert counted(lake) == 10
    lake.sql(EVENTS.format(first=3710, end=3725))
    assert project.dbt("run").succeeded
    assert counted(lake) == 25


@pytest.mark.parametrize("strategy", ["merge", "delete+insert"])
def test_by_key(lake: Connection, project: Project, strategy: str) -> None:
    """A session that comes again takes the place of the one before."""
    configured = f"materialized='incremental', unique_key='user_session', incremental_strategy='{strategy}'"
    project.write(
        "models/events_enriched.sql", EVENTS_ENRICHED.replace("materialized='incremental'", configured)
    )
    assert project.dbt("build").succeeded
    lake.sql(EVENTS.format(first=3700, end=3705))
    again = "SELECT event_time, 'cart', product_id, category_id, category_code, brand, price, user_id, user_session"
    live = "public.ecommerce_events_multicategorystore_live"
    lake.sql(f"INSERT INTO {live} {again} FROM dbt_dev.events_enriched LIMIT 3")
    assert project.dbt("run").succeeded
    assert counted(lake) == 3705
    carts = lake.sql("SELECT count(*) FROM dbt_dev.events_enriched WHERE event_type = 'cart'").fetchall()
    assert carts == [(3,)]
    moved = offset(lake)
    assert project.dbt("run").succeeded
    assert (offset(lake), counted(lake)) == (moved, 3705)


def counted(lake: Connection) -> int:
    ((rows, sessions),) = lake.sql(
        "SELECT count(*), count(DISTINCT user_session) FROM dbt_dev.events_enriched"
    ).fetchall()
    assert rows == sessions
    return int(rows)


def offset(lake: Connection) -> int:
    ((version,),) = lake.sql("SHOW TABLE STREAMS").df()[["offset_version"]].itertuples(index=False)
    return int(version)
