"""A server runs syncs by itself, and another one goes on when it is killed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from headrace.cli.main import cli
from headrace.errors import Refused
from headrace.lake.directory import make_lake
from tests.ingest.source_postgres import PASSWORD, Source
from tests.server.served import serving, until


def test_a_served_sync(tmp_path: Path, source: Source) -> None:
    lake, file = tmp_path / "lake", tmp_path / "crm.db"
    url = f"jdbc:sqlite:{file}"
    make_lake(lake)
    with closing(sqlite3.connect(file)) as crm:
        crm.execute("CREATE TABLE people (id integer PRIMARY KEY, name text)")
        crm.execute("INSERT INTO people VALUES (1, 'Ada')")
        crm.commit()
    with (lake / "lake.toml").open("a") as settings:
        settings.write(f'allowed_databases = ["{source.server.socket}:5432", "{url}"]\n')
    set_secret = CliRunner().invoke(cli, ["secret", "set", "--lake", str(lake), "pw", "--value", PASSWORD])
    assert set_secret.exit_code == 0, set_secret.output
    source.run("CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    with serving(lake) as server, server.connect() as client:
        with pytest.raises(Refused, match=r"CREATE CONNECTION to 127\.0\.0\.1:5432 reaches outside the lake"):
            client.sql("CREATE CONNECTION x TYPE = POSTGRESQL HOST = '127.0.0.1' DATABASE = 'd' USER = 'u'")
        client.sql(
            f"CREATE CONNECTION shop TYPE = POSTGRESQL HOST = '{source.server.socket}'"
            f" DATABASE = '{source.name}' USER = 'reader' PASSWORD = secret('pw')"
        )
        client.sql("CREATE SYNC s FROM CONNECTION shop TABLES 'public.t' COMMIT_INTERVAL_IN_SECONDS = 1")

        def synced() -> bool:
            return sorted(client.sql("SELECT * FROM t").fetchall()) == sorted(source.run("SELECT * FROM t"))

        until(synced, 300)
        with pytest.raises(
            Refused, match=r"CREATE CONNECTION to jdbc:sqlite:/etc/x reaches outside the lake"
        ):
            client.sql("CREATE CONNECTION x TYPE = JDBC URL = 'jdbc:sqlite:/etc/x' USER = 'u'")
        client.sql(f"CREATE CONNECTION crm TYPE = JDBC URL = '{url}' USER = 'u'")
        batch = "MODE = BATCH SCHEDULE INTERVAL 1 DAY"
        client.sql(
            f"CREATE SYNC b FROM CONNECTION shop TABLES 'public.t' INTO SCHEMA public PREFIX 'b_' {batch}"
        )
        client.sql(f"CREATE SYNC c FROM CONNECTION crm TABLES 'main.people' {batch}")
        until(lambda: client.sql("SELECT count(*) FROM b_t").fetchall() == [(2,)], 300)
        until(lambda: client.sql("SELECT * FROM people").fetchall() == [(1, "Ada")], 300)
        source.run(
            "UPDATE t SET v = 'c' WHERE id = 1; DELETE FROM t WHERE id = 2; INSERT INTO t VALUES (3, 'd')"
        )
        until(synced, 300)
        jobs = server.get("/api/v1/jobs?query_tag=sync.lake.public.s").json()["items"]
        assert jobs and all(job["statement"].startswith("EXECUTE SYNC") for job in jobs)
        graph = server.get("/api/v1/graph").json()
        assert {"from": "sync:lake.public.s", "to": "lake.public.t"} in graph["edges"]
        listed = {each["name"]: each for each in server.get("/api/v1/syncs").json()["items"]}
        assert listed["s"]["caught_up"] and listed["b"]["caught_up"] is None
        assert 'headrace_sync_stopped_tables{sync="lake.public.s"} 0.0' in server.get("/metrics").text
        server.kill()
    source.run("INSERT INTO t VALUES (4, 'e')")
    with serving(lake) as server, server.connect() as client:
        until(lambda: client.sql("SELECT count(*), max(id) FROM t").fetchall() == [(3, 4)], 300)
        client.sql("EXECUTE SYNC b; EXECUTE SYNC c; EXECUTE SYNC c")
        assert sorted(client.sql("SELECT * FROM b_t").fetchall()) == sorted(source.run("SELECT * FROM t"))
        client.sql("DROP SYNC s; DROP SYNC b; DROP SYNC c")
        server.stop()
