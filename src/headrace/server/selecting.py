"""The parameter ``select`` of lists and graphs."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query

from headrace.model.selection import Selection, parse_selection

_DESCRIPTION = (
    "Only what is selected: `name*`, `+name` with all upstream, `name+` with all downstream, `schema:x`, "
    "`state:failing`, `mode:FULL` (of the last refresh), `kind:task`. Terms next to each other must all "
    "hold; of alternatives separated by commas, one must."
)


def _selected(select: Annotated[str | None, Query(description=_DESCRIPTION)] = None) -> Selection | None:
    return None if select is None else parse_selection(select)


Selected = Annotated[Selection | None, Depends(_selected)]
