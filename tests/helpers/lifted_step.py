"""The values that the text of ``step`` computes, as expressions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sympy import Expr, Symbol

from recipe.declare.update import Update
from recipe.language.blocks import Block
from recipe.language.symbols import Length
from verify.translation.parse.interface import Legend, Trusted
from verify.translation.parse.module import read_module
from verify.translation.reading.state_invariants import array_of
from verify.translation.reference.matcher import PotentialEvaluation, length_of
from verify.translation.run.drivers import read_step, step_symbol


@dataclass(frozen=True)
class Lifted:
    """The result of ``lifted_step``.

    Attributes:
        values: the new value of each block at the generic coordinate. Its symbols are those of the
            rule, ``noise[k]`` for the noise that ``step`` is given, and the atoms of
            ``evaluations``.
        evaluations: the evaluations of potentials in the step.
        noises: the length of each array of noise; None for one number.
        step: the symbol of the step size.
    """

    values: Mapping[Block, Expr]
    evaluations: tuple[PotentialEvaluation, ...]
    noises: tuple[Length | None, ...]
    step: Symbol


def lifted_step(text: str, what: Update, legend: Legend, trusted: Trusted) -> Lifted:
    """Read ``step`` without comparing it with a rule, and return the values that it computes.

    Raises:
        TranslationError: for a statement that is not read, and for a draw that is not normal.
    """
    reader, noise = read_step(read_module(text, legend, trusted), legend, what, (), {})
    values = {b: reader.memory.contents[array_of(reader, b, "out")] for b in legend.fields}
    lengths = {s.name: length_of(s) for s in reader.judge.whites}
    noises = tuple(lengths.get(f"noise[{n}]") for n in range(len(noise.used)))
    return Lifted(values, tuple(reader.judge.evaluations), noises, step_symbol(what))
