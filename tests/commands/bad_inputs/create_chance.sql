CREATE DYNAMIC TABLE t AS SELECT id, rand() AS r FROM orders
-- Refused at 1:38: rand does not return the same result each time
-- hint: derive it from the row, for example with xxhash64(key), or compute it when the rows are written

CREATE DYNAMIC TABLE t AS SELECT id, uuid() AS key FROM orders
-- Refused at 1:38: uuid does not return the same result each time
-- hint: use a key of the source, or hash one: sha2(concat_ws('|', key1, key2), 256)

CREATE DYNAMIC TABLE t AS SELECT id FROM orders WHERE at > now()
-- Refused at 1:60: now does not return the same result each time
-- hint: use current_date for the day of the refresh, or a timestamp column of the source

CREATE DYNAMIC TABLE t AS SELECT id, current_timestamp AS seen FROM orders
-- Refused at 1:38: current_timestamp does not return the same result each time
-- hint: use current_date for the day of the refresh, or a timestamp column of the source

CREATE DYNAMIC TABLE t AS SELECT id, shuffle(tags) AS tags FROM orders
-- Refused at 1:38: shuffle does not return the same result each time
-- hint: use sort_array, or leave the array as it is

CREATE DYNAMIC TABLE t AS SELECT monotonically_increasing_id() AS n FROM orders
-- Refused at 1:34: monotonically_increasing_id does not return the same result each time
-- hint: use a key of the source, or row_number() over an order without ties

CREATE DYNAMIC TABLE t AS SELECT * FROM lucky
-- Refused at 1:41: rand does not return the same result each time (in view lake.shop.lucky)
-- hint: derive it from the row, for example with xxhash64(key), or compute it when the rows are written

CREATE DYNAMIC TABLE t AS SELECT * FROM luckier
-- Refused at 1:41: rand does not return the same result each time (in view lake.shop.lucky)
-- hint: derive it from the row, for example with xxhash64(key), or compute it when the rows are written

CREATE DYNAMIC TABLE t AS WITH a AS (SELECT random() AS r) SELECT r FROM a
-- Refused at 1:45: random does not return the same result each time
-- hint: derive it from the row, for example with xxhash64(key), or compute it when the rows are written

CREATE DYNAMIC TABLE t AS SELECT id FROM orders WHERE id > (SELECT 10 * randn())
-- Refused at 1:73: randn does not return the same result each time
-- hint: derive it from the row, for example with xxhash64(key), or compute it when the rows are written

CREATE DYNAMIC TABLE t AS SELECT * FROM orders TABLESAMPLE (10 PERCENT)
-- Refused at 1:48: TABLESAMPLE does not return the same rows each time
-- hint: filter by a hash of a key instead, such as pmod(hash(id), 10) = 0

CREATE DYNAMIC TABLE t AS SELECT id, TIMESTAMP 'now' AS seen FROM orders
-- Refused at 1:38: timestamp 'now' does not return the same result each time
-- hint: use current_date for the day of the refresh, with date_add or date_sub for the days around it

CREATE DYNAMIC TABLE t AS SELECT id FROM orders WHERE at > 'yesterday'
-- Refused at 1:60: 'yesterday' as a date or timestamp does not return the same result each time
-- hint: use current_date for the day of the refresh, with date_add or date_sub for the days around it

CREATE DYNAMIC TABLE t AS SELECT id, o._file FROM orders o
-- Refused at 1:40: _file is a metadata column of Iceberg, not a column of the table
-- hint: use a key of the source: metadata columns change when files are rewritten
