"""``headrace history``, ``headrace profile`` and ``headrace graph`` as text."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from headrace.cli.row_layout import show_rows
from headrace.model.text_table import show_value, text_table

_HISTORY = ("start_time", "table", "state", "mode", "inserted", "deleted", "seconds", "trigger", "job_id")
_TABLES = ("stages", "reads")
_LONG = ("statements", "plans")


def history_text(refreshes: list[dict[str, Any]], width: int | None = None) -> str:
    """A line for each refresh, and below the reason of each that failed."""
    if not refreshes:
        return "no refreshes yet"
    failed = [f"{row['job_id']}: {row['error_message']}" for row in refreshes if row["error_message"]]
    return "\n".join([show_rows(_HISTORY, [_history_row(row) for row in refreshes], width).text, *failed])


def refresh_line(row: dict[str, Any]) -> str:
    """One refresh that has ended, and below why it failed."""
    start, table, state, mode, inserted, deleted, seconds, trigger, job_id = _history_row(row)
    rows = "" if inserted is None else f"  +{inserted} -{deleted}"
    line = f"{start}  {table}  {state}  {mode or '-'}{rows}  {seconds:.3f} s  {trigger}  {job_id}"
    return f"{line}\n{row['error_message']}" if row["error_message"] else line


def profile_text(facts: dict[str, Any]) -> str:
    """Facts first, then times and figures, then what ran."""
    plain = [(key, value) for key, value in facts.items() if not isinstance(value, dict | list)]
    width = max(len(key) for key, _ in plain)
    lines = [f"{key.ljust(width)}  {show_value(value)}" for key, value in plain if value is not None]
    phases = facts.get("phases") or {}
    lines += ["", "phases", *(f"  {seconds:9.3f} s  {name}" for name, seconds in phases.items())] * bool(
        phases
    )
    for key in _TABLES:
        rows = facts.get(key) or []
        if rows:
            columns = list(rows[0])
            lines += ["", key, text_table(columns, [[row[name] for name in columns] for row in rows])]
    for key in _LONG:
        for number, text in enumerate(facts.get(key) or [], 1):
            lines += ["", f"{key.removesuffix('s')} {number}", text.rstrip()]
    return "\n".join(lines)


def graph_text(lineage: dict[str, Any]) -> str:
    """What is made from what: sources at the left, a table that has several of them below each."""
    nodes = {node["name"]: node for node in lineage["nodes"]}
    if not nodes:
        return "there are no dynamic tables"
    below: dict[str, list[str]] = {name: [] for name in nodes}
    has_source = set()
    for edge in lineage["edges"]:
        below[edge["from"]].append(edge["to"])
        has_source.add(edge["to"])
    shown: set[str] = set()
    roots = [name for name in nodes if name not in has_source]
    return "\n".join(line for root in roots for line in _tree(root, "", "", nodes, below, shown))


def _tree(
    name: str,
    prefix: str,
    indent: str,
    nodes: dict[str, dict[str, Any]],
    below: dict[str, list[str]],
    shown: set[str],
) -> Iterator[str]:
    again = name in shown and bool(below[name])
    yield f"{prefix}{_described(nodes[name])}{'  (its readers are shown above)' if again else ''}"
    if name in shown:
        return
    shown.add(name)
    readers = sorted(set(below[name]))
    for reader in readers:
        is_last = reader == readers[-1]
        branch, rest = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
        yield from _tree(reader, indent + branch, indent + rest, nodes, below, shown)


def _described(node: dict[str, Any]) -> str:
    if node["kind"] == "table":
        return str(node["name"]) if node.get("exists", True) else f"{node['name']}  [does not exist]"
    interval = node["interval_seconds"]
    reason = f": {node['reason']}" if node["reason"] else ""
    words = [f"{node['state']}{reason}", f"every {_span(interval)}" if interval else "on demand"]
    if node["lag_seconds"]:
        words.append(f"{_age(node['lag_seconds'])} behind")
    last = node["last_refresh"]
    if last is not None:
        mode = f"{last['mode']} " if last["mode"] else ""
        words.append(f"{mode}{last['state']} at {_moment(last['start_time'])}")
        error = (last["error_message"] or "").partition("\n")[0]
        if error and error not in reason:
            words.append(error)
    return f"{node['name']}  [{', '.join(words)}]"


def _history_row(row: dict[str, Any]) -> tuple[Any, ...]:
    seconds = None
    if row["end_time"] is not None:
        seconds = (_read(row["end_time"]) - _read(row["start_time"])).total_seconds()
    return (
        *(_moment(row["start_time"]), row["table"], row["state"], row["mode"]),
        *(row["rows_inserted"], row["rows_deleted"], seconds, row["trigger"], row["job_id"]),
    )


def _span(seconds: int) -> str:
    return f"{seconds // 60} min" if seconds % 60 == 0 else f"{seconds} s"


def _age(seconds: float) -> str:
    for unit, size in (("days", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def _moment(text: str) -> str:
    return _read(text).strftime("%Y-%m-%d %H:%M:%S")


def _read(text: str) -> datetime:
    return datetime.fromisoformat(text)
