CREATE DYNAMIC TABLE orders AS SELECT 1 AS a
-- AlreadyExists at 1:22: lake.shop.orders already exists and is a table
-- hint: choose another name

CREATE DYNAMIC TABLE IF NOT EXISTS orders AS SELECT 1 AS a
-- AlreadyExists at 1:36: lake.shop.orders already exists and is a table
-- hint: choose another name

CREATE OR REPLACE DYNAMIC TABLE big AS SELECT 1 AS a
-- AlreadyExists at 1:33: lake.shop.big already exists and is a view
-- hint: choose another name

CREATE DYNAMIC TABLE sales AS SELECT 1 AS a
-- AlreadyExists at 1:22: dynamic table lake.shop.sales already exists
-- hint: use CREATE OR REPLACE to change it, or IF NOT EXISTS to keep it

CREATE DYNAMIC TABLE nowhere.t AS SELECT 1 AS a
-- NotFound at 1:22: schema lake.nowhere does not exist
-- hint: create it with CREATE SCHEMA

CREATE DYNAMIC TABLE nowhere.shop.t AS SELECT 1 AS a
-- NotFound at 1:22: workspace nowhere does not exist
-- hint: workspaces of this lake: lake

CREATE OR REPLACE DYNAMIC TABLE sales AS SELECT product, max(quantity) AS quantity FROM orders GROUP BY product
-- Refused at 1:33: column quantity of lake.shop.sales is bigint, and its type cannot be changed to int in place
-- hint: DROP DYNAMIC TABLE lake.shop.sales, then CREATE; only WHERE and columns taken directly from a source can change in place

CREATE OR REPLACE DYNAMIC TABLE sales (thing, quantity) AS SELECT product, sum(quantity) AS quantity FROM orders GROUP BY product
-- Refused at 1:33: column thing is a GROUP BY key, and cannot be added to lake.shop.sales in place
-- hint: DROP DYNAMIC TABLE lake.shop.sales, then CREATE; only WHERE and columns taken directly from a source can change in place

CREATE OR REPLACE DYNAMIC TABLE sales PARTITIONED BY (product) AS SELECT product, sum(quantity) AS quantity FROM orders GROUP BY product
-- Refused at 1:33: PARTITIONED BY of lake.shop.sales cannot be changed in place
-- hint: DROP DYNAMIC TABLE lake.shop.sales, then CREATE; only WHERE and columns taken directly from a source can change in place

CREATE DYNAMIC TABLE `../../elsewhere` AS SELECT id FROM orders
-- Refused at 1:22: `../../elsewhere` is not a valid name: it would refer to another directory
-- hint: use a name without slashes that does not consist only of dots
