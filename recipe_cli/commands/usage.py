"""How the arguments of a command are read: whole numbers such as 1e5, and all that is missing said
at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand

from recipe.language.did_you_mean import did_you_mean

# What other libraries call an option: the names of it here.
NAMES_ELSEWHERE = {
    "warmup": ("burnin", "burn_in", "num_warmup"),
    "steps": ("draws", "samples", "num_samples", "iter", "iterations", "n_iter"),
    "chains": ("num_chains", "n_chains"),
    "step-size": ("lr", "learning_rate", "eta", "epsilon"),
    "posterior": ("model",),
    "threads": ("cores", "jobs"),
    "initial": ("init", "inits"),
}
# Options of other libraries that have no counterpart, and where their matter is said here.
SAID_ELSEWHERE = {
    "data": "Data stand in the file of the posterior, as Data and data=.",
    "adapt_delta": "--step-size auto finds the step size and its rate of acceptance.",
    "target_accept": "--step-size auto finds the step size and its rate of acceptance.",
}
LARGEST_EXPONENT = 30  # of ten; every option refuses such a number, with its own bound


class CompleteUsage(TyperCommand):
    """A command that names all missing arguments and options in one message."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments, after a check that none is missing."""
        if not ctx.resilient_parsing:
            with self._explained():
                self._require_all(ctx, args)
        return super().parse_args(ctx, args)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Say which option is meant by an unknown one."""
        try:
            yield
        except typer.TyperException as error:
            if hasattr(error, "possibilities") and hasattr(error, "option_name"):
                error.message = f"No such option: {error.option_name}.{self._meant(error)}"
                error.possibilities = ()
            raise

    def _meant(self, error: Any) -> str:
        options = [o for p in self.params for o in (*p.opts, *p.secondary_opts)]
        name = error.option_name.lstrip("-")
        long = [o[2:] for o in options if o.startswith("--")]
        plain = name.lower().replace("-", "_")
        for ours, theirs in NAMES_ELSEWHERE.items():
            if plain in theirs and ours in long:
                return f" Did you mean --{ours}?"
        if plain in SAID_ELSEWHERE:
            return f" {SAID_ELSEWHERE[plain]}"
        meant = did_you_mean(name, long)
        if meant:
            return f" {meant.replace('did you mean ', 'Did you mean --').rstrip()}"
        if "--param" in options:
            return f" A parameter of the sampler is given as --param {name}=VALUE."
        return ""

    def _require_all(self, ctx: Any, args: list[str]) -> None:
        given, _, order = self.make_parser(ctx).parse_args(args=list(args))
        if any(p.is_eager and given.get(p.name) for p in order):
            return  # --help
        missing = [p for p in self.params if p.required and not given.get(p.name)]
        if missing:
            ctx.fail(f"Missing {', '.join(map(_shown, missing))}.{self._example()}")

    def _example(self) -> str:
        """The first example of the help of this command, as a sentence."""
        found = re.search(r"`(recipe [^`]*)`", " ".join((self.epilog or "").split()))
        return f" An example: {found[1]}" if found else ""


def _shown(parameter: Any) -> str:
    """Return how a user calls an argument or an option."""
    is_argument = isinstance(parameter, TyperArgument)
    return str(parameter.metavar if is_argument else parameter.opts[-1])


def whole_number(typed: Any) -> int:
    """Return a whole number that is typed as digits or like 1e5 or 1_000.

    Raises:
        BadParameter: for anything else, such as 1.5.
    """
    if isinstance(typed, int):  # a default
        return typed
    try:
        number = Decimal(typed)
        whole = number.is_finite() and abs(number.adjusted()) < LARGEST_EXPONENT
        if whole and number == number.to_integral_value():
            return int(number)
    except InvalidOperation:
        pass
    raise typer.BadParameter(f"{typed!r} is not a whole number, such as 100000 or 1e5.")


def step_size(typed: Any) -> float | str:
    """Return a step size: a number, the word "auto", or a schedule as a text.

    Raises:
        BadParameter: for anything else.
    """
    if typed == "auto" or ":" in str(typed):
        return str(typed)
    try:
        return float(typed)
    except ValueError:
        raise typer.BadParameter(
            f"{typed!r} is neither a number nor auto, nor a schedule such as"
            " polynomial:0.1,1000,0.55."
        ) from None
