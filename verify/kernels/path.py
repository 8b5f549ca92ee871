"""A Metropolis test of a whole path: noise before and after each step of a map, taken back where
the path is rejected.

Let R be what is drawn ``around`` a reversible map Psi, and F the turning of signs. If R is
reversible with respect to exp(-H) and the same seen through F, the paths from z to y and from F y
to F z have equal probability, density of z and of y included: so what arrives at z is ``pi(z) (1 -
r(F z))``, r(z) being the probability that a path from z is rejected. What is rejected into z is
``pi(z) r(F z)`` if it comes from F z, which makes pi(z) together, and ``pi(z) r(z)`` if it was not
turned. Then the density at z is ``1 + r(z) - r(F z)`` times what it was: for one step a difference
of integrals over one normal number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, product

import flint
from sympy import Expr, Rational

from recipe import Kernel
from recipe.declare.update import Update
from recipe.kernel.part import MetropolisedPath
from recipe.language.errors import OutsideLanguageError
from recipe.language.expectation import NOISE
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import Block, generic
from recipe.language.text import listed
from verify.decide.zero.decide import decide_zero
from verify.decide.zero.point import Ball, at_precision, shown_ball
from verify.kernels.acceptance import (
    NotPolynomialError,
    accepted_mass,
    carried,
    coefficients,
    normal_exponent,
)
from verify.kernels.assignment import affine_of, decide_assignment
from verify.kernels.instance import Instance, instances, number
from verify.kernels.rule import assignments_of
from verify.kernels.shears import Shear, decide_map, shears_of, turned
from verify.verdict import Outcome, Verdict, Witness, conjunction, proved, refuted, undecided

COORDINATES = tuple(Rational(p, 2) for p in (1, 2, 3, -1))
MOST_POINTS = 6
BITS = 128
KEPT = (
    "on rejection all of the path is taken back and the state is not turned, and no full refresh of"
    " what is turned follows"
)
Place = dict[Block, Expr]


def decide_path(kernel: Kernel, part: MetropolisedPath) -> Outcome:
    """Prove it by the facts above, or find a point where paths are rejected more often than from
    the turned one.
    """
    shears = shears_of(part.test.map)
    if isinstance(shears, str):
        return undecided(shears)
    flips = part.test.flips
    named = [
        ("the map", decide_map(kernel.target, shears, flips)),
        ("around it", decide_around(kernel.target, part.around.update, flips)),
    ]
    by = "the path reads the same from both ends: " + "; ".join(outcome.by for _, outcome in named)
    facts = conjunction(named, by=by)
    if facts.verdict is not Verdict.PROVED:
        return undecided(facts.by)
    if part.test.flip_on_rejection or not flips:
        return facts
    if _forgets(part.around.update, flips):
        return replace(
            facts,
            by=(
                f"{facts.by}; as {listed(flips)} is redrawn in full first, it is all one whether it"
                " is turned"
            ),
        )
    witness = _witness(kernel, part, shears)
    if witness is None:
        return undecided(KEPT)
    repair = (
        f"on rejection the sign of {listed(flips)} must turn: leave out flip_on_rejection=False"
    )
    return refuted(KEPT, witness, repair=repair)


def decide_around(H: Expr, update: Update, flips: tuple[Block, ...]) -> Outcome:
    """Prove that drawing ``r := m + c (r - m) + n`` is reversible, r being N(m, .) given the rest,
    and the same with turned signs.

    Where m and the variance are kept, r before and after is a normal pair that is the same with the
    two exchanged. With ``H o F = H``, which is proved elsewhere, m and the variance are the same
    seen through F, so that c is left to be looked at. Several blocks, none of which reads another,
    are redrawn in any order: the product of reversible kernels that commute is one.
    """
    assignments = assignments_of(update)
    if isinstance(assignments, str):
        return undecided(assignments)
    moved = {b for b, _ in assignments}
    if len(moved) < len(assignments) or any(
        blocks_in(e, tuple(moved)) - {b} for b, e in assignments
    ):
        return undecided(
            "around= redraws blocks that read each other, which is not known to be reversible"
        )
    parts = [(f"{b} := {e}", _redrawn_in_part(H, b, e, flips)) for b, e in assignments]
    return conjunction(parts, by="; ".join(outcome.by for _, outcome in parts))


def _forgets(update: Update, blocks: tuple[Block, ...]) -> bool:
    """Whether a rule makes the same of all values of some blocks: then r(z) = r(F z)."""
    made = dict(update.rule)
    return all(not blocks_in(e, blocks) for e in made.values()) and set(blocks) <= made.keys()


def _redrawn_in_part(H: Expr, block: Block, e: Expr, flips: tuple[Block, ...]) -> Outcome:
    if not e.has(*NOISE):
        return undecided(f"{block} is changed and not redrawn, which is not known to be reversible")
    kept = decide_assignment(H, block, e)
    rule = affine_of(block, e)
    if kept.verdict is not Verdict.PROVED or isinstance(rule, str):
        return undecided(f"around= is not proved to leave exp(-H) invariant: {kept.by}")
    try:
        same = decide_zero(turned(rule.slope, flips) - rule.slope)
    except OutsideLanguageError:
        return undecided(
            f"the part of {block} that is kept is an abstract function of a block whose sign is"
            " turned"
        )
    if same.verdict is not Verdict.PROVED:
        return undecided(
            f"the part of {block} that is kept is not known to be the same with turned signs"
        )
    return proved(f"{block} is redrawn in part from its law given the rest, which is reversible")


def _witness(kernel: Kernel, part: MetropolisedPath, shears: tuple[Shear, ...]) -> Witness | None:
    """A point of an instance where more, or fewer, paths are rejected than from the point with
    turned signs.
    """
    if part.test.times != 1:
        return None
    for instance in instances(kernel):
        try:
            found = at_precision(
                BITS,
                lambda at=instance: next(_points(kernel, part, shears, at), None),  # type: ignore[misc]
            )
        except (NotPolynomialError, OutsideLanguageError):
            continue
        if found is not None:
            z, ratio = found
            point = instance.shown() | {str(b): str(v) for b, v in z.items()}
            return Witness(
                point,
                f"the density after the test is {shown_ball(ratio)} times that of exp(-H) there,"
                " not 1",
            )
    return None


def _points(
    kernel: Kernel, part: MetropolisedPath, shears: tuple[Shear, ...], instance: Instance
) -> Iterator[tuple[Place, Ball]]:
    """Points where the density is certainly another one, with the factor."""
    H = instance.of(kernel.target)
    explicit = [(s.block, instance.of(s.g)) for s in shears]
    moving = [(b, instance.of(e)) for b, e in part.around.update.rule if e != b]
    if len(moving) != 1:
        return  # an integral over more than one number
    ((block, rule),) = moving
    for values in islice(product(COORDINATES, repeat=len(kernel.state)), MOST_POINTS):
        z = dict(zip(kernel.state, values, strict=True))
        turned_z = {b: -v if b in part.test.flips else v for b, v in z.items()}
        ratio = (
            1
            + _accepted(H, explicit, block, rule, turned_z)
            - _accepted(H, explicit, block, rule, z)
        )
        if ratio.is_finite() and not ratio.contains(1):
            yield z, ratio


def _accepted(
    H: Expr, shears: list[tuple[Block, Expr]], block: Block, rule: Expr, z: Place
) -> Ball:
    """How many of the paths from z are accepted: the mean over what the block is redrawn to."""
    draws = sorted({generic(s) for s in rule.atoms(*NOISE)}, key=str)
    nothing = dict.fromkeys(draws, 0 * rule)
    mean = number(rule.xreplace(z).xreplace(nothing))
    slopes = [number(rule.diff(w).xreplace(z)) for w in draws]
    if mean is None or any(s is None for s in slopes):
        raise NotPolynomialError
    variance = sum((flint.arb(s) ** 2 for s in slopes), flint.arb(0))
    if not variance > 0:
        raise NotPolynomialError
    here = z | {block: block}  # what it is redrawn to stands for itself
    gap = H.xreplace(here) - H.xreplace(carried(shears, 1, here))
    return accepted_mass(normal_exponent(mean, variance), coefficients(gap, block))
