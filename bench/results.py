"""Where the figures of each run are stored, to be compared with those of later ones."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import headrace

RESULTS = Path(__file__).parent / "results"


def save(figures: Mapping[str, Any]) -> Path:
    RESULTS.mkdir(exist_ok=True)
    now = datetime.now(UTC)
    file = RESULTS / f"{now:%Y%m%dT%H%M%S}.json"
    facts = {
        "time": now.isoformat(timespec="seconds"),
        "version": headrace.__version__,
        "python": platform.python_version(),
        **figures,
    }
    file.write_text(json.dumps(facts, indent=2) + "\n")
    return file
