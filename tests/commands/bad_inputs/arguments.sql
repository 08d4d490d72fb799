SET dt.args.bizdate =
-- SqlSyntaxError at 1:22: expected a value after =, found the end of the statement
-- hint: SET dt.args.name = value

SET dt.args.bizdate 2024-06-01
-- SqlSyntaxError at 1:21: expected =, found 2024
-- hint: SET dt.args.name = value

SET dt.args.biz-date = 2024-06-01
-- SqlSyntaxError at 1:16: unexpected - in a name
-- hint: enclose a name with characters other than letters, digits and _ in backticks: `a-b`

SET `dt.args.` = 2024-06-01
-- SqlSyntaxError at 1:5: the name of an argument is missing
-- hint: SET dt.args.name = value

RESET dt.args.bizdate now
-- SqlSyntaxError at 1:23: unexpected now
-- hint: RESET dt.args.name

REFRESH DYNAMIC TABLE sales PARTITION (product = lamp)
-- SqlSyntaxError at 1:50: expected a string, a number, a date, a boolean or NULL, found lamp
-- hint: REFRESH DYNAMIC TABLE name [FULL] [PARTITION (column = value, ...)]

REFRESH DYNAMIC TABLE sales PARTITION (product = 'lamp'
-- SqlSyntaxError at 1:56: expected , or ) after the value, found the end of the statement
-- hint: REFRESH DYNAMIC TABLE name [FULL] [PARTITION (column = value, ...)]

REFRESH DYNAMIC TABLE sales PARTITION (product = 'lamp', PRODUCT = 'desk')
-- SqlSyntaxError at 1:58: column PRODUCT is given twice
-- hint: REFRESH DYNAMIC TABLE name [FULL] [PARTITION (column = value, ...)]

REFRESH DYNAMIC TABLE sales PARTITION ()
-- SqlSyntaxError at 1:40: expected a partition column, found )
-- hint: REFRESH DYNAMIC TABLE name [FULL] [PARTITION (column = value, ...)]

CREATE DYNAMIC TABLE t AS SELECT SESSION_CONFIGS()['spark.app.name'] AS name FROM orders
-- Refused at 1:34: a definition cannot read the settings of a session, such as 'spark.app.name'
-- hint: a parameter is written as SESSION_CONFIGS()['dt.args.name']

CREATE DYNAMIC TABLE t AS SELECT SESSION_CONFIGS()[product] AS name FROM orders
-- Refused at 1:34: a definition cannot read the settings of a session
-- hint: a parameter is written as SESSION_CONFIGS()['dt.args.name']

CREATE DYNAMIC TABLE t AS SELECT map_keys(SESSION_CONFIGS()) AS name FROM orders
-- Refused at 1:43: a definition cannot read the settings of a session
-- hint: a parameter is written as SESSION_CONFIGS()['dt.args.name']

CREATE DYNAMIC TABLE t AS SELECT SESSION_CONFIGS()['dt.args.'] AS name FROM orders
-- Refused at 1:34: a definition cannot read the settings of a session, such as 'dt.args.'
-- hint: a parameter is written as SESSION_CONFIGS()['dt.args.name']

CREATE DYNAMIC TABLE t AS SELECT id FROM orders WHERE product = SESSION_CONFIGS()['dt.args.what'] AND colour = 1
-- NotFound at 1:103: column colour does not exist
-- hint: columns here include at, id, tags, price, product

CREATE DYNAMIC TABLE t AS SELECT SESSION_CONFIGS()['dt.args.what'] FROM orders
-- Refused at 1:34: column 1 of the query has no name
-- hint: name it with AS, or list the names after the table's name

CREATE DYNAMIC TABLE t REFRESH INTERVAL 1 HOUR AS SELECT id FROM orders WHERE product = SESSION_CONFIGS()['dt.args.what']
-- Refused at 1:32: parameter what requires a default because the table has a refresh interval
-- hint: set it with PROPERTIES('dt.args.what'='...')

ALTER DYNAMIC TABLE chosen SET REFRESH INTERVAL 1 HOUR
-- Refused at 1:40: parameter what requires a default because the table has a refresh interval
-- hint: set it with PROPERTIES('dt.args.what'='...')

ALTER DYNAMIC TABLE hourly UNSET PROPERTIES ('dt.args.what')
-- Refused at 1:28: parameter what requires a default because the table has a refresh interval
-- hint: set it with PROPERTIES('dt.args.what'='...')

EXPLAIN REFRESH DYNAMIC TABLE chosen
-- NotFound at 1:31: parameter what has no value
-- hint: use SET dt.args.what = ..., or set a default with PROPERTIES('dt.args.what'='...')

CREATE VIEW v AS SELECT id FROM orders WHERE product = SESSION_CONFIGS()['dt.args.what']
-- Refused at 1:56: a view cannot have parameters: it would store their current values
-- hint: use SESSION_CONFIGS()['dt.args.name'] in the query that reads the view

CREATE OR REPLACE TEMPORARY VIEW v AS SELECT SESSION_CONFIGS()['dt.args.what'] AS what
-- Refused at 1:46: a view cannot have parameters: it would store their current values
-- hint: use SESSION_CONFIGS()['dt.args.name'] in the query that reads the view

REFRESH DYNAMIC TABLE sales PARTITION (product = 'lamp')
-- Refused at 1:40: lake.shop.sales is not partitioned by product
-- hint: it is not partitioned; REFRESH DYNAMIC TABLE lake.shop.sales refreshes all of it

REFRESH DYNAMIC TABLE split PARTITION (quantity = 1)
-- Refused at 1:40: lake.shop.split is not partitioned by quantity
-- hint: it is partitioned by product, id, days(at)

REFRESH DYNAMIC TABLE split PARTITION (product = 'lamp', colour = 'red')
-- NotFound at 1:58: lake.shop.split has no column colour
-- hint: it is partitioned by product, id, days(at)

REFRESH DYNAMIC TABLE split PARTITION (product = 'lamp', id = 1, at = '2024-01-01')
-- Refused at 1:66: lake.shop.split is partitioned by day of at, not by at itself
-- hint: PARTITION accepts only columns by which the table is partitioned without a transform

REFRESH DYNAMIC TABLE split PARTITION (product = 'lamp')
-- Refused at 1:40: PARTITION does not specify id
-- hint: specify all of id, product

REFRESH DYNAMIC TABLE split PARTITION (product = 'lamp', id = 'first')
-- DataError at 1:63: 'first' is not a valid BIGINT, the type of column id
-- hint: write the value as in a condition on that column

REFRESH DYNAMIC TABLE split PARTITION (product = 'lamp', id = DATE '2024-01-01')
-- DataError at 1:63: DATE '2024-01-01' is not a valid BIGINT, the type of column id
-- hint: write the value as in a condition on that column

REFRESH DYNAMIC TABLE moments PARTITION (at = '2024-01-01')
-- Refused at 1:42: partitions by at of type TIMESTAMP cannot be refreshed individually
-- hint: partition by a date, a string, a whole number, a decimal or a boolean

EXPLAIN REFRESH DYNAMIC TABLE split PARTITION (quantity = 1)
-- Refused at 1:48: lake.shop.split is not partitioned by quantity
-- hint: it is partitioned by product, id, days(at)
