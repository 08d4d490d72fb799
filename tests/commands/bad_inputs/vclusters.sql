CREATE VCLUSTER Default
-- AlreadyExists at 1:17: virtual cluster Default already exists

ALTER VCLUSTER nope RESUME
-- NotFound at 1:16: there is no virtual cluster nope
-- hint: SHOW VCLUSTERS lists what there is

ALTER VCLUSTER nope SET MAX_CONCURRENCY = 2
-- NotFound at 1:16: there is no virtual cluster nope
-- hint: SHOW VCLUSTERS lists what there is

DROP VCLUSTER default_ap
-- Refused at 1:15: virtual cluster default_ap always exists and cannot be dropped
-- hint: ALTER VCLUSTER default_ap SUSPEND stops it

DROP VCLUSTER nope
-- NotFound at 1:15: there is no virtual cluster nope
-- hint: SHOW VCLUSTERS lists what there is

USE VCLUSTER nope
-- NotFound at 1:14: there is no virtual cluster nope
-- hint: SHOW VCLUSTERS lists what there is

DESC VCLUSTER nope
-- NotFound at 1:15: there is no virtual cluster nope
-- hint: SHOW VCLUSTERS lists what there is

SHOW VCLUSTERS WHERE nope = 1
-- NotFound at 1:22: column nope does not exist
-- hint: columns here include name, type, size, state, comment

DESC JOB 'nope'
-- NotFound at 1:10: there is no job nope
-- hint: SHOW JOBS lists them

CANCEL JOB 'nope'
-- NotFound at 1:12: there is no job nope
-- hint: SHOW JOBS lists them
