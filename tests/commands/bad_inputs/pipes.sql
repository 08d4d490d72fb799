COPY INTO missing FROM '/nowhere' USING CSV
-- NotFound at 1:11: table lake.shop.missing does not exist
-- hint: SHOW TABLES lists all tables

COPY INTO sales FROM '/nowhere' USING CSV
-- Refused at 1:11: lake.shop.sales is a dynamic table: only a refresh can change its rows
-- hint: load into one of its source tables

COPY INTO big FROM '/nowhere' USING CSV
-- Refused at 1:11: lake.shop.big is a view, but COPY INTO requires a table
-- hint: load into a table that it reads

COPY INTO news FROM '/nowhere' USING CSV
-- Refused at 1:11: lake.shop.news is a table stream
-- hint: its table is lake.shop.orders

COPY INTO orders FROM '/nowhere' USING CSV
-- NotFound at 1:23: /nowhere does not exist
-- hint: create the directory first

COPY INTO orders FROM 'nowhere' USING CSV
-- Refused at 1:23: nowhere is not an absolute path and not an address on S3
-- hint: write the whole path, such as '/data/orders' or 's3://bucket/orders'

COPY INTO orders FROM '/etc' USING CSV FILES ('no such file')
-- NotFound at 1:23: /etc has no file no such file
-- hint: names in FILES are those below the directory

COPY INTO orders FROM '/etc' USING CSV OPTIONS ('path' = '/x')
-- NotSupportedError at 1:23: CSV files have no option path
-- hint: options are header, sep, delimiter, quote, escape, comment, encoding, charset and others

COPY INTO orders FROM '/etc' USING ORC OPTIONS ('mode' = 'FAILFAST')
-- NotSupportedError at 1:23: ORC files have no option mode
-- hint: remove it: ORC files have no options

COPY INTO orders FROM '/etc/hostname' USING PARQUET
-- OperationalError at 1:23: this is not PARQUET: file:/etc/hostname
-- hint: check the format after USING

COPY INTO orders FROM '/etc/hostname' USING AVRO
-- OperationalError at 1:23: reading AVRO files requires the feature avro, which this lake does not have
-- hint: set features = ["avro"] in lake.toml and open the lake again

COPY INTO orders FROM 's3://bucket/x' USING CSV
-- OperationalError at 1:23: reading files on S3 requires the feature s3, which this lake does not have
-- hint: set features = ["s3"] in lake.toml and open the lake again

COPY INTO orders FROM '/etc/hostname' USING CSV
-- DataError at 1:23: /etc/hostname has 1 columns, but lake.shop.orders has 6
-- hint: OPTIONS ('header' = 'true') if its first line has names; OPTIONS ('sep' = ';') if another character separates values

COPY INTO strict FROM (SELECT missing, 1 FROM '/etc/hostname' USING CSV)
-- NotFound at 1:31: column missing does not exist
-- hint: columns here include _c0

COPY INTO strict FROM (SELECT value FROM read_kafka('localhost:1', 'a'))
-- NotSupportedError at 1:42: a topic of Kafka is loaded by a pipe
-- hint: use CREATE PIPE name AS COPY INTO ..., then EXECUTE PIPE name

SELECT * FROM read_kafka('localhost:1', 'a')
-- OperationalError at 1:15: read_kafka requires the feature kafka, which this lake does not have
-- hint: set features = ["kafka"] in lake.toml and open the lake again

SELECT * FROM load_history('missing')
-- NotFound at 1:28: table lake.shop.missing does not exist
-- hint: SHOW TABLES lists all tables

SELECT * FROM load_history('a b')
-- SqlSyntaxError at 1:28: 'a b' is not a name
-- hint: load_history('schema.table')

CREATE PIPE p AS COPY INTO orders FROM '/nowhere' USING CSV
-- NotFound at 1:40: /nowhere does not exist
-- hint: create the directory first

CREATE PIPE p AS COPY INTO sales FROM '/etc' USING CSV
-- Refused at 1:28: lake.shop.sales is a dynamic table: only a refresh can change its rows
-- hint: load into one of its source tables

CREATE PIPE nowhere.p AS COPY INTO orders FROM '/etc' USING CSV
-- NotFound at 1:13: schema lake.nowhere does not exist
-- hint: create it with CREATE SCHEMA

CREATE PIPE p VIRTUAL_CLUSTER = 'fast' AS COPY INTO orders FROM '/etc' USING CSV
-- NotFound at 1:33: virtual cluster fast does not exist
-- hint: SHOW VCLUSTERS lists all virtual clusters

CREATE PIPE p AS COPY INTO orders FROM '/etc' USING CSV FORCE = TRUE
-- Refused at 1:18: a pipe loads each file once: FORCE = TRUE is not possible
-- hint: remove it

CREATE PIPE p INGEST_MODE = 'LIST_KEEP' AS COPY INTO orders FROM '/etc' USING CSV PURGE = TRUE
-- Refused at 1:44: LIST_KEEP and PURGE = TRUE exclude each other
-- hint: remove one of them

ALTER PIPE missing SET COMMENT 'x'
-- NotFound at 1:12: pipe lake.shop.missing does not exist
-- hint: SHOW PIPES lists all pipes

DROP PIPE missing
-- NotFound at 1:11: pipe lake.shop.missing does not exist
-- hint: SHOW PIPES lists all pipes

EXECUTE PIPE missing
-- NotFound at 1:14: pipe lake.shop.missing does not exist
-- hint: SHOW PIPES lists all pipes

DESC PIPE missing
-- NotFound at 1:11: pipe lake.shop.missing does not exist
-- hint: SHOW PIPES lists all pipes

COPY INTO orders FROM VOLUME missing USING CSV
-- NotFound at 1:30: volume lake.shop.missing does not exist
-- hint: SHOW VOLUMES lists all volumes

CREATE PIPE p AS COPY INTO orders FROM VOLUME closed.missing USING CSV
-- NotFound at 1:47: volume lake.closed.missing does not exist
-- hint: SHOW VOLUMES lists all volumes

CREATE VOLUME v LOCATION '/nowhere'
-- NotFound at 1:26: /nowhere is not a directory
-- hint: create the directory first

CREATE VOLUME v LOCATION 'nowhere'
-- Refused at 1:26: nowhere is not an absolute path and not an address on S3
-- hint: write the whole path, such as '/data/orders' or 's3://bucket/orders'

CREATE VOLUME nowhere.v LOCATION '/etc'
-- NotFound at 1:15: schema lake.nowhere does not exist
-- hint: create it with CREATE SCHEMA

DROP VOLUME missing
-- NotFound at 1:13: volume lake.shop.missing does not exist
-- hint: SHOW VOLUMES lists all volumes

DESC VOLUME missing
-- NotFound at 1:13: volume lake.shop.missing does not exist
-- hint: SHOW VOLUMES lists all volumes
