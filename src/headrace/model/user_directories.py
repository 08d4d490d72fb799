"""Directories of the user who runs the program, by the XDG convention."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def state_directory(environ: Mapping[str, str] = os.environ) -> Path:
    """For what a program keeps between runs and the user does not edit, as the prompt's history."""
    state = environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "headrace"
