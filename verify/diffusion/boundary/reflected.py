"""Edges at which the process is reflected: does the reflected process keep exp(-H)?

With v the velocity of the current ``p v``, n the outer normal and phi a smooth function that the
reflection allows (its derivative along D n vanishes at the edge; with a map R of momenta, phi(R z)
= phi(z) on it), Gauss's theorem gives

    E[L phi] = integral over the edge of p (v.n phi + n.D grad phi),

and p is kept if this vanishes for all such phi (Kang & Ramanan 2014, Ann. Appl. Probab. 24(4); for
one coordinate, Karlin & Taylor 1981, section 15.6). Along the normal it does where v.n = 0 there.
With momenta it does where R keeps H and turns v.n.
"""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Dummy, Expr, Interval

from recipe.declare.reflection import Reflection
from recipe.language.calculus import abstract_atoms, summands
from recipe.language.entry import Coupling
from recipe.language.free_symbols import blocks_in
from recipe.language.sign import is_positive
from recipe.language.symbols import GENERIC, Block, Scalar, Vector
from recipe.language.total import Total, opened, relabel
from verify.decide.asymptotics.leading import NoLeadingTermError
from verify.decide.definedness import is_smooth
from verify.decide.zero.decide import vanishes
from verify.decide.zero.entry import decide_zero_entry
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


def decide_one_coordinate(edge: Edge, x: Coordinate, h: Expr) -> Outcome | None:
    """Feller's test with a reflection, of a coordinate whose current is proved to be zero.

    Where p is integrable the edge is never attained or it is regular; at a regular edge the process
    that is reflected at once is symmetric with respect to its speed density, which is p.
    """
    try:
        at = behaviour(edge, x, h)
    except NoLeadingTermError:
        return None
    if at.density.escape == 1 or (at.density.escape == 0 and is_integrable(at)):
        return proved(
            "reflected where it is attained: one coordinate without current, and exp(-H) is"
            " integrable at the edge"
        )
    return None


def decide_along_the_normal(edge: Edge, subject: Subject, reflection: Reflection) -> Outcome:
    """With noise across the edge, and everything smooth up to it."""
    if reflection.flips:
        return undecided(
            f"{edge.block} has noise of its own, and {reflection.flips[0]} is flipped with it;"
            " which law that keeps is not known"
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
    """Whether the noise of each coordinate of the block is proved to be its own, so that D n is
    normal.
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
    """Without noise across the edge: the map of the momenta must keep H and turn the speed."""
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
        return undecided(f"that H is the same with the sign of {names} turned is not proved")
    if not _vanishes_there(edge, turned[1] + speed):
        return undecided(
            f"that the speed of {edge.block} turns with the sign of {names} is not proved"
        )
    by = (
        f"{REFLECTED}: with the sign of {names} the speed of {edge.block} turns, and H stays, so"
        " that as much flows in as out"
    )
    return proved(by, FINITELY_OFTEN)


def turns_nothing(edge: Edge, subject: Subject, reflection: Reflection) -> bool:
    """Whether the speed across the edge is free of the blocks that are flipped: what went out still
    goes out.
    """
    return not blocks_in(subject.dynamics.drift[edge.block], subject.state) & set(reflection.flips)


def turn(e: Expr, flips: Iterable[Block]) -> Expr | None:
    """The expression where the generic coordinate of each of these blocks has the other sign; None
    if that is not seen.
    """
    blocks = tuple(flips)
    signs = {b: -b for b in blocks}
    if any(blocks_in(a, blocks) for a in _every_abstract(e)):
        return None
    changed: dict[Expr, Expr] = {}
    for atom in abstract_atoms(e):
        if not blocks_in(atom, blocks):
            continue
        body, k = opened(atom, GENERIC)
        if not all(isinstance(b, Vector) for b in blocks) or any(
            blocks_in(a, blocks) for a in abstract_atoms(body)
        ):
            return (
                None  # a number in a sum, or a sum in a sum: none of the momentum methods has one
            )
        here = relabel(body, k, GENERIC)
        changed[atom] = atom + here.xreplace(signs) - here
    stand_in = {atom: Dummy() for atom in changed}
    return (
        e.xreplace(stand_in)
        .xreplace(signs)
        .xreplace({stand_in[a]: value for a, value in changed.items()})
    )


def _is_regular(edge: Edge, subject: Subject) -> bool:
    """Whether H, the drift and the diffusion are smooth up to the edge."""
    return all(_is_smooth_up_to(edge, e) for e in (subject.H, *subject.dynamics.coefficients()))


def has_bounded_coefficients(edge: Edge, subject: Subject) -> bool:
    """Whether the drift and the diffusion are bounded up to the edge, so that folded steps become
    the reflected process.

    Where the drift is infinite there they need not: from near the edge a step is thrown out by
    ``eps f``, as far as one likes. Of a gamma law of shape a < 1, whose drift is ``(a - 1)/theta``,
    this happens the more often the smaller the step: with the rate ``eps^((a - 1)/2)``, as of the
    1/eps steps in a unit of time a part ``eps^(a/2)`` begins within sqrt(eps) of the edge, and of
    these a part of order sqrt(eps) so near that it is thrown beyond a given point.
    """
    return all(
        _is_smooth_up_to(edge, e)
        or all(_is_smooth_up_to(edge, _without_share(t)) for t in summands(e))
        for e in subject.dynamics.coefficients()
    )


def _without_share(term: Expr) -> Expr:
    """A term without one factor ``b/total(b)``, a share of what is not negative, which lies between
    0 and 1.
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


def up_to(edge: Edge, e: Expr) -> Expr | None:
    """The expression on the closed domain; None where an abstract function is known inside only."""
    if edge.belongs:
        return e
    if any(blocks_in(a, (edge.block,)) for a in _every_abstract(e)):
        return None
    lower = edge.inward == 1
    domain = edge.block.domain
    interval = Interval(
        domain.start, domain.end, domain.left_open and not lower, domain.right_open and lower
    )
    if isinstance(edge.block, Scalar):
        return e.xreplace({edge.block: Scalar(edge.block.name, domain=interval)})
    closed = Vector(edge.block.base, like=edge.block, domain=interval)
    return e.xreplace({s: closed.at(s.label) for s in e.atoms(Vector) if s.base == edge.block.base})


def _every_abstract(e: Expr) -> list[Expr]:
    """The abstract functions in it and in its sums."""
    found = abstract_atoms(e)
    inner = [
        a for atom in found if isinstance(atom, Total) for a in _every_abstract(opened(atom)[0])
    ]
    return [*(a for a in found if not isinstance(a, Total)), *inner]


def _vanishes_there(edge: Edge, e: Expr) -> bool:
    """Whether it is zero on the edge: everywhere, or where the coordinate is put there and
    everything is written out.
    """
    if vanishes(e):
        return True
    return not any(
        edge.block in blocks_in(a, (edge.block,)) for a in abstract_atoms(e)
    ) and vanishes(e.xreplace({edge.block: edge.end}))


def _not_regular(edge: Edge) -> str:
    return (
        "that H, drift and diffusion are smooth up to the edge is not proved, and a reflection"
        " needs that; abstract functions are smooth up to an end that belongs to the domain, such"
        f" as that of Interval({edge.block.domain.start}, ...)"
    )
