"""Statements that change something, each in several disguises."""

from __future__ import annotations

from collections.abc import Iterator

STATEMENTS = (
    "INSERT INTO known VALUES (3, 'c')",
    "INSERT INTO known SELECT * FROM known",
    "INSERT OVERWRITE known VALUES (3, 'c')",
    "INSERT INTO known REPLACE WHERE id = 1 VALUES (1, 'z')",
    "FROM known INSERT INTO known SELECT id, name",
    "WITH c AS (SELECT 3 AS id, 'c' AS name) INSERT INTO known SELECT * FROM c",
    "UPDATE known SET name = 'z'",
    "DELETE FROM known",
    "DELETE FROM known WHERE id = 1",
    "TRUNCATE TABLE known",
    "MERGE INTO known USING (SELECT 1 AS id) s ON known.id = s.id WHEN MATCHED THEN DELETE",
    "MERGE INTO known USING (SELECT 9 AS i) s ON id = s.i WHEN NOT MATCHED THEN INSERT (id) VALUES (9)",
    "CREATE TABLE mine (a INT)",
    "CREATE TABLE mine AS SELECT * FROM known",
    "CREATE OR REPLACE TABLE known (a INT)",
    "CREATE OR REPLACE TABLE known AS SELECT 1 AS a",
    "DROP TABLE known",
    "DROP TABLE IF EXISTS known PURGE",
    "ALTER TABLE known ADD COLUMN more INT",
    "ALTER TABLE known DROP COLUMN name",
    "ALTER TABLE known RENAME COLUMN name TO other",
    "ALTER TABLE known ALTER COLUMN id TYPE BIGINT",
    "ALTER TABLE known RENAME TO unknown",
    "ALTER TABLE known SET TBLPROPERTIES ('a' = 'b')",
    "ALTER TABLE known UNSET TBLPROPERTIES IF EXISTS ('a')",
    "ALTER TABLE known ADD PARTITION FIELD id",
    "ALTER TABLE known WRITE ORDERED BY id",
    "ALTER TABLE known CREATE BRANCH b",
    "ALTER TABLE known CREATE TAG t",
    "CREATE VIEW v AS SELECT * FROM known",
    "CREATE OR REPLACE VIEW v AS SELECT * FROM known",
    "CREATE SCHEMA mine",
    "DROP SCHEMA IF EXISTS public CASCADE",
    "ALTER SCHEMA public SET DBPROPERTIES ('a' = 'b')",
    "COMMENT ON TABLE known IS 'mine'",
    "COMMENT ON SCHEMA public IS 'mine'",
    "ANALYZE TABLE known COMPUTE STATISTICS",
    "CACHE TABLE known",
    "CALL lake.system.expire_snapshots('public.known')",
    "CALL lake.system.rewrite_data_files('public.known')",
    "CALL lake.system.rollback_to_timestamp('public.known', TIMESTAMP '2020-01-01')",
    "CALL lake.system.remove_orphan_files(table => 'public.known')",
)


def disguises(statement: str) -> Iterator[str]:
    literal = statement.replace("'", "\\'")
    yield statement
    yield statement.lower().replace("'c'", "'C'").replace(" ", " /* INSERT */ ", 1)
    yield f"EXECUTE IMMEDIATE '{literal}'"
    yield f"BEGIN {statement}; END"
    yield f"BEGIN DECLARE s STRING; SET s = '{literal}'; EXECUTE IMMEDIATE s; END"
    yield f"BEGIN IF 1 = 1 THEN {statement}; END IF; END"
    yield f"EXPLAIN {statement}"


CHANGES = [(statement, text) for statement in STATEMENTS for text in disguises(statement)]
