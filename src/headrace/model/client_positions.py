"""How far each client has written into a table: the position of rows that clients stream into it.

A client numbers its requests 1, 2, 3, ... . A number that the table has was committed; it is never written
again. Clients that have written nothing for days, or that have ended, are forgotten.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from headrace.errors import InterfaceError

STREAM_KEY = "headrace.ingest.stream"
KEPT_SECONDS = 7 * 86_400
"""How long a client is remembered after its last commit."""
ENDED_SECONDS = 600
"""How long after it has ended: a repeated request may still be under way."""
MOST_CLIENTS = 500
"""Of one table: all are in the summary of each commit."""
_CLIENT = re.compile(r"[A-Za-z0-9._:@-]{1,128}")


@dataclass(frozen=True)
class ClientPosition:
    sequence: int
    forget_at: int
    """In seconds since 1970."""


@dataclass(frozen=True)
class ClientPositions:
    clients: Mapping[str, ClientPosition] = field(default_factory=dict)

    @staticmethod
    def from_json(text: str | None) -> ClientPositions:
        found = {} if text is None else json.loads(text)
        return ClientPositions({client: ClientPosition(*entry) for client, entry in found.items()})

    def to_json(self) -> str:
        entries = {client: [of.sequence, of.forget_at] for client, of in self.clients.items()}
        return json.dumps(entries, separators=(",", ":"), sort_keys=True)

    def sequence_of(self, client: str) -> int:
        """0: nothing of it is known."""
        known = self.clients.get(client)
        return 0 if known is None else known.sequence

    def after(self, written: Mapping[str, int], ended: Collection[str], now: int) -> ClientPositions:
        """With the last numbers that were ``written``, and without clients whose time has come."""
        kept = {client: of for client, of in self.clients.items() if of.forget_at > now}
        for client, sequence in written.items():
            kept[client] = ClientPosition(sequence, now + KEPT_SECONDS)
        for client in kept.keys() & set(ended):
            forget_at = min(kept[client].forget_at, now + ENDED_SECONDS)
            kept[client] = ClientPosition(kept[client].sequence, forget_at)
        return ClientPositions(kept)


@dataclass(frozen=True)
class StreamCommit:
    """What a table has after a commit."""

    positions: str
    """Of all clients."""
    rows: int
    """Those that the commit brought."""


def checked_client(client: str) -> str:
    if _CLIENT.fullmatch(client) is None:
        raise InterfaceError(
            f"{client!r} cannot be the id of a client",
            hint="use up to 128 letters, digits and the characters . _ : @ -",
        )
    return client
