"""Numbers of things, as a sentence has them."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
