"""A server runs pipes by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from headrace.errors import Refused
from headrace.lake.directory import make_lake
from tests.ingest.test_file_pipes import put
from tests.server.served import Served, serving, until


def test_a_served_pipe(tmp_path: Path) -> None:
    lake, incoming = tmp_path / "lake", tmp_path / "incoming"
    incoming.mkdir()
    make_lake(lake)
    with (lake / "lake.toml").open("a") as settings:
        settings.write(f'allowed_directories = ["{incoming}"]\n')
    with serving(lake) as server, server.connect() as client:
        with pytest.raises(Refused, match=f"COPY INTO FROM '{tmp_path}' reaches outside the lake"):
            client.sql(f"COPY INTO t FROM '{tmp_path}' USING CSV")
        with pytest.raises(Refused, match="COPY INTO FROM '/etc' reaches outside the lake"):
            client.sql("CREATE PIPE q AS COPY INTO t FROM '/etc' USING CSV")
        with pytest.raises(Refused, match=f"CREATE VOLUME at '{tmp_path}' reaches outside the lake"):
            client.sql(f"CREATE VOLUME landing LOCATION '{tmp_path}'")
        client.sql(f"CREATE TABLE t (id INT); CREATE VOLUME landing LOCATION '{incoming}'")
        put(incoming / "a.csv", "1\n2\n")
        client.sql("CREATE PIPE p BATCH_INTERVAL_IN_SECONDS = 1 AS COPY INTO t FROM VOLUME landing USING CSV")

        def count() -> int:
            return int(client.sql("SELECT count(*) FROM t").fetchall()[0][0])

        until(lambda: count() == 2, 120)
        put(incoming / "b.csv", "3\n")
        until(lambda: count() == 3, 120)
        _assert_seen(server)
        server.kill()
    put(incoming / "c.csv", "4\n")
    with serving(lake) as server, server.connect() as client:
        until(lambda: client.sql("SELECT count(*), sum(id) FROM t").fetchall() == [(4, 10)], 120)
        server.stop()


def _assert_seen(server: Served) -> None:
    """By the API, in the graph, in metrics and in the history of jobs."""
    (pipe,) = server.get("/api/v1/pipes").json()["items"]
    assert (pipe["name"], pipe["state"], pipe["rows"]) == ("p", "RUNNING", 3)
    assert server.get("/api/v1/pipes/lake/public/p").json()["table_name"] == "lake.public.t"
    graph = server.get("/api/v1/graph").json()
    assert {"from": "pipe:lake.public.p", "to": "lake.public.t"} in graph["edges"]
    assert 'headrace_pipe_consecutive_failures{pipe="lake.public.p"} 0.0' in server.get("/metrics").text
    jobs = server.get("/api/v1/jobs?query_tag=pipe.lake.public.p").json()["items"]
    assert jobs and all(job["statement"].startswith("EXECUTE PIPE") for job in jobs)
