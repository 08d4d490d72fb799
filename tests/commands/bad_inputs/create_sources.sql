CREATE DYNAMIC TABLE t AS SELECT * FROM missing
-- NotFound at 1:41: table or view lake.shop.missing does not exist
-- hint: SHOW TABLES lists all tables

CREATE DYNAMIC TABLE t AS
SELECT o.id, c.colour
FROM orders o JOIN colours c ON o.id = c.id
-- NotFound at 3:20: table or view lake.shop.colours does not exist
-- hint: SHOW TABLES lists all tables

CREATE DYNAMIC TABLE t AS SELECT colour FROM orders
-- NotFound at 1:34: column colour does not exist
-- hint: columns here include at, id, tags, price, product

CREATE DYNAMIC TABLE t AS SELECT id FROM orders JOIN strict USING (product)
-- NotFound at 1:68: column product does not exist on the right side of the join
-- hint: columns there: id, name

CREATE DYNAMIC TABLE t AS SELECT median_of(price) AS m FROM orders
-- NotFound at 1:34: function median_of does not exist
-- hint: SHOW FUNCTIONS lists all functions

CREATE DYNAMIC TABLE t AS SELECT * FROM nowhere.shop.orders
-- NotFound at 1:41: workspace nowhere does not exist
-- hint: workspaces of this lake: lake

CREATE DYNAMIC TABLE t AS SELECT * FROM parquet.`/data/orders`
-- Refused at 1:41: a dynamic table cannot read files by path (parquet.`/data/orders`)
-- hint: load them into a table of the lake first

CREATE DYNAMIC TABLE t AS SELECT * FROM scratch
-- Refused at 1:41: scratch is a temporary view, which exists only in this session
-- hint: create a view of the lake with CREATE VIEW, or include its query in the definition

CREATE DYNAMIC TABLE t AS SELECT * FROM global_temp.pinboard
-- Refused at 1:41: global_temp.pinboard is a temporary view, which exists only in this session
-- hint: create a view of the lake with CREATE VIEW, or include its query in the definition

CREATE DYNAMIC TABLE t AS SELECT * FROM information_schema.dynamic_table_refresh_history
-- Refused at 1:41: a dynamic table cannot read information_schema: it is not a table of the lake
-- hint: copy what is needed into a table with CREATE TABLE ... AS SELECT, and read that

CREATE DYNAMIC TABLE t AS SELECT * FROM orders VERSION AS OF 1
-- Refused at 1:41: a definition cannot read lake.shop.orders at a fixed version
-- hint: remove VERSION AS OF or TIMESTAMP AS OF

CREATE DYNAMIC TABLE t AS SELECT * FROM orders TIMESTAMP AS OF '2024-01-01'
-- Refused at 1:41: a definition cannot read lake.shop.orders at a fixed version
-- hint: remove VERSION AS OF or TIMESTAMP AS OF

CREATE DYNAMIC TABLE t AS SELECT * FROM orders.snapshots
-- NotFound at 1:41: table or view lake.orders.snapshots does not exist
-- hint: SHOW TABLES lists all tables

CREATE DYNAMIC TABLE t AS SELECT * FROM broken
-- NotFound at 1:41: table or view lake.shop.short_lived does not exist
-- hint: SHOW TABLES lists all tables

CREATE DYNAMIC TABLE t AS SELECT id FROM orders WHERE quantity > ?
-- Refused at 1:66: a definition cannot have parameters: it is run again at each refresh
-- hint: write the value itself

CREATE DYNAMIC TABLE t AS SELECT id FROM orders WHERE quantity > :least
-- Refused at 1:66: a definition cannot have parameters: it is run again at each refresh
-- hint: write the value itself

CREATE DYNAMIC TABLE t AS SELECT id FROM orders WHERE quantity > threshold
-- Refused at 1:66: the query cannot run outside this session: column threshold does not exist
-- hint: a definition cannot use the session's variables, functions or settings

CREATE DYNAMIC TABLE t AS SELECT id FROM t
-- NotFound at 1:42: table or view lake.shop.t does not exist
-- hint: did you mean lake.full_schema.t?

CREATE OR REPLACE DYNAMIC TABLE sales AS SELECT product, quantity FROM sales
-- Refused at 1:72: dynamic table lake.shop.sales cannot read itself

CREATE OR REPLACE DYNAMIC TABLE sales AS SELECT product, 1 AS quantity FROM top
-- Refused at 1:77: dynamic tables cannot depend on each other in a cycle: lake.shop.sales reads lake.shop.top reads lake.shop.sales

CREATE DYNAMIC TABLE first AS SELECT id FROM second
-- Refused at 1:46: dynamic tables cannot depend on each other in a cycle: lake.shop.first reads lake.shop.second reads lake.shop.first
