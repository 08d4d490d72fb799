"""CREATE, ALTER and DROP of virtual clusters, as the metadata database has them."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import datetime
from typing import Any

from headrace.catalog import MetadataStore
from headrace.commands.pointing import pointing_at
from headrace.errors import AlreadyExists, NotFound, Refused
from headrace.model.vcluster import PERMANENT, Vcluster
from headrace.sql.statements import Word
from headrace.sql.vclusters import CreateVcluster, DropVcluster, VclusterOptions

_NEVER = -1


def find_vcluster(name: Word, text: str, store: MetadataStore) -> Vcluster:
    with pointing_at(text, name.span):
        found = store.vclusters.find(name.text)
        if found is None:
            raise NotFound(
                f"there is no virtual cluster {name.text}", hint="SHOW VCLUSTERS lists what there is"
            )
        return found


def create_vcluster(
    statement: CreateVcluster, text: str, store: MetadataStore, user: str, now: datetime
) -> Vcluster | None:
    """None if it exists and that is fine."""
    name = statement.name.text
    made = Vcluster(uuid.uuid4().hex, name, user, now, now)
    with pointing_at(text, statement.name.span):
        try:
            store.vclusters.create(replace(made, **_chosen(statement.options)))
        except AlreadyExists:
            if statement.if_not_exists:
                return None
            raise
    return store.vclusters.find(name)


def alter_vcluster(
    vcluster: Vcluster, options: VclusterOptions, store: MetadataStore, now: datetime
) -> Vcluster:
    changed = replace(vcluster, **_chosen(options), modified_at=now)
    store.vclusters.alter(changed)
    return changed


def drop_vcluster(statement: DropVcluster, text: str, store: MetadataStore) -> Vcluster | None:
    """None if there is none and that is fine."""
    if statement.if_exists and store.vclusters.find(statement.name.text) is None:
        return None
    found = find_vcluster(statement.name, text, store)
    key = found.name.lower()
    users = [str(table.name) for table in store.all() if table.cluster.lower() == key]
    users += [f"task {task.name}" for task in store.tasks.all() if task.cluster.lower() == key]
    with pointing_at(text, statement.name.span):
        if users and key not in PERMANENT:
            raise Refused(
                f"virtual cluster {found.name} is used by {', '.join(users)}",
                hint="ALTER DYNAMIC TABLE ... SET REFRESH INTERVAL ... VCLUSTER moves a table to another one",
            )
        store.vclusters.drop(found)
    return found


def _chosen(options: VclusterOptions) -> dict[str, Any]:
    given = {name: value for name, value in vars(options).items() if value is not None}
    if given.get("auto_suspend_seconds") == _NEVER:
        given["auto_suspend_seconds"] = None
    if options.properties is not None:
        given["properties"] = {each.name.text: each.value.text for each in options.properties}
    return given
