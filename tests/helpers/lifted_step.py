"""What the text of ``step`` computes, as expressions: for whoever wants to evaluate them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sympy import Expr, Symbol

from recipe.declare.update import Update
from recipe.language.symbols import Block, Length
from verify.translation.parse.interface import Legend, Trusted
from verify.translation.parse.module import read_module
from verify.translation.reading.state_invariants import array_of
from verify.translation.reference.matcher import PotentialEvaluation, length_of
from verify.translation.run.drivers import read_step, step_symbol


@dataclass(frozen=True)
class Lifted:
    """New values by block, at the generic coordinate. Their symbols are those of the rule,
    ``noise[k]`` for the noise that ``step`` is given, and the atoms of ``evaluations``; ``noises``
    are the lengths of the arrays of noise.
    """

    values: Mapping[Block, Expr]
    evaluations: tuple[PotentialEvaluation, ...]
    noises: tuple[Length | None, ...]
    step: Symbol


def lifted_step(text: str, what: Update, legend: Legend, trusted: Trusted) -> Lifted:
    """Read ``step``, beside no rule.

    Raises:
        TranslationError: for what is not read, and where a draw is not normal.
    """
    reader, noise = read_step(read_module(text, legend, trusted), legend, what, (), {})
    values = {b: reader.memory.contents[array_of(reader, b, "out")] for b in legend.fields}
    lengths = {s.name: length_of(s) for s in reader.judge.whites}
    noises = tuple(lengths.get(f"noise[{n}]") for n in range(len(noise.used)))
    return Lifted(values, tuple(reader.judge.evaluations), noises, step_symbol(what))
