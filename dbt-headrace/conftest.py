"""The adapter's tests run where dbt-core 1.11 does."""

from __future__ import annotations

import sys

collect_ignore = ["tests"] if sys.version_info >= (3, 14) else []
