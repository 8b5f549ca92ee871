"""How far does one Euler step of phi go, as theta = f(phi) approaches the edge of its domain?

The step moves every block by ``eps a + sqrt(2 eps) b eta`` with a normal eta. Where every coefficient a and ``b b^T = D`` stays
bounded on the way to the edge, so does the step, in probability, for every eps; where one of them goes to infinity, the step does.
That is what Yokoi et al. show of their rules: of Ito's, (19), it diverges (Theorem 2), as ``1/f'`` does; of CoRV, (25), it does not
(Theorem 3), as ``D = 1`` and ``(log f')'`` is bounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sympy import Expr

from recipe.abstract import Field, Partial, Potential
from recipe.calculus import freeze
from recipe.map import Map
from recipe.symbols import Block
from recipe.total import Total
from verify.map.limits import towards
from verify.map.monotone import decide_monotone, limit_of
from verify.map.piece import Piece, pieces, without_kink
from verify.map.variable import Variable, Y, variable
from verify.tail.ends import T
from verify.tail.growth import ONE, bound, compare, expanded, is_bounded, leading
from verify.verdict import Outcome, Verdict, Witness, proved, refuted, undecided
from verify.zero.canonical import normalised

Coefficient = tuple[str, Expr]  # what it is, and its expression of the generic coordinate of phi


def decide_boundary_step(f: Map, phi: Block, coefficients: Iterable[Coefficient]) -> Outcome:
    """Each coefficient of one step at each end of phi where theta goes to a finite end of its domain."""
    if decide_monotone(f).verdict is not Verdict.PROVED:
        return undecided("f is not proved to be monotone")
    listed, assumptions = list(coefficients), set()
    count = 0
    for piece, upper in _edges(f):
        for what, e in listed:
            outcome = _at_edge(what, e, phi, piece, upper)
            if outcome.verdict is not Verdict.PROVED:
                return outcome
            assumptions |= set(outcome.assumptions)
        count += 1
    where = "the edge" if count == 1 else "both edges"
    return proved(f"drift and D of one step stay bounded at {where}" if count else "theta has no finite edge", *sorted(assumptions))


def _edges(f: Map) -> Iterator[tuple[Piece, bool]]:
    sides = pieces(f)
    for piece, upper in ((sides[0], False), (sides[-1], True)):
        limit = limit_of(piece.f, piece, upper)
        if limit is None or limit.is_finite:
            yield piece, upper


def _at_edge(what: str, e: Expr, phi: Block, piece: Piece, upper: bool) -> Outcome:
    edge = f"phi goes to {piece.x.domain.end if upper else piece.x.domain.start}"
    e, stands_for = freeze(e)
    hidden = next((a for a in stands_for if isinstance(a, Total | Field) and phi in a.free_symbols), None)
    if hidden is not None:
        return undecided(f"{what} depends on {hidden}, and so on more than its own coordinate")
    at = normalised(without_kink(e.xreplace({phi: piece.x})))
    y = variable([at], piece.x) or Variable(piece.x, None, piece.x.domain.start, piece.x.domain.end)
    on_the_way = expanded(y.read(at).xreplace({Y: towards(y.high if upper else y.low, upper)}))
    if is_bounded(bound(on_the_way, T)):
        unknown = [a for a in stands_for if isinstance(a, Partial | Potential)]
        return proved("", *(f"{a} stays bounded at the edge" for a in unknown))
    order = leading(on_the_way, T)
    if order is not None and compare(order, ONE) == 1:
        finding = f"{what} is {at}, which goes to infinity as {edge}"
        return refuted(
            "one step diverges at the boundary",
            Witness({str(phi): str(piece.x.domain.end if upper else piece.x.domain.start)}, finding),
        )
    return undecided(f"whether {what} = {at} stays bounded as {edge} is not decided")
