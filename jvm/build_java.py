"""Builds, checks and tests Headrace's Java classes, with what set-up has: no Maven.

    python jvm/build_java.py jar      compiles src/main into the jar that the package carries
    python jvm/build_java.py check    compiles everything with warnings as errors, and checks the format
    python jvm/build_java.py format   formats the sources
    python jvm/build_java.py test     runs the JUnit tests

A JDK compiles if there is one; else Eclipse's compiler does, which needs only a Java runtime. The formatter
needs a JDK.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hatch_build import DIGEST_ENTRY, JAR, SOURCES, sources_digest

from headrace.errors import OperationalError
from headrace.install.jars import ICEBERG, Jar, ensure_jars, pyspark_home
from headrace.install.java import Java, ensure_java, installed_javas, to_stderr

ROOT = Path(__file__).resolve().parents[1]
MAIN = ROOT / SOURCES
TESTS = ROOT / "jvm/src/test/java"
RELEASE = "17"
TIMEOUT_S = 600

ECLIPSE_COMPILER = Jar(
    "org.eclipse.jdt",
    "ecj",
    "3.46.100",
    3384534,
    "74c93172475fee0cd4e6eefb44233516dd40525642da35d009146d97ea598229",
)
FORMATTER = Jar(
    "com.google.googlejavaformat",
    "google-java-format",
    "1.28.0",  # the last one that runs on Java 17
    280969,
    "41dfe4d1012794ed15e0ffd70f89fd4fa65d5f15ce0bc0c70f8c2c127d6d010d",
)
JUNIT = Jar(
    "org.junit.platform",
    "junit-platform-console-standalone",
    "6.1.3",
    2997949,
    "e62b96ac475dbcde8599ea905d088f65d90778f86e259b856a49fa5c4ea256ec",
)
FORMATTER_LIBRARIES = ("guava-*.jar", "failureaccess-*.jar")
"""Spark has them."""
COMPILER_PACKAGES = ("api", "code", "file", "parser", "tree", "util")
"""Of the JDK's compiler, which the formatter uses."""
QUIETLY = ("--disable-banner", "--disable-ansi-colors", "--details=summary")


class BuildError(Exception):
    """What a tool printed when it failed."""


@dataclass(frozen=True)
class Tools:
    java: Java
    jdk: Java | None
    """The same Java or another one of this machine."""

    def jar(self, jar: Jar) -> Path:
        (path,) = ensure_jars(self.java.path, to_stderr, wanted=(jar,))
        return path


def find_tools() -> Tools:
    java = ensure_java()
    javas = (each for each in (java, *installed_javas()) if each.is_supported)
    return Tools(java, next((each for each in javas if (each.home / "bin" / "javac").exists()), None))


def class_path(tools: Tools) -> list[Path]:
    """What the classes are compiled against: Spark and Iceberg."""
    return [*sorted((pyspark_home() / "jars").glob("*.jar")), tools.jar(ICEBERG)]


def compile_into(directory: Path, sources: Sequence[Path], libraries: Sequence[Path], tools: Tools) -> None:
    files = [str(source) for folder in sources for source in sorted(folder.rglob("*.java"))]
    options = ["-proc:none", "-d", str(directory), "-cp", joined(libraries), *files]
    if tools.jdk is not None:
        # neither "path" nor "classfile": jars of Spark name other jars and annotations that are not there
        lint = ["-Xlint:all,-path,-classfile", "-Werror"]
        run([str(tools.jdk.home / "bin" / "javac"), "--release", RELEASE, *lint, *options])
    else:
        # not --release: a runtime may be without the signatures of older versions
        compiler = [
            "-jar",
            str(tools.jar(ECLIPSE_COMPILER)),
            "-source",
            RELEASE,
            "-target",
            RELEASE,
            "-nowarn",
        ]
        run([str(tools.java.path), *compiler, *options])


def build_jar(tools: Tools) -> None:
    with tempfile.TemporaryDirectory(prefix="headrace-jvm-") as scratch:
        classes = Path(scratch)
        compile_into(classes, [MAIN], class_path(tools), tools)
        write_jar(ROOT / JAR, classes, sources_digest(ROOT))


def write_jar(jar: Path, classes: Path, digest: str) -> None:
    """In one step, and only if it differs: a class archive is made for a jar of one moment."""
    part = jar.with_name(f".{jar.name}.{os.getpid()}.part")
    try:
        with zipfile.ZipFile(part, "w") as archive:
            write_entry(archive, "META-INF/MANIFEST.MF", b"Manifest-Version: 1.0\n")
            write_entry(archive, DIGEST_ENTRY, digest.encode())
            for file in sorted(classes.rglob("*.class")):
                write_entry(archive, file.relative_to(classes).as_posix(), file.read_bytes())
        if not jar.exists() or jar.read_bytes() != part.read_bytes():
            part.replace(jar)
    finally:
        part.unlink(missing_ok=True)


def write_entry(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    """Without the time of day and the rights of a user, so that the same sources make the same jar."""
    entry = zipfile.ZipInfo(name)
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, content)


def check(tools: Tools) -> None:
    with tempfile.TemporaryDirectory(prefix="headrace-jvm-") as scratch:
        libraries = [*class_path(tools), tools.jar(JUNIT)]
        compile_into(Path(scratch), [MAIN, TESTS], libraries, tools)
    if tools.jdk is None:
        to_stderr("the format of the Java sources is not checked: this requires a JDK")
    else:
        run_formatter(tools.jdk, tools, "--dry-run", "--set-exit-if-changed")


def format_sources(tools: Tools) -> None:
    if tools.jdk is None:
        raise BuildError("the formatter requires a JDK")
    run_formatter(tools.jdk, tools, "--replace")


def run_formatter(jdk: Java, tools: Tools, *options: str) -> None:
    exports = [
        f"--add-exports=jdk.compiler/com.sun.tools.javac.{each}=ALL-UNNAMED" for each in COMPILER_PACKAGES
    ]
    spark = pyspark_home() / "jars"
    libraries = [jar for pattern in FORMATTER_LIBRARIES for jar in spark.glob(pattern)]
    files = [str(source) for folder in (MAIN, TESTS) for source in sorted(folder.rglob("*.java"))]
    formatter = ["-cp", joined([tools.jar(FORMATTER), *libraries]), "com.google.googlejavaformat.java.Main"]
    run([str(jdk.path), *exports, *formatter, *options, *files])


def test(tools: Tools) -> None:
    with tempfile.TemporaryDirectory(prefix="headrace-jvm-") as scratch:
        libraries = [*class_path(tools), tools.jar(JUNIT)]
        compile_into(Path(scratch), [MAIN, TESTS], libraries, tools)
        launcher = ["-cp", joined([Path(scratch), *libraries]), "org.junit.platform.console.ConsoleLauncher"]
        options = ["execute", f"--scan-class-path={scratch}", "--fail-if-no-tests", *QUIETLY]
        sys.stdout.write(run([str(tools.java.path), *launcher, *options]))


def run(command: list[str]) -> str:
    """What the command prints; a failure is raised with it."""
    answer = subprocess.run(  # noqa: S603  (Java, with pinned tools and our sources)
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )
    if answer.returncode != 0:
        raise BuildError(f"{answer.stdout}{answer.stderr}".strip())
    return answer.stdout


def joined(class_path: Sequence[Path]) -> str:
    return os.pathsep.join(map(str, class_path))


COMMANDS: dict[str, Callable[[Tools], None]] = {
    "jar": build_jar,
    "check": check,
    "format": format_sources,
    "test": test,
}


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in COMMANDS:
        to_stderr(f"use one of: {', '.join(COMMANDS)}")
        return 2
    try:
        COMMANDS[arguments[0]](find_tools())
    except (BuildError, OperationalError) as error:
        to_stderr(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
