CREATE OR REPLACE DYNAMIC TABLE sales AS SELECT product, sum(quantity) AS quantity, avg(price) AS avg_price FROM orders GROUP BY product
-- Refused at 1:33: column avg_price is an aggregate, and cannot be added to lake.shop.sales in place
-- hint: DROP DYNAMIC TABLE lake.shop.sales, then CREATE; only WHERE and columns taken directly from a source can change in place

CREATE OR REPLACE DYNAMIC TABLE sales AS SELECT product FROM orders GROUP BY product
-- Refused at 1:33: column quantity is an aggregate, and cannot be removed from lake.shop.sales in place
-- hint: DROP DYNAMIC TABLE lake.shop.sales, then CREATE; only WHERE and columns taken directly from a source can change in place

CREATE OR REPLACE DYNAMIC TABLE sales AS SELECT product, CAST(sum(quantity) AS INT) AS quantity FROM orders GROUP BY product
-- Refused at 1:33: column quantity of lake.shop.sales is bigint, and its type cannot be changed to int in place
-- hint: DROP DYNAMIC TABLE lake.shop.sales, then CREATE; only WHERE and columns taken directly from a source can change in place

CREATE OR REPLACE DYNAMIC TABLE sales AS SELECT product, sum(quantity) AS quantity FROM orders GROUP BY product, id
-- Refused at 1:33: GROUP BY of lake.shop.sales cannot be changed in place
-- hint: DROP DYNAMIC TABLE lake.shop.sales, then CREATE; only WHERE and columns taken directly from a source can change in place

CREATE OR REPLACE DYNAMIC TABLE sales AS SELECT product, sum(quantity) AS quantity FROM orders GROUP BY product HAVING sum(quantity) > 1
-- Refused at 1:33: HAVING of lake.shop.sales cannot be changed in place
-- hint: DROP DYNAMIC TABLE lake.shop.sales, then CREATE; only WHERE and columns taken directly from a source can change in place

CREATE OR REPLACE DYNAMIC TABLE sales AS SELECT id, product, sum(quantity) AS quantity FROM orders JOIN strict USING (id) GROUP BY id, product
-- Refused at 1:33: lake.shop.sales does not read lake.shop.strict, and a source cannot be added in place
-- hint: DROP DYNAMIC TABLE lake.shop.sales, then CREATE; only WHERE and columns taken directly from a source can change in place

CREATE OR REPLACE DYNAMIC TABLE sales AS SELECT product, sum(quantity) AS quantity FROM orders WHERE nothing > 1 GROUP BY product
-- NotFound at 1:102: column nothing does not exist
-- hint: columns here include at, id, tags, price, product

CREATE OR REPLACE DYNAMIC TABLE sales REFRESH_MODE = INCREMENTAL AS SELECT product, sum(quantity) AS quantity FROM orders WHERE rand() > 0.5 GROUP BY product
-- Refused at 1:129: rand does not return the same result each time
-- hint: derive it from the row, for example with xxhash64(key), or compute it when the rows are written

CREATE OR REPLACE DYNAMIC TABLE tariff AS SELECT id, price * 2 AS price FROM orders
-- Refused at 1:33: column price of lake.shop.tariff is decimal(10,2), and its type cannot be changed to decimal(12,2) in place
-- hint: DROP DYNAMIC TABLE lake.shop.tariff, then CREATE; only WHERE and columns taken directly from a source can change in place

CREATE OR REPLACE DYNAMIC TABLE tariff AS SELECT id, price, quantity + 1 AS more FROM orders
-- Refused at 1:33: column more is computed, and cannot be added to lake.shop.tariff in place
-- hint: DROP DYNAMIC TABLE lake.shop.tariff, then CREATE; only WHERE and columns taken directly from a source can change in place

CREATE OR REPLACE DYNAMIC TABLE tariff AS SELECT DISTINCT id, price FROM orders
-- Refused at 1:33: DISTINCT of lake.shop.tariff cannot be changed in place
-- hint: DROP DYNAMIC TABLE lake.shop.tariff, then CREATE; only WHERE and columns taken directly from a source can change in place

CREATE OR REPLACE DYNAMIC TABLE tariff AS SELECT id, price FROM orders LIMIT 1
-- Refused at 1:33: LIMIT of lake.shop.tariff cannot be changed in place
-- hint: DROP DYNAMIC TABLE lake.shop.tariff, then CREATE; only WHERE and columns taken directly from a source can change in place

CREATE OR REPLACE DYNAMIC TABLE tariff AS SELECT id, price FROM orders UNION ALL SELECT id, price FROM orders
-- Refused at 1:33: UNION ALL of lake.shop.tariff cannot be changed in place
-- hint: DROP DYNAMIC TABLE lake.shop.tariff, then CREATE; only WHERE and columns taken directly from a source can change in place

CREATE OR REPLACE DYNAMIC TABLE tariff AS SELECT id, quantity FROM orders
-- Refused at 1:33: column price of lake.shop.tariff cannot be removed: still read by lake.shop.tariff_prices
-- hint: change or drop what reads it first

EXPLAIN CREATE OR REPLACE DYNAMIC TABLE tariff AS SELECT id FROM orders
-- Refused at 1:41: column price of lake.shop.tariff cannot be removed: still read by lake.shop.tariff_prices
-- hint: change or drop what reads it first

CREATE OR REPLACE DYNAMIC TABLE tariff AS SELECT id, price, quantity AS ID FROM orders
-- Refused at 1:61: the query returns two columns named ID
-- hint: give one of them another name with AS

CREATE OR REPLACE DYNAMIC TABLE tariff AS SELECT id, price, quantity AS __hr_id1 FROM orders
-- Refused at 1:61: column __hr_id1 cannot have a name that starts with __hr_
-- hint: such names are reserved for Headrace; give it another one with AS
