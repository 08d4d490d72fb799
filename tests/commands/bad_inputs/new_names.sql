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
-- Refused at 1:15: a schema cannot contain another schema
-- hint: write the name as workspace.schema

CREATE SCHEMA `x/y`
-- Refused at 1:15: `x/y` is not a valid name: it would refer to another directory
-- hint: use a name without slashes that does not consist only of dots

CREATE TABLE `orders/data` (id INT)
-- Refused at 1:14: `orders/data` is not a valid name: it would refer to another directory
-- hint: use a name without slashes that does not consist only of dots

ALTER TABLE orders RENAME TO `..`
-- Refused at 1:13: `..` is not a valid name: it would refer to another directory
-- hint: use a name without slashes that does not consist only of dots

CREATE TABLE xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx (id INT)
-- Refused at 1:14: the name is longer than 200 bytes
-- hint: choose a shorter one
