"""The properties that every new table of a lake has unless it is created with others."""

from __future__ import annotations

TABLE_DEFAULTS = {
    "format-version": "3",
    "write.delete.mode": "merge-on-read",
    "write.update.mode": "merge-on-read",
    "write.merge.mode": "merge-on-read",
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": "20",
    # a change of a few rows reads whole row groups, and each is read by one task
    "write.parquet.row-group-size-bytes": str(8 * 2**20),
    # and one that is looked for by its key whole pages
    "write.parquet.page-row-limit": "2000",
    # a commit that removes deletion vectors opens every manifest of deletes
    "commit.manifest.min-count-to-merge": "16",
}
