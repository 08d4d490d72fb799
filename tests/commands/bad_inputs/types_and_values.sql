INSERT INTO strict VALUES (1)
-- ProgrammingError: the data has 1 column, but lake.shop.strict has 2 columns
-- hint: columns of the table: id, name

INSERT INTO strict VALUES (1, 'a', 'b')
-- ProgrammingError: the data has 3 columns, but lake.shop.strict has 2 columns
-- hint: columns of the table: id, name

INSERT INTO strict VALUES ('one', 'a')
-- DataError: column id of lake.shop.strict is bigint, but the data is string
-- hint: CAST the data if this is intended

INSERT INTO strict SELECT product, product FROM orders
-- DataError: column id of lake.shop.strict is bigint, but the data is string
-- hint: CAST the data if this is intended

INSERT INTO strict VALUES (NULL, 'a')
-- IntegrityError: column id cannot be NULL
-- hint: specify a value, or omit the row

INSERT INTO strict (name) VALUES ('a')
-- IntegrityError: column id of lake.shop.strict requires a value
-- hint: specify one

INSERT INTO strict VALUES (99999999999999999999, 'a')
-- DataError: a value is out of the range of column id, which is bigint
-- hint: look for numbers that are too large, and for a division by zero

UPDATE orders SET quantity = 'many'
-- DataError: column quantity is int, but the data is string
-- hint: CAST the data if this is intended

SELECT CAST('lamp' AS INT)
-- DataError at 1:8: 'lamp' cannot be converted to int
-- hint: correct the value, or use try_cast, which returns NULL instead

SELECT CAST(product AS INT) FROM orders
-- DataError at 1:8: 'lamp' cannot be converted to int
-- hint: correct the value, or use try_cast, which returns NULL instead

INSERT INTO strict SELECT CAST(product AS BIGINT), 'a' FROM orders
-- DataError at 1:27: 'lamp' cannot be converted to bigint
-- hint: correct the value, or use try_cast, which returns NULL instead

SELECT CAST(tags AS INT) FROM orders
-- DataError at 1:8: array<string> cannot be cast to int

SELECT DATE '2024-02-31'
-- DataError at 1:8: '2024-02-31' cannot be converted to date

SELECT id FROM orders WHERE id = tags
-- ProgrammingError at 1:29: bigint and array<string> are not compatible in id = tags
-- hint: CAST one of them

SELECT id FROM orders WHERE product
-- ProgrammingError at 1:29: a condition must be boolean, but product is string

SELECT sum(tags) FROM orders
-- ProgrammingError at 1:8: the first argument of sum(tags) must be numeric or ansi interval, not array<string>

SELECT upper(product, 1) FROM orders
-- ProgrammingError at 1:8: wrong number of arguments for upper: 2 instead of 1

SELECT 1 / 0
-- DataError at 1:8: division by zero
-- hint: try_divide(a, b) returns NULL instead

SELECT id % (id - id) FROM orders
-- DataError at 1:8: division by zero
-- hint: try_mod(a, b) returns NULL instead

SELECT 2147483647 + quantity FROM orders
-- DataError at 1:8: integer overflow
-- hint: CAST to a wider type, or use a function such as try_add, which returns NULL instead

SELECT tags[7] FROM orders
-- DataError at 1:8: index 7 is out of bounds of an array of 1
-- hint: get(array, index) returns NULL instead

SELECT (SELECT id FROM orders)
-- DataError: a subquery used as a value returned more than one row
-- hint: aggregate it, or add LIMIT 1

SELECT id FROM orders UNION SELECT id, product FROM orders
-- ProgrammingError: UNION requires equal numbers of columns, not 1 and 2

SELECT id FROM orders UNION SELECT tags FROM orders
-- ProgrammingError: UNION cannot combine bigint and array<string> in its first column
-- hint: CAST one of them

SELECT id FROM orders a JOIN orders b ON a.id = b.id
-- ProgrammingError at 1:8: column id is ambiguous
-- hint: use one of a.id, b.id

SELECT product, sum(quantity) FROM orders
-- ProgrammingError: columns and aggregates are mixed without GROUP BY
-- hint: add GROUP BY, or make the aggregate a window function with OVER

SELECT id FROM orders GROUP BY product
-- ProgrammingError at 1:8: id is neither grouped nor aggregated
-- hint: add it to GROUP BY, or use any_value(id) if any of the values is acceptable

SELECT product FROM orders WHERE sum(quantity) > 1
-- ProgrammingError at 1:34: WHERE cannot contain aggregates, window functions or generators
-- hint: use HAVING, or compute it in a subquery

SELECT row_number() FROM orders
-- ProgrammingError at 1:8: row_number() requires OVER (...)

SELECT id FROM orders LIMIT -1
-- ProgrammingError at 1:29: a limit cannot be negative

MERGE INTO orders t USING (SELECT 1 AS id FROM range(2)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET quantity = 5
-- IntegrityError: several rows of the source match the same row of the table
-- hint: make the source unique in the columns of ON

CREATE TABLE t USING csv AS SELECT 1 AS a
-- NotSupportedError at 1:22: tables of a lake are Iceberg tables, not csv
-- hint: omit USING, or write USING iceberg

CREATE VIEW v AS SELECT id FROM scratch
-- ProgrammingError at 1:33: a view cannot read the temporary view scratch
-- hint: create it as a view of the lake first

ALTER TABLE orders ALTER COLUMN product TYPE INT
-- NotSupportedError: column product cannot be changed from string to int
-- hint: a type can only become wider: int to bigint, float to double, decimal to more digits

DROP TABLE big
-- Refused at 1:12: lake.shop.big is a view
-- hint: use DROP VIEW lake.shop.big

DROP VIEW orders
-- Refused at 1:11: lake.shop.orders is a table
-- hint: use DROP TABLE lake.shop.orders

DROP SCHEMA full_schema
-- Refused at 1:13: schema full_schema is not empty: it contains t
-- hint: drop its contents first: CASCADE is not supported

SELECT to_timestamp('lamp', 'yyyy')
-- DataError: text 'lamp' could not be parsed at index 0
-- hint: use try_to_timestamp to tolerate invalid input string and return NULL instead

SELECT date_format(at, 'YYYY') FROM orders
-- DataError: 'YYYY' is not a valid date pattern
-- hint: use a pattern such as 'yyyy-MM-dd HH:mm:ss'

CREATE TABLE t AS SELECT NULL AS a
-- NotSupportedError: a table cannot store columns without a type, such as NULL
-- hint: CAST them to a type in the query

CREATE TABLE t (id INT PRIMARY KEY)
-- NotSupportedError: tables of a lake do not support table constraint

CREATE TABLE t LIKE orders
-- NotSupportedError at 1:14: CREATE TABLE ... LIKE is not supported
-- hint: use CREATE TABLE ... AS SELECT * FROM other_table WHERE false

INSERT INTO big VALUES (1, 'lamp')
-- Refused at 1:13: lake.shop.big is a view, but INSERT requires a table
-- hint: change the tables that it reads, or the view with CREATE OR REPLACE VIEW

ALTER TABLE big ADD COLUMN colour STRING
-- Refused at 1:13: lake.shop.big is a view, but ALTER TABLE requires a table
-- hint: change the tables that it reads, or the view with CREATE OR REPLACE VIEW
