ALTER DYNAMIC TABLE sales
-- SqlSyntaxError at 1:26: expected what to change, found the end of the statement
-- hint: actions: SUSPEND, RESUME, RENAME, SET COMMENT, SET or UNSET PROPERTIES, REFRESH INTERVAL, SET REFRESH_MODE

ALTER DYNAMIC TABLE sales ADD COLUMN colour STRING
-- SqlSyntaxError at 1:27: expected what to change, found ADD
-- hint: actions: SUSPEND, RESUME, RENAME, SET COMMENT, SET or UNSET PROPERTIES, REFRESH INTERVAL, SET REFRESH_MODE

ALTER DYNAMIC TABLE sales DROP COLUMN quantity
-- SqlSyntaxError at 1:27: expected what to change, found DROP
-- hint: actions: SUSPEND, RESUME, RENAME, SET COMMENT, SET or UNSET PROPERTIES, REFRESH INTERVAL, SET REFRESH_MODE

ALTER DYNAMIC TABLE sales SUSPEND NOW
-- SqlSyntaxError at 1:35: unexpected NOW
-- hint: actions: SUSPEND, RESUME, RENAME, SET COMMENT, SET or UNSET PROPERTIES, REFRESH INTERVAL, SET REFRESH_MODE

ALTER DYNAMIC TABLE sales RENAME best_sales
-- SqlSyntaxError at 1:34: expected TO or COLUMN after RENAME, found best_sales
-- hint: actions: SUSPEND, RESUME, RENAME, SET COMMENT, SET or UNSET PROPERTIES, REFRESH INTERVAL, SET REFRESH_MODE

ALTER DYNAMIC TABLE sales RENAME COLUMN quantity q
-- SqlSyntaxError at 1:50: expected TO, found q
-- hint: actions: SUSPEND, RESUME, RENAME, SET COMMENT, SET or UNSET PROPERTIES, REFRESH INTERVAL, SET REFRESH_MODE

ALTER DYNAMIC TABLE sales RENAME TO a.b.c.d
-- SqlSyntaxError at 1:37: a name can have at most 3 parts, but this one has 4
-- hint: actions: SUSPEND, RESUME, RENAME, SET COMMENT, SET or UNSET PROPERTIES, REFRESH INTERVAL, SET REFRESH_MODE

ALTER DYNAMIC TABLE sales SET LOCATION '/tmp'
-- SqlSyntaxError at 1:31: expected COMMENT, PROPERTIES, REFRESH INTERVAL or REFRESH_MODE after SET, found LOCATION
-- hint: actions: SUSPEND, RESUME, RENAME, SET COMMENT, SET or UNSET PROPERTIES, REFRESH INTERVAL, SET REFRESH_MODE

ALTER DYNAMIC TABLE sales SET COMMENT best
-- SqlSyntaxError at 1:39: expected a comment in quotes, found best
-- hint: actions: SUSPEND, RESUME, RENAME, SET COMMENT, SET or UNSET PROPERTIES, REFRESH INTERVAL, SET REFRESH_MODE

ALTER DYNAMIC TABLE sales SET PROPERTIES ('a' = 'b'
-- SqlSyntaxError at 1:52: expected , or ) after the property, found the end of the statement
-- hint: actions: SUSPEND, RESUME, RENAME, SET COMMENT, SET or UNSET PROPERTIES, REFRESH INTERVAL, SET REFRESH_MODE

ALTER DYNAMIC TABLE sales SET PROPERTIES ('a' = 'b', 'a' = 'c')
-- SqlSyntaxError at 1:54: property a is given twice
-- hint: actions: SUSPEND, RESUME, RENAME, SET COMMENT, SET or UNSET PROPERTIES, REFRESH INTERVAL, SET REFRESH_MODE

ALTER DYNAMIC TABLE sales UNSET PROPERTIES ('a' = 'b')
-- SqlSyntaxError at 1:49: expected , or ) after the name of a property, found =
-- hint: actions: SUSPEND, RESUME, RENAME, SET COMMENT, SET or UNSET PROPERTIES, REFRESH INTERVAL, SET REFRESH_MODE

ALTER DYNAMIC TABLE sales UNSET COMMENT
-- SqlSyntaxError at 1:33: expected PROPERTIES after UNSET, found COMMENT
-- hint: actions: SUSPEND, RESUME, RENAME, SET COMMENT, SET or UNSET PROPERTIES, REFRESH INTERVAL, SET REFRESH_MODE

ALTER DYNAMIC TABLE sales REFRESH EVERY 5 MINUTE
-- SqlSyntaxError at 1:35: expected INTERVAL, found EVERY
-- hint: actions: SUSPEND, RESUME, RENAME, SET COMMENT, SET or UNSET PROPERTIES, REFRESH INTERVAL, SET REFRESH_MODE

ALTER DYNAMIC TABLE sales SET REFRESH INTERVAL 5 WEEK
-- SqlSyntaxError at 1:50: WEEK is not a valid unit for a refresh interval: use SECOND, MINUTE, HOUR or DAY
-- hint: REFRESH INTERVAL 5 MINUTE

ALTER DYNAMIC TABLE sales SET REFRESH INTERVAL 0 MINUTE
-- SqlSyntaxError at 1:48: the interval must be a whole number greater than zero, not 0
-- hint: REFRESH INTERVAL 5 MINUTE

ALTER DYNAMIC TABLE sales REFRESH INTERVAL 5 MINUTE VCLUSTER
-- SqlSyntaxError at 1:61: expected the name of a cluster, found the end of the statement
-- hint: actions: SUSPEND, RESUME, RENAME, SET COMMENT, SET or UNSET PROPERTIES, REFRESH INTERVAL, SET REFRESH_MODE

ALTER DYNAMIC TABLE sales SET REFRESH_MODE = FAST
-- SqlSyntaxError at 1:46: REFRESH_MODE must be one of AUTO, FULL, INCREMENTAL, found FAST
-- hint: actions: SUSPEND, RESUME, RENAME, SET COMMENT, SET or UNSET PROPERTIES, REFRESH INTERVAL, SET REFRESH_MODE

ALTER DYNAMIC VIEW big SUSPEND
-- SqlSyntaxError at 1:15: expected TABLE, found VIEW
-- hint: actions: SUSPEND, RESUME, RENAME, SET COMMENT, SET or UNSET PROPERTIES, REFRESH INTERVAL, SET REFRESH_MODE

ALTER TABLE orders SET PROPERTIES
-- SqlSyntaxError at 1:34: expected (, found the end of the statement
-- hint: ALTER TABLE name SET PROPERTIES ('key' = 'value', ...) | UNSET PROPERTIES [IF EXISTS] ('key', ...)

ALTER TABLE orders SET PROPERTIES ('data_retention_days' = seven)
-- SqlSyntaxError at 1:60: property data_retention_days requires a string, a number or a boolean, found seven
-- hint: ALTER TABLE name SET PROPERTIES ('key' = 'value', ...) | UNSET PROPERTIES [IF EXISTS] ('key', ...)

ALTER TABLE orders SET TBLPROPERTIES ('data_retention_days')
-- SqlSyntaxError at 1:60: property data_retention_days requires a string, a number or a boolean, found )
-- hint: ALTER TABLE name SET PROPERTIES ('key' = 'value', ...) | UNSET PROPERTIES [IF EXISTS] ('key', ...)
