-- # Start over
DROP DYNAMIC TABLE IF EXISTS ads_category_rank;
DROP DYNAMIC TABLE IF EXISTS ads_category_gmv;
DROP DYNAMIC TABLE IF EXISTS dwd_orders;
DROP TABLE IF EXISTS ods_orders;
DROP TABLE IF EXISTS ods_products;

-- # Two source tables
CREATE TABLE ods_products (
  product_id INT,
  product_name STRING,
  category STRING,
  brand STRING
);
CREATE TABLE ods_orders (
  order_id BIGINT,
  product_id INT,
  quantity INT,
  price DECIMAL(10, 2),
  status STRING,
  order_time TIMESTAMP
);
INSERT INTO ods_products VALUES
  (1, 'Running Shoes', 'Sports & Outdoors', 'Northtrail'),
  (2, 'Yoga Mat', 'Sports & Outdoors', 'Stillwater'),
  (3, 'Jump Rope', 'Sports & Outdoors', 'Stillwater'),
  (4, 'Wireless Earbuds', 'Electronics', 'Lumen Audio'),
  (5, 'USB-C Charger', 'Electronics', 'Voltline'),
  (6, 'Mechanical Keyboard', 'Computer Peripherals', 'Keyforge'),
  (7, 'Wireless Mouse', 'Computer Peripherals', 'Keyforge'),
  (8, 'Insulated Tumbler', 'Home & Kitchen', 'Hearthside'),
  (9, 'French Press', 'Home & Kitchen', 'Hearthside');
INSERT INTO ods_orders VALUES
  (1001, 1, 1, 289.00, 'completed', TIMESTAMP '2024-06-01 09:02:11'),
  (1002, 1, 3, 289.00, 'completed', TIMESTAMP '2024-06-01 09:05:47'),
  (1003, 2, 2, 138.00, 'completed', TIMESTAMP '2024-06-01 09:11:30'),
  (1004, 3, 2, 69.00, 'completed', TIMESTAMP '2024-06-01 09:12:08'),
  (1005, 4, 1, 299.00, 'completed', TIMESTAMP '2024-06-01 09:14:52'),
  (1006, 4, 2, 299.00, 'completed', TIMESTAMP '2024-06-01 09:20:19'),
  (1007, 5, 2, 129.00, 'completed', TIMESTAMP '2024-06-01 09:21:05'),
  (1008, 6, 1, 359.00, 'completed', TIMESTAMP '2024-06-01 09:26:40'),
  (1009, 7, 2, 99.00, 'completed', TIMESTAMP '2024-06-01 09:31:13'),
  (1010, 8, 3, 89.00, 'completed', TIMESTAMP '2024-06-01 09:33:58'),
  (1011, 9, 2, 45.00, 'completed', TIMESTAMP '2024-06-01 09:40:26'),
  (1012, 4, 5, 299.00, 'pending', TIMESTAMP '2024-06-01 09:41:02'),
  (1013, 1, 2, 289.00, 'cancelled', TIMESTAMP '2024-06-01 09:44:37'),
  (1014, 6, 4, 359.00, 'refunded', TIMESTAMP '2024-06-01 09:48:15');

-- # Three layers of dynamic tables, each a plain query
CREATE DYNAMIC TABLE dwd_orders
REFRESH INTERVAL 1 MINUTE VCLUSTER default
AS SELECT
  o.order_id, o.product_id, p.product_name, p.category, p.brand, o.quantity, o.price,
  CAST(o.quantity * o.price AS DECIMAL(10, 2)) AS amount,
  o.order_time
FROM ods_orders o JOIN ods_products p ON o.product_id = p.product_id
WHERE o.status = 'completed';
CREATE DYNAMIC TABLE ads_category_gmv
REFRESH INTERVAL 1 MINUTE VCLUSTER default
AS SELECT
  category,
  COUNT(*) AS order_cnt,
  SUM(quantity) AS total_quantity,
  CAST(SUM(amount) AS DECIMAL(10, 2)) AS gmv,
  CAST(AVG(price) AS DECIMAL(10, 2)) AS avg_price
FROM dwd_orders
GROUP BY category;
CREATE DYNAMIC TABLE ads_category_rank
REFRESH INTERVAL 1 MINUTE VCLUSTER default
AS SELECT
  RANK() OVER (ORDER BY gmv DESC) AS gmv_rank,
  category, order_cnt, total_quantity, gmv, avg_price
FROM ads_category_gmv;

-- # Fill them (no scheduler runs here, so by hand and in order)
REFRESH DYNAMIC TABLE dwd_orders;
REFRESH DYNAMIC TABLE ads_category_gmv;
REFRESH DYNAMIC TABLE ads_category_rank;
SELECT * FROM ads_category_rank ORDER BY gmv_rank, category;

-- # New orders arrive
INSERT INTO ods_orders VALUES
  (1015, 8, 2, 89.00, 'completed', TIMESTAMP '2024-06-01 10:01:20'),
  (1016, 5, 3, 129.00, 'completed', TIMESTAMP '2024-06-01 10:02:44'),
  (1017, 4, 1, 299.00, 'completed', TIMESTAMP '2024-06-01 10:03:09'),
  (1018, 6, 1, 359.00, 'completed', TIMESTAMP '2024-06-01 10:05:31'),
  (1019, 7, 1, 99.00, 'completed', TIMESTAMP '2024-06-01 10:06:57'),
  (1020, 1, 2, 289.00, 'pending', TIMESTAMP '2024-06-01 10:07:12');
REFRESH DYNAMIC TABLE dwd_orders;
REFRESH DYNAMIC TABLE ads_category_gmv;
REFRESH DYNAMIC TABLE ads_category_rank;
SELECT * FROM ads_category_rank ORDER BY gmv_rank, category;

-- # What the refreshes did, newest first
SELECT
  name, state, refresh_mode, duration,
  get_json_object(stats, '$.rows_inserted') AS rows_inserted,
  get_json_object(stats, '$.rows_deleted') AS rows_deleted
FROM information_schema.dynamic_table_refresh_history
ORDER BY start_time DESC
LIMIT 6;
