CREATE TASK load AS SELECT 1
-- AlreadyExists at 1:13: task load already exists

CREATE TASK new VCLUSTER nowhere AS SELECT 1
-- NotFound at 1:26: virtual cluster nowhere does not exist
-- hint: SHOW VCLUSTERS lists all virtual clusters

CREATE TASK new SCHEDULE INTERVAL 30 SECOND AS SELECT 1
-- Refused at 1:26: the minimum interval is 1 minute, not 30 seconds
-- hint: minimum_interval_seconds in lake.toml sets the minimum

CREATE TASK new SCHEDULE INTERVAL 1 HOUR START WITH 'noon' AS SELECT 1
-- DataError at 1:53: 'noon' is not a timestamp
-- hint: write it as '2024-06-01 08:00:00'

CREATE TASK new SCHEDULE CRON '61 * * * *' AS SELECT 1
-- SqlSyntaxError at 1:31: this is not a cron expression: bad minute
-- hint: SCHEDULE CRON '30 2 * * 1-5' [TIME ZONE 'Europe/Berlin']

CREATE TASK new SCHEDULE CRON '0 2 * * *' TIME ZONE 'Mars' AS SELECT 1
-- SqlSyntaxError at 1:53: time zone 'Mars' does not exist
-- hint: SCHEDULE CRON '30 2 * * 1-5' [TIME ZONE 'Europe/Berlin']

CREATE TASK new AFTER load, nobody AS SELECT 1
-- NotFound at 1:29: task nobody does not exist
-- hint: SHOW TASKS lists all tasks

CREATE OR REPLACE TASK load AFTER last AS SELECT 1
-- Refused at 1:35: tasks cannot depend on each other in a cycle: load after last after report 2 after load
-- hint: remove one of them from AFTER

ALTER TASK load SET AFTER `report 2`
-- Refused at 1:27: tasks cannot depend on each other in a cycle: load after report 2 after load
-- hint: remove one of them from AFTER

ALTER TASK nobody DEPLOY
-- NotFound at 1:12: task nobody does not exist
-- hint: SHOW TASKS lists all tasks

ALTER TASK load PAUSE
-- Refused at 1:17: task load is a draft, so there is nothing to pause
-- hint: ALTER TASK load DEPLOY starts its schedule

ALTER TASK load SET SCHEDULE INTERVAL 1 SECOND
-- Refused at 1:30: the minimum interval is 1 minute, not 1 second
-- hint: minimum_interval_seconds in lake.toml sets the minimum

DROP TASK load
-- Refused at 1:11: task load is named in AFTER of task report 2
-- hint: ALTER TASK `report 2` UNSET AFTER first

DROP TASK nobody
-- NotFound at 1:11: task nobody does not exist
-- hint: SHOW TASKS lists all tasks

DESC TASK nobody
-- NotFound at 1:11: task nobody does not exist
-- hint: SHOW TASKS lists all tasks

SHOW TASK RUNS FOR nobody
-- NotFound at 1:20: task nobody does not exist
-- hint: SHOW TASKS lists all tasks

SHOW TASKS WHERE colour = 'red'
-- NotFound at 1:18: column colour does not exist
-- hint: columns here include cron, after, kind, name, comment

EXECUTE TASK script
-- NotSupportedError at 1:14: a Python task requires a server
-- hint: start one with `headrace serve`, and connect to it with `headrace sql --url`

CREATE TASK new AFTER load AS CREATE DYNAMIC TABLE d REFRESH INTERVAL 1 HOUR AS SELECT id FROM orders
-- Refused at 1:31: a dynamic table that is refreshed by a task cannot have a REFRESH INTERVAL
-- hint: remove REFRESH INTERVAL, or CRON and AFTER of the task

CREATE TASK new AS CREATE DYNAMIC TABLE d REFRESH INTERVAL 1 FORTNIGHT AS SELECT id FROM orders
-- SqlSyntaxError at 1:62: FORTNIGHT is not a valid unit for a refresh interval: use SECOND, MINUTE, HOUR or DAY
-- hint: REFRESH INTERVAL 5 MINUTE
