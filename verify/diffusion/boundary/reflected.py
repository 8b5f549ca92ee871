"""Edges at which the process is reflected: Does the reflected process keep exp(-H)?

Let ``p v`` be the current with velocity v, n the outer normal, and phi a smooth function that the
reflection allows: its derivative along D n vanishes at the edge, or with a map R of momenta phi(R
z) = phi(z) there. Gauss's theorem gives

    E[L phi] = integral over the edge of p (v.n phi + n.D grad phi),

and p is kept if this vanishes for all such phi (Kang & Ramanan 2014, Ann. Appl. Probab. 24(4); for
one coordinate, Karlin & Taylor 1981, section 15.6). For a reflection along the normal it vanishes
if v.n = 0 on the edge. With momenta it vanishes if R keeps H and reverses the sign of v.n.
"""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Dummy, Expr

from recipe.declare.reflection import Reflection
from recipe.language.blocks import Block, Vector
from recipe.language.calculus import abstract_atoms, summands
from recipe.language.entry import Coupling
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import GENERIC
from recipe.language.total import Total, opened, relabel
from recipe.signs.defined import is_smooth
from recipe.signs.sign import is_positive
from verify.decide.asymptotics.leading import NoLeadingTermError
from verify.decide.zero.decide import vanishes
from verify.decide.zero.entry import decide_zero_entry
from verify.diffusion.boundary.corners import every_abstract, is_smooth_at_corners, up_to
from verify.diffusion.boundary.edges import Coordinate, Edge
from verify.diffusion.boundary.feller import behaviour, is_integrable
from verify.generator.coupling import own_diffusion
from verify.generator.fokker_planck import current
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, proved, undecided

REFLECTED = "attained, and reflected there"
FINITELY_OFTEN = (
    "the flow of exp(-H) onto the edge is finite, so that the process is reflected finitely often"
    " in a finite time"
)


def decide_one_coordinate(edge: Edge, x: Coordinate, h: Expr, is_all: bool) -> Outcome | None:
    """Prove a reflection by Feller's test, for a coordinate whose current is proved to be zero.

    If p is integrable, the edge is either never attained or regular. At a regular edge the process
    that is reflected instantaneously is symmetric with respect to its speed density, which is p.
    None if integrability is not proved, which leaves the question open.

    Unless the block ``is_all`` of the state, p must be integrable by a power of the distance:
    coefficients of other blocks may have logarithms of it (``corners.others_stay_bounded``), which
    are not integrable against ``1/(e log(e)^2)``.
    """
    try:
        at = behaviour(edge, x, h)
    except NoLeadingTermError:
        return None
    plain = is_all or is_positive(at.density.log + 1)
    if at.density.escape == 1 or (at.density.escape == 0 and plain and is_integrable(at)):
        return proved(
            "reflected where it is attained: one coordinate without current, and exp(-H) is"
            " integrable at the edge"
        )
    return None


def decide_along_the_normal(edge: Edge, subject: Subject, reflection: Reflection) -> Outcome:
    """Decide a reflection with noise across the edge and coefficients that are smooth up to it."""
    if reflection.flips:
        return undecided(
            f"{edge.block} has noise of its own, and {reflection.flips[0]} is flipped with it;"
            " the law that this keeps is not known"
        )
    if not is_along_the_normal(edge, subject):
        return undecided(
            f"the noise of {edge.block} is not proved to be its own, so that D n may be oblique"
        )
    if not _is_regular(edge, subject):
        return undecided(_not_regular(edge))
    across = up_to(edge, own_diffusion(subject.dynamics, edge.block))
    if across is None or not is_positive(across):
        return undecided(f"D[{edge.block}, {edge.block}] is not proved to be positive at the edge")
    if not _vanishes_there(edge, current(subject.dynamics, subject.gradient)[edge.block]):
        return undecided("the current of exp(-H) across the edge is not proved to be zero")
    return proved(f"{REFLECTED} along the normal, across which there is no current of exp(-H)")


def is_along_the_normal(edge: Edge, subject: Subject) -> bool:
    """Return True if the noise of each coordinate of the block is proved independent of all others.

    Then D n is normal to the edge.
    """
    rows = {
        column: entry
        for (row, column), entry in subject.dynamics.diffusion.items()
        if row == edge.block
    }
    own = rows.pop(edge.block)
    return (not isinstance(own, Coupling) or vanishes(own.kernel)) and all(
        decide_zero_entry(entry).verdict is Verdict.PROVED for entry in rows.values()
    )


def decide_with_flips(edge: Edge, subject: Subject, reflection: Reflection) -> Outcome:
    """Decide a reflection without noise across the edge: flipping the momenta must keep H and
    reverse the speed.
    """
    speed = subject.dynamics.drift[edge.block]
    turned = [turn(e, reflection.flips) for e in (subject.H, speed)]
    names = " and ".join(map(str, reflection.flips))
    if turned[0] is None or turned[1] is None:
        return undecided(
            f"H or the speed of {edge.block} depends on {names} in a way that is not written out"
        )
    if not _is_regular(edge, subject):
        return undecided(_not_regular(edge))
    if not _vanishes_there(edge, turned[0] - subject.H):
        return undecided(f"H is not proved to stay the same when the sign of {names} is reversed")
    if not _vanishes_there(edge, turned[1] + speed):
        return undecided(
            f"the speed of {edge.block} is not proved to be reversed with the sign of {names}"
        )
    by = (
        f"{REFLECTED}: with the sign of {names} the speed of {edge.block} turns, and H stays, so"
        " that as much flows in as out"
    )
    return proved(by, FINITELY_OFTEN)


def turns_nothing(edge: Edge, subject: Subject, reflection: Reflection) -> bool:
    """Return True if the speed across the edge does not depend on the flipped blocks.

    The reflected process would go on through the edge.
    """
    return not blocks_in(subject.dynamics.drift[edge.block], subject.state) & set(reflection.flips)


def turn(e: Expr, flips: Iterable[Block]) -> Expr | None:
    """The expression with the sign of the generic coordinate of each of these blocks reversed.

    None if it depends on them in a way that is not written out.
    """
    blocks = tuple(flips)
    signs = {b: -b for b in blocks}
    if any(blocks_in(a, blocks) for a in every_abstract(e)):
        return None
    changed: dict[Expr, Expr] = {}
    for atom in abstract_atoms(e):
        if not blocks_in(atom, blocks):
            continue
        body, k = opened(atom, GENERIC)
        if not all(isinstance(b, Vector) for b in blocks) or any(
            blocks_in(a, blocks) for a in abstract_atoms(body)
        ):
            return None  # a scalar block in a sum, or nested sums; no momentum method has these
        here = relabel(body, k, GENERIC)
        changed[atom] = atom + here.xreplace(signs) - here
    stand_in = {atom: Dummy() for atom in changed}
    return (
        e.xreplace(stand_in)
        .xreplace(signs)
        .xreplace({stand_in[a]: value for a, value in changed.items()})
    )


def _is_regular(edge: Edge, subject: Subject) -> bool:
    """Return True if H, the drift and the diffusion are proved smooth up to the edge and its
    corners.
    """
    return all(
        is_smooth_at_corners(edge, e, subject.state)
        for e in (subject.H, *subject.dynamics.coefficients())
    )


def has_bounded_coefficients(edge: Edge, subject: Subject) -> bool:
    """Return True if the drift and the diffusion are proved bounded up to the edge.

    Steps that are folded back into the domain then converge to the reflected process. With an
    infinite drift they need not: from near the edge, a step is thrown arbitrarily far out by ``eps
    f``. For a gamma law of shape a < 1, with drift ``(a - 1)/theta``, this happens more often the
    smaller the step, at the rate ``eps^((a - 1)/2)``: of the 1/eps steps in a unit of time, a
    fraction ``eps^(a/2)`` begins within sqrt(eps) of the edge, and of these a fraction of order
    sqrt(eps) is so near that it is thrown beyond a given point.
    """
    return all(
        _is_smooth_up_to(edge, e)
        or all(_is_smooth_up_to(edge, _without_share(t)) for t in summands(e))
        for e in subject.dynamics.coefficients()
    )


def _without_share(term: Expr) -> Expr:
    """The term without one factor ``b/total(b)`` for a nonnegative b, as this lies between 0
    and 1.
    """
    for whole in sorted(term.atoms(Total), key=str):
        b = opened(whole, GENERIC)[0]
        if isinstance(b, Vector) and b.is_nonnegative:
            rest = term * whole / b.at(GENERIC)
            if not rest.has(whole):
                return rest
    return term


def _is_smooth_up_to(edge: Edge, e: Expr) -> bool:
    closed = up_to(edge, e)
    return closed is not None and is_smooth(closed)


def _vanishes_there(edge: Edge, e: Expr) -> bool:
    """Return True if the expression is proved zero everywhere, or zero once the coordinate is put
    on the edge.
    """
    if vanishes(e):
        return True
    return not any(
        edge.block in blocks_in(a, (edge.block,)) for a in abstract_atoms(e)
    ) and vanishes(e.xreplace({edge.block: edge.end}))


def _not_regular(edge: Edge) -> str:
    return (
        "H, drift and diffusion are not proved to be smooth up to the edge, as a reflection needs;"
        " abstract functions are smooth up to an end that belongs to the domain, such as the lower"
        f" end of Interval({edge.block.domain.start}, ...)"
    )
