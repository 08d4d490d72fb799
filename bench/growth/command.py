"""``python -m bench growth``: the same change in tables of different sizes, for each shape of query.

The sizes take turns: the refreshes that are compared run one after the other, so that other work on the
machine slows them alike.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TypeVar

import headrace
from bench.growth.changes import KINDS, ChangeKind, Round
from bench.growth.report import Growth, Sized, short, summary, table
from bench.growth.shapes import SHAPES, Shape
from bench.growth.shop import Shop
from bench.results import save

HUGE = 100_000_000
T = TypeVar("T")


@dataclass(frozen=True)
class Rounds:
    """Of each kind of change."""

    warm_up: int = 2
    measured: int = 3


def growth(arguments: Sequence[str]) -> int:
    """0 if every bound holds, else 1; the table is printed in any case."""
    options = _options().parse_args(arguments)
    rows = sorted({*options.rows, *((HUGE,) if options.huge else ())})
    with tempfile.TemporaryDirectory() as directory, ExitStack() as lakes:
        shops = [
            Shop(lakes.enter_context(headrace.connect(Path(directory) / str(size))), size, options.shapes)
            for size in rows
        ]
        measured = run(shops, options.changes, Rounds(options.warm_up, options.rounds))
    for kind in options.changes:
        print(f"\n{kind.name}: {kind.inserted} inserted, {kind.updated} updated, {kind.deleted} deleted")
        print(table([each for each in measured if each.kind == kind.name]))
    if len(options.changes) > 1:
        print(f"\n{summary(measured)}")
    print(f"saved in {save({'growth': [each.facts() for each in measured]})}")
    return report_broken(measured)


def run(shops: Sequence[Shop], kinds: Sequence[ChangeKind], rounds: Rounds) -> list[Growth]:
    for shop in shops:
        shop.create(_progress)
    numbers = count()
    measured = [each for kind in kinds for each in _measure(shops, kind, rounds, numbers)]
    for place, shop in enumerate(shops):
        for shape in shop.shapes:
            _progress(f"verifying {shape.name} at {short(shop.rows)}")
            result = shop.verify(shape)
            for each in measured:
                if each.shape == shape.name:
                    each.sizes[place].verified = result
    return measured


def report_broken(measured: Sequence[Growth]) -> int:
    broken = [each for each in measured if each.broken()]
    for each in broken:
        print(f"bound broken: {each.shape}, {each.kind}: {', '.join(each.broken())}", file=sys.stderr)
    return 1 if broken else 0


def _measure(shops: Sequence[Shop], kind: ChangeKind, rounds: Rounds, numbers: Iterator[int]) -> list[Growth]:
    shapes = shops[0].shapes
    found = {shape: Growth(shape.name, kind.name, [Sized(shop.rows) for shop in shops]) for shape in shapes}
    turns = rounds.warm_up + rounds.measured
    for turn in range(turns):
        number = next(numbers)
        _progress(f"{kind.name}, round {turn + 1} of {turns}")
        for shop in shops:
            shop.apply(Round(shop.rows, number, kind))
        for shape in shapes:
            _measure_shape(shops, shape, found[shape].sizes, measured=turn >= rounds.warm_up)
    return list(found.values())


def _measure_shape(shops: Sequence[Shop], shape: Shape, sizes: list[Sized], *, measured: bool) -> None:
    for shop, size in zip(shops, sizes, strict=True):
        refreshed = shop.refresh(shape)
        _progress(
            f"  {shape.name} at {short(shop.rows)}: {refreshed.seconds:.2f} s, "
            f"{refreshed.rows_read:,} of {refreshed.rows_allowed:,} rows"
        )
        if measured:
            size.refreshes.append(refreshed)
            size.recomputed.append(shop.recompute(shape))
            _progress(f"    recomputed in {size.recomputed[-1]:.2f} s")


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench growth", description=__doc__)
    sizes = "sizes of the fact table, with commas between them"
    parser.add_argument("--rows", type=_sizes, default=[1_000_000, 10_000_000], help=sizes)
    parser.add_argument("--huge", action="store_true", help="also 100 million rows")
    names = ", ".join(shape.option for shape in SHAPES)
    parser.add_argument("--shapes", type=_shapes, default=SHAPES, help=f"some of: {names}")
    kinds = f"all, or some of: {', '.join(KINDS)}"
    parser.add_argument("--changes", type=_kinds, default=[KINDS["mixed-spread"]], help=kinds)
    parser.add_argument("--rounds", type=int, default=Rounds.measured, help="that are measured")
    parser.add_argument("--warm-up", type=int, default=Rounds.warm_up, help="rounds before these")
    return parser


def _sizes(text: str) -> list[int]:
    return [int(size) for size in text.split(",")]


def _shapes(text: str) -> list[Shape]:
    known = {shape.option: shape for shape in SHAPES}
    return [_known(name, known) for name in text.split(",")]


def _kinds(text: str) -> list[ChangeKind]:
    return list(KINDS.values()) if text == "all" else [_known(name, KINDS) for name in text.split(",")]


def _known(name: str, known: dict[str, T]) -> T:
    if name not in known:
        raise argparse.ArgumentTypeError(f"{name} is not one of {', '.join(known)}")
    return known[name]


def _progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
