"""Numbers at which the text of an estimator and the expected text give different ones.

Both texts are carried out for several calls, at numbers that are chosen (``chosen_numbers``), in
exact fractions and balls (``carried_out``). What is compared is what a step reads: the estimates,
the running variances, and the blocks, which an estimator must leave as they are.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from recipe.files.python_tree import parsed
from recipe.language.symbols import Indexed
from verify.decide.points.balls import WORKING_BITS, NoValueError, at_precision, shown_ball
from verify.translation.parse.interface import Legend
from verify.translation.parse.module import ParsedModule
from verify.translation.posterior.carried_out import (
    CarriedOut,
    Cells,
    NotCarriedOutError,
    apart,
    ball,
)
from verify.translation.posterior.chosen_numbers import EVERY, ROWS, ChosenNumbers
from verify.translation.posterior.posterior_functions import SHARED, PosteriorFunctions
from verify.verdict import Witness

CALLS = 5
SEEDS = (1, 2)


def witness_of_estimate(
    module: ParsedModule, legend: Legend, density: PosteriorFunctions, name: str, lines: list[str]
) -> Witness | None:
    """Return numbers at which an estimator of the module gives others than the expected text.

    Args:
        module: the module. Its gradient, and the estimators that this one calls, are proved.
        legend: the names of its fields.
        density: the posterior of the estimator.
        name: the name of the estimator.
        lines: the expected text.

    Returns:
        The values of everything that the two read, and what they give; None if no difference was
        found, or the text does what is not carried out.
    """
    (expected,) = parsed("\n".join(lines)).body
    assert isinstance(expected, ast.FunctionDef)
    found = {**module.axioms, **module.functions}
    for seed in SEEDS:
        for distinct in (True, False):
            world = ChosenNumbers(module, legend, density, seed, distinct)
            try:
                witness = at_precision(
                    WORKING_BITS[1], partial(_compared, world, name, found, expected)
                )
            except (NotCarriedOutError, NoValueError, ZeroDivisionError):
                continue
            if witness is not None:
                return witness
    return None


def _compared(
    world: ChosenNumbers, name: str, found: Mapping[str, ast.FunctionDef], expected: ast.FunctionDef
) -> Witness | None:
    """Return the first call at which two texts of a function give different numbers."""
    ours, theirs = _Run(world, {**found, name: expected}), _Run(world, found)
    for call in range(CALLS):
        right, left = ours.after(name, call), theirs.after(name, call)
        for what, wanted in right.items():
            for k, (a, b) in enumerate(zip(wanted, left[what], strict=True)):
                if apart(a, b):
                    at = f"call {call + 1} of {name}: coordinate {k + 1} of {what}"
                    is_, must = shown_ball(ball(b)), shown_ball(ball(a))
                    return Witness(world.shown(call), f"{at} is {is_}, and must be {must}")
    return None


class _Run:
    """The calls of one text, one after the other, from the state in which a chain begins."""

    def __init__(self, world: ChosenNumbers, functions: Mapping[str, ast.FunctionDef]) -> None:
        self.world = world
        self.state = self._allocated()
        state = world.state("call 1")
        self.results = [Cells([Fraction(0)] * len(numbers)) for numbers in state]
        records = {"state": self.state, "data": self._data()}
        known = {world.density.gradient: self._gradient}
        self.text = CarriedOut(functions, known, records)

    def _allocated(self) -> dict[str, Cells]:
        """Return the arrays that belong to estimators, as a chain begins with them."""
        world, module = self.world, self.world.module
        variances = world.legend.variances.get(world.density.potential, ())
        sizes = {
            field: 1 if length is None else world.sizes.get(length, 0)
            for field, length in module.arrays.items()
            if field in module.private or field in variances
        }
        sizes |= {
            field: ROWS * (1 if length is None else world.sizes.get(length, 0))
            for field, length in module.tables.items()
        }
        made = {field: Cells([Fraction(0)] * size) for field, size in sizes.items()}
        return made | {"table": Cells([None] * (8 if world.distinct else 0), writable=False)}

    def _data(self) -> dict[str, Cells]:
        world, U = self.world, self.world.density.potential
        made: dict[str, Cells] = {}
        for s, name in world.legend.data[U].items():
            size = world.sizes[s.length] if isinstance(s, Indexed) else 1
            shape = (ROWS, size) if isinstance(s, Indexed) else (ROWS,)
            made[name] = Cells([None] * (ROWS * size), shape, writable=False)
        if U in world.legend.modes:
            modes, at_mode = world.legend.modes[U]
            mode = world.state("the mode")
            for name, numbers in (
                *zip(modes, mode, strict=True),
                *zip(at_mode, world.gradient(mode, []), strict=True),
            ):
                made[name] = Cells(list(numbers), writable=False)
        if U in world.legend.all_rows:
            made[world.legend.all_rows[U]] = Cells(list(range(ROWS)), writable=False)
        if U in world.legend.adapting:
            made[world.legend.adapting[U]] = Cells([Fraction(1)], writable=False)
        if U in world.legend.snapshots:
            made[world.legend.snapshots[U][0]] = Cells([Fraction(EVERY)], writable=False)
        return made

    def _gradient(self, *arguments: Any) -> None:
        """Write the gradient from some rows, as the function of the module does."""
        k = len(self.world.blocks)
        if len(arguments) != 2 * k + len(SHARED) or arguments[2 * k : -1] != tuple(SHARED[:-1]):
            raise NotCarriedOutError("the gradient gets other arguments")
        results, places, rows = arguments[:k], arguments[k : 2 * k], arguments[-1]
        if not all(isinstance(a, Cells) for a in (*results, *places, rows)):
            raise NotCarriedOutError("the gradient gets what is no array")
        state = tuple(tuple(a.numbers) for a in places)
        if not all(isinstance(x, Fraction) for numbers in state for x in numbers):
            raise NotCarriedOutError("the gradient is not known at a ball")
        if not all(isinstance(n, int) and 0 <= n < ROWS for n in rows.numbers):
            raise NotCarriedOutError("a row is not in the data")
        for array, numbers in zip(results, self.world.gradient(state, rows.numbers), strict=True):
            if not array.writable or len(array.numbers) != len(numbers):
                raise NotCarriedOutError("a result has another length")
            array.numbers[:] = numbers

    def after(self, name: str, call: int) -> dict[str, list[Any]]:
        """Return what a call leaves: its results, its blocks, and the running variances."""
        world = self.world
        places = [Cells(list(numbers)) for numbers in world.state(f"call {call + 1}")]
        rows, results = Cells(world.rows(call)), self.results
        self.text.call(name, [*results, *places, *SHARED[:-1], rows, "state"])
        variances = world.legend.variances.get(world.density.potential, ())
        return (
            {f"the estimate by {b}": a.numbers for b, a in zip(world.blocks, results, strict=True)}
            | {f"{b} after it": a.numbers for b, a in zip(world.blocks, places, strict=True)}
            | {f"state.{v}": self.state[v].numbers for v in variances}
        )
