"""How large is one Euler step of phi, as theta = f(phi) approaches the edge of its domain?

The step moves every block by ``eps a + sqrt(2 eps) b eta`` with a normal eta. If every coefficient
a and ``b b^T = D`` stays bounded on the way to the edge, so does the step, in probability, for
every eps; if one of them goes to infinity, so does the step. Yokoi et al. show both for their
rules: the step of Ito's rule (19) diverges (Theorem 2), as ``1/f'`` does; the step of CoRV (25)
does not (Theorem 3), as ``D = 1`` and ``(log f')'`` is bounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sympy import Abs, Expr, Interval, S, sign

from recipe.declare.transformations.map import Map
from recipe.language.abstract import Partial, slope
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.calculus import freeze
from recipe.language.symbols import generic
from verify.decide.asymptotics.growth import ONE, bound, compare, expanded, is_bounded, leading
from verify.decide.zero.show_difference import shown_factored
from verify.diffusion.change_of_variable.limits import towards
from verify.diffusion.change_of_variable.monotone import decide_monotone
from verify.diffusion.change_of_variable.smooth_branch import (
    SmoothBranch,
    branches_of,
    limit_of,
    without_kink,
)
from verify.diffusion.change_of_variable.variable import Y, in_variable
from verify.diffusion.infinity.ends import T
from verify.verdict import Outcome, Verdict, Witness, proved, refuted, undecided

Coefficient = tuple[str, Expr]  # its name, and its expression at the generic coordinate of phi


def decide_boundary_step(f: Map, phi: Block, coefficients: Iterable[Coefficient]) -> Outcome:
    """Decide whether one Euler step of phi stays bounded as theta approaches a finite end of its
    domain.

    *Proved* if each coefficient stays bounded there, which may need assumptions about derivatives
    of abstract functions; *refuted* if one goes to infinity.
    """
    if decide_monotone(f).verdict is not Verdict.PROVED:
        return undecided("f is not proved to be monotone")
    listed, assumed = list(coefficients), set()
    count = 0
    for branch, upper in _edges(f):
        for what, e in listed:
            outcome = _at_edge(what, e, phi, branch, upper)
            if outcome.verdict is not Verdict.PROVED:
                return outcome
            assumed |= set(outcome.assumed)
        count += 1
    where = "the edge" if count == 1 else "both edges"
    return proved(
        f"drift and D of one step stay bounded at {where}" if count else "theta has no finite edge",
        *sorted(assumed, key=str),
    )


def _edges(f: Map) -> Iterator[tuple[SmoothBranch, bool]]:
    sides = branches_of(f)
    for branch, upper in ((sides[0], False), (sides[-1], True)):
        limit = limit_of(branch.f, branch, upper)
        if limit is None or limit.is_finite:
            yield branch, upper


def _at_edge(what: str, e: Expr, phi: Block, branch: SmoothBranch, upper: bool) -> Outcome:
    e, found = freeze(e)
    stands_for = {a: symbol for a, symbol in found.items() if not isinstance(a, Abs | sign)}
    e = e.xreplace({symbol: a for a, symbol in found.items() if a not in stands_for})
    hidden = next(
        (
            a
            for a in stands_for
            if phi in a.free_symbols and not (isinstance(a, Partial) and len(a.wrt) == 1)
        ),
        None,
    )
    if hidden is not None:
        return undecided(f"{what} depends on {hidden}, and so on more than its own coordinate")
    # For V(phi) = U(f(phi)), dV/dphi = f' dU/dtheta, with an unknown dU/dtheta that is assumed to
    # stay bounded at the edge. Derivatives by other blocks are assumed to stay bounded as well.
    derivatives = {
        symbol: a
        for a, symbol in stands_for.items()
        if isinstance(a, Partial) and phi in a.free_symbols
    }
    unknown = {symbol: a for symbol, a in derivatives.items() if phi in map(generic, a.wrt)}
    at = without_kink(e.xreplace({s: s * slope(phi) for s in unknown}).xreplace({phi: branch.x}))
    on_the_way = _approaching(at, branch, upper)
    if is_bounded(bound(on_the_way, T)):
        return proved(
            "",
            *(f"d{a.head}/d{_by(a, phi)} stays bounded at the edge" for a in derivatives.values()),
        )
    flat = {symbol: S.Zero for a, symbol in stands_for.items() if isinstance(a, Partial)}
    return _diverging(what, at.xreplace(flat), phi, branch, upper) or undecided(
        f"whether {what} stays bounded at the edge is not decided"
    )


def _by(derivative: Partial, phi: Block) -> Block:
    """The block by which a derivative is taken, as a block of theta."""
    block = generic(derivative.wrt[0])
    return phi.image if block == phi else block  # type: ignore[return-value]


def _approaching(e: Expr, branch: SmoothBranch, upper: bool) -> Expr:
    """The expression as a function of T, which goes to infinity as phi goes to the end."""
    e, y = in_variable(e, branch.x)
    return expanded(e.xreplace({Y: towards(y.high if upper else y.low, upper)}))


def _diverging(what: str, e: Expr, phi: Block, branch: SmoothBranch, upper: bool) -> Outcome | None:
    """Refute that a coefficient stays bounded, at one choice of the other values; None if that
    fails.

    Other blocks have the value 1 where their domain allows it; derivatives of abstract functions
    are 0.
    """
    others = {
        s: S.One
        for s in e.free_symbols
        if isinstance(s, Vector | Scalar) and s != branch.x and _may_be_one(s)
    }
    order = leading(_approaching(e.xreplace(others), branch, upper), T)
    if order is None or compare(order, ONE) != 1:
        return None
    end = branch.x.domain.end if upper else branch.x.domain.start
    point: dict[str, str | list[str]] = {**{str(s): "1" for s in others}, str(phi): str(end)}
    shown = shown_factored(e.xreplace({branch.x: phi}))
    finding = (
        f"{what} = {shown} goes to infinity as {phi} goes to {end}, and {phi.image} to the edge"
    )
    return refuted(
        "one Euler step is unbounded at the boundary, whatever the step size",
        Witness(point, finding),
    )


def _may_be_one(block: Block) -> bool:
    return isinstance(block.domain, Interval) and S.One in block.domain
