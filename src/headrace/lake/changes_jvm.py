"""Java that plans a change scan next to Iceberg's own objects, compiled when first needed.

A call from Python into the JVM takes 0.1-0.3 ms, so thousands of files are not to be looked at from here. The
compiler is Janino, which Spark has for its own generated code: Java without lambdas, generics as raw types.
"""

from __future__ import annotations

import threading
from importlib.resources import files
from typing import Any

_SOURCES = (
    "SnapshotPath",
    "FileUnderDeletes",
    "TouchedFile",
    "Manifests",
    "ChangePlan",
    "ChangeSizes",
    "StagedChanges",
)
"""Each uses only those before it."""


class PlannerClasses:
    """Makes objects of the compiled classes."""

    def __init__(self, jvm: Any, loader: Any) -> None:
        self._jvm = jvm
        self._classes: dict[str, Any] = {}
        for name in _SOURCES:
            compiler = jvm.org.codehaus.janino.SimpleCompiler()
            compiler.setParentClassLoader(loader)
            compiler.setSourceVersion(8)
            compiler.setTargetVersion(8)
            compiler.cook((files("headrace.lake") / "changes_java" / f"{name}.java").read_text())
            loader = compiler.getClassLoader()
            self._classes[name] = loader.loadClass(f"headrace.{name}")

    def new(self, name: str, *arguments: Any) -> Any:
        (constructor,) = self._classes[name].getConstructors()
        values = self._jvm.java.util.ArrayList()
        for argument in arguments:
            values.add(argument)
        return constructor.newInstance(values.toArray())


_compiling = threading.Lock()
_compiled: tuple[Any, PlannerClasses] | None = None


def planner_classes(jvm: Any, iceberg_object: Any) -> PlannerClasses:
    """Compiled once for a JVM, against the Iceberg that ``iceberg_object`` comes from."""
    global _compiled
    with _compiling:
        if _compiled is None or _compiled[0] is not jvm:
            _compiled = (jvm, PlannerClasses(jvm, iceberg_object.getClass().getClassLoader()))
        return _compiled[1]
