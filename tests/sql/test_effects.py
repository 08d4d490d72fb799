import pytest

from headrace.sql.parsed import ParsedStatement
from headrace.sql.spark.effects import Argument, EffectKind

K = EffectKind

ONE = [
    ("INSERT INTO t VALUES (1)", K.INSERT, ("t",)),
    ("insert into table a.b.c partition (d = 1) select 1", K.INSERT, ("a", "b", "c")),
    ("INSERT INTO t (a, b) SELECT 1, 2", K.INSERT, ("t",)),
    ("INSERT WITH SCHEMA EVOLUTION INTO t SELECT 1", K.INSERT, ("t",)),
    ("INSERT INTO t BY NAME SELECT 1 a", K.INSERT, ("t",)),
    ("INSERT INTO t REPLACE WHERE a = 1 SELECT 1", K.OVERWRITE, ("t",)),
    ("INSERT OVERWRITE t SELECT 1", K.OVERWRITE, ("t",)),
    ("INSERT OVERWRITE TABLE t PARTITION (a) SELECT 1", K.OVERWRITE, ("t",)),
    (
        "WITH x AS (SELECT 1), y (a) AS (SELECT ')' FROM (SELECT 2)) INSERT INTO t SELECT * FROM x",
        K.INSERT,
        ("t",),
    ),
    (
        "WITH RECURSIVE r (n) MAX RECURSION LEVEL 5 AS (SELECT 1) INSERT INTO t SELECT * FROM r",
        K.INSERT,
        ("t",),
    ),
    ("WITH x AS (SELECT 1) DELETE FROM t WHERE a IN (SELECT * FROM x)", K.DELETE, ("t",)),
    ("WITH x (SELECT 1) UPDATE t SET a = 1", K.UPDATE, ("t",)),
    ("DELETE FROM t", K.DELETE, ("t",)),
    ("delete /* from x */ from -- y\n `a b`.`c``d`", K.DELETE, ("a b", "c`d")),
    ("UPDATE t AS x SET x.a = 1", K.UPDATE, ("t",)),
    ("UPDATE set SET a = 1", K.UPDATE, ("set",)),
    ("MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN UPDATE SET *", K.MERGE, ("t",)),
    ("MERGE WITH SCHEMA EVOLUTION INTO t USING s ON 1 = 1 WHEN MATCHED THEN DELETE", K.MERGE, ("t",)),
    ("TRUNCATE TABLE t", K.TRUNCATE, ("t",)),
    ("LOAD DATA LOCAL INPATH '/x' OVERWRITE INTO TABLE t", K.LOAD, ("t",)),
    ("CREATE TABLE IF NOT EXISTS t (a INT)", K.CREATE, ("t",)),
    ("CREATE EXTERNAL TABLE t (a INT)", K.CREATE, ("t",)),
    ("CREATE OR REPLACE TABLE t AS SELECT 1", K.REPLACE, ("t",)),
    ("REPLACE TABLE t AS SELECT 1", K.REPLACE, ("t",)),
    ("CREATE VIEW IF NOT EXISTS v AS SELECT 1", K.CREATE_VIEW, ("v",)),
    ("CREATE OR REPLACE VIEW v AS SELECT 1", K.REPLACE_VIEW, ("v",)),
    ("CREATE OR REPLACE GLOBAL TEMPORARY VIEW v AS SELECT 1", K.CREATE_TEMPORARY_VIEW, ("v",)),
    ("CREATE TEMP VIEW v AS SELECT 1", K.CREATE_TEMPORARY_VIEW, ("v",)),
    ("ALTER TABLE t ADD COLUMN a INT", K.ALTER, ("t",)),
    ("ALTER TABLE t WRITE ORDERED BY a", K.ALTER, ("t",)),
    ("ALTER TABLE t ADD PARTITION FIELD days(ts)", K.ALTER, ("t",)),
    ("ALTER TABLE t CREATE BRANCH b", K.ALTER, ("t",)),
    ("ALTER TABLE t PARTITION (a = 1) RENAME TO PARTITION (a = 2)", K.ALTER, ("t",)),
    ("ALTER TABLE t RENAME COLUMN a TO b", K.ALTER, ("t",)),
    ("ALTER VIEW v AS SELECT 1", K.ALTER_VIEW, ("v",)),
    ("ALTER SCHEMA s SET PROPERTIES ('a' = 'b')", K.ALTER_SCHEMA, ("s",)),
    ("COMMENT ON TABLE t IS 'x'", K.COMMENT, ("t",)),
    ("MSCK REPAIR TABLE t", K.REPAIR, ("t",)),
    ("REPAIR TABLE t SYNC PARTITIONS", K.REPAIR, ("t",)),
    ("DROP TABLE IF EXISTS a.b PURGE", K.DROP, ("a", "b")),
    ("DROP VIEW IF EXISTS v", K.DROP_VIEW, ("v",)),
    ("DELETE FROM IDENTIFIER('a.b')", K.DELETE, ("a", "b")),
    ("DELETE FROM IDENTIFIER('a.' '`b c`') WHERE 1 = 1", K.DELETE, ("a", "b c")),
    ("DELETE FROM IDENTIFIER(:t)", K.DELETE, None),
    ("DELETE FROM IDENTIFIER('a').b", K.DELETE, None),
    ("DELETE FROM a.IDENTIFIER('b')", K.DELETE, None),
    ('DELETE FROM "t"', K.DELETE, None),
    ("INSERT INTO", K.INSERT, None),
    ("EXECUTE IMMEDIATE 'DELETE FROM a.b'", K.DELETE, ("a", "b")),
    ("EXECUTE IMMEDIATE 'DELETE ' 'FROM t WHERE x = ?' USING 1", K.DELETE, ("t",)),
    ("EXECUTE IMMEDIATE 'EXECUTE IMMEDIATE \\'DROP TABLE t\\''", K.DROP, ("t",)),
    ("EXECUTE IMMEDIATE 'DELETE FROM IDENTIFIER(:t)' USING 'x' AS t", K.DELETE, None),
    ("EXECUTE IMMEDIATE 'BEGIN DELETE FROM t; END'", K.DELETE, ("t",)),
    ("EXECUTE IMMEDIATE stmt INTO x", K.EXECUTE_IMMEDIATE, None),
    ("EXPLAIN DELETE FROM t", K.DELETE, ("t",)),
    ("EXPLAIN FORMATTED INSERT INTO a.b SELECT 1", K.INSERT, ("a", "b")),
    ("CREATE SCHEMA IF NOT EXISTS a", K.CREATE_SCHEMA, ("a",)),
    ("CREATE DATABASE a.b", K.CREATE_SCHEMA, ("a", "b")),
    ("EXECUTE IMMEDIATE 'DELETE FROM ' || t", K.EXECUTE_IMMEDIATE, None),
    ("EXECUTE IMMEDIATE 'DELETE FROM `t'", K.EXECUTE_IMMEDIATE, None),
]


@pytest.mark.parametrize(("text", "kind", "target"), ONE, ids=[text for text, *_ in ONE])
def test_one_effect(text, kind, target):
    (effect,) = ParsedStatement(text).effects
    assert (effect.kind, effect.target) == (kind, target)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "SELECT delete FROM t",
        "SELECT insert, update, t.merge FROM t",
        "WITH x AS (SELECT 1) SELECT f(1) delete FROM t",
        "SELECT 'INSERT INTO t' -- DELETE FROM t\n FROM t /* DROP TABLE t */",
        "EXPLAIN SELECT 1",
        "ANALYZE TABLE t COMPUTE STATISTICS",
        "CACHE TABLE t",
        "REFRESH TABLE t",
        "DESCRIBE TABLE t",
        "SET x = 1",
        "INSERT OVERWRITE LOCAL DIRECTORY '/x' SELECT 1",
        "INSERT OVERWRITE DIRECTORY '/x' USING parquet SELECT 1",
        "FROM t SELECT insert, (SELECT 1)",
        "FROM (SELECT insert FROM t) SELECT 1",
        "SHOW CREATE TABLE t",
        "EXECUTE IMMEDIATE 'SELECT 1'",
    ],
)
def test_no_effect(text):
    assert ParsedStatement(text).effects == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "FROM s INSERT INTO a SELECT x INSERT OVERWRITE TABLE b.c SELECT y"
            " INSERT OVERWRITE DIRECTORY '/d' SELECT z",
            [(K.INSERT, ("a",)), (K.OVERWRITE, ("b", "c"))],
        ),
        (
            "WITH q AS (SELECT 1) FROM q INSERT INTO a SELECT 1 INSERT INTO b SELECT 2",
            [(K.INSERT, ("a",)), (K.INSERT, ("b",))],
        ),
        (
            """BEGIN
                 INSERT INTO a VALUES (1);
                 IF x THEN DELETE FROM b; ELSE UPDATE c SET x = 1; END IF;
                 BEGIN DROP TABLE d; END;
                 WHILE y DO TRUNCATE TABLE e; END WHILE;
                 l: LOOP ALTER TABLE f ADD COLUMN g INT; LEAVE l; END LOOP;
                 FOR r AS SELECT delete FROM t DO REPLACE TABLE g AS SELECT 1; END FOR;
                 DECLARE EXIT HANDLER FOR SQLEXCEPTION INSERT INTO h VALUES (1);
                 DECLARE EXIT HANDLER FOR NOT FOUND BEGIN DELETE FROM i; END;
                 MERGE INTO j USING k ON x WHEN MATCHED THEN UPDATE SET set = 1
                   WHEN NOT MATCHED THEN INSERT *;
                 WITH w AS (SELECT 1) FROM w INSERT INTO l SELECT 1;
                 EXECUTE IMMEDIATE 'DELETE FROM m';
                 SELECT 'DELETE FROM z';
               END""",
            [
                (K.INSERT, ("a",)),
                (K.DELETE, ("b",)),
                (K.UPDATE, ("c",)),
                (K.DROP, ("d",)),
                (K.TRUNCATE, ("e",)),
                (K.ALTER, ("f",)),
                (K.REPLACE, ("g",)),
                (K.INSERT, ("h",)),
                (K.DELETE, ("i",)),
                (K.MERGE, ("j",)),
                (K.INSERT, ("l",)),
                (K.DELETE, ("m",)),
            ],
        ),
    ],
)
def test_several_effects(text, expected):
    assert [(effect.kind, effect.target) for effect in ParsedStatement(text).effects] == expected


@pytest.mark.parametrize(
    ("text", "renamed_to"),
    [("ALTER TABLE a.b RENAME TO c.`d e`", ("c", "d e")), ("ALTER VIEW v RENAME TO w;", ("w",))],
)
def test_rename(text, renamed_to):
    (effect,) = ParsedStatement(text).effects
    assert (effect.kind, effect.renamed_to) == (K.RENAME, renamed_to)


@pytest.mark.parametrize("word", ["SCHEMA", "DATABASE", "NAMESPACE"])
@pytest.mark.parametrize(("suffix", "cascade"), [("", False), (" RESTRICT", False), (" CASCADE", True)])
def test_drop_schema(word, suffix, cascade):
    (effect,) = ParsedStatement(f"DROP {word} IF EXISTS a.s{suffix}").effects
    assert (effect.kind, effect.target, effect.cascade) == (K.DROP_SCHEMA, ("a", "s"), cascade)


def test_call_by_position():
    (effect,) = ParsedStatement("CALL lake.system.rollback_to_snapshot('db.t', 1)").effects
    assert effect.target == ("lake", "system", "rollback_to_snapshot")
    assert effect.arguments == (Argument(None, "db.t", "'db.t'"), Argument(None, None, "1"))


def test_call_by_name():
    (effect,) = ParsedStatement(
        "call s.p(table => 'db.t', options => map('a', 'b'), `where` => \"x = ','\")"
    ).effects
    assert effect.arguments == (
        Argument("table", "db.t", "'db.t'"),
        Argument("options", None, "map('a', 'b')"),
        Argument("where", "x = ','", "\"x = ','\""),
    )


def test_the_span_is_that_of_the_target():
    text = "WITH x AS (SELECT 1)\nINSERT INTO `a`.b SELECT 1"
    assert ParsedStatement(text).effects[0].span.of(text) == "`a`.b"


def test_alter_tells_its_action():
    assert (
        ParsedStatement("ALTER TABLE t SET TBLPROPERTIES ('a' = '1')").effects[0].detail
        == "SET TBLPROPERTIES ('a' = '1')"
    )


@pytest.mark.parametrize(
    ("text", "detail"),
    [("EXECUTE IMMEDIATE 'SELECT ' || x", "'SELECT ' || x"), ("BEGIN EXECUTE IMMEDIATE x; END", "")],
)
def test_an_expression_can_be_asked_for_outside_of_blocks_only(text, detail):
    (effect,) = ParsedStatement(text).effects
    assert (effect.kind, effect.detail) == (K.EXECUTE_IMMEDIATE, detail)


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("USE s", False),
        ("EXECUTE IMMEDIATE 'USE s'", False),
        ("BEGIN USE s; DELETE FROM t; END", True),
        ("BEGIN IF x THEN USE SCHEMA s; END IF; END", True),
        ("BEGIN SET CATALOG c; END", True),
        ("BEGIN EXECUTE IMMEDIATE 'USE s'; END", True),
        ("BEGIN SET x = 1; SELECT use FROM t; END", False),
    ],
)
def test_moving_to_another_schema_matters_inside_of_blocks(text, moves):
    assert (K.USE in [effect.kind for effect in ParsedStatement(text).effects]) is moves
