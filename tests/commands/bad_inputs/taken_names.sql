CREATE TABLE orders (id INT)
-- AlreadyExists at 1:14: shop.orders already exists
-- hint: choose another name, or add IF NOT EXISTS

CREATE VIEW big AS SELECT 1 AS a
-- AlreadyExists at 1:13: shop.big already exists
-- hint: choose another name, or add IF NOT EXISTS

CREATE SCHEMA shop
-- AlreadyExists at 1:15: schema shop already exists
-- hint: choose another name, or add IF NOT EXISTS

CREATE TABLE t (id INT, ID INT)
-- AlreadyExists: column id is given twice
-- hint: give one of them another name

ALTER TABLE orders ADD COLUMN id INT
-- AlreadyExists at 1:31: column id already exists

CREATE SCHEMA information_schema
-- Refused at 1:15: the schema name information_schema is reserved
-- hint: choose another name
