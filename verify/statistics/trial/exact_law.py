"""Exact draws of the laws of kernels that accept and reject: gamma laws of positions, normal laws
of all other blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from sympy import Expr, Interval, S, exp, log, oo

from recipe import Kernel, Parameter, Potential, RecipeError, Vector, bind, total
from recipe.kernel.conditional import Conditional, conditional_of
from recipe.language.blocks import Block
from recipe.language.calculus import tidy
from recipe.language.free_symbols import blocks_in, unused_name
from recipe.language.symbols import Indexed, name_of
from verify.statistics.numbers.arrays import Array, Meanings, State
from verify.statistics.trial.errors import NothingToCompareError

HALF_LINES = (Interval(0, oo), Interval.open(0, oo))


@dataclass(frozen=True)
class GammaBlock:
    """The law ``exp(-c U)`` with ``U = total(x - s*log(x))`` on a half line, or ``U = total(exp(x)
    - s*x)`` on the line.

    Attributes:
        U: the potential.
        block: its block x.
        shape: the parameter s, one value for each coordinate.
        inverse_temperature: the factor c of U in H.
    """

    U: Potential
    block: Vector
    shape: Indexed
    inverse_temperature: Expr

    @property
    def potential(self) -> Expr:
        """The expression that is bound to U."""
        x, s = self.block, self.shape
        return total(x - s * log(x)) if x.domain in HALF_LINES else total(exp(x) - s * x)

    def draws(self, m: Meanings, rng: np.random.Generator, n: int) -> Array:
        """Return n draws: ``c x`` is gamma(c s + 1) on a half line, and ``c exp(x)`` is gamma(c s)
        on the line.
        """
        c, s = m.of(self.inverse_temperature, self.block), m.of(self.shape, self.block)
        size = n, s.shape[1]
        if self.block.domain in HALF_LINES:
            return np.asarray(rng.standard_gamma(c * s + 1, size) / c)
        return np.log(rng.standard_gamma(c * s, size) / c)


@dataclass(frozen=True)
class NormalBlock:
    """A block with a normal law that depends on no other block.

    Attributes:
        block: the block.
        law: its mean and precision.
    """

    block: Block
    law: Conditional

    def draws(self, m: Meanings, rng: np.random.Generator, n: int) -> Array:
        """Return n independent draws, an array (n, length)."""
        mean, precision = m.of(self.law.mean, self.block), m.of(self.law.precision, self.block)
        return np.asarray(mean + rng.standard_normal((n, mean.shape[1])) / np.sqrt(precision))


@dataclass(frozen=True)
class ExactLaw:
    """A kernel whose potentials are bound, and the laws of its blocks, which are independent.

    Attributes:
        kernel: the kernel, with an expression for every abstract potential.
        texts: the formula of each potential, by its name.
        laws: a law for each block of the state; empty if no exact draws are known.
        unknown: why the law is not compared: no exact draws are known, or the kernel is not proved
            to keep it; None if it is compared.
    """

    kernel: Kernel
    texts: Mapping[str, str]
    laws: tuple[GammaBlock | NormalBlock, ...]
    unknown: str | None = None

    @property
    def remark(self) -> str:
        """One line on whether the law is compared and, if not, why."""
        return (
            "a sweep is proved to leave exp(-H) invariant"
            if self.unknown is None
            else f"{self.unknown}: only sweeps are compared"
        )

    def draws(self, m: Meanings) -> Callable[[np.random.Generator, int], State]:
        """Return the function ``draws(rng, n)`` that returns n exact draws of ``exp(-H)`` with
        these numbers, by block.
        """
        return lambda rng, n: {name_of(law.block): law.draws(m, rng, n) for law in self.laws}


def exact_law(kernel: Kernel) -> ExactLaw:
    """Bind the potentials of a kernel so that exact draws of its law are known.

    Raises:
        NothingToCompareError: for an abstract potential that has no default with exact draws.
    """
    found = [_gamma_block(U, kernel) for U in sorted(kernel.target.atoms(Potential), key=str)]
    gammas = {g.block: g for g in found}
    if len(gammas) < len(found):
        raise NothingToCompareError(
            "two abstract potentials share a block, and there is no default for that: bind an"
            " expression to one of them"
        )
    bound = bind(kernel, {g.U: g.potential for g in gammas.values()}) if gammas else kernel
    texts = {g.U.name: f"{g.U.name} = {g.potential}" for g in gammas.values()}
    try:
        laws = tuple(gammas[b] if b in gammas else _normal_block(b, bound) for b in kernel.state)
    except RecipeError as error:
        return ExactLaw(bound, texts, (), f"no exact draws of exp(-H) are known, as {error}")
    rest = tidy(bound.target - sum((_minus_log(law) for law in laws), S.Zero))
    if blocks_in(rest, bound.state):
        beside = f"H has the summand {rest} beside gamma laws and normal laws of single blocks"
        return ExactLaw(bound, texts, (), f"no exact draws of exp(-H) are known, as {beside}")
    return ExactLaw(bound, texts, laws)


def _gamma_block(U: Potential, kernel: Kernel) -> GammaBlock:
    block, bind_it = U.blocks[0], "bind an expression to it"
    if len(U.blocks) > 1 or not isinstance(block, Vector) or block not in kernel.state:
        raise NothingToCompareError(
            f"there is no default for {U.name}, a potential of {', '.join(map(name_of, U.blocks))}:"
            f" {bind_it}"
        )
    if block.domain not in (*HALF_LINES, S.Reals):
        raise NothingToCompareError(
            f"there is no default for {U.name}, a potential on {block.domain}: {bind_it}"
        )
    slope = kernel.target.diff(U)
    if blocks_in(slope, kernel.state) or slope.atoms(Potential):
        raise NothingToCompareError(
            f"H is not linear in {U.name}, and there is no default for it: {bind_it}"
        )
    if not slope.is_positive:
        raise NothingToCompareError(
            f"{U.name} stands in H with the factor {slope}, which is not known to be positive:"
            f" {bind_it}"
        )
    written = [e for e, _ in kernel.written()]
    return GammaBlock(
        U,
        block,
        Parameter(unused_name(f"shape_{U.name}", written), like=block, positive=True),
        slope,
    )


def _normal_block(block: Block, kernel: Kernel) -> NormalBlock:
    law = conditional_of(kernel.target, block)
    if blocks_in(law.mean, kernel.state) or blocks_in(law.precision, kernel.state):
        raise RecipeError(f"the law of {name_of(block)} depends on other blocks")
    return NormalBlock(block, law)


def _minus_log(law: GammaBlock | NormalBlock) -> Expr:
    """Return the part of H that belongs to one block."""
    if isinstance(law, GammaBlock):
        return law.inverse_temperature * law.potential
    away = law.law.precision * (law.block - law.law.mean) ** 2 / 2
    return total(away) if isinstance(law.block, Vector) else away
