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
-- NotFound at 1:14: dropped table lake.shop.never does not exist
-- hint: SHOW TABLES HISTORY lists what can be undropped

UNDROP DYNAMIC TABLE never
-- NotFound at 1:22: dropped dynamic table lake.shop.never does not exist
-- hint: SHOW TABLES HISTORY lists what can be undropped

UNDROP DYNAMIC TABLE dropped
-- Refused at 1:22: the dropped lake.shop.dropped is not a dynamic table
-- hint: use UNDROP TABLE lake.shop.dropped

UNDROP TABLE closed.t
-- NotFound at 1:14: schema lake.closed does not exist
-- hint: CREATE SCHEMA lake.closed first

UNDROP TABLE nowhere.shop.t
-- NotFound at 1:14: workspace nowhere does not exist
-- hint: workspaces of this lake: lake

DROP TABLE dropped
-- NotFound at 1:12: table or view lake.shop.dropped does not exist
-- hint: SHOW TABLES lists all tables; names are workspace.schema.table

DROP TABLE orders CASCADE
-- SqlSyntaxError at 1:19: unexpected CASCADE
-- hint: DROP TABLE [IF EXISTS] name [PURGE]

DROP DYNAMIC TABLE sales PURGE
-- SqlSyntaxError at 1:26: unexpected PURGE
-- hint: DROP DYNAMIC TABLE [IF EXISTS] name

DROP DYNAMIC TABLE first
-- NotFound at 1:20: dynamic table lake.shop.first does not exist
-- hint: SHOW DYNAMIC TABLES lists all dynamic tables

EXECUTE IMMEDIATE 'DROP TABLE orders'
-- Refused at 1:19: DROP TABLE lake.shop.orders inside a block or EXECUTE IMMEDIATE could not be undone
-- hint: run it as a separate statement, or with PURGE

REFRESH DYNAMIC TABLE first
-- NotFound at 1:23: dynamic table lake.shop.first does not exist
-- hint: SHOW DYNAMIC TABLES lists all dynamic tables

SELECT * FROM __hr_dropped.t
-- Refused at 1:15: schema __hr_dropped contains dropped tables and cannot be used
-- hint: use UNDROP TABLE to restore a dropped table

CREATE TABLE __hr_dropped.t (a INT)
-- Refused at 1:14: schema __hr_dropped contains dropped tables and cannot be used
-- hint: use UNDROP TABLE to restore a dropped table

SHOW TABLES IN __hr_dropped
-- Refused at 1:16: schema __hr_dropped contains dropped tables and cannot be used
-- hint: use UNDROP TABLE to restore a dropped table

SHOW TABLES IN __hr_state
-- Refused at 1:16: schema __hr_state contains stored groups of dynamic tables and cannot be used
-- hint: the property 'state' of a dynamic table decides whether groups are stored

SHOW TABLES HISTORY IN nowhere
-- NotFound at 1:24: schema lake.nowhere does not exist
-- hint: SHOW SCHEMAS lists all schemas

SHOW TABLES HISTORY WHERE no_column = 1
-- NotFound at 1:27: column no_column does not exist
-- hint: columns here include rows, bytes, kind, table_name, undrop_until

SHOW TABLES HISTORY LIMIT few
-- SqlSyntaxError at 1:27: expected a whole number after LIMIT, found few
-- hint: SHOW TABLES HISTORY [IN schema] [LIKE 'pattern'] [WHERE condition] [LIMIT n]

VACUUM never
-- NotFound at 1:8: table lake.shop.never does not exist, and no dropped table has that name
-- hint: SHOW TABLES HISTORY lists all dropped tables

VACUUM orders RETAIN 0 HOURS
-- SqlSyntaxError at 1:15: unexpected RETAIN
-- hint: VACUUM [table]
