"""Secrets as the metadata database has them: encrypted with a key that is not in it.

The key is in the file ``secret.key`` of the lake's directory, which only its owner can read, or in the
environment variable HEADRACE_SECRET_KEY, which several servers of a lake share.
"""

from __future__ import annotations

import os
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken

from headrace.errors import OperationalError

KEY_VARIABLE = "HEADRACE_SECRET_KEY"


class SecretBox:
    def __init__(self, lake: Path) -> None:
        self._file = lake / "secret.key"

    def seal(self, value: str) -> str:
        return self._cipher(self._key() or self._new_key()).encrypt(value.encode()).decode()

    def open(self, sealed: str) -> str:
        key = self._key()
        if key is None:
            raise OperationalError(
                "secrets cannot be read: there is no key", hint=f"restore {self._file}, or set {KEY_VARIABLE}"
            )
        try:
            return self._cipher(key).decrypt(sealed.encode()).decode()
        except InvalidToken:
            raise OperationalError(
                "secrets cannot be read: they were stored with another key",
                hint=f"restore {self._file} or {KEY_VARIABLE}, or store the secrets again",
            ) from None

    def _key(self) -> str | None:
        given = os.environ.get(KEY_VARIABLE)
        if given:
            return given
        return self._file.read_text().strip() if self._file.exists() else None

    def _new_key(self) -> str:
        key = Fernet.generate_key().decode()
        handle = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
        return key

    def _cipher(self, key: str) -> Fernet:
        try:
            return Fernet(key)
        except ValueError:
            raise OperationalError(
                "the key of the secrets is not valid", hint=f"restore {self._file}, or set {KEY_VARIABLE}"
            ) from None
