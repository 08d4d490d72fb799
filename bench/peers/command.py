"""``python -m bench peers``: the same layers, kept up to date by Headrace and by others, in one run.

Every peer gets the same sources and the same changes, and its results must be those of Headrace. The peers
take turns in each round. One that is not installed or fails is named in the table, and the others go on.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.peers.install import install_all
from bench.peers.process import PeerFailed
from bench.peers.registry import HEADRACE, OTHERS, Peer
from bench.peers.report import Measured, table
from bench.peers.rounds import Comparison
from bench.results import save


@dataclass(frozen=True)
class Options:
    rows: int
    rounds: int
    warm_up: int
    limit: float
    only: Sequence[Peer]
    install: bool


def peers(arguments: Sequence[str]) -> int:
    """0 if all results that were compared are equal, else 1."""
    options = read_options(arguments)
    if options.install:
        return _report(install_all(options.only))
    signal.signal(signal.SIGTERM, _end)
    with tempfile.TemporaryDirectory(prefix="peers") as directory:
        try:
            measured = run(Path(directory), options)
        except PeerFailed as error:
            return _report([str(error)])
        except KeyboardInterrupt:
            _report(["stopped, and all peers with it"])
            return 130
    print(table(measured))
    figures = {"peers": [each.facts() for each in measured], "packages": _packages(options.only)}
    print(f"saved in {save(figures | {'rows': options.rows})}")
    return _report([f"{each.name} {each.result}" for each in measured if each.different])


def run(directory: Path, options: Options) -> list[Measured]:
    with Comparison(directory, options.rows, options.warm_up, options.limit) as comparison:
        comparison.start([HEADRACE, *options.only])
        for _ in range(1 + options.warm_up + options.rounds):
            comparison.run_round()
        return comparison.measured


def read_options(arguments: Sequence[str]) -> Options:
    parser = argparse.ArgumentParser(prog="python -m bench peers", description=__doc__)
    parser.add_argument("--rows", type=_positive, default=10_000_000, help="orders of the shop (%(default)s)")
    parser.add_argument("--rounds", type=_positive, default=3, help="that are measured (%(default)s)")
    warm_up = "rounds after the first fill that are not measured (%(default)s)"
    parser.add_argument("--warm-up", type=int, default=1, help=warm_up)
    names = ", ".join(peer.option for peer in OTHERS)
    parser.add_argument("--only", type=_peers, default=OTHERS, help=f"beside Headrace, some of: {names}")
    limit = "seconds after which a peer that has not answered is ended (%(default)s)"
    parser.add_argument("--limit", type=float, default=1800, help=limit)
    install = "creates the environments of these peers in .tools/peers, and exits"
    parser.add_argument("--install", action="store_true", help=install)
    return Options(**vars(parser.parse_args(arguments)))


def _peers(text: str) -> list[Peer]:
    known = {peer.option: peer for peer in OTHERS}
    unknown = [name for name in text.split(",") if name not in known]
    if unknown:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: not one of {', '.join(known)}")
    return [known[name] for name in text.split(",")]


def _packages(peers: Sequence[Peer]) -> dict[str, list[str]]:
    return {
        peer.name: [*peer.environment.packages, *map(str, peer.environment.jars)]
        for peer in peers
        if peer.environment
    }


def _positive(text: str) -> int:
    if int(text) < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return int(text)


def _report(problems: Sequence[str]) -> int:
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def _end(*_: object) -> None:
    """On SIGTERM: leaves the blocks that end the peers, as Ctrl-C does."""
    sys.exit(143)
