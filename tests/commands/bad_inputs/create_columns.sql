CREATE DYNAMIC TABLE t AS SELECT id, quantity + 1 FROM orders
-- Refused at 1:38: column 2 of the query has no name
-- hint: name it with AS, or list the names after the table's name

CREATE DYNAMIC TABLE t AS SELECT count(*) FROM orders
-- Refused at 1:34: column 1 of the query has no name
-- hint: name it with AS, or list the names after the table's name

CREATE DYNAMIC TABLE t AS SELECT id, product AS ID FROM orders
-- Refused at 1:38: the query returns two columns named ID
-- hint: give one of them another name with AS

CREATE DYNAMIC TABLE t AS SELECT a.*, b.* FROM orders a JOIN orders b USING (product)
-- Refused: the query returns two columns named product
-- hint: give one of them another name with AS

CREATE DYNAMIC TABLE t AS SELECT id, NULL AS nothing FROM orders
-- Refused at 1:38: column nothing is NULL and has no type
-- hint: specify its type with CAST(NULL AS ...)

CREATE DYNAMIC TABLE t AS SELECT id, array() AS nothing FROM orders
-- Refused at 1:38: column nothing is NULL and has no type
-- hint: specify its type with CAST(NULL AS ...)

CREATE DYNAMIC TABLE t AS SELECT id, at - TIMESTAMP '2024-01-01' AS age FROM orders
-- Refused at 1:38: column age is an interval day to second, which a table cannot store
-- hint: store it as a number of seconds or months

CREATE DYNAMIC TABLE t AS SELECT id AS __hr_id FROM orders
-- Refused at 1:34: column __hr_id cannot have a name that starts with __hr_
-- hint: such names are reserved for Headrace; give it another one with AS

CREATE DYNAMIC TABLE t AS SELECT id AS _row_id FROM orders
-- Refused at 1:34: column _row_id cannot have that name, which is reserved for Iceberg
-- hint: give it another one with AS

CREATE DYNAMIC TABLE t (a, b, c) AS SELECT id, product FROM orders
-- Refused at 1:24: the number of columns listed is 3, but the query returns 2
-- hint: list all of them, or none

CREATE DYNAMIC TABLE t (a STRING, b) AS SELECT id, product FROM orders
-- Refused at 1:27: column a is listed as string, but the query returns bigint
-- hint: CAST it in the query, or leave out the type

CREATE DYNAMIC TABLE t (a, b STRINGY) AS SELECT id, product FROM orders
-- NotFound at 1:30: type stringy does not exist

CREATE DYNAMIC TABLE t PARTITIONED BY (colour) AS SELECT id FROM orders
-- NotFound at 1:40: column colour of PARTITIONED BY does not exist
-- hint: columns of the query: id

CREATE DYNAMIC TABLE t PARTITIONED BY (id, days(at)) AS SELECT id FROM orders
-- NotFound at 1:49: column at of PARTITIONED BY does not exist
-- hint: columns of the query: id

CREATE DYNAMIC TABLE t PARTITIONED BY (days(id)) AS SELECT id FROM orders
-- ProgrammingError at 1:24: a column of type long cannot be partitioned in this way
-- hint: use a column, years(c), months(c), days(c), hours(c), bucket(n, c) or truncate(n, c)

CREATE DYNAMIC TABLE t PARTITIONED BY (weeks(at)) AS SELECT id, at FROM orders
-- NotSupportedError at 1:24: a table cannot be partitioned by weeks(at)
-- hint: use a column, years(c), months(c), days(c), hours(c), bucket(n, c) or truncate(n, c)

CREATE DYNAMIC TABLE t CLUSTERED BY (id, colour) AS SELECT id FROM orders
-- NotFound at 1:42: column colour of CLUSTERED BY does not exist
-- hint: columns of the query: id

CREATE DYNAMIC TABLE t PROPERTIES ('commit.retry.num-retries' = 'often') AS SELECT id FROM orders
-- ProgrammingError: table property commit.retry.num-retries must have integer value
