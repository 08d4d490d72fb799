SELECT * FROM missing
-- NotFound at 1:15: table or view missing does not exist
-- hint: SHOW TABLES lists all tables; names are workspace.schema.table

SELECT * FROM nowhere.orders
-- NotFound at 1:15: table or view nowhere.orders does not exist
-- hint: did you mean lake.shop.orders?

SELECT * FROM nowhere.shop.orders
-- NotFound at 1:15: table or view nowhere.shop.orders does not exist
-- hint: did you mean lake.shop.orders?

SELECT quantiti FROM orders
-- NotFound at 1:8: column quantiti does not exist
-- hint: did you mean quantity?

SELECT o.quantiti FROM orders o
-- NotFound at 1:8: column o.quantiti does not exist
-- hint: did you mean o.quantity?

SELECT id,
       colour
FROM orders
-- NotFound at 2:8: column colour does not exist
-- hint: columns here include at, id, tags, price, product

SELECT median_of(price) FROM orders
-- NotFound at 1:8: function median_of does not exist
-- hint: SHOW FUNCTIONS lists all functions

SELECT CAST(id AS NUMBERISH) FROM orders
-- NotFound at 1:19: type numberish does not exist

USE nowhere
-- NotFound at 1:5: schema lake.nowhere does not exist
-- hint: SHOW SCHEMAS lists all schemas

INSERT INTO missing VALUES (1)
-- NotFound at 1:13: table or view missing does not exist
-- hint: SHOW TABLES lists all tables; names are workspace.schema.table

INSERT INTO strict (id, colour) VALUES (1, 'red')
-- NotFound at 1:25: column colour does not exist
-- hint: columns here include id, name

UPDATE orders SET colour = 'red'
-- NotFound at 1:19: column colour does not exist
-- hint: columns here include at, id, tags, price, product

DELETE FROM orders WHERE colour = 'red'
-- NotFound at 1:26: column colour does not exist
-- hint: columns here include at, id, tags, price, product

MERGE INTO orders t USING strict s ON t.key = s.id WHEN MATCHED THEN DELETE
-- NotFound at 1:39: column t.key does not exist
-- hint: columns here include t.at, t.id, s.id, s.name, t.price

ALTER TABLE orders DROP COLUMN colour
-- NotFound at 1:32: column colour does not exist
-- hint: columns here include id, product, quantity, price, at, tags

CREATE TABLE nowhere.t (id INT)
-- NotFound at 1:14: schema lake.nowhere does not exist
-- hint: create it with CREATE SCHEMA

CREATE TABLE t (id INT) PARTITIONED BY (colour)
-- NotFound at 1:41: column colour does not exist

CREATE VIEW nowhere.v AS SELECT 1 AS a
-- NotFound at 1:13: schema lake.nowhere does not exist
-- hint: create it with CREATE SCHEMA

CREATE VIEW v AS SELECT colour FROM orders
-- NotFound at 1:25: column colour does not exist
-- hint: columns here include at, id, tags, price, product

DROP TABLE missing
-- NotFound at 1:12: table or view lake.shop.missing does not exist
-- hint: SHOW TABLES lists all tables; names are workspace.schema.table

DROP VIEW missing
-- NotFound at 1:11: view shop.missing does not exist
-- hint: SHOW TABLES lists all tables; names are workspace.schema.table

TRUNCATE TABLE missing
-- NotFound at 1:16: table or view missing does not exist
-- hint: SHOW TABLES lists all tables; names are workspace.schema.table

DESC missing
-- NotFound at 1:6: table or view lake.shop.missing does not exist
-- hint: SHOW TABLES lists all tables

DESC EXTENDED nowhere.shop.orders
-- NotFound at 1:15: workspace nowhere does not exist
-- hint: workspaces of this lake: lake

SHOW CREATE TABLE missing
-- NotFound at 1:19: table or view missing does not exist
-- hint: SHOW TABLES lists all tables; names are workspace.schema.table

SHOW KEY INDEXES FOR nothing
-- NotFound at 1:22: table lake.shop.nothing does not exist
-- hint: SHOW TABLES lists all tables

SHOW KEY INDEXES FOR big
-- Refused at 1:22: lake.shop.big is a view, which has no rows of its own
-- hint: name a table that it reads

SHOW KEY INDEXES IN nowhere
-- NotFound at 1:21: schema lake.nowhere does not exist
-- hint: SHOW SCHEMAS lists all schemas

SHOW TABLES IN nowhere
-- NotFound at 1:16: schema lake.nowhere does not exist
-- hint: SHOW SCHEMAS lists all schemas

SHOW TABLES IN nowhere.shop
-- NotFound at 1:16: workspace nowhere does not exist
-- hint: workspaces of this lake: lake

SELECT * FROM orders VERSION AS OF 1
-- NotFound at 1:36: the table has no version 1
-- hint: SELECT snapshot_id, committed_at FROM schema.name.snapshots lists them

SELECT * FROM orders TIMESTAMP AS OF '1999-01-01'
-- NotFound: the table has no version as old as 1999-01-01T00:00:00+00:00
-- hint: SELECT snapshot_id, committed_at FROM schema.name.snapshots lists them

CALL lake.system.no_such_thing('orders')
-- NotFound at 1:6: procedure lake.system.no_such_thing does not exist

SELECT ? + 1
-- ProgrammingError at 1:8: a parameter has no value
-- hint: pass parameters [value, ...]

SELECT :least + 1
-- ProgrammingError at 1:8: a parameter has no value
-- hint: pass parameters {'least': value}

CREATE DYNAMIC TABLE t AS SELECT id FROM orders QUALIFY rank() OVER (ORDER BY colour) = 1
-- NotFound at 1:79: column colour does not exist
-- hint: columns here include at, id, tags, price, product

CREATE SCHEMA nowhere.s
-- NotFound at 1:15: workspace nowhere does not exist
-- hint: workspaces of this lake: lake

EXPLAIN SELECT quantiti FROM orders
-- NotFound at 1:16: column quantiti does not exist
-- hint: did you mean quantity?

EXPLAIN EXTENDED SELECT * FROM missing
-- NotFound at 1:32: table or view missing does not exist
-- hint: SHOW TABLES lists all tables; names are workspace.schema.table

EXPLAIN SELECT colour FROM sales
-- NotFound at 1:16: column colour does not exist
-- hint: columns here include product, quantity

DESC EXTENDED sales colour
-- NotFound at 1:21: column colour does not exist
-- hint: columns here include product, quantity

OPTIMIZE nowhere
-- NotFound at 1:10: table lake.shop.nowhere does not exist
-- hint: SHOW TABLES lists all tables

OPTIMIZE lucky
-- Refused at 1:10: lake.shop.lucky is a view, which has no files
-- hint: OPTIMIZE the tables it reads
