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
-- hint: use CREATE OR REPLACE to change it, or IF NOT EXISTS to leave it

CREATE DYNAMIC TABLE nowhere.t AS SELECT 1 AS a
-- NotFound at 1:22: schema lake.nowhere does not exist
-- hint: CREATE SCHEMA makes one

CREATE DYNAMIC TABLE nowhere.shop.t AS SELECT 1 AS a
-- NotFound at 1:22: there is no workspace nowhere
-- hint: workspaces of this lake: lake

CREATE OR REPLACE DYNAMIC TABLE sales AS SELECT product, max(quantity) AS quantity FROM orders GROUP BY product
-- Refused at 1:33: column quantity of lake.shop.sales is bigint, and its type cannot be changed to int in place
-- hint: DROP DYNAMIC TABLE lake.shop.sales, then CREATE; in place, WHERE can change, and columns straight from a source can come and go

CREATE OR REPLACE DYNAMIC TABLE sales (thing, quantity) AS SELECT product, sum(quantity) AS quantity FROM orders GROUP BY product
-- Refused at 1:33: column thing is a key of GROUP BY, and cannot be added to lake.shop.sales in place
-- hint: DROP DYNAMIC TABLE lake.shop.sales, then CREATE; in place, WHERE can change, and columns straight from a source can come and go

CREATE OR REPLACE DYNAMIC TABLE sales PARTITIONED BY (product) AS SELECT product, sum(quantity) AS quantity FROM orders GROUP BY product
-- Refused at 1:33: PARTITIONED BY of lake.shop.sales cannot be changed in place
-- hint: DROP DYNAMIC TABLE lake.shop.sales, then CREATE; in place, WHERE can change, and columns straight from a source can come and go

CREATE DYNAMIC TABLE `../../elsewhere` AS SELECT id FROM orders
-- Refused at 1:22: `../../elsewhere` cannot be a name: it would be the path of another directory
-- hint: leave out slashes, and names of dots alone
