"""The table of how close generated code comes to its limits: python benchmarks/limits [--only steps,chains] [--json]."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Iterator

import steps
from measure import Row, Skipped, pin
from rich.console import Console
from rich.table import Table


def parsed(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python benchmarks/limits", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="turns of which medians are taken")
    parser.add_argument("--samplers", default="sgld,sghmc,sgnht,sgrld")
    parser.add_argument("--sizes", type=float, nargs="+", default=[1e2, 1e4, 1e6])
    parser.add_argument("--core", type=int, help="the core that everything runs on")
    parser.add_argument("--json", action="store_true", help="for machines")
    return parser.parse_args(arguments)


def measured(options: argparse.Namespace) -> Iterator[Row | Skipped]:
    yield from steps.rows(options.rounds, [int(d) for d in options.sizes], options.samplers.split(","))


def main(arguments: list[str] | None = None) -> int:
    options = parsed(arguments)
    pin(options.core)
    results = []
    for r in measured(options):
        if isinstance(r, Row):
            print(f"{r.work} | {r.ours} {r.our_time:.3f} | {r.competitor} {r.their_time:.3f} | {r.ratio:.3f} | {r.bound} {r.verdict}", file=sys.stderr)
        else:
            print(r, file=sys.stderr)
        results.append(r)
    return 0


if __name__ == "__main__":
    sys.exit(main())
