"""Roles: what the holder of a token may do. Each role includes the one before it."""

from __future__ import annotations

from enum import StrEnum


class Privilege(StrEnum):
    SELECT = "SELECT"
    """Read rows, definitions and states, and what belongs to one's own session."""
    OPERATE = "OPERATE"
    """Refresh, verify, run, suspend, resume and cancel what is defined."""
    MODIFY = "MODIFY"
    """Change rows and definitions."""
    MANAGE = "MANAGE"
    """Decide who may do what."""


class Role(StrEnum):
    READER = "reader"
    OPERATOR = "operator"
    DEVELOPER = "developer"
    ADMIN = "admin"

    def allows(self, privilege: Privilege) -> bool:
        return list(Privilege).index(privilege) <= list(Role).index(self)


def least_role(privilege: Privilege) -> Role:
    return next(role for role in Role if role.allows(privilege))
