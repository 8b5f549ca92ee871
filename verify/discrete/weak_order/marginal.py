"""The order of the law of some blocks alone: at least that of the joint law, and perhaps higher."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Rational, S
from sympy.core.function import AppliedUndef

from recipe.language.abstract import Field, Potential
from recipe.language.blocks import Block
from recipe.language.errors import OutsideLanguageError
from recipe.language.symbols import name_of
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

EXTRA_POWERS = 4  # of s, beyond the joint order, up to which a covariance is expanded


@dataclass(frozen=True)
class Marginal:
    """The law of the blocks in ``kept`` is right up to ``step^order``.

    Attributes:
        kept: the blocks.
        order: a power of the step.
        exact: whether the order is proved to be no higher.
        by: how that is known, in words.
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
    """Return the order of the law of some blocks.

    It follows from the leading correction ``f`` of the joint law, integrated over the other blocks,
    and from examples: a normal target, and one with a small quartic part.
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
    """Compare the mean of the correction given the kept blocks with a constant: where it varies,
    the marginal law is off at the joint order.

    None where the mean is not known, or this was not decided.
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
    """A linear step, and the first power of the step at which its covariance is off; ``order`` is
    None where there is none below ``end / 2``.
    """

    is_the_step: bool
    where: str
    order: Rational | None
    end: int

    def text(self) -> str:
        """Return the example in words."""
        if self.order is None:
            return (
                f"{self.where} the covariance is right below {power_of_step(Rational(self.end, 2))}"
            )
        return f"{self.where} the covariance is off at {power_of_step(self.order)}"


def _example(kept: tuple[Block, ...], order: Rational, step: Step) -> Example | None:
    """Return the exact law of a linear step: this one, or this one with quadratic potentials and
    constants for abstract functions. None where there is no such law.
    """
    k = unused(("k", "kappa", "curvature"), step)
    values = meanings(step, lambda x: k * x**2 / 2)
    end = int(2 * order) + EXTRA_POWERS
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
    """Return the first power of the step at which the covariance of the kept blocks is not that of
    the target; None if there is none among the known powers.

    Raises:
        CannotDecideError: where a difference is not certain to be zero or nonzero.
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
