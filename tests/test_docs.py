"""What the documents show is what happens."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from headrace.connection import Connection

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    str(page.relative_to(ROOT))
    for place in (
        "*.md",
        "docs/**/*.md",
        "src/**/*.md",
        "headrace-client/*.md",
        "dbt-headrace/*.md",
        "dbt-headrace/tests/*.md",
    )
    for page in ROOT.glob(place)
)


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)


def test_readme_examples(
    new_lake: Callable[..., Connection], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lake = new_lake()
    monkeypatch.chdir(lake.lake_path.parent)
    (script,) = blocks("README.md", "sql")
    (shown,) = blocks("README.md", "text")
    assert str(lake.sql(script)) + "\n" == shown

    (program,) = blocks("README.md", "python")
    exec(compile(program, "README.md", "exec"), {})  # noqa: S102  (our own page)
    printed = capsys.readouterr().out
    assert "| Clothing | 2      | 1259.00 |" in printed


def test_sql_reference_examples(lake: Connection, plain_spark: SparkSession) -> None:
    for script in blocks("docs/sql.md", "sql"):
        lake.sql(script).fetchall()
    assert lake.sql(
        "SELECT category, order_cnt, gmv FROM ads_category_gmv ORDER BY gmv DESC"
    ).df().to_csv() == (",category,order_cnt,gmv\n0,Sports,1,499.00\n1,Electronics,1,299.00\n")
    verified, explained = blocks("docs/sql.md", "text")

    rows = lake.sql("EXPLAIN REFRESH DYNAMIC TABLE dwd_orders").fetchall()
    said = "".join(f"{item:<20}{detail}\n" for item, detail in rows if item != "sql")
    said = said.replace(f"lake.{lake.schema}.", "lake.public.")
    assert _without_sizes(said) == _without_sizes(explained)

    table = f"lake.{lake.schema}.ads_category_gmv"
    plain_spark.sql(f"DELETE FROM {table} WHERE category = 'Sports'")
    plain_spark.sql(f"INSERT INTO {table} (category, order_cnt, gmv) VALUES ('Toys', 1, 9), ('Toys', 1, 9)")
    said = "\n".join(lake.sql("VERIFY DYNAMIC TABLE ads_category_gmv").notices) + "\n"
    assert said.replace(table, "lake.public.ads_category_gmv") == verified


def test_ingestion_examples(lake: Connection, tmp_path: Path) -> None:
    incoming = tmp_path / "incoming"
    incoming.mkdir()
    header, moment = "order_id,category,amount\n", time.time() - 60
    for name, rows in (("1", "1,Electronics,299.5\n2,Clothing,59\n"), ("2", "3,Electronics,856\n")):
        file = incoming / f"orders-{name}.csv"
        file.write_text(header + rows)
        os.utime(file, (moment, moment))
    (shown,) = blocks("docs/ingestion.md", "text")
    answers = [
        str(lake.sql(script.replace("'/incoming'", f"'{incoming}'")))
        for script in blocks("docs/ingestion.md", "sql")
    ]
    assert answers[1] + "\n" == shown
    assert answers[2].count("COPY INTO") == 4


def test_stream_writer_example(
    new_lake: Callable[..., Connection], capsys: pytest.CaptureFixture[str]
) -> None:
    lake = new_lake()
    lake.sql(blocks("docs/ingestion.md", "sql")[-1])
    (program,) = blocks("docs/ingestion.md", "python")
    exec(compile(program, "docs/ingestion.md", "exec"), {"LAKE": lake.lake_path})  # noqa: S102  (our own page)
    assert capsys.readouterr().out == "[(3,)]\n2\n"
    assert lake.sql("SELECT * FROM devices ORDER BY device").fetchall() == [("a", "off"), ("b", "on")]


def _without_sizes(text: str) -> str:
    return re.sub(r"\d{3,}|\d+(?= files)|\d+\.\d(?= s)", "N", text)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\((?!https?:)([^)]+)\)", (ROOT / page).read_text())
    missing = [link for link in links if not (ROOT / page).parent.joinpath(link.split("#")[0]).exists()]
    assert missing == []


def test_every_room_is_described() -> None:
    text = (ROOT / "src/headrace/README.md").read_text()
    rooms = [entry for entry in (ROOT / "src/headrace").iterdir() if (entry / "__init__.py").exists()]
    assert [room.name for room in rooms if f"`{room.name}/`" not in text] == []
