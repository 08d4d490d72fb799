"""The jars on Spark's class path: Headrace's own, which is part of this package, and those it depends on.

The others come in sets, one for each feature. A set is fetched once per user, when a lake first needs it,
through the Ivy that PySpark carries, and verified. A machine without a network takes them from the directory
named in HEADRACE_JARS, which is never written to.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from headrace.errors import OperationalError
from headrace.install.java import ensure_java, to_stderr

FETCH_TIMEOUT_S = 900


@dataclass(frozen=True)
class Jar:
    """One artifact of a Maven repository, pinned to its bytes."""

    group: str
    name: str
    version: str
    size: int
    sha256: str

    @property
    def file_name(self) -> str:
        return f"{self.name}-{self.version}.jar"

    def __str__(self) -> str:
        return f"{self.group}:{self.name}:{self.version}"


ICEBERG = Jar(
    "org.apache.iceberg",
    "iceberg-spark-runtime-4.1_2.13",
    "1.12.0",
    48309426,
    "3123c3798af642dd537230923548e013ef41cc28b6626e5225808cf5670a0f82",
)
SQLITE = Jar(
    "org.xerial",
    "sqlite-jdbc",
    "3.51.1.0",
    14394828,
    "29eda0d1e5ab235b0f1baad05c531106c59c4a72c92a51a4b9c1a4e4c84abffe",
)
POSTGRESQL = Jar(
    "org.postgresql",
    "postgresql",
    "42.7.8",
    1116727,
    "2a32a9dcbc42d67a50ad3a0de5efd102c8d2be46720045f2cbd6689f160ab7c7",
)
ICEBERG_AWS = Jar(
    "org.apache.iceberg",
    "iceberg-aws-bundle",
    ICEBERG.version,
    69034612,
    "dd7e49ffa4ac9b215bed846581991259e3aec9bb2fa08d6cec029c46cd66d957",
)


SPARK_AVRO = Jar(
    "org.apache.spark",
    "spark-avro_2.13",
    "4.1.1",  # of the later ones of Spark 4.1 none is published
    92354,
    "6a19d90bc3b6e88d8db0fa36a19273aa10fea2dbd7a62bb60e4cedd73051b32d",
)
SPARK_KAFKA = Jar(
    "org.apache.spark",
    "spark-sql-kafka-0-10_2.13",
    "4.1.3",
    491701,
    "cb31ffd9c8f5527dba061db8af671d295562092e4f3f5ff42fc249fab8a8fde6",
)
SPARK_KAFKA_TOKENS = Jar(
    "org.apache.spark",
    "spark-token-provider-kafka-0-10_2.13",
    "4.0.0",  # of Spark 4.1 there is none
    64975,
    "f2be3b76f9e6cbe63379d4e4e0dc14f59dbf056ae2ad16ff15ac108004c86767",
)
KAFKA_CLIENTS = Jar(
    "org.apache.kafka",
    "kafka-clients",
    "3.9.1",
    9215194,
    "7568b998572d256f0b7bc0afdc1b7a2588b8b08415c62ce314c864a6851ae9d9",
)
COMMONS_POOL = Jar(
    "org.apache.commons",
    "commons-pool2",
    "2.12.1",
    152289,
    "5273c8bc8c0dca2211175c0d27efbd7228efae99689aac001a8e1ef8e872e9ef",
)


class Feature(StrEnum):
    """What a lake can need jars for."""

    CORE = "core"
    POSTGRESQL = "postgresql"
    S3 = "s3"
    AVRO = "avro"
    KAFKA = "kafka"


JAR_SETS: Mapping[Feature, tuple[Jar, ...]] = {
    Feature.CORE: (ICEBERG, SQLITE),
    Feature.POSTGRESQL: (POSTGRESQL,),
    Feature.S3: (ICEBERG_AWS,),
    Feature.AVRO: (SPARK_AVRO,),
    Feature.KAFKA: (SPARK_KAFKA, SPARK_KAFKA_TOKENS, KAFKA_CLIENTS, COMMONS_POOL),
}
EVERY_LAKE = (Feature.CORE, Feature.POSTGRESQL)
"""On the class path whatever the lake's database is, so that one class archive fits all of them."""


def jars_of(features: Collection[Feature]) -> tuple[Jar, ...]:
    """In the order of the table, and those of every lake first, whatever else is needed."""
    wanted = {*EVERY_LAKE, *features}
    return tuple(jar for feature, jars in JAR_SETS.items() if feature in wanted for jar in jars)


JARS = jars_of(EVERY_LAKE)

OWN = Path(__file__).with_name("headrace-jvm.jar")
"""Compiled from ``jvm/`` by set-up; a wheel carries it."""

Report = Callable[[str], None]
Fetch = Callable[[Path, Jar, Path], Path]


def ensure_jars(
    java: Path, report: Report, environ: Mapping[str, str] = os.environ, wanted: tuple[Jar, ...] = JARS
) -> list[Path]:
    """Their paths, after fetching those that are not there yet."""
    directory = jars_directory(environ)
    missing = missing_jars(environ, wanted)
    if missing and "HEADRACE_JARS" in environ:
        raise OperationalError(
            f"HEADRACE_JARS is {directory}, which has no {_file_names(missing)} of the expected size",
            hint="put these files there, or unset HEADRACE_JARS to download them",
        )
    for jar in missing:
        report(f"downloading {jar.file_name} ({jar.size // 1_000_000} MB)")
        fetch_into(directory, jar, java)
    return [directory / jar.file_name for jar in wanted]


def ensure_class_path(java: Path, report: Report, environ: Mapping[str, str] = os.environ) -> list[Path]:
    """Headrace's own classes, and the jars of every lake."""
    return [own_jar(), *ensure_jars(java, report, environ)]


def own_jar(jar: Path = OWN) -> Path:
    if not jar.exists():
        raise OperationalError(
            f"Headrace is installed without its Java classes: {jar} does not exist",
            hint="in a source checkout run `make jar`; otherwise install headrace again from a wheel",
        )
    return jar


def jars_directory(environ: Mapping[str, str] = os.environ) -> Path:
    if given := environ.get("HEADRACE_JARS"):
        return Path(given)
    return cache_directory(environ) / "jars"


def cache_directory(environ: Mapping[str, str] = os.environ) -> Path:
    cache = environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "headrace"


def missing_jars(environ: Mapping[str, str] = os.environ, wanted: tuple[Jar, ...] = JARS) -> list[Jar]:
    """The jars that are absent or of another size; their hash was verified when they came."""
    directory = jars_directory(environ)
    return [jar for jar in wanted if _size(directory / jar.file_name) != jar.size]


def fetch_into(directory: Path, jar: Jar, java: Path, fetch: Fetch | None = None) -> None:
    """Puts a verified ``jar`` into ``directory`` in one step: another process sees all of it or nothing."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=directory) as workspace:
            fetched = (fetch or fetch_through_ivy)(java, jar, Path(workspace))
            _verify(fetched, jar)
            fetched.replace(directory / jar.file_name)
    except OSError as error:
        raise OperationalError(
            f"{jar.file_name} cannot be stored in {directory}: {error.strerror or error}",
            hint="free some space, or set XDG_CACHE_HOME to a writable directory",
        ) from error


def fetch_through_ivy(java: Path, jar: Jar, workspace: Path) -> Path:
    command = _ivy_command(java, jar, workspace)
    fetched = workspace / jar.file_name
    try:
        answer = subprocess.run(  # noqa: S603  (Java, with PySpark's Ivy and a pinned artifact)
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=FETCH_TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        raise _not_fetched(jar, f"timed out after {FETCH_TIMEOUT_S} s") from None
    if answer.returncode != 0 or not fetched.exists():
        raise _not_fetched(jar, _reason(answer.stdout))
    return fetched


def _ivy_command(java: Path, jar: Jar, workspace: Path) -> list[str]:
    return [
        str(java),
        "-jar",
        str(ivy_of_pyspark()),
        *("-dependency", jar.group, jar.name, jar.version),
        *("-notransitive", "-m2compatible"),
        *("-confs", "default"),
        *("-types", "jar"),
        *("-cache", str(workspace / "ivy")),
        *("-retrieve", str(workspace / "[artifact]-[revision].[ext]")),
    ]


def pyspark_home() -> Path:
    """What SPARK_HOME is for the Spark that PySpark carries."""
    spec = importlib.util.find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise OperationalError("PySpark is not installed", hint="install headrace with its dependencies")
    return Path(spec.origin).parent


def ivy_of_pyspark() -> Path:
    found = list(pyspark_home().glob("jars/ivy-*.jar"))
    if not found:
        raise OperationalError("PySpark is not installed with its jars", hint="pip install headrace")
    return found[0]


def _verify(fetched: Path, jar: Jar) -> None:
    with fetched.open("rb") as file:
        actual = hashlib.file_digest(file, "sha256").hexdigest()
    if actual != jar.sha256:
        raise OperationalError(
            f"{jar} has SHA-256 {actual}, but {jar.sha256} is expected",
            hint="the file may have been changed during the download and was deleted; try again",
        )


def _not_fetched(jar: Jar, reason: str) -> OperationalError:
    needed = _fetched_with(jar)
    return OperationalError(
        f"{jar}{_purpose(jar)} could not be downloaded: {reason}",
        hint=f"try again with a network connection, or get {' and '.join(map(str, needed))}"
        f" from a Maven repository and put {_file_names(needed)} into {jars_directory()},"
        " or into any other directory and set HEADRACE_JARS to it",
    )


def _fetched_with(jar: Jar) -> tuple[Jar, ...]:
    """All that a machine without a network needs along with it."""
    sets = (JARS, *JAR_SETS.values())
    return next((jars for jars in sets if jar in jars), (jar,))


def _purpose(jar: Jar) -> str:
    """Of a jar that not every lake needs."""
    optional = (feature for feature, jars in JAR_SETS.items() if feature not in EVERY_LAKE and jar in jars)
    return next((f", which {feature} requires," for feature in optional), "")


def _reason(ivy_output: str) -> str:
    telling = ("Exception", "UNRESOLVED", "not found", "refused", "timed out", "Error")
    lines = [line.strip() for line in ivy_output.splitlines() if any(word in line for word in telling)]
    return lines[0] if lines else ivy_output.strip()[-300:]


def _file_names(jars: list[Jar] | tuple[Jar, ...]) -> str:
    return " and ".join(jar.file_name for jar in jars)


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def main() -> int:
    """What ``make`` calls before the first run, so that the waiting has a name."""
    try:
        ensure_jars(ensure_java(to_stderr).path, to_stderr)
    except OperationalError as error:
        to_stderr(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
