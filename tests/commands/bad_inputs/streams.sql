CREATE TABLE STREAM news ON TABLE orders
-- AlreadyExists at 1:21: table stream lake.shop.news already exists
-- hint: use CREATE OR REPLACE to recreate it, or IF NOT EXISTS to keep it

CREATE TABLE STREAM orders ON TABLE orders
-- AlreadyExists at 1:21: lake.shop.orders already exists and is a table
-- hint: choose another name

CREATE OR REPLACE TABLE STREAM sales ON TABLE orders
-- AlreadyExists at 1:32: lake.shop.sales already exists and is a dynamic table
-- hint: choose another name

CREATE TABLE STREAM big ON TABLE orders
-- AlreadyExists at 1:21: lake.shop.big already exists and is a view
-- hint: choose another name

CREATE TABLE STREAM nowhere.s ON TABLE orders
-- NotFound at 1:21: schema lake.nowhere does not exist
-- hint: create it with CREATE SCHEMA

CREATE TABLE STREAM `a/b` ON TABLE orders
-- Refused at 1:21: `a/b` is not a valid name: it would refer to another directory
-- hint: use a name without slashes that does not consist only of dots

CREATE TABLE STREAM s ON TABLE missing
-- NotFound at 1:32: table lake.shop.missing does not exist
-- hint: SHOW TABLES lists all tables

CREATE TABLE STREAM s ON TABLE big
-- Refused at 1:32: lake.shop.big is a view
-- hint: create a stream on each of the tables that it reads

CREATE TABLE STREAM s ON TABLE news
-- Refused at 1:32: lake.shop.news is a table stream
-- hint: create the stream on a table

CREATE TABLE STREAM s ON DYNAMIC TABLE orders
-- Refused at 1:40: lake.shop.orders is a table, not a dynamic table
-- hint: use ON TABLE lake.shop.orders

CREATE TABLE STREAM s ON TABLE own_names
-- Refused at 1:32: column __Change_Type of lake.shop.own_names has a name that is reserved for streams
-- hint: rename it with ALTER TABLE lake.shop.own_names RENAME COLUMN __Change_Type TO ...

CREATE TABLE STREAM s ON TABLE orders TIMESTAMP AS OF 'yesterday or so'
-- DataError at 1:55: 'yesterday or so' cannot be converted to timestamp
-- hint: write it as '2024-06-01 08:00:00'

CREATE TABLE STREAM s ON TABLE orders TIMESTAMP AS OF NULL
-- DataError at 1:55: the timestamp is NULL
-- hint: write it as '2024-06-01 08:00:00'

CREATE TABLE news (a INT)
-- AlreadyExists at 1:14: lake.shop.news already exists and is a table stream
-- hint: choose another name

CREATE OR REPLACE TABLE news AS SELECT 1 AS a
-- AlreadyExists at 1:25: lake.shop.news already exists and is a table stream
-- hint: choose another name

CREATE OR REPLACE VIEW news AS SELECT 1 AS a
-- AlreadyExists at 1:24: lake.shop.news already exists and is a table stream
-- hint: choose another name

CREATE DYNAMIC TABLE news AS SELECT id FROM orders
-- AlreadyExists at 1:22: lake.shop.news already exists and is a table stream
-- hint: choose another name

ALTER TABLE orders RENAME TO news
-- AlreadyExists at 1:13: lake.shop.news already exists and is a table stream
-- hint: choose another name

ALTER DYNAMIC TABLE sales RENAME TO news
-- AlreadyExists at 1:37: lake.shop.news already exists and is a table stream
-- hint: choose another name

ALTER TABLE news RENAME TO other_news
-- Refused at 1:13: RENAME is not allowed on the table stream lake.shop.news
-- hint: use DROP TABLE STREAM lake.shop.news, or CREATE OR REPLACE TABLE STREAM

INSERT INTO news VALUES (1)
-- Refused at 1:13: lake.shop.news is a table stream, which is read-only
-- hint: change the rows of its table

DELETE FROM news WHERE id = 1
-- Refused at 1:13: lake.shop.news is a table stream, which is read-only
-- hint: change the rows of its table

DROP TABLE news
-- Refused at 1:12: lake.shop.news is a table stream
-- hint: use DROP TABLE STREAM lake.shop.news

DROP DYNAMIC TABLE news
-- Refused at 1:20: lake.shop.news is a table stream, not a dynamic table
-- hint: use DROP TABLE STREAM lake.shop.news

DROP TABLE STREAM orders
-- Refused at 1:19: lake.shop.orders is a table, not a table stream
-- hint: use DROP TABLE lake.shop.orders

DROP TABLE STREAM missing
-- NotFound at 1:19: table stream lake.shop.missing does not exist
-- hint: SHOW TABLE STREAMS lists all table streams

DESC TABLE STREAM sales
-- Refused at 1:19: lake.shop.sales is a dynamic table, not a table stream
-- hint: use DESC lake.shop.sales

DESC HISTORY news
-- Refused at 1:14: lake.shop.news is a table stream
-- hint: its table is lake.shop.orders

REFRESH DYNAMIC TABLE news
-- Refused at 1:23: lake.shop.news is a table stream, not a dynamic table

SELECT * FROM news VERSION AS OF 1
-- Refused at 1:15: lake.shop.news is a table stream, which has no versions
-- hint: remove VERSION AS OF or TIMESTAMP AS OF

SELECT nothing FROM news
-- NotFound at 1:8: column nothing does not exist
-- hint: columns here include at, id, tags, price, product

CREATE DYNAMIC TABLE d AS SELECT id FROM news
-- Refused at 1:42: a dynamic table cannot read the table stream lake.shop.news
-- hint: read lake.shop.orders instead: a refresh finds its changes automatically

CREATE DYNAMIC TABLE d AS SELECT id FROM fresh
-- Refused at 1:42: a dynamic table cannot read the table stream lake.shop.news
-- hint: read lake.shop.orders instead: a refresh finds its changes automatically

FROM news INSERT INTO strict SELECT id, product INSERT INTO full_schema.t SELECT id
-- Refused at 1:61: a stream can be consumed into only one table at a time
-- hint: create one stream for each of the tables

BEGIN INSERT INTO strict SELECT id, product FROM news; END
-- Refused at 1:19: a stream cannot be consumed inside a block or EXECUTE IMMEDIATE
-- hint: run the statement that writes as a separate statement

EXECUTE IMMEDIATE 'INSERT INTO strict SELECT id, product FROM fresh'
-- Refused at 1:19: a stream cannot be consumed inside a block or EXECUTE IMMEDIATE
-- hint: run the statement that writes as a separate statement

UNDROP TABLE STREAM news
-- AlreadyExists at 1:21: lake.shop.news already exists and is a table stream
-- hint: rename or drop that one first

UNDROP DYNAMIC TABLE old_news
-- Refused at 1:22: the dropped lake.shop.old_news is not a dynamic table
-- hint: use UNDROP TABLE STREAM lake.shop.old_news
