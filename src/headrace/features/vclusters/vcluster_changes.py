"""CREATE, ALTER and DROP of virtual clusters, as the metadata database has them."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import datetime
from typing import Any, Protocol

from headrace.catalog.store import MetadataStore
from headrace.commands.error_location import pointing_at
from headrace.errors import AlreadyExists, NotFound, Refused
from headrace.features.vclusters.grammar import (
    AlterVcluster,
    CreateVcluster,
    DropVcluster,
    ResumeVcluster,
    SuspendVcluster,
    VclusterOptions,
)
from headrace.features.vclusters.store import Vclusters
from headrace.model.vcluster import PERMANENT, Vcluster
from headrace.sql.parsing.statements import Word

_NEVER = -1


class Clusters(Protocol):
    """Those that run, if any do; what they have to say about a change comes back."""

    def set(self, spec: Vcluster) -> None: ...

    def remove(self, name: str) -> None: ...

    def resume(self, name: str) -> str | None: ...

    def suspend(self, name: str, *, force: bool) -> str | None: ...


def find_vcluster(name: Word, text: str, vclusters: Vclusters) -> Vcluster:
    with pointing_at(text, name.span):
        found = vclusters.find(name.text)
        if found is None:
            raise NotFound(
                f"virtual cluster {name.text} does not exist",
                hint="SHOW VCLUSTERS lists all virtual clusters",
            )
        return found


def change_vcluster(
    statement: CreateVcluster | AlterVcluster | DropVcluster,
    text: str,
    store: MetadataStore,
    user: str,
    now: datetime,
    clusters: Clusters,
) -> str | None:
    """What there is to say about it."""
    name = statement.name.text
    match statement:
        case AlterVcluster(if_exists=True) | DropVcluster(if_exists=True) if not store.vclusters.find(name):
            return f"virtual cluster {name} does not exist, nothing was done"
        case CreateVcluster(options=options):
            made = replace(Vcluster(uuid.uuid4().hex, name, user, now, now), **_chosen(options))
            try:
                with pointing_at(text, statement.name.span):
                    store.vclusters.create(made)
            except AlreadyExists:
                if statement.if_not_exists:
                    return f"virtual cluster {name} already exists, nothing was done"
                raise
            clusters.set(made)
        case DropVcluster():
            found = find_vcluster(statement.name, text, store.vclusters)
            with pointing_at(text, statement.name.span):
                _drop(found, store)
            clusters.remove(found.name)
        case AlterVcluster(action=action):
            return _alter(
                find_vcluster(statement.name, text, store.vclusters), action, store.vclusters, now, clusters
            )
    return None


def _alter(
    found: Vcluster,
    action: VclusterOptions | SuspendVcluster | ResumeVcluster,
    vclusters: Vclusters,
    now: datetime,
    clusters: Clusters,
) -> str | None:
    match action:
        case ResumeVcluster():
            return clusters.resume(found.name)
        case SuspendVcluster(force=force):
            return clusters.suspend(found.name, force=force)
        case VclusterOptions():
            changed = replace(found, **_chosen(action), modified_at=now)
            vclusters.alter(changed)
            clusters.set(changed)
    return None


def _drop(vcluster: Vcluster, store: MetadataStore) -> None:
    key = vcluster.name.lower()
    users = [str(table.name) for table in store.definitions.all() if table.cluster.lower() == key]
    users += [f"task {task.name}" for task in store.tasks.all() if task.cluster.lower() == key]
    users += [f"pipe {pipe.name}" for pipe in store.pipes.all() if pipe.settings.cluster.lower() == key]
    users += [f"sync {sync.name}" for sync in store.syncs.all() if sync.settings.cluster.lower() == key]
    if users and key not in PERMANENT:
        raise Refused(
            f"virtual cluster {vcluster.name} is used by {', '.join(users)}",
            hint="ALTER DYNAMIC TABLE ... SET REFRESH INTERVAL ... VCLUSTER moves a table to another one",
        )
    store.vclusters.drop(vcluster)


def _chosen(options: VclusterOptions) -> dict[str, Any]:
    given = {name: value for name, value in vars(options).items() if value is not None}
    if given.get("auto_suspend_seconds") == _NEVER:
        given["auto_suspend_seconds"] = None
    if options.properties is not None:
        given["properties"] = {each.name.text: each.value.text for each in options.properties}
    return given
