CREATE VCLUSTER Default
-- AlreadyExists at 1:17: virtual cluster Default already exists

ALTER VCLUSTER nope RESUME
-- NotFound at 1:16: virtual cluster nope does not exist
-- hint: SHOW VCLUSTERS lists all virtual clusters

ALTER VCLUSTER nope SET MAX_CONCURRENCY = 2
-- NotFound at 1:16: virtual cluster nope does not exist
-- hint: SHOW VCLUSTERS lists all virtual clusters

DROP VCLUSTER default_ap
-- Refused at 1:15: virtual cluster default_ap always exists and cannot be dropped
-- hint: ALTER VCLUSTER default_ap SUSPEND stops it

DROP VCLUSTER nope
-- NotFound at 1:15: virtual cluster nope does not exist
-- hint: SHOW VCLUSTERS lists all virtual clusters

USE VCLUSTER nope
-- NotFound at 1:14: virtual cluster nope does not exist
-- hint: SHOW VCLUSTERS lists all virtual clusters

DESC VCLUSTER nope
-- NotFound at 1:15: virtual cluster nope does not exist
-- hint: SHOW VCLUSTERS lists all virtual clusters

SHOW VCLUSTERS WHERE nope = 1
-- NotFound at 1:22: column nope does not exist
-- hint: columns here include name, type, size, state, comment

DESC JOB 'nope'
-- NotFound at 1:10: job nope does not exist
-- hint: SHOW JOBS lists all jobs

CANCEL JOB 'nope'
-- NotFound at 1:12: job nope does not exist
-- hint: SHOW JOBS lists all jobs
