"""A Metropolis test of a whole path: noise before and after each step of a map, and all of it taken
back where the path is rejected.

Let R be the kernel that is drawn ``around`` a reversible map Psi, and F the turning of signs.
Suppose that R is reversible with respect to exp(-H), and so is its image under F. Then a path from
z to y and the path from F y to F z have equal probability, the density at the start included.

Let r(z) be the probability that a path from z is rejected. Accepted paths bring the density ``pi(z)
(1 - r(F z))`` to z. Rejected ones add ``pi(z) r(F z)`` if the sign is turned on rejection, which
makes pi(z) together, and ``pi(z) r(z)`` if it is not. In the second case the density at z is ``1 +
r(z) - r(F z)`` times what it was. For a path of one step this is a difference of integrals over one
normal number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import flint
from sympy import Expr, Rational

from recipe import Kernel
from recipe.declare.update import Update
from recipe.kernel.part import MetropolisedPath
from recipe.language.blocks import Block
from recipe.language.errors import OutsideLanguageError
from recipe.language.expectation import NOISE
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import generic
from recipe.language.text import listed
from verify.decide.points.balls import Ball, at_precision, shown_ball
from verify.decide.zero.decide import decide_zero
from verify.kernels.acceptance import (
    NotPolynomialError,
    accepted_mass,
    apply_rounds,
    coefficients,
    normal_exponent,
)
from verify.kernels.assignment import affine_of, decide_assignment
from verify.kernels.instance import Instance, Place, instances, number, places
from verify.kernels.rule import assignments_of
from verify.kernels.shears import Shear, decide_map, shears_of, turned
from verify.verdict import Outcome, Verdict, Witness, conjunction, proved, refuted, undecided

COORDINATES = tuple(Rational(p, 2) for p in (1, 2, 3, -1))
MAX_POINTS = 6
WORKING_PRECISION_BITS = 128
NOT_TURNED = (
    "on rejection all of the path is taken back and the state is not turned, and no full refresh of"
    " what is turned follows"
)


def decide_path(kernel: Kernel, part: MetropolisedPath) -> Outcome:
    """Prove that the part leaves exp(-H) invariant by the facts above, or refute it by a point
    whose paths are rejected more often, or less often, than those from the turned point.
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
                f"{facts.by}; as {listed(flips)} is redrawn in full first, turning its sign makes"
                " no difference"
            ),
        )
    witness = _witness(kernel, part, shears)
    if witness is None:
        return undecided(NOT_TURNED)
    repair = (
        f"on rejection the sign of {listed(flips)} must turn: leave out flip_on_rejection=False"
    )
    return refuted(NOT_TURNED, witness, repair=repair)


def decide_around(H: Expr, update: Update, flips: tuple[Block, ...]) -> Outcome:
    """Prove that the rule drawn around the map is reversible, and that its image under turned signs
    is so too; undecided otherwise.

    An assignment ``r := m + c (r - m) + n`` keeps N(m, v), the law of r given the rest. Then r
    before and after is a normal pair whose law does not change when the two are exchanged. With ``H
    o F = H``, which is proved elsewhere, m and v do not change under F, so only c has to be
    compared with its image. Several blocks, none of which reads another, are redrawn in any order:
    a product of reversible kernels that commute is reversible.
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
    """Return True if the rule overwrites the blocks without reading them: then r(z) = r(F z)."""
    made = dict(update.rule)
    return all(not blocks_in(e, blocks) for e in made.values()) and set(blocks) <= made.keys()


def _redrawn_in_part(H: Expr, block: Block, e: Expr, flips: tuple[Block, ...]) -> Outcome:
    """Prove that one assignment around the map is reversible, and its image under turned signs
    too.
    """
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
    """Return a point of an instance from which more, or fewer, paths are rejected than from the
    point with turned signs; None if none is found.
    """
    if part.test.times != 1:
        return None
    for instance in instances(kernel):
        try:
            found = at_precision(
                WORKING_PRECISION_BITS,
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
    """Yield points at which the density certainly changes, each with the factor."""
    H = instance.of(kernel.target)
    explicit = [(s.block, instance.of(s.g)) for s in shears]
    moving = [(b, instance.of(e)) for b, e in part.around.update.rule if e != b]
    if len(moving) != 1:
        return  # an integral over more than one number
    ((block, rule),) = moving
    for z in places(kernel.state, COORDINATES, MAX_POINTS):
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
    """Return the share of paths from z that are accepted: a mean over the value to which the block
    is redrawn.
    """
    draws = sorted({generic(s) for s in rule.atoms(*NOISE)}, key=str)
    nothing = dict.fromkeys(draws, 0 * rule)
    mean = number(rule.xreplace(z).xreplace(nothing))
    slopes = [number(rule.diff(w).xreplace(z)) for w in draws]
    if mean is None or any(s is None for s in slopes):
        raise NotPolynomialError
    variance = sum((flint.arb(s) ** 2 for s in slopes), flint.arb(0))
    if not variance > 0:
        raise NotPolynomialError
    here = z | {block: block}  # the redrawn value stays a symbol, over which is integrated
    gap = H.xreplace(here) - H.xreplace(apply_rounds(shears, 1, here))
    return accepted_mass(normal_exponent(mean, variance), coefficients(gap, block))
