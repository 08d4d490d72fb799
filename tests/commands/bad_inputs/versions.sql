DESC HISTORY nothing
-- NotFound at 1:14: table lake.shop.nothing does not exist
-- hint: SHOW TABLES lists all tables

DESC HISTORY big
-- Refused at 1:14: lake.shop.big is a view, which has no versions
-- hint: use one of the tables that it reads

DESC HISTORY orders WHERE nonsense = 1
-- NotFound at 1:27: column nonsense does not exist
-- hint: columns here include time, job_id, version, operation, total_rows

RESTORE TABLE nothing TO VERSION AS OF 1
-- NotFound at 1:15: table lake.shop.nothing does not exist
-- hint: SHOW TABLES lists all tables

RESTORE TABLE big TO VERSION AS OF 1
-- Refused at 1:15: lake.shop.big is a view, which has no versions
-- hint: use one of the tables that it reads

RESTORE DYNAMIC TABLE orders TO VERSION AS OF 1
-- Refused at 1:23: lake.shop.orders is a table, not a dynamic table
-- hint: use RESTORE TABLE lake.shop.orders

RESTORE DYNAMIC TABLE nothing TO VERSION AS OF 1
-- NotFound at 1:23: dynamic table lake.shop.nothing does not exist
-- hint: SHOW DYNAMIC TABLES lists all dynamic tables

RESTORE TABLE orders TO VERSION AS OF 1
-- NotFound at 1:39: version 1 of lake.shop.orders does not exist or has expired
-- hint: DESC HISTORY lake.shop.orders lists all versions

RESTORE TABLE sales TO VERSION AS OF 99999999999999999999
-- SqlSyntaxError at 1:38: this number is too large
-- hint: RESTORE TABLE | DYNAMIC TABLE name TO VERSION AS OF n | TO TIMESTAMP AS OF timestamp

RESTORE DYNAMIC TABLE top TO TIMESTAMP AS OF '2020-01-01'
-- NotFound at 1:46: lake.shop.top has no version as of 2020-01-01 00:00:00, or it has expired
-- hint: nothing was ever written to it

RESTORE TABLE orders TO TIMESTAMP AS OF 'yesterday evening'
-- DataError at 1:41: 'yesterday evening' cannot be converted to timestamp
-- hint: write it as '2024-06-01 08:00:00'

RESTORE TABLE orders TO TIMESTAMP AS OF NULL
-- DataError at 1:41: the timestamp is NULL
-- hint: write it as '2024-06-01 08:00:00'

RESTORE TABLE orders TO TIMESTAMP AS OF nonsense
-- NotFound at 1:41: column nonsense does not exist
