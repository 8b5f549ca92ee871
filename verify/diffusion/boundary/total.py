"""Coordinates on the positive orthant that depend on each other through their total alone.

Let ``D = diag(c theta)`` and ``H = -total((beta - 1) log(theta)) + G(total(theta))``, and let the
drift be ``c (beta - theta G'(T))`` with ``T = total(theta)``. By Ito's formula, where T > 0,

    dT = c (B - T G'(T)) dt + sqrt(2 c T) dW,    B = total(beta),

is a diffusion by itself, and in the clock ``integral of c dt/T`` the direction ``pi = theta/T`` is
a Wright-Fisher diffusion with the drift ``beta - B pi`` and the diffusion ``diag(pi) - pi pi^T``.
The noise of T and the noise of pi are independent. So two questions are separate:

* *The faces*, where one coordinate is 0 and T > 0. Each ``pi_k`` is a Jacobi diffusion, with k =
  beta_k - 1 and m = 1 at 0: it never reaches 0 if beta_k >= 1, and otherwise turns back by itself
  (Ethier 1976, Comm. Pure Appl. Math. 29(5)).
* *The corner*, where all coordinates are 0. Feller's test of T decides, whose law is
  ``T^(B - 1) exp(-G(T))``. At the corner the drift of theta has no limit, so that no test of a
  coordinate applies there. Where T reaches 0 and turns back, the integral of dt/T diverges at each
  visit (Lamperti 1972, Z. Wahrscheinlichkeitstheorie 22). The Wright-Fisher diffusion forgets its
  start uniformly, so that pi leaves the corner with its own law, Dirichlet's with the parameters
  beta, whatever was before: the process goes on in one way, and theta keeps ``exp(-H)``.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, S, log

from recipe.language.assumed import ParameterCondition, assumed, under
from recipe.language.blocks import Vector
from recipe.language.calculus import contract
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import GENERIC, Indexed, Length
from recipe.language.text import text
from recipe.language.total import total
from recipe.signs.sign import is_nonnegative, is_positive
from verify.decide.asymptotics.leading import NoLeadingTermError
from verify.decide.points.balls import WORKING_BITS, NoValueError, at_precision
from verify.decide.points.point import Point
from verify.decide.zero.canonical import normalised
from verify.decide.zero.decide import vanishes
from verify.diffusion.boundary.edges import NOT_ATTAINED, SELF_REFLECTING, Coordinate, Edge
from verify.diffusion.boundary.feller import behaviour, decide_by_feller
from verify.diffusion.boundary.reflected import is_along_the_normal
from verify.diffusion.infinity.liouville import Liouville, law_of_total
from verify.generator.coupling import own_diffusion
from verify.subject import Subject
from verify.verdict import Outcome, Witness, proved

POINTS_TRIED = 48


def decide_by_total(edge: Edge, subject: Subject) -> Iterator[tuple[str, Outcome]] | None:
    """Decide the faces and the corner of the positive orthant, each by itself.

    Returns:
        Pairs (name, outcome) for the faces and for the corner; None if the coordinates are not of
        the form above, which leaves the question open.
    """
    law = _law(edge, subject)
    if law is None:
        return None
    block, scale = edge.block, own_diffusion(subject.dynamics, edge.block) / edge.block
    assert isinstance(block, Vector)
    whole = total(block)
    beta, slope = law.c, law.h.diff(law.sum)
    rate = scale * (beta - block * slope.xreplace({law.sum: whole}))
    if not is_positive(beta) or not vanishes(subject.dynamics.drift[block] - rate):
        return None
    return iter(
        (
            (f"the faces {block} = 0", _faces(beta)),
            (f"the corner {whole} = 0", _corner(law, scale, block)),
        )
    )


def _law(edge: Edge, subject: Subject) -> Liouville | None:
    """The law of the block, with the function G of the total as ``h`` and beta as ``c``; None where
    law or noise have another form.
    """
    block = edge.block
    if not isinstance(block, Vector) or edge.end != 0 or edge.inward != 1:
        return None
    scale = normalised(own_diffusion(subject.dynamics, block) / block)
    if (
        blocks_in(scale, subject.state)
        or scale.atoms(Indexed)
        or not is_positive(scale)
        or not is_along_the_normal(edge, subject)
    ):
        return None
    return law_of_total(subject.H, block, subject.state)


def _faces(beta: Expr) -> Outcome:
    never = is_nonnegative(beta - 1)
    return proved(
        f"{NOT_ATTAINED if never else SELF_REFLECTING}, as the drift {text(beta)} there points"
        f" inside (k = {text(beta - 1)}, m = 1)"
    )


def _corner(law: Liouville, scale: Expr, block: Vector) -> Outcome:
    """Feller's test of the total, in the variable that stands for it."""
    return decide_by_feller(Edge(law.sum, S.Zero, 1, False), *_radial(law, scale, block))


def _radial(law: Liouville, scale: Expr, block: Vector) -> tuple[Coordinate, Expr]:
    """The total as a diffusion by itself, and the h of its law ``exp(-h)``."""
    shape = contract(law.c, block)
    x = Coordinate(scale * (shape - law.sum * law.h.diff(law.sum)), scale * law.sum)
    return x, (law.h - (shape - 1) * log(law.sum)).expand()


# -- what is reached
# --------------------------------------------------------------------------------------------------


def find_reached(edge: Edge, subject: Subject) -> tuple[Witness, str] | None:
    """Find parameters for which the process reaches a face or the corner in finite time with
    positive probability.

    A coordinate or a total with ``p ~ e^k`` and ``D ~ e`` reaches 0 if -1 < k < 0: both ``p`` and
    ``1/(p D)`` are integrable there (Karlin & Taylor 1981, section 15.6). With one coordinate the
    corner is the only face.

    Returns:
        The parameters as a witness, with a repair; None if none were found, which leaves the
        question open.
    """
    law = _law(edge, subject)
    if law is None or decide_by_total(edge, subject) is None:
        return None
    block = edge.block
    assert isinstance(block, Vector)
    scale = own_diffusion(subject.dynamics, block) / block
    x, h = _radial(law, scale, block)
    try:
        at = behaviour(Edge(law.sum, S.Zero, 1, False), x, h)
    except NoLeadingTermError:
        at = None
    face, corner = law.c - 1, None
    if at is not None and at.density.escape == 0 and at.diffusion.power == 1 and at.logs == 0:
        corner = at.density.log
        found = _between_bounds(corner, {block.length: 1})
        if found is not None:
            return _reached(found, f"{total(block)} has", corner), _needed(face, corner)
    found = _between_bounds(face, {block.length: 2})
    if found is None:
        return None
    return _reached(found, f"a coordinate of {block} has", face), _needed(face, corner)


def _reached(point: dict[str, str | list[str]], whose: str, k: Expr) -> Witness:
    return Witness(point, f"{whose} the exponent k = {text(k)}, which lies between -1 and 0 there")


def _needed(face: Expr, corner: Expr | None) -> str:
    """The conditions under which faces and corner are never reached, as a repair; a condition that
    holds or follows from the first one is left out.
    """
    needed: tuple[ParameterCondition, ...] = ()
    for k in (face,) if corner is None else (face, corner):
        with under((*assumed(), *needed)):
            follows = is_nonnegative(k)
        if not follows:
            needed += (ParameterCondition(k, False, f"{text(k + 1)} >= 1"),)
    return f"declare it where=[{', '.join(map(str, needed))}], or give parameters that meet this"


def _between_bounds(k: Expr, sizes: dict[Length, int]) -> dict[str, str | list[str]] | None:
    """Parameters with ``-1 < k < 0``, for the first coordinate of each vector; None if none were
    found.
    """
    for seed in range(POINTS_TRIED):
        point = Point(sizes, seed)
        try:
            value = at_precision(WORKING_BITS[0], lambda p=point: p.evaluate(k, {GENERIC: 0}))  # type: ignore[misc]
        except NoValueError:
            continue
        if -1 < value < 0:
            return point.shown()
    return None
