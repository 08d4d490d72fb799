"""What requests and statements require of the role of whoever sends them.

A request that changes something and does not say what it requires is for developers. Of Spark's statements
the text gives a quick answer; what they really do is judged by the sandbox of the session, on their plans.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from fastapi import Request

from headrace.errors import PermissionDenied
from headrace.features.families import STATEMENTS
from headrace.model.access_token import Principal
from headrace.model.events import log_event
from headrace.model.role import Privilege, least_role
from headrace.server.access import SAFE_METHODS
from headrace.sql.parsed import ParsedStatement
from headrace.sql.parsing.statements import Passthrough
from headrace.sql.spark.effects import EffectKind

_DECLARED = "x-privilege"
_OF_SESSION = frozenset({EffectKind.CREATE_TEMPORARY_VIEW, EffectKind.USE, EffectKind.EXECUTE_IMMEDIATE})
"""Effects that only the session sees, or that its sandbox will judge."""


def requires(privilege: Privilege) -> dict[str, Any]:
    """For the ``openapi_extra`` of a route."""
    return {_DECLARED: privilege}


def expect(privilege: Privilege, sender: Principal, what: str) -> None:
    if not sender.role.allows(privilege):
        log_event("permission denied", level=logging.WARNING, user=sender.name, role=sender.role, what=what)
        least = least_role(privilege)
        raise PermissionDenied(
            f"the role {sender.role} does not permit to {what}",
            hint=f"it requires the role {least}: headrace token create NAME --role {least}",
        )


def check_request(request: Request) -> None:
    """A dependency of all routes. Those that are open to anybody have no sender."""
    sender: Principal | None = getattr(request.state, "principal", None)
    if sender is not None:
        route = request.scope["route"]
        what = _described(route.summary or request.url.path)
        expect(_of_route(route.openapi_extra or {}, request.method), sender, what)


def _of_route(declared: Mapping[str, Privilege], method: str) -> Privilege:
    default = Privilege.SELECT if method in SAFE_METHODS else Privilege.MODIFY
    return declared.get(_DECLARED, default)


def _described(summary: str) -> str:
    return summary[:1].lower() + summary[1:]


def expect_values(parameters: Mapping[str, str], sender: Principal) -> None:
    """Values of a task's parameters become part of its statements."""
    if parameters:
        expect(Privilege.MODIFY, sender, "give values to the parameters of a task")


def check_statement(statement: ParsedStatement, sender: Principal) -> None:
    """No statement requires more than MODIFY: for those who have it, effects need not be found."""
    if not sender.role.allows(Privilege.MODIFY):
        expect(_of_statement(statement), sender, f"run {statement.kind} statements of this kind")


def _of_statement(statement: ParsedStatement) -> Privilege:
    node = statement.node
    if not isinstance(node, Passthrough):
        return STATEMENTS.commands[type(node)].privilege(node)
    kinds = {effect.kind for effect in statement.effects}
    return Privilege.SELECT if kinds <= _OF_SESSION else Privilege.MODIFY
