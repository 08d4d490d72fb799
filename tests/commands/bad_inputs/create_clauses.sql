CREATE DYNAMIC TABLE t
-- SqlSyntaxError at 1:23: a dynamic table requires AS and a query
-- hint: CREATE [OR REPLACE] DYNAMIC TABLE [IF NOT EXISTS] name [clauses] AS query

CREATE DYNAMIC TABLE t SELECT id FROM orders
-- SqlSyntaxError at 1:24: expected AS before the query
-- hint: CREATE [OR REPLACE] DYNAMIC TABLE [IF NOT EXISTS] name [clauses] AS query

CREATE DYNAMIC t AS SELECT id FROM orders
-- SqlSyntaxError at 1:16: expected TABLE, found t
-- hint: CREATE [OR REPLACE] DYNAMIC TABLE [IF NOT EXISTS] name [clauses] AS query

CREATE DYNAMIC TABLE AS SELECT id FROM orders
-- SqlSyntaxError at 1:22: expected the name of the dynamic table, found AS
-- hint: CREATE [OR REPLACE] DYNAMIC TABLE [IF NOT EXISTS] name [clauses] AS query

CREATE DYNAMIC TABLE t AS
-- SqlSyntaxError at 1:26: the query after AS is missing
-- hint: CREATE [OR REPLACE] DYNAMIC TABLE [IF NOT EXISTS] name [clauses] AS query

CREATE DYNAMIC TABLE t AS DELETE FROM orders
-- SqlSyntaxError at 1:27: a query cannot start with DELETE
-- hint: CREATE [OR REPLACE] DYNAMIC TABLE [IF NOT EXISTS] name [clauses] AS query

CREATE DYNAMIC TABLE t AS SELECT id FROM orders)
-- SqlSyntaxError at 1:48: unexpected ) in the query
-- hint: CREATE [OR REPLACE] DYNAMIC TABLE [IF NOT EXISTS] name [clauses] AS query

CREATE DYNAMIC TABLE t
AS SELECT id,
  quantity AS AS q
FROM orders
-- SqlSyntaxError at 3:18: syntax error at or near 'q'

CREATE DYNAMIC TABLE a.b.c.d AS SELECT id FROM orders
-- SqlSyntaxError at 1:22: a name can have at most 3 parts, but this one has 4
-- hint: CREATE [OR REPLACE] DYNAMIC TABLE [IF NOT EXISTS] name [clauses] AS query

CREATE DYNAMIC TABLE my-orders AS SELECT id FROM orders
-- SqlSyntaxError at 1:24: unexpected - in a name
-- hint: enclose a name with characters other than letters, digits and _ in backticks: `a-b`

CREATE OR REPLACE DYNAMIC TABLE IF NOT EXISTS t AS SELECT id FROM orders
-- SqlSyntaxError at 1:33: OR REPLACE and IF NOT EXISTS cannot be used together
-- hint: remove one of them

CREATE DYNAMIC TABLE t COMMENT 'a' COMMENT 'b' AS SELECT id FROM orders
-- SqlSyntaxError at 1:36: COMMENT is given twice
-- hint: CREATE [OR REPLACE] DYNAMIC TABLE [IF NOT EXISTS] name [clauses] AS query

CREATE DYNAMIC TABLE t COMMENT orders AS SELECT id FROM orders
-- SqlSyntaxError at 1:32: expected a comment in quotes, found orders
-- hint: CREATE [OR REPLACE] DYNAMIC TABLE [IF NOT EXISTS] name [clauses] AS query

CREATE DYNAMIC TABLE t PROPERTIES ('a' = '1') TBLPROPERTIES ('b' = '2') AS SELECT id FROM orders
-- SqlSyntaxError at 1:47: PROPERTIES is given twice
-- hint: CREATE [OR REPLACE] DYNAMIC TABLE [IF NOT EXISTS] name [clauses] AS query

CREATE DYNAMIC TABLE t PROPERTIES ('a' = '1', 'a' = '2') AS SELECT id FROM orders
-- SqlSyntaxError at 1:47: property a is given twice
-- hint: CREATE [OR REPLACE] DYNAMIC TABLE [IF NOT EXISTS] name [clauses] AS query

CREATE DYNAMIC TABLE t REFRESH INTERVAL 5 MINUTE REFRESH INTERVAL 6 MINUTE AS SELECT id FROM orders
-- SqlSyntaxError at 1:50: REFRESH is given twice
-- hint: CREATE [OR REPLACE] DYNAMIC TABLE [IF NOT EXISTS] name [clauses] AS query

CREATE DYNAMIC TABLE t PARTITIONED BY (id) PARTITIONED BY (id) AS SELECT id FROM orders
-- SqlSyntaxError at 1:44: PARTITIONED BY is given twice
-- hint: CREATE [OR REPLACE] DYNAMIC TABLE [IF NOT EXISTS] name [clauses] AS query

CREATE DYNAMIC TABLE t VCLUSTER default REFRESH VCLUSTER default_ap AS SELECT id FROM orders
-- SqlSyntaxError at 1:58: two different clusters are given: default and default_ap
-- hint: CREATE [OR REPLACE] DYNAMIC TABLE [IF NOT EXISTS] name [clauses] AS query

CREATE DYNAMIC TABLE t REFRESH_MODE = FAST AS SELECT id FROM orders
-- SqlSyntaxError at 1:39: REFRESH_MODE must be one of AUTO, FULL, INCREMENTAL, found FAST
-- hint: CREATE [OR REPLACE] DYNAMIC TABLE [IF NOT EXISTS] name [clauses] AS query

CREATE DYNAMIC TABLE t (a, A) AS SELECT id, product FROM orders
-- SqlSyntaxError at 1:28: column A is given twice
-- hint: CREATE [OR REPLACE] DYNAMIC TABLE [IF NOT EXISTS] name [clauses] AS query

CREATE DYNAMIC TABLE t (a BIGINT NOT NULL) AS SELECT id FROM orders
-- SqlSyntaxError at 1:34: NOT is not supported here: the query determines the values
-- hint: CREATE [OR REPLACE] DYNAMIC TABLE [IF NOT EXISTS] name [clauses] AS query

CREATE DYNAMIC TABLE t CLUSTERED BY (id) INTO 4 BUCKETS AS SELECT id FROM orders
-- SqlSyntaxError at 1:42: CLUSTERED BY accepts only columns, not buckets
-- hint: CLUSTERED BY (a, b); for hash buckets use PARTITIONED BY (bucket(16, a))
