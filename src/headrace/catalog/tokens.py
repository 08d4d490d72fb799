"""Tokens, of which the database knows a digest alone."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import datetime

from sqlalchemy import exc, insert, select, update

from headrace.catalog.row_access import Read, Write
from headrace.catalog.rows import Row
from headrace.catalog.schema import tokens
from headrace.errors import AlreadyExists, NotFound
from headrace.model.access_token import AccessToken, Principal
from headrace.model.role import Role

_BYTES = 32
_PREFIX = "hr_"
"""By which a token that leaked can be recognised."""


class Tokens:
    """Each method is one transaction."""

    def __init__(self, write: Write, read: Read) -> None:
        self._write = write
        self._read = read

    def create(self, name: str, now: datetime, role: Role = Role.DEVELOPER) -> str:
        """The token itself, which is not stored. A name is free again once its token is revoked."""
        if not name:
            raise ValueError("a token requires a name")
        token = _PREFIX + secrets.token_urlsafe(_BYTES)
        new = {
            "name": name,
            "sha256": _digest(token),
            "created_at": now,
            "revoked_at": None,
            "role": role.value,
        }
        is_revoked = tokens.c.name == name, tokens.c.revoked_at.is_not(None)
        with self._write() as connection:
            try:
                if connection.execute(update(tokens).where(*is_revoked).values(new)).rowcount == 0:
                    connection.execute(insert(tokens).values(new))
            except exc.IntegrityError as error:
                raise AlreadyExists(f"token {name} already exists") from error.orig
        return token

    def revoke(self, name: str, now: datetime) -> None:
        with self._write() as connection:
            valid = update(tokens).where(tokens.c.name == name, tokens.c.revoked_at.is_(None))
            if connection.execute(valid.values(revoked_at=now)).rowcount != 1:
                raise NotFound(f"token {name} does not exist or was revoked")

    def holder_of(self, token: str) -> Principal | None:
        """None if it is not valid; every digest is compared, so the time taken tells nothing."""
        digest = _digest(token)
        holder = None
        with self._read(tokens, select(tokens).where(tokens.c.revoked_at.is_(None))) as found:
            for row in found:
                if hmac.compare_digest(digest, row["sha256"]):
                    holder = Principal(row["name"], Role(row["role"]))
        return holder

    def all(self) -> list[AccessToken]:
        """By name, the revoked ones too."""
        with self._read(tokens, select(tokens)) as found:
            return sorted((_from_row(row) for row in found), key=lambda token: token.name)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


def _from_row(row: Row) -> AccessToken:
    return AccessToken(row["name"], Role(row["role"]), row["created_at"], row["revoked_at"])
