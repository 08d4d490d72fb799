"""The examples of docs/cdc.md and docs/batch-sync.md."""

from __future__ import annotations

from headrace.connection import Connection
from tests.ingest.source_mariadb import MariadbSource
from tests.ingest.source_postgres import PASSWORD, Source
from tests.internals import store_secret
from tests.test_docs import blocks

EXAMPLES, ANSWERS = blocks("docs/cdc.md", "sql"), blocks("docs/cdc.md", "text")


def test_examples(lake: Connection, source: Source) -> None:
    source.run("CREATE TABLE customers (id int PRIMARY KEY, name text)")
    source.run("CREATE TABLE orders (id int PRIMARY KEY, customer_id int, amount numeric(10,2))")
    source.run("INSERT INTO customers VALUES (1, 'Ada'), (2, 'Bob')")
    source.run("INSERT INTO orders VALUES (1, 1, 5), (2, 1, 10), (3, 2, 7.25)")
    store_secret(lake, "shop_password", PASSWORD)
    answers = []
    for script in EXAMPLES:
        if "shop" in script:
            here = script.replace("db.example.com", source.server.socket)
            answers.append(str(lake.sql(here.replace("'shop'", f"'{source.name}'"))))
    assert answers[0] + "\n" == ANSWERS[0]
    assert source.slots() == []
    lake.sql("DROP CONNECTION shop")


def test_examples_of_mysql(lake: Connection, mariadb: MariadbSource) -> None:
    mariadb.run("CREATE TABLE visits (id int PRIMARY KEY, page varchar(99))")
    mariadb.run("INSERT INTO visits VALUES (1, '/'), (2, '/help'), (3, '/')")
    store_secret(lake, "web_password", PASSWORD)
    (script,) = [each for each in EXAMPLES if "web_sync" in each]
    here = script.replace("'mysql.example.com'", f"'127.0.0.1' PORT = {mariadb.server.port}")
    here = here.replace("'web'", f"'{mariadb.name}'").replace("'web.", f"'{mariadb.name}.")
    until_shown, dropped = here.split("DROP SYNC")
    assert str(lake.sql(until_shown)) + "\n" == ANSWERS[1]
    lake.sql(f"DROP SYNC{dropped}; DROP CONNECTION web")


def test_examples_of_batch_syncs(lake: Connection, source: Source) -> None:
    source.run("CREATE TABLE customers (id int PRIMARY KEY, name text)")
    source.run(
        "CREATE TABLE orders (id int PRIMARY KEY, customer_id int, amount numeric(10,2), changed_at date)"
    )
    source.run("INSERT INTO customers VALUES (1, 'Ada'), (2, 'Bob')")
    source.run("INSERT INTO orders VALUES (1, 1, 5, now()), (2, 1, 10, now()), (3, 2, 7.25, NULL)")
    store_secret(lake, "shop_password", PASSWORD)
    lake.sql("CREATE SCHEMA recent")
    answers = []
    for script in blocks("docs/batch-sync.md", "sql"):
        here = script.replace("db.example.com", source.server.socket).replace("'shop'", f"'{source.name}'")
        answers.append(str(lake.sql(here)))
    assert [answers[0] + "\n"] == blocks("docs/batch-sync.md", "text")
    assert lake.sql("SELECT count(*) FROM recent.orders").fetchall() == [(3,)]
    lake.sql("DROP TABLE recent.orders; DROP SCHEMA recent; DROP CONNECTION shop")
