DROP DYNAMIC TABLE orders
-- Refused at 1:20: lake.shop.orders is a table, not a dynamic table
-- hint: use DROP TABLE lake.shop.orders

DROP DYNAMIC TABLE big
-- Refused at 1:20: lake.shop.big is a view, not a dynamic table
-- hint: use DROP VIEW lake.shop.big

DROP DYNAMIC TABLE IF EXISTS big
-- Refused at 1:30: lake.shop.big is a view, not a dynamic table
-- hint: use DROP VIEW lake.shop.big

DROP DYNAMIC TABLE missing
-- NotFound at 1:20: dynamic table lake.shop.missing does not exist
-- hint: SHOW DYNAMIC TABLES lists all dynamic tables

DROP DYNAMIC TABLE nowhere.shop.sales
-- NotFound at 1:20: workspace nowhere does not exist
-- hint: workspaces of this lake: lake

DROP DYNAMIC TABLE sales CASCADE
-- SqlSyntaxError at 1:26: unexpected CASCADE
-- hint: DROP DYNAMIC TABLE [IF EXISTS] name

REFRESH DYNAMIC TABLE orders
-- Refused at 1:23: lake.shop.orders is a table, not a dynamic table

REFRESH DYNAMIC TABLE big
-- Refused at 1:23: lake.shop.big is a view, not a dynamic table

REFRESH DYNAMIC TABLE missing
-- NotFound at 1:23: dynamic table lake.shop.missing does not exist
-- hint: SHOW DYNAMIC TABLES lists all dynamic tables

REFRESH DYNAMIC TABLE sales NOW
-- SqlSyntaxError at 1:29: unexpected NOW
-- hint: REFRESH DYNAMIC TABLE name [FULL] [PARTITION (column = value, ...)]

REFRESH DYNAMIC sales
-- SqlSyntaxError at 1:17: expected TABLE, found sales
-- hint: REFRESH DYNAMIC TABLE name [FULL] [PARTITION (column = value, ...)]

REFRESH TABLE sales DYNAMIC
-- SqlSyntaxError at 1:1: DYNAMIC must precede TABLE
-- hint: REFRESH DYNAMIC TABLE name [FULL] [PARTITION (column = value, ...)]

DESC DYNAMIC TABLE orders
-- Refused at 1:20: lake.shop.orders is a table, not a dynamic table
-- hint: use DESC lake.shop.orders

DESC DYNAMIC TABLE big
-- Refused at 1:20: lake.shop.big is a view, not a dynamic table
-- hint: use DESC lake.shop.big

SHOW DYNAMIC TABLE REFRESH HISTORY FOR orders
-- Refused at 1:40: lake.shop.orders is a table, not a dynamic table

SHOW DYNAMIC TABLE REFRESH HISTORY FOR missing
-- NotFound at 1:40: dynamic table lake.shop.missing does not exist
-- hint: SHOW DYNAMIC TABLES lists all dynamic tables

SHOW TABLES WHERE is_viev
-- NotFound at 1:19: column is_viev does not exist
-- hint: did you mean is_view?

SHOW TABLES WHERE is_view AND
-- SqlSyntaxError at 1:27: syntax error at or near 'AND'

SHOW TABLES LIMIT all
-- SqlSyntaxError at 1:19: expected a whole number after LIMIT, found all
-- hint: SHOW TABLES [IN schema] [LIKE 'pattern'] [WHERE condition] [LIMIT n]

SHOW TABLES LIKE orders
-- SqlSyntaxError at 1:18: expected a pattern in quotes, found orders
-- hint: SHOW TABLES [IN schema] [LIKE 'pattern'] [WHERE condition] [LIMIT n]

SHOW DYNAMIC TABLES
WHERE state = 'active' AND lag > 5
-- ProgrammingError at 2:28: interval day to second and int are not compatible in lag > 5
-- hint: CAST one of them

SHOW DYNAMIC TABLE REFRESH HISTORY WHERE durration > INTERVAL 1 SECOND LIMIT 3
-- NotFound at 1:42: column durration does not exist
-- hint: did you mean duration?

SHOW DYNAMIC TABLE REFRESH HISTORY WHERE true ORDER BY name
-- SqlSyntaxError at 1:47: syntax error at or near 'ORDER'

SELECT state FROM information_schema.dynamic_table_refresh_history WHERE mode = 'FULL'
-- NotFound at 1:74: column mode does not exist
-- hint: columns here include name, job_id, state, stats, end_time

CREATE VIEW v AS SELECT * FROM information_schema.dynamic_table_refresh_history
-- Refused at 1:13: a view cannot read information_schema
-- hint: select from it directly

CREATE MATERIALIZED VIEW v AS SELECT id FROM orders
-- NotSupportedError at 1:1: materialized views are not supported
-- hint: use CREATE DYNAMIC TABLE, which stores the result of a query and refreshes it

EXPLAIN REFRESH DYNAMIC TABLE nowhere
-- NotFound at 1:31: dynamic table lake.shop.nowhere does not exist
-- hint: SHOW DYNAMIC TABLES lists all dynamic tables

EXPLAIN REFRESH DYNAMIC TABLE orders
-- Refused at 1:31: lake.shop.orders is a table, not a dynamic table

EXPLAIN REFRESH DYNAMIC TABLE sales NOW
-- SqlSyntaxError at 1:37: unexpected NOW
-- hint: REFRESH DYNAMIC TABLE name [FULL] [PARTITION (column = value, ...)]

EXPLAIN CREATE DYNAMIC TABLE sales AS SELECT id FROM orders
-- AlreadyExists at 1:30: dynamic table lake.shop.sales already exists
-- hint: use CREATE OR REPLACE to change it, or IF NOT EXISTS to keep it

EXPLAIN CREATE OR REPLACE DYNAMIC TABLE sales AS SELECT id FROM orders
-- Refused at 1:41: GROUP BY of lake.shop.sales cannot be changed in place
-- hint: DROP DYNAMIC TABLE lake.shop.sales, then CREATE; only WHERE and columns taken directly from a source can change in place

EXPLAIN CREATE DYNAMIC TABLE d AS SELECT id, rand() AS r FROM orders
-- Refused at 1:46: rand does not return the same result each time
-- hint: derive it from the row, for example with xxhash64(key), or compute it when the rows are written

EXPLAIN CREATE DYNAMIC TABLE d REFRESH_MODE = INCREMENTAL AS SELECT id FROM orders LIMIT 1
-- NotSupportedError at 1:32: incremental refresh is not supported: LIMIT: which rows remain depends on all rows
-- hint: rank them with row_number() and filter by the rank

EXPLAIN CREATE DYNAMIC TABLE d AS SELECT nothing FROM orders
-- NotFound at 1:42: column nothing does not exist
-- hint: columns here include at, id, tags, price, product
