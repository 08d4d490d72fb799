"""Values for the parameter markers of a statement: a sequence for ``?``, a mapping for ``:name``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Parameters = Sequence[object] | Mapping[str, object]
