"""Statements about volumes, as they are read."""

import pytest

from headrace.features.volumes.grammar import CreateVolume, DescribeVolume, DropVolume, ShowVolumes
from headrace.sql.parsing.grammar import parse_statement
from headrace.sql.parsing.statements import Describe
from tests.features.grammar_checks import parsed_as, syntax_error


def test_volumes():
    text = "CREATE EXTERNAL VOLUME IF NOT EXISTS s.v COMMENT 'c' LOCATION 's3://b/in';"
    volume = parsed_as(CreateVolume, text)
    assert (volume.name.parts, volume.location.text, volume.comment) == (("s", "v"), "s3://b/in", "c")
    assert volume.if_not_exists
    assert parsed_as(CreateVolume, "create volume v location = '/in'").location.text == "/in"
    assert parsed_as(DropVolume, "DROP VOLUME IF EXISTS s.v").if_exists
    assert parsed_as(DescribeVolume, "DESC VOLUME s.v").name.parts == ("s", "v")
    assert parsed_as(ShowVolumes, "SHOW VOLUMES IN s LIKE 'a%' LIMIT 2").limit == 2
    assert isinstance(parse_statement("DESC volume"), Describe)


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("CREATE VOLUME v", "LOCATION is missing", 16),
        ("CREATE VOLUME v LOCATION ''", "the path of a directory cannot be empty", 26),
        ("CREATE VOLUME v LOCATION x", "expected the path of a directory in quotes, found x", 26),
        ("CREATE VOLUME v LOCATION '/a' LOCATION '/b'", "LOCATION is given twice", 31),
        ("CREATE VOLUME v LOCATION '/a' USING CONNECTION c", "a volume has no option USING", 31),
        ("DROP VOLUME 'v'", "expected the name of a volume, found 'v'", 13),
    ],
)
def test_mistakes(text, message, column):
    syntax_error(text, message, column)
