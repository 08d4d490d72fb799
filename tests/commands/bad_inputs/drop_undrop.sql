UNDROP TABLE orders
-- AlreadyExists at 1:14: lake.shop.orders already exists and is a table
-- hint: rename or drop that one first

UNDROP TABLE sales
-- AlreadyExists at 1:14: lake.shop.sales already exists and is a dynamic table
-- hint: rename or drop that one first

UNDROP TABLE moved
-- AlreadyExists at 1:14: lake.shop.moved already exists and is a view
-- hint: rename or drop that one first

UNDROP TABLE never
-- NotFound at 1:14: no table lake.shop.never was dropped
-- hint: SHOW TABLES HISTORY lists what can be undropped

UNDROP DYNAMIC TABLE never
-- NotFound at 1:22: no dynamic table lake.shop.never was dropped
-- hint: SHOW TABLES HISTORY lists what can be undropped

UNDROP DYNAMIC TABLE dropped
-- Refused at 1:22: what was dropped as lake.shop.dropped is no dynamic table
-- hint: UNDROP TABLE lake.shop.dropped brings it back

UNDROP TABLE closed.t
-- NotFound at 1:14: schema lake.closed does not exist
-- hint: CREATE SCHEMA lake.closed first

UNDROP TABLE nowhere.shop.t
-- NotFound at 1:14: there is no workspace nowhere
-- hint: workspaces of this lake: lake

DROP TABLE dropped
-- NotFound at 1:12: table or view lake.shop.dropped does not exist
-- hint: SHOW TABLES lists what there is; names are workspace.schema.table

DROP TABLE orders CASCADE
-- SqlSyntaxError at 1:19: unexpected CASCADE
-- hint: DROP TABLE [IF EXISTS] name [PURGE]

DROP DYNAMIC TABLE sales PURGE
-- SqlSyntaxError at 1:26: unexpected PURGE
-- hint: DROP DYNAMIC TABLE [IF EXISTS] name

DROP DYNAMIC TABLE first
-- NotFound at 1:20: dynamic table lake.shop.first does not exist
-- hint: SHOW DYNAMIC TABLES lists what there is

EXECUTE IMMEDIATE 'DROP TABLE orders'
-- Refused at 1:19: DROP TABLE inside of a block or of EXECUTE IMMEDIATE could not be undone for lake.shop.orders
-- hint: run it as a statement of its own, or with PURGE

REFRESH DYNAMIC TABLE first
-- NotFound at 1:23: dynamic table lake.shop.first does not exist
-- hint: SHOW DYNAMIC TABLES lists what there is

SELECT * FROM __hr_dropped.t
-- Refused at 1:15: __hr_dropped is where Headrace keeps dropped tables, and no schema to work in
-- hint: UNDROP TABLE brings a dropped table back

CREATE TABLE __hr_dropped.t (a INT)
-- Refused at 1:14: __hr_dropped is where Headrace keeps dropped tables, and no schema to work in
-- hint: UNDROP TABLE brings a dropped table back

SHOW TABLES IN __hr_dropped
-- Refused at 1:16: __hr_dropped is where Headrace keeps dropped tables, and no schema to work in
-- hint: UNDROP TABLE brings a dropped table back

SHOW TABLES HISTORY IN nowhere
-- NotFound at 1:24: schema lake.nowhere does not exist
-- hint: SHOW SCHEMAS lists what there is

SHOW TABLES HISTORY WHERE no_column = 1
-- NotFound at 1:27: column no_column does not exist
-- hint: columns here include rows, bytes, kind, table_name, undrop_until

SHOW TABLES HISTORY LIMIT few
-- SqlSyntaxError at 1:27: expected a whole number after LIMIT, found few
-- hint: SHOW TABLES HISTORY [IN schema] [LIKE 'pattern'] [WHERE condition] [LIMIT n]

VACUUM never
-- NotFound at 1:8: there is no table lake.shop.never, and none of that name was dropped
-- hint: SHOW TABLES HISTORY lists what is kept

VACUUM orders RETAIN 0 HOURS
-- SqlSyntaxError at 1:15: unexpected RETAIN
-- hint: VACUUM [table]
