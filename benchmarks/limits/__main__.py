"""How close generated code comes to its limits.

    python benchmarks/limits [--only sgld,chains,...] [--jax-python ...] [--json]

Every figure is a median over alternating runs on one core; only ratios within one run carry over.
The competitors:

    C                 gcc on the path
    JAX, BlackJAX     --jax-python FOLDER/bin/python, where FOLDER is an environment
                      (python -m venv FOLDER) after FOLDER/bin/pip install jax blackjax
    SGMCMCJax         --sgmcmcjax-python FOLDER/bin/python, after FOLDER/bin/pip install
                      "jax==0.4.30" "jaxlib==0.4.30" "numpy<2.1" sgmcmcjax
    ours, no scipy    --numba-python FOLDER/bin/python, after FOLDER/bin/pip install numba

One that is missing is skipped, and that is said.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator

import chains
import expanded_mean
import growth
import logistic
import startup
import steps
from measure import Row, Skipped, pin
from native import compiler
from rich.console import Console
from rich.table import Table

FAMILIES = (*steps.RECIPES, "chains", "logistic", "expanded_mean", "startup", "growth")


def parsed(arguments: list[str] | None) -> argparse.Namespace:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python benchmarks/limits", description=__doc__, formatter_class=raw
    )
    parser.add_argument(
        "--only", default=",".join(FAMILIES), help=f"some of: {', '.join(FAMILIES)}"
    )
    parser.add_argument(
        "--sizes", type=float, nargs="+", default=[2, 1e2, 1e4, 1e6], help="dimensions of one chain"
    )
    parser.add_argument("--rounds", type=int, default=11, help="turns of which medians are taken")
    parser.add_argument(
        "--core", type=int, help="the core that everything runs on; by default the last one"
    )
    parser.add_argument("--jax-python", help="an interpreter that has jax and blackjax")
    parser.add_argument("--sgmcmcjax-python", help="an interpreter that has sgmcmcjax")
    parser.add_argument(
        "--numba-python", help="an interpreter that has numba and no scipy, for startup"
    )
    parser.add_argument("--json", action="store_true", help="for machines")
    options = parser.parse_args(arguments)
    unknown = set(options.only.split(",")) - set(FAMILIES)
    if unknown:
        parser.error(f"--only knows no {', '.join(sorted(unknown))}")
    return options


def measured(options: argparse.Namespace) -> Iterator[Row | Skipped]:
    """All rows that are asked for, one family after another, and what is skipped."""
    chosen, rounds, jax = options.only.split(","), options.rounds, options.jax_python
    if not compiler():
        yield Skipped("C", "there is no gcc on the path")
    if not jax:
        yield Skipped("JAX and BlackJAX", "no --jax-python; see --help for how to make one")
    if not options.sgmcmcjax_python:
        yield Skipped("SGMCMCJax", "no --sgmcmcjax-python; see --help for how to make one")
    yield from steps.rows(
        rounds, [int(d) for d in options.sizes], [s for s in steps.RECIPES if s in chosen], jax
    )
    if "chains" in chosen:
        yield from chains.rows(rounds, jax)
    if "logistic" in chosen:
        yield from logistic.rows(rounds, jax, options.sgmcmcjax_python)
    if "expanded_mean" in chosen:
        yield from expanded_mean.rows(rounds, jax)
    if "startup" in chosen:
        yield from startup.rows(rounds, jax, options.numba_python)
    if "growth" in chosen:
        yield from growth.rows(rounds)


def table_of(rows: list[Row]) -> Table:
    table = Table(title="ours as a part of theirs; medians of alternating runs on one core")
    for column in ("work", "ours", "", "competitor", "", "ratio", "at most", ""):
        table.add_column(column, justify="right" if column in ("", "ratio", "at most") else "left")
    for r in rows:
        bound = "" if r.bound is None else f"{r.bound:.3f}"
        times = (f"{r.our_time:.3g} {r.unit}", f"{r.their_time:.3g} {r.unit}")
        table.add_row(
            r.work, r.ours, times[0], r.competitor, times[1], f"{r.ratio:.3f}", bound, r.verdict
        )
    return table


def main(arguments: list[str] | None = None) -> int:
    options = parsed(arguments)
    pin(options.core)
    found: list[Row | Skipped] = []
    for row in measured(options):
        found.append(row)
        print(
            f"{row.work}: {row.reason if isinstance(row, Skipped) else f'{row.competitor} done'}",
            file=sys.stderr,
        )
    rows = [r for r in found if isinstance(r, Row)]
    skipped = [s for s in found if isinstance(s, Skipped)]
    if options.json:
        json.dump(
            {"rows": [r.plain() for r in rows], "skipped": {s.work: s.reason for s in skipped}},
            sys.stdout,
            indent=2,
        )
        print()
        return 0
    Console(width=132).print(table_of(rows))
    for s in skipped:
        print(f"skipped: {s.work}: {s.reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
