"""What the programs of a paper's experiment share: their options, and how they end."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

PARTS = ("quick", "only", "tune", "sampler", "seed", "step")  # options for less than all runs


class BadDataError(Exception):
    """The data are missing, damaged or impossible; the message is one sentence."""


class NotInstalledError(Exception):
    """A library that an option needs is not installed; the message is one sentence."""


class DivergedError(Exception):
    """A chain diverged; the message says which, where, and what to do."""


class StoppedError(Exception):
    """The run was interrupted; the message says how far it got."""


def options_of(
    arguments: Sequence[str] | None,
    description: str | None,
    settings: Collection[str],
    more: Mapping[str, Mapping[str, Any]] | None = None,
) -> argparse.Namespace:
    """What is typed.

    Args:
        arguments: those after the name of the program; None for those of this process.
        description: the text before the options.
        settings: the names that ``--only`` takes.
        more: options of one program alone, by flag, with what ``add_argument`` takes.
    """
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="data that are drawn here; seconds")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="by default RECIPE_DATA")
    parser.add_argument("--only", choices=sorted(settings), help="one of all settings")
    parser.add_argument("--checkpoint", type=Path, metavar="RUNS", help="save runs, and go on")
    parser.add_argument("--page", type=Path, metavar="FOLDER", help="write results and page")
    parser.add_argument("--tune", type=int, metavar="TRIALS", help="search for step sizes")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    for flag, form in (more or {}).items():
        parser.add_argument(flag, **form)
    options = parser.parse_args(arguments)
    if options.tune is not None and options.tune < 1:
        parser.error(f"--tune {options.tune}: at least one trial is needed")
    parts = [name for name in PARTS if getattr(options, name, None)]
    if options.page and parts:
        parser.error(f"--page is for all runs: leave --{parts[0]} out")
    return options


def ended(run: Callable[[argparse.Namespace], None], options: argparse.Namespace) -> int:
    """Run, and return the exit status: 1 where data or a library are missing or a chain diverged,
    130 where the run was stopped; each is said in one sentence.
    """
    try:
        run(options)
    except (BadDataError, DivergedError, NotInstalledError) as error:
        print(error, file=sys.stderr)
        return 1
    except StoppedError as error:
        again = "the same command goes on from there"
        without = "with --checkpoint RUNS it could go on"
        print(f"{error}; {again if options.checkpoint else without}", file=sys.stderr)
        return 130
    return 0
