INSERT INTO strict VALUES (1)
-- ProgrammingError: the data has 1 column, and lake.shop.strict has 2 columns
-- hint: columns of the table: id, name

INSERT INTO strict VALUES (1, 'a', 'b')
-- ProgrammingError: the data has 3 columns, and lake.shop.strict has 2 columns
-- hint: columns of the table: id, name

INSERT INTO strict VALUES ('one', 'a')
-- DataError: column id of lake.shop.strict is bigint, and the data is string
-- hint: CAST the data if that is meant

INSERT INTO strict SELECT product, product FROM orders
-- DataError: column id of lake.shop.strict is bigint, and the data is string
-- hint: CAST the data if that is meant

INSERT INTO strict VALUES (NULL, 'a')
-- IntegrityError: column id cannot be NULL
-- hint: give a value, or leave the row out

INSERT INTO strict (name) VALUES ('a')
-- IntegrityError: column id of lake.shop.strict needs a value
-- hint: give one for it

INSERT INTO strict VALUES (99999999999999999999, 'a')
-- DataError: a value is out of the range of column id, which is bigint
-- hint: look for numbers that are too large, and for a division by zero

UPDATE orders SET quantity = 'many'
-- DataError: column quantity is int, and the data is string
-- hint: CAST the data if that is meant

SELECT CAST('lamp' AS INT)
-- DataError at 1:8: 'lamp' cannot be read as int
-- hint: correct the value, or use try_cast, which gives NULL instead

SELECT CAST(product AS INT) FROM orders
-- DataError at 1:8: 'lamp' cannot be read as int
-- hint: correct the value, or use try_cast, which gives NULL instead

INSERT INTO strict SELECT CAST(product AS BIGINT), 'a' FROM orders
-- DataError at 1:27: 'lamp' cannot be read as bigint
-- hint: correct the value, or use try_cast, which gives NULL instead

SELECT CAST(tags AS INT) FROM orders
-- DataError at 1:8: array<string> cannot be cast to int

SELECT DATE '2024-02-31'
-- DataError at 1:8: '2024-02-31' cannot be read as date

SELECT id FROM orders WHERE id = tags
-- ProgrammingError at 1:29: bigint and array<string> do not go together in id = tags
-- hint: CAST one of them

SELECT id FROM orders WHERE product
-- ProgrammingError at 1:29: a condition must be boolean, and product is string

SELECT sum(tags) FROM orders
-- ProgrammingError at 1:8: the first argument of sum(tags) must be numeric or ansi interval, not array<string>

SELECT upper(product, 1) FROM orders
-- ProgrammingError at 1:8: wrong number of arguments for upper: 2 instead of 1

SELECT 1 / 0
-- DataError at 1:8: division by zero
-- hint: try_divide(a, b) gives NULL instead

SELECT id % (id - id) FROM orders
-- DataError at 1:8: division by zero
-- hint: try_mod(a, b) gives NULL instead

SELECT 2147483647 + quantity FROM orders
-- DataError at 1:8: integer overflow
-- hint: CAST to a wider type, or use try_add and the like, which give NULL instead

SELECT tags[7] FROM orders
-- DataError at 1:8: index 7 is outside of an array of 1
-- hint: get(array, index) gives NULL instead

SELECT (SELECT id FROM orders)
-- DataError: a subquery used as a value gave more than one row
-- hint: aggregate it, or add LIMIT 1

SELECT id FROM orders UNION SELECT id, product FROM orders
-- ProgrammingError: UNION needs equally many columns, and there are 1 and 2

SELECT id FROM orders UNION SELECT tags FROM orders
-- ProgrammingError: UNION cannot put bigint and array<string> into its first column
-- hint: CAST one of them

SELECT id FROM orders a JOIN orders b ON a.id = b.id
-- ProgrammingError at 1:8: id could be more than one column
-- hint: say which one: a.id, b.id

SELECT product, sum(quantity) FROM orders
-- ProgrammingError: columns and aggregates are mixed without GROUP BY
-- hint: add GROUP BY, or make the aggregate a window function with OVER

SELECT id FROM orders GROUP BY product
-- ProgrammingError at 1:8: id is neither grouped nor aggregated
-- hint: add it to GROUP BY, or take any_value(id) where any of the values will do

SELECT product FROM orders WHERE sum(quantity) > 1
-- ProgrammingError at 1:34: WHERE cannot contain aggregates, window functions or generators
-- hint: use HAVING, or compute it in a subquery

SELECT row_number() FROM orders
-- ProgrammingError at 1:8: row_number() needs OVER (...)

SELECT id FROM orders LIMIT -1
-- ProgrammingError at 1:29: a limit cannot be negative

MERGE INTO orders t USING (SELECT 1 AS id FROM range(2)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET quantity = 5
-- IntegrityError: several rows of the source match the same row of the table
-- hint: make the source unique in the columns of ON

CREATE TABLE t USING csv AS SELECT 1 AS a
-- NotSupportedError at 1:22: tables of a lake are Iceberg tables, not csv
-- hint: leave out USING, or write USING iceberg

CREATE VIEW v AS SELECT id FROM scratch
-- ProgrammingError at 1:33: a view cannot read the temporary view scratch
-- hint: make it a view of the lake first

ALTER TABLE orders ALTER COLUMN product TYPE INT
-- NotSupportedError: column product cannot be changed from string to int
-- hint: a type can only become wider: int to bigint, float to double, decimal to more digits

DROP TABLE big
-- Refused at 1:12: lake.shop.big is a view
-- hint: DROP VIEW lake.shop.big drops it

DROP VIEW orders
-- Refused at 1:11: lake.shop.orders is a table
-- hint: DROP TABLE lake.shop.orders drops it

DROP SCHEMA full_schema
-- Refused at 1:13: schema full_schema is not empty: it holds t
-- hint: drop what it holds first; Iceberg does not do that for CASCADE

SELECT to_timestamp('lamp', 'yyyy')
-- DataError: text 'lamp' could not be parsed at index 0
-- hint: use try_to_timestamp to tolerate invalid input string and return NULL instead

SELECT date_format(at, 'YYYY') FROM orders
-- DataError: 'YYYY' is not a pattern of dates
-- hint: patterns are like 'yyyy-MM-dd HH:mm:ss'

CREATE TABLE t AS SELECT NULL AS a
-- NotSupportedError: a table cannot hold columns that are NULL and nothing else
-- hint: CAST them to a type in the query

CREATE TABLE t (id INT PRIMARY KEY)
-- NotSupportedError: tables of a lake do not support table constraint

CREATE TABLE t LIKE orders
-- NotSupportedError at 1:14: CREATE TABLE ... LIKE is not supported on the tables of a lake
-- hint: CREATE TABLE ... AS SELECT * FROM the other one WHERE false

INSERT INTO big VALUES (1, 'lamp')
-- Refused at 1:13: lake.shop.big is a view, and INSERT needs a table
-- hint: change the tables that it reads, or the view with CREATE OR REPLACE VIEW

ALTER TABLE big ADD COLUMN colour STRING
-- Refused at 1:13: lake.shop.big is a view, and ALTER TABLE needs a table
-- hint: change the tables that it reads, or the view with CREATE OR REPLACE VIEW
