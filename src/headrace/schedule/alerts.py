"""Which messages follow from what is wrong now and what was sent before. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from headrace.model.alert import AlertKind, Message, Trouble

Key = tuple[AlertKind, str]

_WORDS = {
    AlertKind.REFRESH_FAILED: "refresh failed",
    AlertKind.TASK_FAILED: "run failed",
    AlertKind.PIPE_FAILED: "run failed",
    AlertKind.SYNC_FAILED: "does not follow its source",
    AlertKind.HELD_LOG: "holds back the log of its database",
    AlertKind.TIMEOUT: "run took too long",
    AlertKind.LAG: "is behind its sources",
    AlertKind.SUSPENDED: "schedule was suspended automatically",
}


@dataclass(frozen=True)
class SentAlert:
    """A trouble that somebody knows of."""

    since: datetime
    last: datetime
    """When it was sent last."""


def messages(
    troubles: Iterable[Trouble],
    sent: Mapping[Key, SentAlert],
    present: Collection[str],
    now: datetime,
    repeat: timedelta,
) -> tuple[dict[Key, SentAlert], list[Message]]:
    """What is known then, and what is to be said.

    A trouble is reported when it begins, and again after each ``repeat``; its end is reported once, if its
    subject is still ``present``.
    """
    known: dict[Key, SentAlert] = {}
    said: list[Message] = []
    for trouble in troubles:
        before = sent.get(trouble.key)
        if before is None:
            known[trouble.key] = SentAlert(now, now)
            said.append(_alert(trouble, None))
        elif now - before.last >= repeat:
            known[trouble.key] = replace(before, last=now)
            said.append(_alert(trouble, before.since))
        else:
            known[trouble.key] = before
    over = [key for key in sent if key not in known and key[1] in present]
    return known, said + [_recovery(key, sent[key].since, now) for key in over]


def _alert(trouble: Trouble, since: datetime | None) -> Message:
    still = f"\nThis has been the case since {_shown(since)}." if since else ""
    return Message(f"Headrace: {trouble.subject}: {_WORDS[trouble.kind]}", trouble.text + still)


def _recovery(key: Key, since: datetime, now: datetime) -> Message:
    kind, subject = key
    body = f"Resolved: {_WORDS[kind]}, from {_shown(since)} to {_shown(now)}."
    return Message(f"Headrace: {subject}: resolved", body, is_recovery=True)


def _shown(moment: datetime) -> str:
    return moment.isoformat(sep=" ", timespec="seconds")
