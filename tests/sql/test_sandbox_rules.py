"""What may not be run over the wire, however it is written; and what only looks like it."""

from __future__ import annotations

import pytest

from headrace.errors import Refused
from headrace.sql.parsed import ParsedStatement
from headrace.sql.sandbox.sandbox_context import Grounds
from headrace.sql.sandbox.sandbox_paths import is_inside
from headrace.sql.sandbox.sandbox_rules import refuse_outside

LAKE = Grounds("/lake/warehouse")

REFUSED = [
    ("ADD JAR /tmp/x.jar", "ADD JAR"),
    ("add /* a */ `jar` hdfs://x/y.jar", "ADD JAR"),
    ("ADD FILES a b", "ADD FILES"),
    ("ADD ARCHIVE '/tmp/a.zip'", "ADD ARCHIVE"),
    ("LIST JARS", "LIST JARS"),
    ("BEGIN SELECT 1; ADD JAR /tmp/x.jar; END", "ADD JAR"),
    ("BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION ADD JAR /x.jar; SELECT 1/0; END", "ADD JAR"),
    ("SELECT java_method('java.lang.System', 'getenv', 'HOME')", "java_method()"),
    ("SELECT a FROM t WHERE b IN (SELECT Reflect -- x\n ('java.lang.System', 'exit', 1))", "reflect()"),
    ("SELECT `try_reflect`('a', 'b')", "try_reflect()"),
    ("SELECT system.builtin.`java_method`('a', 'b')", "java_method()"),
    ("SELECT IDENTIFIER('java_' 'method')('a', 'b')", "java_method()"),
    ("SELECT IDENTIFIER('reflect')('a', 'b')", "reflect()"),
    ("SELECT IDENTIFIER(:f)('a', 'b')", "IDENTIFIER() with an argument that is not a literal"),
    (
        "SELECT IDENTIFIER('java' || '_method')('a', 'b')",
        "IDENTIFIER() with an argument that is not a literal",
    ),
    ("SELECT from_protobuf(a, 'M', '/etc/x.desc') FROM t", "from_protobuf()"),
    ("EXPLAIN EXTENDED SELECT reflect('a', 'b')", "reflect()"),
    ("CREATE VIEW v AS SELECT reflect('a', 'b') AS x", "reflect()"),
    ("CREATE DYNAMIC TABLE d AS SELECT reflect('a', 'b') AS x", "reflect()"),
    ("WITH x AS (SELECT reflect('a', 'b')) SELECT * FROM x", "reflect()"),
    ("SELECT TRANSFORM(a) USING 'cat' FROM t", "TRANSFORM ... USING"),
    ("FROM t MAP a USING 'sh' AS b", "MAP ... USING"),
    ("FROM (SELECT 1 AS a) REDUCE a USING 'sh'", "REDUCE ... USING"),
    ("SELECT TRANSFORM(a) USING :program FROM t", "TRANSFORM ... USING"),
    ("CREATE FUNCTION f AS 'a.b.C'", "a function from a class"),
    ("CREATE OR REPLACE TEMPORARY FUNCTION IF NOT EXISTS s.f AS 'C' USING JAR '/x.jar'", "a function from"),
    ("CREATE TEMPORARY FUNCTION f AS :class", "a function from a class"),
    ("SELECT * FROM parquet.`/etc/data`", "parquet.`path`"),
    ("SELECT * FROM `CSV` . `file:/etc/passwd`", "CSV.`path`"),
    ("SELECT * FROM text.`s3://bucket/x`", "text.`path`"),
    ("SELECT * FROM `org.apache.spark.sql.json`.`/etc/x`", "org.apache.spark.sql.json.`path`"),
    ("SELECT * FROM unheard_of.`/etc/x`", "unheard_of.`path`"),
    ("SELECT * FROM IDENTIFIER('text.`/etc/passwd`')", "text.`path`"),
    ("SELECT * FROM IDENTIFIER('text').`/etc/passwd`", "text.`path`"),
    ("SELECT * FROM t, binaryFile.`./x`", "binaryFile.`path`"),
    ("SELECT (SELECT count(*) FROM text.`/etc/passwd`)", "text.`path`"),
    ("INSERT INTO parquet.`/tmp/x` SELECT 1", "parquet.`path`"),
    ("DESCRIBE parquet.`/tmp/x`", "parquet.`path`"),
    ("CREATE TABLE t (a INT) USING csv", "USING csv"),
    ("CREATE TABLE t (a INT GENERATED ALWAYS AS (1)) USING `csv`", "USING csv"),
    ("CREATE TABLE t USING org.apache.spark.sql.jdbc OPTIONS (url 'x')", "USING org.apache.spark.sql.jdbc"),
    ("CREATE OR REPLACE TABLE t USING parquet AS SELECT 1", "USING parquet"),
    ("CREATE TEMPORARY VIEW v USING json OPTIONS (path '/x')", "USING json"),
    ("CREATE TEMPORARY VIEW v USING iceberg OPTIONS (path '/x/y')", "USING iceberg"),
    ("BEGIN CREATE VIEW a AS SELECT 1; CREATE TABLE t (a INT) USING csv; END", "USING csv"),
    ("CREATE TABLE task USING csv AS SELECT 1", "USING csv"),
    ("CREATE TABLE t (a INT) USING iceberg OPTIONS (path '/tmp/x')", "the property path"),
    ("CREATE TABLE t (a INT) USING iceberg OPTIONS ('Path' = '/tmp/x')", "the property Path"),
    ("ALTER TABLE t SET TBLPROPERTIES (write.data.path = '/tmp')", "the property write.data.path"),
    ("CREATE TABLE t (a INT) TBLPROPERTIES ('a' = 'b', 'write.metadata.path' = '/x')", "the property write"),
    ("CREATE TABLE t (a INT) TBLPROPERTIES ('write.location-provider.impl' = 'C')", "the property write"),
    ("CREATE TABLE t (a INT) TBLPROPERTIES (:k = 'x')", "a property whose name is not a literal"),
    ("CREATE TABLE t (a INT) LOCATION '/tmp/x'", "LOCATION"),
    ("CREATE TABLE t (a INT) LOCATION ?", "LOCATION"),
    ("CREATE TABLE t (a INT) LOCATION /* */ :p", "LOCATION"),
    ("CREATE SCHEMA s LOCATION 'file:///tmp/x'", "LOCATION"),
    ("ALTER TABLE t SET LOCATION '/lake/warehouse/../../etc'", "LOCATION"),
    ("CREATE TABLE t LOCATION '/lake/warehouse-not' AS SELECT 1", "LOCATION"),
    ("INSERT OVERWRITE DIRECTORY '/tmp' USING csv SELECT 1", "INSERT OVERWRITE DIRECTORY"),
    ("INSERT OVERWRITE LOCAL DIRECTORY '/tmp' SELECT 1", "INSERT OVERWRITE DIRECTORY"),
    ("INSERT OVERWRITE DIRECTORY USING csv OPTIONS (path '/x') SELECT 1", "INSERT OVERWRITE DIRECTORY"),
    ("FROM t INSERT OVERWRITE DIRECTORY '/x' SELECT a", "INSERT OVERWRITE DIRECTORY"),
    ("LOAD DATA LOCAL INPATH '/x' INTO TABLE t", "LOAD DATA"),
    ("BEGIN LOAD DATA INPATH '/x' INTO TABLE t; END", "LOAD DATA"),
    ("COPY INTO t FROM '/x' USING CSV", "COPY INTO FROM '/x'"),
    ("COPY INTO t FROM (SELECT a FROM '/x' USING CSV)", "COPY INTO FROM '/x'"),
    (
        "COPY INTO t FROM '/lake/warehouse/public/t' USING PARQUET",
        "COPY INTO FROM '/lake/warehouse/public/t'",
    ),
    ("CREATE PIPE p AS COPY INTO t FROM 's3://bucket/x' USING CSV", "COPY INTO FROM 's3://bucket/x'"),
    ("EXPLAIN CREATE PIPE p AS COPY INTO t FROM '/x' USING CSV", "COPY INTO FROM '/x'"),
    ("CREATE VOLUME v LOCATION '/x'", "CREATE VOLUME at '/x'"),
    ("CREATE EXTERNAL VOLUME IF NOT EXISTS v COMMENT 'c' LOCATION = 's3://b'", "CREATE VOLUME at 's3://b'"),
    ("CREATE TASK k AS CREATE VOLUME v LOCATION '/x'", "CREATE VOLUME at '/x'"),
    ("COPY INTO t FROM (SELECT java_method('a', 'b') FROM VOLUME v USING CSV)", "java_method()"),
    ("CREATE PIPE p AS COPY INTO t FROM (SELECT value FROM read_kafka('k:1', 'a'))", "read_kafka('k:1')"),
    ("SELECT * FROM read_kafka('k:1', 'a')", "read_kafka('k:1')"),
    ("SELECT * FROM read_kafka(topic => 'a', bootstrap_servers => 'k:1')", "read_kafka('')"),
    ("CALL lake.system.add_files(table => 't', source_table => '`parquet`.`/x`')", "CALL lake.system.add_"),
    ("CALL lake.system.register_table('t', '/x')", "CALL lake.system.register_table"),
    ("CALL IDENTIFIER('lake.system.migrate')('t')", "CALL lake.system.migrate"),
    ("CALL IDENTIFIER(:p)('t')", "CALL with a name that is not a literal"),
    ("CALL lake.system.snapshot('a', 'b')", "CALL lake.system.snapshot"),
    ("CALL lake.system.rewrite_table_path('t', 'a', 'b')", "CALL lake.system.rewrite_table_path"),
    ("CALL lake.system.remove_orphan_files(table => 't', location => '/')", "CALL remove_orphan_files"),
    ("CALL lake.system.remove_orphan_files('t', TIMESTAMP '2020-01-01', '/')", "CALL remove_orphan_files"),
    ("EXECUTE IMMEDIATE x", "EXECUTE IMMEDIATE with a text that is not a literal"),
    ("EXECUTE IMMEDIATE 'ADD ' || 'JAR x'", "EXECUTE IMMEDIATE with a text that is not a literal"),
    ("EXECUTE IMMEDIATE :s", "EXECUTE IMMEDIATE with a text that is not a literal"),
    ("EXECUTE IMMEDIATE 'ADD' ' JAR x'", "ADD JAR"),
    ("EXECUTE IMMEDIATE 'EXECUTE IMMEDIATE \"SET spark.hadoop.a = 1\"'", "the setting spark.hadoop.a"),
    (
        "BEGIN DECLARE s STRING; EXECUTE IMMEDIATE s; END",
        "EXECUTE IMMEDIATE with a text that is not a literal",
    ),
    ("SET spark.sql.catalog.mine = org.apache.iceberg.spark.SparkCatalog", "the setting spark.sql.catalog"),
    ("set `spark.hadoop.fs.s3a.endpoint` = evil", "the setting spark.hadoop"),
    ("SET fs.s3a.secret.key=x", "the setting fs.s3a.secret.key"),
    ("SET spark.jars=x", "the setting spark.jars"),
    ("SET spark.sql.extensions=a.B", "the setting spark.sql.extensions"),
    ("SET spark.sql.warehouse.dir=/tmp", "the setting spark.sql.warehouse.dir"),
    ("SET spark.sql.runSQLOnFiles=true", "the setting spark.sql.runSQLOnFiles"),
    ("SET spark.sql.variable.substitute=true", "the setting spark.sql.variable.substitute"),
    ("SET spark.sql.ansi.doubleQuotedIdentifiers = true", "the setting spark.sql.ansi"),
    ("SET spark.sql.parser.escapedStringLiterals = true", "the setting spark.sql.parser"),
    ("SET spark.sql.legacy.consecutiveStringLiterals.enabled = true", "the setting spark.sql.legacy"),
    ("SELECT /*+ h('*/') */ java_method('a', 'b') --'", "a hint with an open quote"),
    ("SELECT /*+ h(`*/`) */ java_method('a', 'b') --`", "a hint with an open quote"),
    ("SELECT /*+ h -- */ '\n */ java_method('a', 'b') -- '", "a hint with a comment"),
    ("SELECT * FROM text./**/`/etc/passwd`", "text.`path`"),
    ("SELECT * FROM IDENTIFIER('\\u0074ext.`/etc/passwd`')", "text.`path`"),
    ("ALTER TABLE t SET TBLPROPERTIES ('\\u0077rite.data.path' = '/x')", "the property write.data.path"),
    ("SELECT tran\u017fform(a) u\u017fing 'sh' FROM t", "TRANSFORM ... USING"),
    ("SET", "SET without a name"),
    ("CREATE TEMPORARY VIEW as USING text OPTIONS (paths '[\"/etc/hostname\"]')", "USING text"),
    ("CREATE TABLE spark_catalog.default.as USING csv AS SELECT 1", "spark_catalog"),
    ("CREATE TABLE t (a INT) LOCATION '/lake/warehouse' '/../../elsewhere'", "LOCATION"),
    ("ALTER TABLE t SET LOCATION '/lake/warehouse' '/../../elsewhere'", "LOCATION"),
    ("CREATE SCHEMA spark_catalog.q", "spark_catalog"),
    ("USE `spark_catalog`", "spark_catalog"),
    ("SELECT * FROM global_temp.v", "global_temp"),
    ("CREATE OR REPLACE GLOBAL TEMP VIEW v AS SELECT 1", "a global temporary view"),
    ("CREATE TABLE x (a STRING) STORED AS TEXTFILE", "STORED AS"),
    ("CREATE TABLE x (a STRING) ROW FORMAT SERDE 'x'", "ROW FORMAT"),
    ("SET -v", "SET without a name"),
    ("SELECT '${env:AWS_SECRET}'", "${...}, a variable of Spark,"),
    ("CREATE VCLUSTER v PROPERTIES ('spark.driver.extraJavaOptions' = '-x')", "the setting spark.driver"),
    ("ALTER VCLUSTER v SET PROPERTIES ('spark.master' = 'spark://x:7077')", "the setting spark.master"),
    ("CREATE TASK a AS PYTHON 'import os'", "a task in Python"),
    ("CREATE TASK a AS SQL 'SELECT 1; ADD JAR x'", "ADD JAR"),
    ("CREATE OR REPLACE TASK a AS INSERT INTO t SELECT reflect('a', 'b')", "reflect()"),
]

HARMLESS = [
    "SELECT location, parquet.path, csv.a FROM parquet JOIN csv USING (id)",
    "SELECT * FROM csv.orders",
    "SELECT * FROM parquet",
    "SELECT t.`a/b` AS `x/y`, '/etc/passwd', 'parquet.`/x`' FROM t",
    "CREATE TABLE t (location STRING, path STRING, `using` INT, file STRING) USING iceberg",
    "CREATE TABLE t (a INT) LOCATION '/lake/warehouse/public/t'",
    "CREATE TABLE t (a INT) LOCATION 'file:///lake/warehouse/public/t'",
    "CREATE VIEW v AS SELECT location:city FROM t JOIN s USING (location)",
    "CREATE VIEW v AS SELECT a AS using, location FROM t",
    "CREATE TABLE t (a INT) TBLPROPERTIES ('format-version' = '2', owner = 'me')",
    "CREATE DYNAMIC TABLE d PROPERTIES ('dt.args.path' = '/x') AS SELECT a FROM t",
    "CREATE DYNAMIC TABLE d REFRESH INTERVAL 5 MINUTE AS SELECT location FROM t",
    "ALTER TABLE t ADD COLUMN jar INT",
    "ALTER TABLE t RENAME COLUMN location TO place",
    "INSERT INTO reflect (a) VALUES (1)",
    "CREATE TABLE IF NOT EXISTS reflect (a INT)",
    "INSERT OVERWRITE directory SELECT 1",
    "SELECT transform(array(1), x -> x + 1), map('a', 1), reduce(array(1), 0, (a, b) -> a + b)",
    "EXECUTE IMMEDIATE 'SELECT transform(array(?), x -> x)' USING 'a'",
    "EXECUTE IMMEDIATE 'SELECT 1' INTO x",
    "MERGE INTO t USING csv ON t.a = csv.a WHEN MATCHED THEN UPDATE SET t.a = csv.a",
    "UPDATE t SET location = 'x', t.path = '/y'",
    "SELECT 'ADD JAR x', \"LOAD DATA INPATH\" -- SELECT reflect('a')",
    "SELECT add, list FROM jar",
    "SELECT * FROM IDENTIFIER(:table) WHERE a = :a",
    "SET spark.sql.shuffle.partitions = 5",
    "SET spark.sql.legacy.timeParserPolicy = LEGACY",
    "SET dt.args.bizdate = 2024-06-01",
    "SET query_tag = nightly",
    "SELECT /*+ BROADCAST(`t`), REPARTITION(3) */ a FROM t",
    "SET TIME ZONE 'Asia/Tokyo'",
    "SET VAR x = 1",
    "RESET",
    "CREATE FUNCTION f(a INT) RETURNS INT RETURN a + 1",
    "CREATE OR REPLACE TEMPORARY FUNCTION s.f() RETURN 'x'",
    "SHOW FUNCTIONS",
    "DROP FUNCTION f",
    "CALL lake.system.rewrite_data_files(table => 't')",
    "CALL lake.system.remove_orphan_files('t')",
    "CREATE VCLUSTER v VCLUSTER_SIZE = 2 PROPERTIES ('spark.executor.memory' = '2g')",
    "CREATE TASK a AS SQL 'INSERT INTO t SELECT ''${bizdate}'''",
    "BEGIN DECLARE x INT; SET x = 1; SELECT x; END",
    "COPY INTO t FROM VOLUME v USING CSV",
    "SHOW VOLUMES",
    "DESC HISTORY t",
    "SHOW JOBS WHERE statement LIKE '%LOAD DATA%'",
]


@pytest.mark.parametrize(("text", "what"), REFUSED)
def test_refused(text: str, what: str) -> None:
    with pytest.raises(Refused) as caught:
        refuse_outside(ParsedStatement(text), LAKE)
    assert caught.value.message.startswith(what)
    assert caught.value.place
    assert caught.value.hint == (
        "allow_outside = true in lake.toml permits it, on a lake whose users are all trusted"
    )


@pytest.mark.parametrize("text", HARMLESS)
def test_no_false_alarm(text: str) -> None:
    refuse_outside(ParsedStatement(text), LAKE)


def test_it_points_at_the_place() -> None:
    with pytest.raises(Refused) as caught:
        refuse_outside(ParsedStatement("SELECT a\nFROM t JOIN text.`/etc/passwd` p"), LAKE)
    assert (caught.value.place.line, caught.value.place.column) == (2, 13)


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        ("/data/in/a.csv", True),
        ("file:/data/in/*.csv", True),
        ("/data/in", True),
        ("/data/inside", False),
        ("/data/in/../../etc", False),
        ("/data/in/{a,/etc/passwd}", False),
        ("/data/in/%2e%2e/x", False),
        ("data/in/a", False),
        ("hdfs://host/data/in/a", False),
        ("s3://bucket/in/a", True),
        ("s3://bucket/other", False),
    ],
)
def test_directories(path: str, inside: bool) -> None:
    assert is_inside(path, ["/data/in/", "s3://bucket/in"]) is inside


FILES_TOO = Grounds("/lake/warehouse", ("/data/in",))


def test_files_in_allowed_directories() -> None:
    refuse_outside(ParsedStatement("SELECT a FROM csv.`/data/in/a.csv`"), FILES_TOO)
    refuse_outside(ParsedStatement("CREATE TABLE t (a INT) LOCATION '/data/in/t'"), FILES_TOO)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM csv.`/data/out/a.csv`",
        "SELECT * FROM csv.`/lake/warehouse/public/t/data/a.parquet`",
        "SELECT * FROM csv.relative",
        "SELECT * FROM t, csv.relative",
        "SELECT * FROM IDENTIFIER(:table)",
    ],
)
def test_other_files_than_those(text: str) -> None:
    with pytest.raises(Refused):
        refuse_outside(ParsedStatement(text), FILES_TOO)
