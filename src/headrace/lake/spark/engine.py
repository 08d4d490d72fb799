"""The one Spark application of this process, started when the first lake is opened."""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from headrace.errors import EngineLost, Error, InternalError, LakeLocked, OperationalError
from headrace.install.jars import EVERY_LAKE, JARS, Feature, ensure_class_path, ensure_jars, jars_of
from headrace.install.java import Java, require_java
from headrace.lake.directory import LakeDirectory
from headrace.lake.file_systems import is_s3, s3_endpoint, s3_region
from headrace.lake.spark import class_archive
from headrace.lake.spark.java_classes import FILE_IO, LAKE_CATALOG, LOCAL_FILE_SYSTEM, S3_FILE_SYSTEM
from headrace.lake.spark.sandbox import CHANGES_CATALOG, Sandbox, closed_settings, enclose, install
from headrace.lake.spark.spark_home import spark_home
from headrace.lake.table_defaults import TABLE_DEFAULTS
from headrace.model.catalog_backend import CatalogBackend
from headrace.model.names import DEFAULT_SCHEMA, DEFAULT_WORKSPACE

Report = Callable[[str], None]

_LAST_MOMENTS_SECONDS = 1.0
"""Between the last words of a JVM that is killed and its end."""

_LISTING_TASKS = 32

_starting = threading.Lock()
_root: SparkSession | None = None
_features: frozenset[Feature] = frozenset()
"""Those whose jars the running JVM has."""


def start_engine(lake: LakeDirectory, report: Report) -> None:
    """Starts the JVM unless it runs; its logs go to the lake that asked first."""
    global _root, _features
    with _starting:
        if _root is not None and not engine_ends_within(0):
            _expect_features(features_of(lake))
            return
        _forget_engine()
        java = require_java()
        features = features_of(lake)
        jars = ensure_class_path(java.path, report)
        further = ensure_jars(java.path, report, wanted=jars_of(features)[len(JARS) :])
        report("starting Spark")
        with _own_interrupts():
            _root = SparkSession(_start_context(lake, java, jars, further))
        _features = features
        for logger in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
            logging.getLogger(logger).setLevel(logging.CRITICAL + 1)
        logging.getLogger("py4j").setLevel(logging.CRITICAL)  # what it logs as an error it raises, too
        logging.getLogger().addFilter(_is_not_of_py4j)
        atexit.register(_stop)


def features_of(lake: LakeDirectory) -> frozenset[Feature]:
    """Those whose jars must be on the class path for this lake."""
    chosen = map(Feature, lake.settings.features)
    return frozenset({*EVERY_LAKE, *chosen, *([Feature.S3] if is_s3(lake.warehouse) else [])})


def expect_feature(feature: Feature, what: str) -> None:
    """Before ``what`` is read."""
    if feature not in _features:
        listed = ", ".join(sorted({*(_features - set(EVERY_LAKE)), feature}))
        raise OperationalError(
            f"{what} requires the feature {feature}, which this lake does not have",
            hint=f'set features = ["{listed}"] in lake.toml and open the lake again'.replace(", ", '", "'),
        )


def _expect_features(wanted: frozenset[Feature]) -> None:
    """The class path of a JVM cannot grow."""
    for feature in sorted(wanted - _features):
        raise OperationalError(
            f"Spark is running in this process without the jars for {feature}",
            hint="open this lake in a process of its own, or before any other lake",
        )


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    """Some of its words go past its own logger."""
    return Path(record.pathname).parent.name != "py4j"


@contextlib.contextmanager
def engine_needed() -> Iterator[None]:
    """Whatever fails inside because the JVM has ended is EngineLost."""
    try:
        yield
    except Exception as error:
        is_unexplained = isinstance(error, InternalError) or not isinstance(error, Error)
        if engine_ends_within(_LAST_MOMENTS_SECONDS if is_unexplained else 0):
            raise EngineLost(
                "Spark has stopped: it was killed, or it ran out of memory",
                hint="close the connection and open the lake again; committed changes are kept",
            ) from error
        raise


def engine_ends_within(seconds: float | None) -> bool:
    gateway: Any = SparkContext._gateway
    try:
        gateway.proc.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _start_context(lake: LakeDirectory, java: Java, jars: list[Path], further: list[Path]) -> SparkContext:
    """``jars`` come first on the class path and ``further`` last: a class archive fits its beginning."""
    log = lake.logs / "jvm.log"
    with (
        as_file(files("headrace.lake.spark") / "log4j2.properties") as log_settings,
        log.open("ab") as output,
    ):
        conf = _spark_conf(lake, jars, further, log_settings, class_archive.java_options(java, jars))
        start_of_output = output.tell()
        try:
            with _environment(java, further):
                gateway: Any = launch_gateway(  # type: ignore[no-untyped-call]
                    conf, popen_kwargs={"stdout": output, "stderr": output}
                )
            return SparkContext(gateway=gateway, conf=conf)
        except (PySparkException, Py4JError, OSError) as error:
            _forget_gateway()
            raise OperationalError(
                f"Spark did not start: {_reason(error, log, start_of_output)}",
                hint=f"see {lake.logs}, and run `headrace doctor`",
            ) from error


def _forget_engine() -> None:
    """One whose JVM has ended."""
    global _root
    if _root is not None:
        _root = None
        SparkContext._active_spark_context = None
        SparkSession._instantiatedSession = SparkSession._activeSession = None
        atexit.unregister(_stop)
        _forget_gateway()


def _forget_gateway() -> None:
    """Ends a JVM without a Spark in it, so that the next attempt starts from scratch."""
    gateway: Any = SparkContext._gateway
    SparkContext._gateway = SparkContext._jvm = None
    if gateway is not None:
        with contextlib.suppress(OSError):  # it has ended
            gateway.shutdown()
            gateway.proc.stdin.close()


def _reason(error: Exception, log: Path, start: int) -> str:
    """What the JVM said, or else what came of it."""
    said = log.read_bytes()[start:].decode(errors="replace")
    lines = [line.strip() for line in (said + str(error)).splitlines()]
    telling = (line for line in lines if re.match(r"Error\b|Exception\b|[\w.:]*\w(Error|Exception): ", line))
    return next(telling, lines[-1]).removeprefix(": ").removeprefix('Exception in thread "main" ')


@contextlib.contextmanager
def _own_interrupts() -> Iterator[None]:
    """PySpark sets a handler of its own for Ctrl-C, which calls the JVM from within a call of the JVM."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _environment(java: Java, further: list[Path]) -> Iterator[None]:
    """The JVM is started with our Java and PySpark's own Spark, whatever the shell is set up for."""
    wanted = {
        "JAVA_HOME": str(java.home),
        "SPARK_HOME": str(spark_home()),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DIST_CLASSPATH": _class_path(further),
    }
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _class_path(jars: list[Path]) -> str:
    return os.pathsep.join(map(str, jars))


def _spark_conf(
    lake: LakeDirectory,
    jars: list[Path],
    further: list[Path],
    log_settings: Path,
    java_options: Sequence[str],
) -> SparkConf:
    options = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": _driver_memory(),
        "spark.driver.extraClassPath": _class_path(jars),
        "spark.driver.extraJavaOptions": " ".join(
            _quoted(option)
            for option in (
                f"-Dlog4j2.configurationFile={log_settings.as_uri()}",
                f"-Dheadrace.logs={lake.logs}",
                *java_options,
            )
        ),
        "spark.scheduler.mode": "FAIR",
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.shuffle.partitions": str(max(2, os.cpu_count() or 2)),
        # of Spark's own catalog, which reaches files through Hadoop and has no tables
        "spark.sql.warehouse.dir": str(lake.path / "warehouse") if is_s3(lake.warehouse) else lake.warehouse,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    master = lake.settings.spark.get("spark.master", "local[*]")
    if master.startswith("local"):
        options["spark.hadoop.fs.file.impl"] = LOCAL_FILE_SYSTEM
    else:
        options["spark.jars"] = ",".join(jar.as_uri() for jar in [*jars, *further])
    if Feature.S3 in features_of(lake):
        options |= {f"spark.hadoop.fs.{scheme}.impl": S3_FILE_SYSTEM for scheme in ("s3", "s3a", "s3n")}
        options |= {f"spark.hadoop.headrace.file-io.{key}": value for key, value in _s3_client().items()}
    return (
        SparkConf()
        .setMaster(master)
        .setAppName("headrace")
        .setAll(list((options | dict(lake.settings.spark)).items()))
    )


def _quoted(option: str) -> str:
    escaped = option.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _driver_memory() -> str:
    """As Spark's own variable says, else a quarter of the machine, between 1 and 8 GB."""
    if given := os.environ.get("SPARK_DRIVER_MEMORY"):
        return given
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return f"{min(8192, max(1024, total // 4 // 2**20))}m"


def _stop() -> None:
    global _root
    if _root is not None:
        if not engine_ends_within(0):
            _root.stop()
        _root = None
    if class_archive.MAKE_AT_EXIT in os.environ:
        gateway: Any = SparkContext._gateway
        _forget_gateway()
        gateway.proc.wait(class_archive.WRITING_SECONDS)


def new_session(lake: LakeDirectory, backend: CatalogBackend, sandbox: Sandbox | None = None) -> SparkSession:
    """A session of its own: its catalogs, settings, temporary views and current schema are nobody else's.

    With a sandbox, whatever it runs stays inside.
    """
    if _root is None:
        raise OperationalError("Spark is not running", hint="open the lake again")
    if sandbox is not None:
        install(_root)
    session = _root.newSession()
    closed = {} if sandbox is None else closed_settings(sandbox.directories)
    for key, value in (_session_settings(lake, backend) | closed).items():
        session.conf.set(key, value)
    session.sql(f"USE {DEFAULT_WORKSPACE}")
    manager: Any = session._jsparkSession.sessionState().catalogManager()
    manager.catalog(DEFAULT_WORKSPACE).ignoreCase(lake.settings.case_insensitive_names)
    if sandbox is not None:
        enclose(session, sandbox)
    return session


def _session_settings(lake: LakeDirectory, backend: CatalogBackend) -> dict[str, str]:
    own = {
        **backend.spark_properties,
        "warehouse": lake.warehouse,
        **_file_io(lake),
        "unique-table-location": "true",
    }
    settings = {
        "spark.sql.session.timeZone": lake.settings.time_zone,
        # the older classes of Java know no 10 October 1582
        "spark.sql.datetime.java8API.enabled": "true",
        # files of a COPY INTO are given one by one: Spark would start a task for each to look at it
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": str(_LISTING_TASKS),
        f"spark.sql.catalog.{CHANGES_CATALOG}": "org.apache.iceberg.spark.SparkRewriteTableCatalog",
    }
    for workspace, properties in ({DEFAULT_WORKSPACE: own} | dict(lake.settings.workspaces)).items():
        prefix = f"spark.sql.catalog.{workspace}"
        settings[prefix] = "org.apache.iceberg.spark.SparkCatalog"
        settings[f"{prefix}.cache-enabled"] = "false"
        settings |= {f"{prefix}.table-default.{key}": value for key, value in TABLE_DEFAULTS.items()}
        settings |= {f"{prefix}.{key}": value for key, value in properties.items()}
    return settings | {f"spark.sql.catalog.{DEFAULT_WORKSPACE}": LAKE_CATALOG}


def _file_io(lake: LakeDirectory) -> dict[str, str]:
    """How Iceberg reads and writes files: through Hadoop, or, as that knows no S3, by its own client.

    It must reach the same server as ``file_systems`` does; credentials it finds in the same places.
    """
    if not is_s3(lake.warehouse):
        return {"io-impl": FILE_IO}
    return {"io-impl": "org.apache.iceberg.aws.s3.S3FileIO", **_s3_client()}


def _s3_client() -> dict[str, str]:
    properties: dict[str, str] = {}
    if (endpoint := s3_endpoint()) is not None:
        properties |= {"s3.endpoint": endpoint, "s3.path-style-access": "true"}
    if (region := s3_region()) is not None:
        properties["client.region"] = region
    return properties


def hold_lock_in_jvm(lake: LakeDirectory, session: SparkSession, *, is_shared: bool) -> Any:
    """The JVM's own hold on the lake; it ends with the JVM, even if this process is killed before."""
    channel = session._jvm.java.io.RandomAccessFile(str(lake.lock_file), "rw").getChannel()  # type: ignore[union-attr]
    if channel.tryLock(0, 2**63 - 1, is_shared) is None:
        raise LakeLocked(f"the lake in {lake.path} is open in another process")
    return channel


def ensure_default_schema(session: SparkSession) -> None:
    session.sql(f"CREATE NAMESPACE IF NOT EXISTS {DEFAULT_WORKSPACE}.{DEFAULT_SCHEMA}")
    session.sql(f"USE {DEFAULT_WORKSPACE}.{DEFAULT_SCHEMA}")
