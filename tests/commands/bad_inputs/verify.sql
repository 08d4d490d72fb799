VERIFY DYNAMIC TABLE top
-- Refused at 1:22: lake.shop.top has not been refreshed yet: there is nothing to verify
-- hint: run REFRESH DYNAMIC TABLE lake.shop.top first

VERIFY DYNAMIC TABLE orders
-- Refused at 1:22: lake.shop.orders is a table, not a dynamic table

VERIFY DYNAMIC TABLE big
-- Refused at 1:22: lake.shop.big is a view, not a dynamic table

VERIFY DYNAMIC TABLE missing
-- NotFound at 1:22: dynamic table lake.shop.missing does not exist
-- hint: SHOW DYNAMIC TABLES lists all dynamic tables

VERIFY DYNAMIC TABLE
-- SqlSyntaxError at 1:21: expected the name of a dynamic table, found the end of the statement
-- hint: VERIFY DYNAMIC TABLE name

VERIFY DYNAMIC TABLE sales FULL
-- SqlSyntaxError at 1:28: unexpected FULL
-- hint: VERIFY DYNAMIC TABLE name

VERIFY DYNAMIC sales
-- SqlSyntaxError at 1:16: expected TABLE, found sales
-- hint: VERIFY DYNAMIC TABLE name
