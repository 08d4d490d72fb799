"""Of COPY INTO from files."""

from __future__ import annotations

import gzip
import io
from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.parquet as pq

COLUMNS = "id INT, name STRING, price DECIMAL(5,2), day DATE"
GOOD = "1,a,2.50,2024-01-31\n"
HEADER = "USING CSV OPTIONS ('header' = 'true')"


@dataclass(frozen=True)
class FileMistake:
    what: str
    files: Mapping[str, str | bytes]
    message: str
    mended: Mapping[str, str | bytes | None] = field(default_factory=dict)
    """Files that are written, or None where one is removed."""
    load: str = "FROM '{path}' USING CSV"
    again: str | None = None
    """The statement after it; None: the same."""
    prepare: str = ""
    repair: str = ""
    """Statements before and after."""
    columns: str = COLUMNS
    ids: tuple[int, ...] = (1,)
    """Of the rows that are loaded in the end."""


def _parquet(column: pa.Array) -> bytes:
    written = io.BytesIO()
    pq.write_table(pa.table({"id": column}), written)
    return written.getvalue()


_WHOLE = _parquet(pa.array([1], pa.int32()))

FILE_MISTAKES = (
    FileMistake(
        "a value that is no number",
        {"a.csv": "x,a,,\n"},
        r"^a row of .*/a.csv does not fit the columns: x,a",
        {"a.csv": GOOD},
    ),
    FileMistake(
        "a number that is too large",
        {"a.csv": "3000000000,a,,\n"},
        r"^a row of .*/a.csv does not fit the columns: 3000000000",
        {"a.csv": GOOD},
    ),
    FileMistake(
        "a decimal with too many digits",
        {"a.csv": "1,a,12345.5,\n"},
        r"^a row of .*/a.csv does not fit the columns: 1,a,12345.5",
        {"a.csv": GOOD},
    ),
    FileMistake(
        "a date in another format",
        {"a.csv": "1,a,,31.01.2024\n"},
        r"^a row of .*/a.csv does not fit the columns: 1,a,,31.01.2024",
        again="FROM '{path}' USING CSV OPTIONS ('dateFormat' = 'dd.MM.yyyy')",
    ),
    FileMistake(
        "a row with one value more",
        {"a.csv": GOOD + "2,b,,,9\n"},
        r"^a row of .*/a.csv does not fit the columns: 2,b,,,9",
        {"a.csv": GOOD + "2,b,,\n"},
        ids=(1, 2),
    ),
    FileMistake(
        "files with fewer columns than the table",
        {"a.csv": "1,a\n"},
        r"a.csv has 2 columns, but .* has 4$",
        again="(id, name) FROM (SELECT CAST(_c0 AS INT), _c1 FROM '{path}' USING CSV)",
    ),
    FileMistake(
        "another separator",
        {"a.csv": GOOD.replace(",", ";")},
        r"a.csv has 1 columns, but .* has 4$",
        again="FROM '{path}' USING CSV OPTIONS ('sep' = ';')",
    ),
    FileMistake(
        "a header that has a column twice",
        {"a.csv": "id,ID\n1,1\n"},
        r"^the header of .*/a.csv has the column id twice",
        {"a.csv": "id\n1\n"},
        load="FROM '{path}' " + HEADER,
    ),
    FileMistake(
        "a header with a column without a name",
        {"a.csv": "id,\n1,1\n"},
        r"^the header of .*/a.csv has a column without a name",
        {"a.csv": "id\n1\n"},
        load="FROM '{path}' " + HEADER,
    ),
    FileMistake(
        "a column that the table does not have",
        {"a.csv": "id,colour\n1,red\n"},
        r"^files have columns that .* does not have: colour",
        load="FROM '{path}' " + HEADER,
        again="FROM '{path}' " + HEADER + " SCHEMA_EVOLUTION = IGNORE",
    ),
    FileMistake(
        "no column of the table",
        {"a.csv": "number\n1\n"},
        r"^no column of the files is a column of .*: they have number",
        load="FROM '{path}' " + HEADER + " SCHEMA_EVOLUTION = IGNORE",
        again="(id) FROM (SELECT CAST(number AS INT) FROM '{path}' " + HEADER + ")",
    ),
    FileMistake(
        "an encoding that does not exist",
        {"a.csv": GOOD},
        r"^the encoding klingon does not exist",
        load="FROM '{path}' USING CSV OPTIONS ('encoding' = 'klingon')",
        again="FROM '{path}' USING CSV",
    ),
    FileMistake(
        "a file that is not compressed as its name says",
        {"a.csv.gz": b"1,a,,\n"},
        r"a.csv.gz cannot be read: ",
        {"a.csv.gz": gzip.compress(GOOD.encode())},
    ),
    FileMistake(
        "a line that is no JSON",
        {"a.json": '{"id": 1}\n{"id": \n'},
        r"^a row of .*/a.json does not fit the columns: \{\"id\": $",
        {"a.json": '{"id": 1}\n{"id": 2}\n'},
        load="FROM '{path}' USING JSON",
        ids=(1, 2),
    ),
    FileMistake(
        "nothing that is JSON",
        {"a.json": "id,name\n1,a\n"},
        r"^a row of .*/a.json does not fit the columns: id,name",
        {"a.json": '{"id": 1}\n'},
        load="FROM '{path}' USING JSON",
    ),
    FileMistake(
        "a query of what is no JSON",
        {"a.json": "id,name\n1,a\n"},
        r"^no row of .*/a.json is JSON$",
        {"a.json": '{"id": 1}\n'},
        load="(id) FROM (SELECT id FROM '{path}' USING JSON)",
    ),
    FileMistake(
        "a text where JSON should have a number",
        {"a.json": '{"id": "one"}\n'},
        r"^a row of .*/a.json does not fit the columns: ",
        {"a.json": '{"id": 1}\n'},
        load="FROM '{path}' USING JSON",
    ),
    FileMistake(
        "a file that is no Parquet",
        {"a.parquet": GOOD},
        r"^this is not PARQUET: ",
        {"a.parquet": _WHOLE},
        load="FROM '{path}' USING PARQUET",
    ),
    FileMistake(
        "half a file of Parquet",
        {"a.parquet": _WHOLE[: len(_WHOLE) // 2]},
        r"^this is not PARQUET: ",
        {"a.parquet": _WHOLE},
        load="FROM '{path}' USING PARQUET",
    ),
    FileMistake(
        "a column of Parquet with texts where the table has numbers",
        {"a.parquet": _parquet(pa.array(["one"]))},
        r"^column id of .* is int, but the data is string$",
        {"a.parquet": _WHOLE},
        load="FROM '{path}' USING PARQUET",
    ),
    FileMistake(
        "a file that is no ORC",
        {"a.orc": GOOD},
        r"^this is not ORC: ",
        {"a.orc": None, "a.csv": GOOD},
        load="FROM '{path}' USING ORC",
        again="FROM '{path}' USING CSV",
    ),
    FileMistake(
        "NULL in a column that is NOT NULL",
        {"a.csv": ",a\n"},
        r"NULL",
        {"a.csv": "1,a\n"},
        columns="id INT NOT NULL, name STRING",
    ),
    FileMistake(
        "a directory that is not there yet",
        {},
        r"/later does not exist$",
        {"later/a.csv": GOOD},
        load="FROM '{path}/later' USING CSV",
    ),
    FileMistake(
        "a file that is not there yet",
        {"a.csv": GOOD},
        r" has no file b.csv$",
        {"b.csv": GOOD.replace("1", "2", 1)},
        load="FROM '{path}' USING CSV FILES ('a.csv', 'b.csv')",
        ids=(1, 2),
    ),
    FileMistake(
        "a query with a cast that fails",
        {"a.csv": "x\n"},
        r"^'x' cannot be converted to int$",
        {"a.csv": "1\n"},
        load="(id) FROM (SELECT CAST(_c0 AS INT) FROM '{path}' USING CSV)",
    ),
    FileMistake(
        "a query with fewer columns than the table",
        {"a.csv": GOOD},
        r"column",
        load="FROM (SELECT CAST(_c0 AS INT) FROM '{path}' USING CSV)",
        again="(id) FROM (SELECT CAST(_c0 AS INT) FROM '{path}' USING CSV)",
    ),
    FileMistake(
        "a table of rejected rows that is somebody's own",
        {"a.csv": GOOD + "x,,,\n"},
        r"^.*t__rejected is not a table of rejected rows: it has no column rejected_at$",
        prepare="CREATE TABLE t__rejected (note STRING)",
        repair="ALTER TABLE t__rejected RENAME TO notes",
        load="FROM '{path}' USING CSV ON_ERROR = QUARANTINE",
    ),
    FileMistake(
        "a table that was dropped",
        {"a.csv": GOOD},
        r"^table .*t does not exist$",
        prepare="DROP TABLE t",
        repair="UNDROP TABLE t",
    ),
)
