"""What another engine can ask of a base table that is not a statement."""

from __future__ import annotations

from enum import StrEnum


class ExternalChange(StrEnum):
    CREATE = "create"
    """Or prepare the creation, which a commit completes."""
    REGISTER = "register"
    COMMIT = "commit"
