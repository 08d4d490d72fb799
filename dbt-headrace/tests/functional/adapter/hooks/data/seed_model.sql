create or replace table {schema}.on_model_hook (
    test_state STRING,
    target_dbname STRING,
    target_host STRING,
    target_name STRING,
    target_schema STRING,
    target_type STRING,
    target_user STRING,
    target_pass STRING,
    target_threads INT,
    run_started_at STRING,
    invocation_id STRING,
    thread_id STRING
)
