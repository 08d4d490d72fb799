"""Queries that cannot be maintained by their changes."""

from __future__ import annotations


class NoRule(Exception):
    """Why a query has no delta; the same words reach the user in every place."""

    def __init__(self, operator: str, reason: str, rewrite: str | None = None) -> None:
        super().__init__(f"{operator}: {reason}")
        self.operator = operator
        self.reason = reason
        self.rewrite = rewrite
        """What the user can write instead."""
