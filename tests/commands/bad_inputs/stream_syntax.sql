CREATE TABLE STREAM s
-- SqlSyntaxError at 1:22: expected ON, found the end of the statement
-- hint: CREATE TABLE STREAM name ON TABLE table [TIMESTAMP AS OF moment] [COMMENT 'text'] [WITH PROPERTIES (...)]

CREATE TABLE STREAM s ON orders
-- SqlSyntaxError at 1:26: expected TABLE or DYNAMIC TABLE after ON, found orders
-- hint: CREATE TABLE STREAM name ON TABLE table [TIMESTAMP AS OF moment] [COMMENT 'text'] [WITH PROPERTIES (...)]

CREATE TABLE STREAM s ON VIEW big
-- SqlSyntaxError at 1:26: expected TABLE or DYNAMIC TABLE after ON, found VIEW
-- hint: CREATE TABLE STREAM name ON TABLE table [TIMESTAMP AS OF moment] [COMMENT 'text'] [WITH PROPERTIES (...)]

CREATE TABLE STREAM s ON TABLE
-- SqlSyntaxError at 1:31: expected the name of a table, found the end of the statement
-- hint: CREATE TABLE STREAM name ON TABLE table [TIMESTAMP AS OF moment] [COMMENT 'text'] [WITH PROPERTIES (...)]

CREATE OR REPLACE TABLE STREAM IF NOT EXISTS s ON TABLE orders
-- SqlSyntaxError at 1:32: OR REPLACE and IF NOT EXISTS cannot be used together
-- hint: remove one of them

CREATE TABLE STREAM s ON TABLE orders AS SELECT 1
-- SqlSyntaxError at 1:39: unexpected AS
-- hint: CREATE TABLE STREAM name ON TABLE table [TIMESTAMP AS OF moment] [COMMENT 'text'] [WITH PROPERTIES (...)]

CREATE TABLE STREAM s ON TABLE orders COMMENT 'a' COMMENT 'b'
-- SqlSyntaxError at 1:51: COMMENT is given twice
-- hint: CREATE TABLE STREAM name ON TABLE table [TIMESTAMP AS OF moment] [COMMENT 'text'] [WITH PROPERTIES (...)]

CREATE TABLE STREAM s ON TABLE orders TIMESTAMP AS OF WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD')
-- SqlSyntaxError at 1:55: expected a timestamp, found WITH
-- hint: CREATE TABLE STREAM name ON TABLE table [TIMESTAMP AS OF moment] [COMMENT 'text'] [WITH PROPERTIES (...)]

CREATE TABLE STREAM s ON TABLE orders PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD')
-- SqlSyntaxError at 1:39: expected WITH PROPERTIES before the properties of a stream
-- hint: CREATE TABLE STREAM name ON TABLE table [TIMESTAMP AS OF moment] [COMMENT 'text'] [WITH PROPERTIES (...)]

CREATE TABLE STREAM s ON TABLE orders WITH PROPERTIES ('TABLE_STREAM_MODE' = 'FAST')
-- SqlSyntaxError at 1:78: TABLE_STREAM_MODE must be STANDARD or APPEND_ONLY, found FAST
-- hint: CREATE TABLE STREAM name ON TABLE table [TIMESTAMP AS OF moment] [COMMENT 'text'] [WITH PROPERTIES (...)]

CREATE TABLE STREAM s ON TABLE orders WITH PROPERTIES ('SHOW_INITIAL_ROWS' = 'SOME')
-- SqlSyntaxError at 1:78: SHOW_INITIAL_ROWS must be TRUE or FALSE, found SOME
-- hint: CREATE TABLE STREAM name ON TABLE table [TIMESTAMP AS OF moment] [COMMENT 'text'] [WITH PROPERTIES (...)]

CREATE TABLE STREAM s ON TABLE orders
WITH PROPERTIES ('MODE' = 'STANDARD')
-- SqlSyntaxError at 2:18: a table stream has no property MODE
-- hint: CREATE TABLE STREAM name ON TABLE table [TIMESTAMP AS OF moment] [COMMENT 'text'] [WITH PROPERTIES (...)]

CREATE TABLE STREAM s ON TABLE orders WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD'
-- SqlSyntaxError at 1:88: expected , or ) after the property, found the end of the statement
-- hint: CREATE TABLE STREAM name ON TABLE table [TIMESTAMP AS OF moment] [COMMENT 'text'] [WITH PROPERTIES (...)]

DROP TABLE STREAM IF EXISTS
-- SqlSyntaxError at 1:28: expected the name of a stream, found the end of the statement
-- hint: DROP TABLE STREAM [IF EXISTS] name

DROP TABLE STREAM s CASCADE
-- SqlSyntaxError at 1:21: unexpected CASCADE
-- hint: DROP TABLE STREAM [IF EXISTS] name

DESC TABLE STREAM s a
-- SqlSyntaxError at 1:21: unexpected a
-- hint: DESC TABLE STREAM name

SHOW TABLE STREAMS s
-- SqlSyntaxError at 1:20: unexpected s
-- hint: SHOW TABLE STREAMS [IN schema] [LIKE 'pattern'] [WHERE condition] [LIMIT n]
