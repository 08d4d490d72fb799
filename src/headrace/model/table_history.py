"""Which versions of a table became current when, and what each dynamic one says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from headrace.model.version import TableVersion


@dataclass(frozen=True)
class Commit:
    snapshot_id: int
    at: datetime
    """When it became current; where a table was restored, the time of that."""
    changes_rows: bool = True
    """False for rewrites."""


@dataclass(frozen=True)
class TableHistory:
    version: TableVersion
    commits: tuple[Commit, ...]
    """Oldest first, as far back as they are kept."""
    bookkeeping: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    """By snapshot: the summary of the last refresh that it contains."""
    columns: Mapping[str, int] = field(default_factory=dict)
    """Names and field ids now."""
    refreshed_columns: frozenset[int] = frozenset()
    """Field ids at the last refresh that the current version contains."""

    @property
    def newest_bookkeeping(self) -> Mapping[str, str] | None:
        """None before the first refresh."""
        current = self.version.snapshot_id
        return None if current is None else self.bookkeeping.get(current)

    def first_change_after(self, seen: TableVersion | None) -> datetime | None:
        """When the oldest commit was made that changes rows and that ``seen`` does not contain."""
        unseen = self.commits
        if seen is not None and seen.uuid == self.version.uuid:
            if seen.snapshot_id == self.version.snapshot_id:
                return None
            places = [at for at, each in enumerate(self.commits) if each.snapshot_id == seen.snapshot_id]
            if places:
                unseen = self.commits[places[-1] + 1 :]
            elif seen.snapshot_id is not None and self.commits:
                return self.commits[0].at
        return next((commit.at for commit in unseen if commit.changes_rows), None)
