"""The order of the law of some blocks alone, which is at least that of the joint law and may be
higher.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Rational, S
from sympy.core.function import AppliedUndef

from recipe.language.abstract import Field, Potential
from recipe.language.errors import OutsideLanguageError
from recipe.language.symbols import Block, name_of
from verify.decide.zero.decide import decide_zero
from verify.decide.zero.errors import CannotDecideError
from verify.discrete.weak_order.anharmonic import off_by_a_quartic
from verify.discrete.weak_order.density_change import Expansion
from verify.discrete.weak_order.gaussian import Covariance, covariance
from verify.discrete.weak_order.meanings import meanings, unused
from verify.discrete.weak_order.moments import integrated_out
from verify.discrete.weak_order.prime_notation import power_of_step, shown
from verify.discrete.weak_order.ring import Poly
from verify.discrete.weak_order.step import Step
from verify.verdict import Verdict

FURTHER = 4  # how many powers of s beyond the joint order a covariance is followed


@dataclass(frozen=True)
class Marginal:
    """The law of ``kept`` is right up to ``step^order``, no better if ``exact``; ``by`` says how
    that is known.
    """

    kept: tuple[Block, ...]
    order: Rational
    exact: bool
    by: str

    def __str__(self) -> str:
        names = ", ".join(name_of(b) for b in self.kept)
        return (
            f"law of {names}: order {'exactly' if self.exact else 'at least'} {self.order}"
            f" ({self.by})"
        )


def marginal_of(
    kept: Sequence[Block], joint: Rational, f: Poly | None, expansion: Expansion
) -> Marginal:
    """By the leading correction of the joint law, integrated over the other blocks, and by a
    Gaussian example.
    """
    blocks = tuple(kept)
    proved = Marginal(blocks, joint, False, "as the joint law")
    if f is not None:
        proved = _by_correction(blocks, joint, f, expansion) or proved
    if proved.exact:
        return proved
    example = _example(blocks, proved.order, expansion.step)
    if proved.order == joint and (
        example is None or example.order is None or example.order > joint
    ):
        quartic = off_by_a_quartic(expansion.step, blocks, joint)
        if quartic is not None:
            return Marginal(blocks, joint, True, f"{proved.by}; {quartic}")
    if example is None:
        return proved
    if example.is_the_step:
        order = Rational(example.end, 2) if example.order is None else example.order
        return Marginal(blocks, order, example.order is not None, example.text())
    return Marginal(
        blocks, proved.order, example.order == proved.order, f"{proved.by}; {example.text()}"
    )


def _by_correction(
    kept: tuple[Block, ...], joint: Rational, f: Poly, expansion: Expansion
) -> Marginal | None:
    """The mean of the correction given what is kept: where it varies, the marginal law is off by as
    much.
    """
    ring = expansion.ring
    gone = [x for x in ring.coordinates if x not in kept]
    left = integrated_out(f, gone, expansion.gradient, ring)
    if left is None:
        return None
    slopes = [ring.derivative(left, x) for x in kept]
    outcomes = [decide_zero(ring.expression(slope)) for slope in slopes]
    if any(o.verdict is Verdict.REFUTED for o in outcomes):
        return Marginal(
            kept,
            joint,
            True,
            f"its density is off by a factor 1 + {power_of_step(joint)}"
            f" ({shown(ring.expression(left))})",
        )
    if all(o.verdict is Verdict.PROVED for o in outcomes):
        following = joint + (1 if expansion.even else Rational(1, 2))
        return Marginal(
            kept,
            following,
            False,
            "the leading correction of the joint law is constant once the others are"
            " integrated out",
        )
    return None


@dataclass(frozen=True)
class Example:
    """A linear step, and the first power of it at which the covariance is off, if that is below
    ``end / 2``.
    """

    is_the_step: bool
    where: str
    order: Rational | None
    end: int

    def text(self) -> str:
        """In words."""
        if self.order is None:
            return (
                f"{self.where} the covariance is right below {power_of_step(Rational(self.end, 2))}"
            )
        return f"{self.where} the covariance is off at {power_of_step(self.order)}"


def _example(kept: tuple[Block, ...], order: Rational, step: Step) -> Example | None:
    """The exact law of a linear step: of this one, or with quadratic potentials and constants in
    place of what is abstract.
    """
    k = unused(("k", "kappa", "curvature"), step)
    values = meanings(step, lambda x: k * x**2 / 2)
    end = int(2 * order) + FURTHER
    try:
        found = covariance(step.with_values(values), end)
        off = _first_off(kept, found)
    except (OutsideLanguageError, CannotDecideError):
        return None
    chosen = ", ".join(
        f"{atom} = {value}"
        for atom, value in values.items()
        if isinstance(atom, Potential | Field | AppliedUndef)
    )
    where = f"where {chosen}" if values else "the law is normal, and"
    return Example(not values, where, off, end)


def _first_off(kept: tuple[Block, ...], found: Covariance) -> Rational | None:
    """The first power of the step at which the covariance of the kept blocks is not the target's;
    None if none is.

    Raises:
        CannotDecideError: where that is not certain.
    """
    for k, matrix in enumerate(found.powers):
        for a in kept:
            for b in kept:
                outcome = decide_zero(matrix[a, b] - (found.target[a, b] if k == 0 else S.Zero))
                if outcome.verdict is Verdict.REFUTED:
                    return Rational(k, 2)
                if outcome.verdict is Verdict.UNDECIDED:
                    raise CannotDecideError(outcome.by)
    return None
