ALTER DYNAMIC TABLE nothing SUSPEND
-- NotFound at 1:21: dynamic table lake.shop.nothing does not exist
-- hint: SHOW DYNAMIC TABLES lists all dynamic tables

ALTER DYNAMIC TABLE orders RESUME
-- Refused at 1:21: lake.shop.orders is a table, not a dynamic table
-- hint: use ALTER TABLE lake.shop.orders

ALTER DYNAMIC TABLE big SUSPEND
-- Refused at 1:21: lake.shop.big is a view, not a dynamic table
-- hint: use ALTER VIEW lake.shop.big

ALTER DYNAMIC TABLE sales RENAME TO orders
-- AlreadyExists at 1:37: lake.shop.orders already exists and is a table
-- hint: choose another name

ALTER DYNAMIC TABLE sales RENAME TO top
-- AlreadyExists at 1:37: lake.shop.top already exists and is a dynamic table
-- hint: choose another name

ALTER DYNAMIC TABLE sales RENAME TO big
-- AlreadyExists at 1:37: lake.shop.big already exists and is a view
-- hint: choose another name

ALTER DYNAMIC TABLE sales RENAME TO nowhere.sales
-- NotFound at 1:37: schema lake.nowhere does not exist
-- hint: create it with CREATE SCHEMA

ALTER DYNAMIC TABLE sales RENAME TO elsewhere.shop.sales
-- NotFound at 1:37: workspace elsewhere does not exist
-- hint: workspaces of this lake: lake

ALTER DYNAMIC TABLE second RENAME TO first
-- Refused at 1:38: dynamic table lake.shop.first cannot read itself

ALTER DYNAMIC TABLE sales RENAME COLUMN colour TO hue
-- NotFound at 1:41: lake.shop.sales has no column colour
-- hint: its columns: product, quantity

ALTER DYNAMIC TABLE sales RENAME COLUMN __hr_count TO n
-- NotFound at 1:41: lake.shop.sales has no column __hr_count
-- hint: its columns: product, quantity

ALTER DYNAMIC TABLE sales RENAME COLUMN quantity TO Product
-- AlreadyExists at 1:53: lake.shop.sales already has a column Product
-- hint: choose another name

ALTER DYNAMIC TABLE sales RENAME COLUMN quantity TO __hr_count
-- Refused at 1:53: column __hr_count cannot have a name that starts with __hr_
-- hint: such names are reserved for Headrace; choose another one

ALTER DYNAMIC TABLE sales RENAME COLUMN quantity TO _file
-- Refused at 1:53: column _file cannot have that name, which is reserved for Iceberg
-- hint: choose another one

ALTER DYNAMIC TABLE sales RENAME COLUMN product TO article
-- Refused at 1:41: column product of lake.shop.sales is read under that name by lake.shop.top
-- hint: drop what reads it, rename the column, and create it again with the new name

ALTER DYNAMIC TABLE sales SET PROPERTIES ('full_refresh_margin' = 'much')
-- Refused at 1:67: full_refresh_margin must be a number greater than 0, not 'much'
-- hint: it is how many times cheaper FULL must be to be chosen; the default is 1.2

ALTER DYNAMIC TABLE sales SET PROPERTIES ('team' = 'north', 'data_retention_days' = 91)
-- Refused at 1:85: data_retention_days must be a whole number from 0 to 90, not '91'
-- hint: it is the number of days for which old versions can be restored

ALTER DYNAMIC TABLE sales UNSET PROPERTIES ('team')
-- NotFound at 1:45: property 'team' does not exist
-- hint: UNSET PROPERTIES IF EXISTS ignores missing properties

ALTER DYNAMIC TABLE sales REFRESH INTERVAL 5 SECOND
-- Refused at 1:35: the minimum refresh interval is 1 minute, not 5 seconds
-- hint: minimum_interval_seconds in lake.toml sets the minimum

ALTER DYNAMIC TABLE sales SET REFRESH INTERVAL 5 MINUTE VCLUSTER huge
-- NotFound at 1:66: virtual cluster huge does not exist
-- hint: SHOW VCLUSTERS lists all virtual clusters

ALTER TABLE orders SET PROPERTIES ('data_retention_days' = '91')
-- Refused at 1:60: data_retention_days must be a whole number from 0 to 90, not '91'
-- hint: it is the number of days for which old versions can be restored

ALTER TABLE orders SET TBLPROPERTIES ('team' = 'north', 'data_retention_days' = 'a week')
-- Refused at 1:81: data_retention_days must be a whole number from 0 to 90, not 'a week'
-- hint: it is the number of days for which old versions can be restored

ALTER TABLE sales SET PROPERTIES ('data_retention_days' = -1)
-- Refused at 1:59: data_retention_days must be a whole number from 0 to 90, not '-1'
-- hint: it is the number of days for which old versions can be restored

ALTER TABLE sales SET PROPERTIES ('team' = 'north')
-- Refused at 1:35: lake.shop.sales is a dynamic table: ALTER TABLE can change only data_retention_days
-- hint: use ALTER DYNAMIC TABLE lake.shop.sales for other properties

ALTER TABLE orders SET PROPERTIES ('headrace.id' = 'x')
-- Refused at 1:36: property 'headrace.id' is reserved for Headrace
-- hint: choose a name that does not start with headrace

ALTER TABLE orders UNSET PROPERTIES ('team')
-- NotFound at 1:38: property 'team' does not exist
-- hint: UNSET PROPERTIES IF EXISTS ignores missing properties

ALTER TABLE nothing SET PROPERTIES ('data_retention_days' = '7')
-- NotFound at 1:13: table lake.shop.nothing does not exist
-- hint: SHOW TABLES lists all tables

ALTER TABLE big SET PROPERTIES ('data_retention_days' = '7')
-- Refused at 1:13: lake.shop.big is a view
-- hint: use ALTER VIEW lake.shop.big

ALTER TABLE orders SET PROPERTIES ('location' = '/tmp')
-- NotSupportedError at 1:13: the feature is not supported: location is a reserved table property, please use the LOCATION clause to specify it

CREATE DYNAMIC TABLE d PROPERTIES ('data_retention_days' = '1.5') AS SELECT id FROM orders
-- Refused at 1:24: data_retention_days must be a whole number from 0 to 90, not '1.5'
-- hint: it is the number of days for which old versions can be restored
