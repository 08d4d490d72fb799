CREATE DYNAMIC TABLE t REFRESH INTERVAL 0 MINUTE AS SELECT id FROM orders
-- SqlSyntaxError at 1:41: the interval must be a whole number greater than zero, not 0
-- hint: REFRESH INTERVAL 5 MINUTE

CREATE DYNAMIC TABLE t REFRESH INTERVAL -5 MINUTE AS SELECT id FROM orders
-- SqlSyntaxError at 1:41: the interval must be a whole number greater than zero, not -5
-- hint: REFRESH INTERVAL 5 MINUTE

CREATE DYNAMIC TABLE t REFRESH INTERVAL 1.5 HOUR AS SELECT id FROM orders
-- SqlSyntaxError at 1:41: the interval must be a whole number greater than zero, not 1.5
-- hint: REFRESH INTERVAL 5 MINUTE

CREATE DYNAMIC TABLE t REFRESH INTERVAL 2 FORTNIGHT AS SELECT id FROM orders
-- SqlSyntaxError at 1:43: FORTNIGHT is not a valid unit for a refresh interval: use SECOND, MINUTE, HOUR or DAY
-- hint: REFRESH INTERVAL 5 MINUTE

CREATE DYNAMIC TABLE t REFRESH INTERVAL 5 AS SELECT id FROM orders
-- SqlSyntaxError at 1:43: the interval requires a unit: SECOND, MINUTE, HOUR or DAY
-- hint: REFRESH INTERVAL 5 MINUTE

CREATE DYNAMIC TABLE t REFRESH INTERVAL 'soon' AS SELECT id FROM orders
-- SqlSyntaxError at 1:41: the interval requires a number, found 'soon'
-- hint: REFRESH INTERVAL 5 MINUTE

CREATE DYNAMIC TABLE t REFRESH INTERVAL 1 HOUR 30 MINUTE AS SELECT id FROM orders
-- SqlSyntaxError at 1:48: an interval must have one number and one unit
-- hint: REFRESH INTERVAL 90 MINUTE

CREATE DYNAMIC TABLE t REFRESH INTERVAL 59 SECOND AS SELECT id FROM orders
-- Refused at 1:32: the minimum refresh interval is 1 minute, not 59 seconds
-- hint: minimum_interval_seconds in lake.toml sets the minimum

CREATE DYNAMIC TABLE t INTERVAL 5 MINUTE AS SELECT id FROM orders
-- SqlSyntaxError at 1:24: INTERVAL must directly follow REFRESH
-- hint: REFRESH INTERVAL 5 MINUTE

CREATE DYNAMIC TABLE t REFRESH EVERY 5 MINUTE AS SELECT id FROM orders
-- SqlSyntaxError at 1:32: expected START WITH, INTERVAL or VCLUSTER after REFRESH, found EVERY
-- hint: CREATE [OR REPLACE] DYNAMIC TABLE [IF NOT EXISTS] name [clauses] AS query

CREATE DYNAMIC TABLE t REFRESH START WITH 'tomorrow' INTERVAL 5 MINUTE AS SELECT id FROM orders
-- DataError at 1:32: 'tomorrow' is not a timestamp
-- hint: write it as '2024-06-01 08:00:00'

CREATE DYNAMIC TABLE t REFRESH VCLUSTER turbo AS SELECT id FROM orders
-- NotFound at 1:32: virtual cluster turbo does not exist
-- hint: SHOW VCLUSTERS lists all virtual clusters

CREATE DYNAMIC TABLE t REFRESH_MODE = INCREMENTAL AS SELECT id FROM orders LIMIT 10
-- NotSupportedError at 1:24: incremental refresh is not supported: LIMIT: which rows remain depends on all rows
-- hint: rank them with row_number() and filter by the rank

CREATE DYNAMIC TABLE t PROPERTIES ('state' = 'some') AS SELECT id FROM orders
-- Refused at 1:24: state must be auto, none or always, not 'some'
-- hint: it is whether indexes and groups are stored that refreshes use; the default is auto

CREATE DYNAMIC TABLE t PROPERTIES ('full_refresh_margin' = 'much') AS SELECT id FROM orders
-- Refused at 1:24: full_refresh_margin must be a number greater than 0, not 'much'
-- hint: it is how many times cheaper FULL must be to be chosen; the default is 1.2
