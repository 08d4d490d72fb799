INSERT INTO sales VALUES ('lamp', 1)
-- Refused at 1:13: lake.shop.sales is a dynamic table: only a refresh can change its rows
-- hint: change its sources, then REFRESH DYNAMIC TABLE lake.shop.sales

INSERT INTO TABLE shop.sales SELECT 'lamp', 1
-- Refused at 1:19: lake.shop.sales is a dynamic table: only a refresh can change its rows
-- hint: change its sources, then REFRESH DYNAMIC TABLE lake.shop.sales

INSERT OVERWRITE lake.shop.sales SELECT 'lamp', 1
-- Refused at 1:18: lake.shop.sales is a dynamic table: only a refresh can change its rows
-- hint: change its sources, then REFRESH DYNAMIC TABLE lake.shop.sales

INSERT INTO sales REPLACE WHERE product = 'lamp' SELECT 'lamp', 1
-- Refused at 1:13: lake.shop.sales is a dynamic table: only a refresh can change its rows
-- hint: change its sources, then REFRESH DYNAMIC TABLE lake.shop.sales

INSERT INTO `sales` BY NAME SELECT 'lamp' AS product, 1 AS quantity
-- Refused at 1:13: lake.shop.sales is a dynamic table: only a refresh can change its rows
-- hint: change its sources, then REFRESH DYNAMIC TABLE lake.shop.sales

UPDATE sales SET quantity = 0
-- Refused at 1:8: lake.shop.sales is a dynamic table: only a refresh can change its rows
-- hint: change its sources, then REFRESH DYNAMIC TABLE lake.shop.sales

DELETE FROM sales WHERE quantity = 0
-- Refused at 1:13: lake.shop.sales is a dynamic table: only a refresh can change its rows
-- hint: change its sources, then REFRESH DYNAMIC TABLE lake.shop.sales

MERGE INTO sales USING orders o ON sales.product = o.product WHEN MATCHED THEN DELETE
-- Refused at 1:12: lake.shop.sales is a dynamic table: only a refresh can change its rows
-- hint: change its sources, then REFRESH DYNAMIC TABLE lake.shop.sales

TRUNCATE TABLE sales
-- Refused at 1:16: lake.shop.sales is a dynamic table: only a refresh can change its rows
-- hint: change its sources, then REFRESH DYNAMIC TABLE lake.shop.sales

WITH w AS (SELECT 'lamp', 1)
INSERT INTO sales SELECT * FROM w
-- Refused at 2:13: lake.shop.sales is a dynamic table: only a refresh can change its rows
-- hint: change its sources, then REFRESH DYNAMIC TABLE lake.shop.sales

FROM orders INSERT INTO strict SELECT id, product INSERT INTO sales SELECT product, 1
-- Refused at 1:63: lake.shop.sales is a dynamic table: only a refresh can change its rows
-- hint: change its sources, then REFRESH DYNAMIC TABLE lake.shop.sales

INSERT INTO sales.branch_main VALUES ('lamp', 1)
-- Refused at 1:13: lake.shop.sales is a dynamic table: only a refresh can change its rows
-- hint: change its sources, then REFRESH DYNAMIC TABLE lake.shop.sales

INSERT INTO IDENTIFIER('shop.sales') VALUES ('lamp', 1)
-- Refused at 1:13: lake.shop.sales is a dynamic table: only a refresh can change its rows
-- hint: change its sources, then REFRESH DYNAMIC TABLE lake.shop.sales

INSERT INTO IDENTIFIER('sa' || 'les') VALUES ('lamp', 1)
-- Refused at 1:13: INSERT requires the table name as a literal
-- hint: write the name, in backticks if necessary, or IDENTIFIER('name')

EXECUTE IMMEDIATE 'DELETE FROM sales'
-- Refused at 1:19: lake.shop.sales is a dynamic table: only a refresh can change its rows
-- hint: change its sources, then REFRESH DYNAMIC TABLE lake.shop.sales

EXECUTE IMMEDIATE 'DELETE FROM ' || 'sales'
-- Refused at 1:19: lake.shop.sales is a dynamic table: only a refresh can change its rows
-- hint: change its sources, then REFRESH DYNAMIC TABLE lake.shop.sales

BEGIN DELETE FROM sales; END
-- Refused at 1:19: lake.shop.sales is a dynamic table: only a refresh can change its rows
-- hint: change its sources, then REFRESH DYNAMIC TABLE lake.shop.sales

BEGIN
  DECLARE stmt STRING DEFAULT 'DELETE FROM sales';
  EXECUTE IMMEDIATE stmt;
END
-- Refused at 3:21: EXECUTE IMMEDIATE inside a block requires the statement as a literal
-- hint: write it in quotes

EXPLAIN DELETE FROM sales
-- Refused at 1:21: lake.shop.sales is a dynamic table: only a refresh can change its rows
-- hint: change its sources, then REFRESH DYNAMIC TABLE lake.shop.sales

EXPLAIN FORMATTED INSERT INTO sales VALUES ('lamp', 1)
-- Refused at 1:31: lake.shop.sales is a dynamic table: only a refresh can change its rows
-- hint: change its sources, then REFRESH DYNAMIC TABLE lake.shop.sales
