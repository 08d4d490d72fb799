"""What dbt's own suite does not ask of tables: each strategy's rows, one commit each, warnings, freshness."""

from __future__ import annotations

from dbt_commands import Project
from headrace.connection import Connection

STRATEGIES = {
    "appended": "incremental_strategy='append'",
    "overwritten": "incremental_strategy='insert_overwrite', partition_by='day'",
    "overwritten_all": "incremental_strategy='insert_overwrite'",
    "replaced": "incremental_strategy='delete+insert', unique_key=['k', 'day']",
    "merged_in_part": "unique_key='k', merge_update_columns=['b']",
    "merged_where": "unique_key='k', incremental_predicates=['DBT_INTERNAL_DEST.b < 15']",
}


def rows(lake: Connection, table: str) -> list[tuple[object, ...]]:
    found = lake.sql(f"SELECT k, CAST(day AS STRING), a, b FROM {table}").fetchall()
    return sorted(found, key=str)


def commits(lake: Connection, table: str) -> int:
    return len(lake.sql(f"DESC HISTORY {table}"))


def test_strategies(shop: Project, lake: Connection) -> None:
    lake.sql("CREATE TABLE given (k INT, day DATE, a STRING, b INT)")
    lake.sql(
        "INSERT INTO given VALUES (1, DATE '2024-06-01', 'x', 10), (2, DATE '2024-06-01', 'x', 20),"
        "(3, DATE '2024-06-02', 'x', 30)"
    )
    for name, config in STRATEGIES.items():
        text = f"{{{{ config(materialized='incremental', {config}) }}}} select * from {{{{ target.schema }}}}.given"
        shop.write(f"models/{name}.sql", text)
    assert shop.dbt("run").succeeded
    lake.sql("INSERT OVERWRITE given VALUES (1, DATE '2024-06-01', 'y', 11), (1, DATE '2024-06-01', 'z', 12)")
    ran = shop.dbt("run", "--exclude", "merged_in_part", "merged_where")
    assert ran.succeeded, ran.said
    lake.sql("INSERT OVERWRITE given VALUES (1, DATE '2024-06-01', 'y', 11), (2, DATE '2024-06-01', 'y', 21)")
    ran = shop.dbt("run", "--select", "merged_in_part", "merged_where")
    assert ran.succeeded, ran.said

    first, second = "2024-06-01", "2024-06-02"
    old = [(1, first, "x", 10), (2, first, "x", 20), (3, second, "x", 30)]
    new = [(1, first, "y", 11), (1, first, "z", 12)]
    assert rows(lake, "appended") == sorted([*old, *new], key=str)
    assert rows(lake, "overwritten") == [*new, old[2]]
    assert rows(lake, "overwritten_all") == new
    assert rows(lake, "replaced") == [*new, *old[1:]]
    assert rows(lake, "merged_in_part") == [(1, first, "x", 11), (2, first, "x", 21), old[2]]
    assert rows(lake, "merged_where") == [
        (1, first, "y", 11),
        (2, first, "x", 20),
        (2, first, "y", 21),
        old[2],
    ]
    assert {name: commits(lake, name) for name in STRATEGIES} == dict.fromkeys(STRATEGIES, 2)


MICROBATCHES = """
{{ config(materialized='incremental', incremental_strategy='microbatch', event_time='at', batch_size='day',
          begin='2024-06-01', lookback=1) }}
select id, at from {{ ref('events') }}
"""


def test_microbatches(shop: Project, lake: Connection) -> None:
    """A batch that comes again takes the place of its span of time."""
    lake.sql(
        "CREATE TABLE given AS SELECT id, TIMESTAMP '2024-06-01 12:00:00' + make_dt_interval(id) AS at FROM range(3)"
    )
    shop.write(
        "models/events.sql",
        "{{ config(materialized='view', event_time='at') }} select * from {{ target.schema }}.given",
    )
    shop.write("models/batched.sql", MICROBATCHES)
    spans = ["--event-time-start", "2024-06-01", "--event-time-end", "2024-06-04"]
    ran = shop.dbt("run", *spans)
    assert ran.succeeded, ran.said
    assert sorted(lake.sql("SELECT id FROM batched").fetchall()) == [(0,), (1,), (2,)]
    lake.sql(
        "UPDATE given SET id = 20 WHERE id = 2; INSERT INTO given VALUES (30, TIMESTAMP '2024-06-03 23:59:59')"
    )
    ran = shop.dbt("run", "--event-time-start", "2024-06-03", "--event-time-end", "2024-06-04")
    assert ran.succeeded, ran.said
    assert sorted(lake.sql("SELECT id FROM batched").fetchall()) == [(0,), (1,), (20,), (30,)]
    assert "batched__dbt_tmp" not in str(lake.sql("SHOW TABLES").fetchall())


def test_what_is_refused_leaves_the_table(shop: Project, lake: Connection) -> None:
    contract = """
models:
  - name: kept
    config: {contract: {enforced: true}}
    columns:
      - {name: id, data_type: int, constraints: [{type: not_null}]}
      - {name: name, data_type: text}
"""
    shop.write("models/kept.yml", contract)
    shop.write("models/kept.sql", "{{ config(materialized='table') }} select 1 as id, 'a' as name")
    assert shop.dbt("run").succeeded
    shop.write(
        "models/kept.sql", "{{ config(materialized='table') }} select cast(null as int) as id, 'b' as name"
    )
    assert "column id cannot be NULL" in shop.dbt("run").said
    shop.write("models/kept.sql", "{{ config(materialized='table') }} select 1 as id")
    assert "missing in definition" in shop.dbt("run").said
    assert lake.sql("SELECT * FROM kept").fetchall() == [(1, "a")]


def test_partitions_properties_and_grants(shop: Project, lake: Connection) -> None:
    config = "materialized='table', partition_by=['days(at)', 'k'], properties={'write.parquet.compression-codec': 'zstd'}, grants={'select': ['ann']}"
    shop.write(
        "models/laid_out.sql",
        f"{{{{ config({config}) }}}} select 1 as k, timestamp '2024-06-01 00:00:00' as at",
    )
    ran = shop.dbt("run")
    assert ran.succeeded
    assert "grants are ignored on" in ran.said
    described = dict(lake.sql("DESC EXTENDED laid_out").fetchall())
    assert "day(2)" in described["partitioning"] and "identity(1)" in described["partitioning"]
    assert '("write.parquet.compression-codec","zstd")' in described["properties"]


SOURCES = """
sources:
  - name: raw
    schema: "{{ target.schema }}"
    freshness: {warn_after: {count: 1, period: day}, error_after: {count: 10000, period: day}}
    tables:
      - {name: by_field, loaded_at_field: loaded_at}
      - {name: by_commit}
"""


def test_freshness(shop: Project, lake: Connection) -> None:
    lake.sql("CREATE TABLE by_field AS SELECT TIMESTAMP '2024-06-01 00:00:00' AS loaded_at")
    lake.sql("CREATE TABLE by_commit AS SELECT 1 AS id")
    shop.write("models/sources.yml", SOURCES)
    shop.dbt("source", "freshness")
    found = {each["unique_id"].split(".")[-1]: each["status"] for each in shop.artifact("sources")["results"]}
    assert found == {"by_field": "warn", "by_commit": "pass"}
