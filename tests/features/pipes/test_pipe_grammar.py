"""COPY INTO and the statements about pipes, as they are read."""

import pytest

from headrace.features.pipes.grammar_copy import CopyInto
from headrace.features.pipes.grammar_pipes import (
    AlterPipe,
    CreatePipe,
    DescribePipe,
    DropPipe,
    ExecutePipe,
    ExplainCreatePipe,
    ShowPipes,
)
from headrace.features.pipes.model import (
    FileFormat,
    IngestMode,
    KafkaSource,
    MessageFormat,
    OnError,
    SchemaEvolution,
    Secret,
)
from headrace.sql.parsing.grammar import parse_statement
from headrace.sql.parsing.statements import Describe
from tests.features.grammar_checks import parsed_as, syntax_error


def copied(text):
    return parsed_as(CopyInto, text).copy


def test_the_shortest_copy():
    copy = copied("copy into t from '/in' using csv")
    assert (copy.target.parts, copy.source.path.text, copy.source.format) == (("t",), "/in", FileFormat.CSV)
    assert (copy.query, copy.columns, copy.purge, copy.force) == (None, (), False, False)
    assert (copy.on_error, copy.schema_evolution) == (OnError.ABORT, None)


def test_everything_of_a_copy():
    copy = copied(
        "COPY INTO a.t FROM 's3://b/in' REGEXP 'x.*' USING JSON OPTIONS ('multiLine' = true)"
        " FORCE = TRUE PURGE = true ON_ERROR = 'quarantine' SCHEMA_EVOLUTION = add;"
    )
    assert (copy.source.options, copy.source.pattern) == ({"multiLine": "true"}, "x.*")
    assert (copy.force, copy.purge, copy.on_error) == (True, True, OnError.QUARANTINE)
    assert copy.schema_evolution is SchemaEvolution.ADD
    assert copied("COPY INTO t FROM '/in' USING CSV FILES ('a', 'b')").source.files == ("a", "b")


def test_a_volume():
    copy = copied("COPY INTO t FROM VOLUME s.v USING CSV FILES ('a.csv') FORCE = TRUE")
    assert (copy.source.volume.parts, copy.source.files, copy.force) == (("s", "v"), ("a.csv",), True)
    files = copy.source.at("/in")
    assert (files.path.text, files.format, files.files) == ("/in", FileFormat.CSV, ("a.csv",))
    queried = copied("COPY INTO t FROM (SELECT v.a FROM VOLUME v USING ORC AS v WHERE v.a > 0)")
    assert queried.query.reading("view").text == "SELECT v.a FROM view AS v WHERE v.a > 0"


def test_a_query_around_files():
    copy = copied(
        "COPY INTO t (x, y) FROM (SELECT f(a, (b)), b FROM '/in' USING ORC AS s WHERE s.a > 0) PURGE = TRUE"
    )
    assert [each.text for each in copy.columns] == ["x", "y"]
    assert copy.query.reading("v").text == "SELECT f(a, (b)), b FROM v AS s WHERE s.a > 0"
    assert copy.purge


def test_a_query_around_kafka():
    copy = copied(
        "COPY INTO t FROM (SELECT value FROM read_kafka('a:1,b:2', 'orders', '', 'g', '', '', '', '', 'raw', "
        "'json', 0, map('kafka.security.protocol', 'SSL', 'sasl.password', secret('p'))) WHERE offset > 1)"
    )
    assert copy.source == KafkaSource(
        "a:1,b:2",
        "orders",
        "g",
        value_format=MessageFormat.JSON,
        options={"security.protocol": "SSL", "sasl.password": Secret("p")},
    )
    assert copy.query.reading("v").text == "SELECT value FROM v WHERE offset > 1"
    named = copied("COPY INTO t FROM (SELECT * FROM read_kafka(topic => 'o', bootstrap_servers => 's:1'))")
    assert named.source == KafkaSource("s:1", "o")


def test_pipes():
    text = (
        "CREATE PIPE IF NOT EXISTS a.p VIRTUAL_CLUSTER = 'etl' BATCH_INTERVAL_IN_SECONDS = 5"
        " BATCH_SIZE_PER_KAFKA_PARTITION = 10 MAX_SKIP_BATCH_COUNT_ON_ERROR = 0 INITIAL_DELAY_IN_SECONDS = 1"
        " RESET_KAFKA_GROUP_OFFSETS = '1700000000000' INGEST_MODE = 'LIST_PURGE' COMMENT 'c'"
        " AS COPY INTO t FROM '/in' USING CSV"
    )
    pipe = parsed_as(CreatePipe, text)
    assert (pipe.name.parts, pipe.if_not_exists, pipe.options.cluster.text) == (("a", "p"), True, "etl")
    assert pipe.copy_span.of(text) == "COPY INTO t FROM '/in' USING CSV"
    assert dict(pipe.options.given) == {
        "interval_seconds": 5,
        "batch_size_per_partition": 10,
        "most_skipped_batches": 0,
        "initial_delay_seconds": 1,
        "reset_offsets": "1700000000000",
        "ingest_mode": IngestMode.LIST_PURGE,
        "comment": "c",
    }
    assert parsed_as(ExplainCreatePipe, f"EXPLAIN {text}").create.name.parts == ("a", "p")
    altered = parsed_as(AlterPipe, "ALTER PIPE p SET PIPE_EXECUTION_PAUSED = TRUE, VIRTUAL_CLUSTER = v")
    assert (altered.options.is_paused, altered.options.cluster.text) == (True, "v")
    assert parsed_as(DropPipe, "DROP PIPE IF EXISTS p").if_exists
    assert parsed_as(DescribePipe, "DESC PIPE EXTENDED p").extended
    assert parsed_as(DescribePipe, "DESCRIBE PIPE extended").name.parts == ("extended",)
    assert parsed_as(ExecutePipe, "EXECUTE PIPE a.p").name.parts == ("a", "p")
    assert parsed_as(ShowPipes, "SHOW PIPES IN s LIKE 'a%' LIMIT 2").limit == 2
    assert isinstance(parse_statement("DESC pipe"), Describe)


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("COPY INTO t", "expected FROM, found the end of the statement", 12),
        (
            "COPY INTO t FROM '/in'",
            "expected USING and the format of the files, found the end of the statement",
            23,
        ),
        ("COPY INTO t FROM '/in' USING XML", "expected one of CSV, JSON, PARQUET, AVRO, ORC, found XML", 30),
        ("COPY INTO t FROM '' USING CSV", "the path of files cannot be empty", 18),
        ("COPY INTO t FROM VOLUME 'v' USING CSV", "expected the name of a volume, found 'v'", 25),
        (
            "COPY INTO t FROM VOLUME v",
            "expected USING and the format of the files, found the end of the statement",
            26,
        ),
        (
            "COPY INTO t FROM read_kafka('s:1', 'o')",
            "expected the path of files in quotes, found read_kafka",
            18,
        ),
        ("CREATE PIPE p COPY INTO t FROM '/in' USING CSV", "expected AS before COPY INTO", 15),
        ("COPY INTO t FROM other USING CSV", "expected the path of files in quotes, found other", 18),
        ("COPY INTO t FROM (SELECT a FROM other)", "expected the path of files in quotes, found other", 33),
        ("COPY INTO t FROM (SELECT a FROM '/in' USING CSV", "this parenthesis is never closed", 18),
        ("COPY INTO t (a) FROM '/in' USING CSV", "a list of columns requires a query", 14),
        ("COPY INTO t FROM '/in' USING CSV FILES ()", "expected the name of a file in quotes, found )", 41),
        (
            "COPY INTO t FROM '/in' USING CSV REGEXP '('",
            "the regular expression is not valid: missing ), unterminated subpattern at position 0",
            41,
        ),
        (
            "COPY INTO t FROM '/in' USING CSV FILES ('a') REGEXP 'b'",
            "FILES and REGEXP cannot be used together",
            53,
        ),
        ("COPY INTO t FROM '/in' USING CSV USING CSV", "USING is given twice", 34),
        ("COPY INTO t FROM '/in' USING CSV FORCE", "expected =, found the end of the statement", 39),
        ("COPY INTO t FROM '/in' USING CSV FORCE = 1", "expected TRUE or FALSE, found 1", 42),
        (
            "COPY INTO t FROM '/in' USING CSV ON_ERROR = x",
            "expected one of ABORT, CONTINUE, QUARANTINE, found x",
            45,
        ),
        ("COPY INTO t FROM '/in' USING CSV LIMIT 1", "unexpected LIMIT", 34),
        ("CREATE PIPE p", "expected AS, found the end of the statement", 14),
        ("CREATE PIPE p AS SELECT 1", "expected COPY, found SELECT", 18),
        ("CREATE PIPE p SPEED = 1 AS COPY INTO t FROM '/in' USING CSV", "a pipe has no property SPEED", 15),
        (
            "CREATE PIPE p BATCH_INTERVAL_IN_SECONDS = 0 AS COPY INTO t FROM '/in' USING CSV",
            "expected a whole number between 1 and 31622400, found 0",
            43,
        ),
        (
            "CREATE PIPE p RESET_KAFKA_GROUP_OFFSETS = 'first' AS COPY INTO t FROM '/in' USING CSV",
            "expected none, valid, earliest, latest or milliseconds since 1970, found first",
            43,
        ),
        (
            "CREATE PIPE p INGEST_MODE = 'EVENT' AS COPY INTO t FROM '/in' USING CSV",
            "expected one of LIST_PURGE, LIST_KEEP, found EVENT",
            29,
        ),
        (
            "CREATE PIPE p COMMENT 'a' COMMENT 'b' AS COPY INTO t FROM '/in' USING CSV",
            "COMMENT is given twice",
            27,
        ),
        ("ALTER PIPE p SET", "expected a property of the pipe, found the end of the statement", 17),
        ("ALTER PIPE p SET INGEST_MODE = 'LIST_KEEP'", "a pipe has no property INGEST_MODE", 18),
        ("EXECUTE PIPE", "expected the name of a pipe, found the end of the statement", 13),
        ("SHOW PIPES x", "unexpected x", 12),
        ("COPY INTO t FROM (SELECT * FROM read_kafka('s:1'))", "read_kafka requires topic", 33),
        (
            "COPY INTO t FROM (SELECT * FROM read_kafka('s:1', 'a', 'b.*'))",
            "the argument topic_pattern is not supported",
            56,
        ),
        (
            "COPY INTO t FROM (SELECT * FROM read_kafka('s:1', 'a', group => 'b'))",
            "read_kafka has no argument group",
            56,
        ),
        (
            "COPY INTO t FROM (SELECT * FROM read_kafka('s:1', 'a', value_format => 'xml'))",
            "expected one of raw, text, json, avro, found xml",
            72,
        ),
        (
            "COPY INTO t FROM (SELECT * FROM read_kafka('s:1', 'a', options => 'x'))",
            "expected MAP, found 'x'",
            67,
        ),
    ],
)
def test_what_cannot_be_read(text, message, column):
    syntax_error(text, message, column)
