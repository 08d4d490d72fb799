CREATE TABLE `` (id INT)
-- SqlSyntaxError at 1:14: a name cannot be empty

CREATE VIEW `` AS SELECT 1 AS a
-- SqlSyntaxError at 1:13: a name cannot be empty

INSERT INTO `` VALUES (1)
-- SqlSyntaxError at 1:13: a name cannot be empty

ALTER TABLE orders RENAME TO ``
-- SqlSyntaxError at 1:13: a name cannot be empty

CREATE SCHEMA ``
-- SqlSyntaxError at 1:15: a name cannot be empty

CREATE SCHEMA a.b.c
-- Refused at 1:15: schemas do not hold schemas
-- hint: names of schemas are workspace.schema

CREATE SCHEMA `x/y`
-- Refused at 1:15: `x/y` cannot be a name: it would be the path of another directory
-- hint: leave out slashes, and names of dots alone

CREATE TABLE `orders/data` (id INT)
-- Refused at 1:14: `orders/data` cannot be a name: it would be the path of another directory
-- hint: leave out slashes, and names of dots alone

ALTER TABLE orders RENAME TO `..`
-- Refused at 1:13: `..` cannot be a name: it would be the path of another directory
-- hint: leave out slashes, and names of dots alone

CREATE TABLE xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx (id INT)
-- Refused at 1:14: the name is longer than 200 bytes
-- hint: choose a shorter one
