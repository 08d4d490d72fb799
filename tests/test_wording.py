"""Messages and docs read as plain technical English; what was rewritten once does not come back."""

from __future__ import annotations

import re
import runpy
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", "dbt-headrace/README.md", "headrace-client/README.md", *sorted(ROOT.glob("docs/*.md")))

BETTER = {
    r"(?<!there )\bis no (?!longer\b|more\b)": "is not a ...",
    r"\bthere is no (such|\w+ \{|(table|view|job|task|workspace|schema|property|run)\b)": "does not exist",
    r"[A-Z] lists (them|what there is)\b|\bwhat there is\b": "SHOW TABLES lists all tables",
    r"\bmakes? (one\b(?! commit)|(a lake|a token)\b)|\bmade a lake\b|\b(makes|remakes) (it|them)\b": "create",
    r"\bsince over\b": "timed out after waiting n seconds",
    r"\bname as it is\b": "requires the name as a literal; use backticks",
    r"\b(are|is|was) told\b|\btold (apart|by|of)\b|\btells? of\b": "identify, show, report, alert",
    r"\bin a (ring|circle)\b|\bRings are\b": "depend on each other in a cycle",
    r"\bthe least is\b|\bsets the least\b": "the minimum is",
    r"\b(number|seconds) above (0|zero)\b": "greater than",
    r"\banew\b": "again, or recreate",
    r"\bmeanwhile\b": "concurrently, in the meantime",
    r"\b(in|out)side of\b": "inside, outside",
    r"\bcomes? and goe?s?\b|\brows (only come|come,)|\bcame and went\b": "inserted and deleted",
    r"\b(bring|brings|brought) (it|them|\w+|a \w+ \w+) back\b|\bbrings back\b": "restore",
    r"\bputs? (its|the) rows right\b": "corrects its rows",
    r"\basked for\b": "requested",
    r"\bgo(es)? together\b": "are compatible, must be specified together",
    r"\b(query|which|that) (gives?|gave)\b|\bgives? NULL\b|\bgives (it )?one\b": "returns",
    r"\bis so already\b|\b(suspended|paused|deployed) already\b": "is already ...",
    r"\bthere is no rule\b|\bhas no rule\b|\bhas no delta\b": "cannot be maintained incrementally",
    r"\bthe one row\b": "a single row",
    r"\bby itself\b|\bby themselves\b": "automatically",
    r"\bby hand\b": "manually",
    r"\bwho(ever|mever)\b|\bnobody\b": "name the user or program",
    r"\bits own and\b|'s own\b(?! \w)": "reserved for ...",
    r"\bcannot tell\b": "cannot determine",
    r"\bwell again\b|\bsuspended itself\b": "resolved, was suspended automatically",
    r"\b(holds?|held) (the|a|what|another)\b": "contains, is locked by",
    r"\bneeds (AS|OVER|a|an|the)\b": "requires",
    r"\btakes (no|a|columns)\b(?! (few|minute|second))": "accepts, does not accept",
    r"\bhow far\b|\bWho (may|has)\b|\bWhat holds\b|\bLooking\b": "the usual heading or summary",
}


@cache
def messages() -> list[str]:
    listed = runpy.run_path(str(ROOT / "scripts/list-messages"))["messages"]
    return [f"{path}:{line}: {text}" for path, line, text in listed()]


def prose(page: Path) -> list[str]:
    """Without the examples, whose output is checked elsewhere."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    return [f"{page.name}: {paragraph}" for paragraph in text.split("\n\n")]


def odd(texts: list[str]) -> list[str]:
    return [
        f"{text}\n  say: {better}"
        for text in texts
        for pattern, better in BETTER.items()
        if re.search(pattern, " ".join(text.split()))
    ]


def test_messages() -> None:
    assert odd(messages()) == []


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_docs(page: str | Path) -> None:
    assert odd(prose(ROOT / page)) == []


def test_all_kinds_of_messages_are_listed() -> None:
    text = "\n".join(messages())
    for known in (
        "the interval requires a unit",  # an error
        "use REFRESH_MODE = AUTO",  # a hint
        "nothing was done",  # a notice
        "a recursive query cannot be maintained incrementally",  # a reason
        "increase the interval",  # advice
        "Check what Headrace needs",  # a command's help
        "Events per second.",  # an option's help
        "rows outside the partition",  # Java
        "drops and recreates it",  # dbt
    ):
        assert known in text
