ALTER TABLE sales ADD COLUMN colour STRING
-- Refused at 1:13: ALTER TABLE is not allowed on the dynamic table lake.shop.sales
-- hint: change it with CREATE OR REPLACE DYNAMIC TABLE lake.shop.sales

ALTER TABLE sales DROP COLUMN quantity
-- Refused at 1:13: ALTER TABLE is not allowed on the dynamic table lake.shop.sales
-- hint: change it with CREATE OR REPLACE DYNAMIC TABLE lake.shop.sales

ALTER TABLE sales RENAME COLUMN quantity TO q
-- Refused at 1:13: ALTER TABLE is not allowed on the dynamic table lake.shop.sales
-- hint: change it with CREATE OR REPLACE DYNAMIC TABLE lake.shop.sales

ALTER TABLE sales RENAME TO sales2
-- Refused at 1:13: RENAME is not allowed on the dynamic table lake.shop.sales
-- hint: ALTER DYNAMIC TABLE lake.shop.sales RENAME TO ... renames it

ALTER TABLE orders RENAME TO sales
-- AlreadyExists at 1:13: lake.shop.sales already exists and is a dynamic table
-- hint: choose another name

ALTER TABLE orders RENAME TO nowhere.orders
-- NotFound at 1:13: schema lake.nowhere does not exist
-- hint: create it with CREATE SCHEMA

ALTER TABLE sales SET TBLPROPERTIES ('a' = 'b')
-- Refused at 1:13: ALTER TABLE is not allowed on the dynamic table lake.shop.sales
-- hint: change it with CREATE OR REPLACE DYNAMIC TABLE lake.shop.sales

ALTER TABLE sales CREATE BRANCH b
-- Refused at 1:13: ALTER TABLE is not allowed on the dynamic table lake.shop.sales
-- hint: change it with CREATE OR REPLACE DYNAMIC TABLE lake.shop.sales

COMMENT ON TABLE sales IS 'x'
-- Refused at 1:18: COMMENT ON TABLE is not allowed on the dynamic table lake.shop.sales
-- hint: change it with CREATE OR REPLACE DYNAMIC TABLE lake.shop.sales

CREATE TABLE sales (a INT)
-- AlreadyExists at 1:14: lake.shop.sales already exists and is a dynamic table
-- hint: choose another name

CREATE OR REPLACE TABLE sales AS SELECT 1 AS a
-- Refused at 1:25: CREATE OR REPLACE TABLE is not allowed on the dynamic table lake.shop.sales
-- hint: change it with CREATE OR REPLACE DYNAMIC TABLE lake.shop.sales

CREATE VIEW sales AS SELECT 1 AS a
-- AlreadyExists at 1:13: lake.shop.sales already exists and is a dynamic table
-- hint: choose another name

CREATE OR REPLACE VIEW sales AS SELECT 1 AS a
-- Refused at 1:24: CREATE OR REPLACE VIEW is not allowed on the dynamic table lake.shop.sales
-- hint: change it with CREATE OR REPLACE DYNAMIC TABLE lake.shop.sales

DROP TABLE sales
-- Refused at 1:12: lake.shop.sales is a dynamic table
-- hint: use DROP DYNAMIC TABLE lake.shop.sales

DROP TABLE IF EXISTS sales PURGE
-- Refused at 1:22: lake.shop.sales is a dynamic table
-- hint: use DROP DYNAMIC TABLE lake.shop.sales

DROP VIEW sales
-- Refused at 1:11: lake.shop.sales is a dynamic table
-- hint: use DROP DYNAMIC TABLE lake.shop.sales

DROP SCHEMA shop CASCADE
-- Refused at 1:13: schema shop contains the dynamic table lake.shop.chosen
-- hint: DROP DYNAMIC TABLE lake.shop.chosen first

CALL lake.system.rollback_to_snapshot('sales', 1)
-- Refused at 1:6: CALL lake.system.rollback_to_snapshot is not allowed on the dynamic table lake.shop.sales
-- hint: refreshes maintain it; REFRESH DYNAMIC TABLE lake.shop.sales FULL recomputes it

CALL lake.system.rewrite_data_files(table => 'shop.sales')
-- Refused at 1:6: CALL lake.system.rewrite_data_files is not allowed on the dynamic table lake.shop.sales
-- hint: refreshes maintain it; REFRESH DYNAMIC TABLE lake.shop.sales FULL recomputes it

CALL lake.system.expire_snapshots(table => '`shop`.`sales`')
-- Refused at 1:6: CALL lake.system.expire_snapshots is not allowed on the dynamic table lake.shop.sales
-- hint: refreshes maintain it; REFRESH DYNAMIC TABLE lake.shop.sales FULL recomputes it

CALL lake.system.migrate('sales')
-- Refused at 1:6: CALL lake.system.migrate is not allowed on the dynamic table lake.shop.sales
-- hint: refreshes maintain it; REFRESH DYNAMIC TABLE lake.shop.sales FULL recomputes it

CALL lake.system.rewrite_manifests(table => 'sa' || 'les')
-- Refused at 1:6: CALL lake.system.rewrite_manifests requires the table name as a literal
-- hint: write it in quotes
