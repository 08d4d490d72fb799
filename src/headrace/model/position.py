"""Where a page of a list begins: after the row that has these values in the columns the list is sorted by."""

from __future__ import annotations

from typing import Any

Position = tuple[Any, ...]
