"""Feller's test at the edge of a coordinate that is a diffusion by itself.

Near the edge, at a distance e, let the density be ``p ~ e^k`` and ``D ~ e^m``, and let the current
of p be zero, so that ``(p D)' = f p``: p is the density of the speed measure and ``1/(p D)`` that
of the scale (Karlin & Taylor, 1981, section 15.6).

    * The edge is never attained if the integral of ``1/(p D)`` diverges at it: k + m >= 1, with no
      condition on k.
    * If m = 1, the drift has a finite limit that points inside and k > -1, the process stays in the
      domain, spends no time at the edge, and p D -> 0: nothing flows through it, whether or not it
      is attained. Beside other coordinates this needs noise of its own: a D[x, y] ~ e^(1/2) may
      carry probability along the edge.
    * If the edge is attained (the integral is finite and p is integrable) and p D does not go to 0,
      no solution of the equation has the law p: it must be reflected.

The decision record on edges has the proofs. Everything else is undecided.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Dummy, Expr, Rational, Symbol

from recipe.language.blocks import Block
from recipe.language.calculus import partial
from recipe.language.symbols import Length
from recipe.signs.sign import is_nonnegative, is_positive
from verify.decide.asymptotics.leading import (
    Growth,
    Leading,
    NoLeadingTermError,
    certain_sign,
    growth,
    leading,
)
from verify.decide.points.point import Point
from verify.decide.zero.decide import vanishes
from verify.diffusion.boundary.edges import (
    NEEDS_REFLECTION,
    NOT_ATTAINED,
    SELF_REFLECTING,
    Coordinate,
    Edge,
)
from verify.verdict import Outcome, Verdict, Witness, proved, refuted, undecided

MAX_PARAMETER_CHOICES = 48


@dataclass(frozen=True)
class Behaviour:
    """The leading terms at an edge, at a distance e from it and with ``L = log(1/e)``.

    ``density`` is the growth of H, which gives the density ``p ~ e^k L^-j``; ``diffusion`` is D as
    ``c e^m L^q``; ``inward_drift`` is the limit of the drift, positive if it points inside, or None
    if the limit is infinite, zero or unknown.
    """

    density: Growth
    diffusion: Leading
    inward_drift: Expr | None

    @property
    def order(self) -> Expr:
        """The exponent ``k + m`` of e in p D."""
        return self.density.log + self.diffusion.power

    @property
    def logs(self) -> Expr:
        """The exponent of L in p D."""
        return self.diffusion.logs - self.density.loglog


def decide_by_feller(edge: Edge, x: Coordinate, h: Expr) -> Outcome:
    """Decide whether a coordinate with density ``p = exp(-h)`` stays off the edge, or leaves it
    again by itself.

    *Refuted* with values of the parameters for which the edge is attained and must reflect.
    """
    if not has_no_current(x, edge.block, h):
        return undecided(
            f"the current of exp(-H) through {edge.block} is not proved to be zero, and Feller's"
            " test needs that"
        )
    try:
        outcome = _decide_by_exponents(behaviour(edge, x, h))
    except NoLeadingTermError as error:
        outcome = undecided(f"the behaviour at the edge is not decided: {error}")
    return (
        outcome if outcome.verdict is Verdict.PROVED else _refuted_by_values(edge, x, h) or outcome
    )


def has_no_current(x: Coordinate, block: Block, h: Expr) -> bool:
    """Return True if the current of ``exp(-h)`` is proved to be zero: ``(p D)' = f p``."""
    return vanishes(x.drift + x.diffusion * partial(h, block) - partial(x.diffusion, block))


def behaviour(edge: Edge, x: Coordinate, h: Expr) -> Behaviour:
    """The leading terms of the density, the diffusion and the drift at an edge.

    Raises:
        NoLeadingTermError: if the density or the diffusion is not decided.
    """
    distance = Dummy("distance", positive=True)
    diffusion = leading(edge.approached(x.diffusion, distance), distance)
    if certain_sign(diffusion.coefficient) != 1:
        raise NoLeadingTermError(
            f"whether D[{edge.block}, {edge.block}] is positive near the edge is not known"
        )
    density = growth(edge.approached(h, distance), distance)
    return Behaviour(density, diffusion, _limit_of_drift(edge, x.drift, distance))


def _limit_of_drift(edge: Edge, drift: Expr, distance: Symbol) -> Expr | None:
    try:
        found = leading(edge.inward * edge.approached(drift, distance), distance)
    except NoLeadingTermError:
        return None
    return found.coefficient if found.power == 0 and found.logs == 0 else None


def _decide_by_exponents(at: Behaviour) -> Outcome:
    k, m = at.density.log, at.diffusion.power
    if at.density.escape == 1:
        return proved(
            f"{NOT_ATTAINED}: the density vanishes faster than every power of the distance"
        )
    if at.density.escape == -1:
        return undecided(
            "exp(-H) grows faster than every power of the distance, so it is not normalisable"
        )
    found = f"k = {k}, m = {m}" + _logs(at)
    if _is_unattainable(at):
        return proved(f"{NOT_ATTAINED}, as k + m >= 1 ({found})")
    plain = at.diffusion.logs == 0 and at.density.loglog == 0
    if (
        plain
        and m == 1
        and is_positive(k + 1)
        and at.inward_drift is not None
        and certain_sign(at.inward_drift) == 1
    ):
        return proved(
            f"{SELF_REFLECTING}, as the drift {at.inward_drift} there points inside ({found})"
        )
    return undecided(f"{_why_open(at)} ({found})")


def _logs(at: Behaviour) -> str:
    return (
        ""
        if at.diffusion.logs == 0 == at.density.loglog
        else f", and a factor log^({at.logs}) in p D"
    )


def _why_open(at: Behaviour) -> str:
    if certain_sign(at.order) == 1 and certain_sign(at.order - 1) == -1:
        return (
            "the edge is attained, and the drift has no finite limit there that points inside, so"
            " the equation alone does not determine the process after that;"
            " mirror(recipe, block) does"
        )
    if certain_sign(at.density.log + 1) in (-1, 0):
        return "exp(-H) is not proved integrable at the edge, which Feller's test needs"
    return "whether the edge is attained depends on signs that are not known"


def _is_unattainable(at: Behaviour) -> bool:
    """Return True if the integral of ``1/(p D) ~ e^-(k + m) L^-b`` is proved to diverge at 0."""
    beyond = at.order - 1
    if is_positive(beyond) or (at.logs == 0 and is_nonnegative(beyond)):
        return True
    return certain_sign(beyond) == 0 and is_nonnegative(1 - at.logs)


def is_integrable(at: Behaviour) -> bool:
    """Return True if ``p ~ e^k L^-j`` is proved to be integrable at the edge."""
    k, j = certain_sign(at.density.log + 1), certain_sign(at.density.loglog - 1)
    return k == 1 or is_positive(at.density.log + 1) or (k == 0 and j == 1)


def _needs_reflection(at: Behaviour) -> bool:
    """Return True if p and ``1/(p D)`` are proved integrable and p D is proved not to go to 0."""
    if at.density.escape:
        return False
    order = certain_sign(at.order)
    return is_integrable(at) and (order == -1 or (order == 0 and certain_sign(at.logs) in (0, 1)))


def _refuted_by_values(edge: Edge, x: Coordinate, h: Expr) -> Outcome | None:
    """Search for parameters within their assumptions for which the edge is attained and must
    reflect.
    """
    for values in _parameter_values((x.drift, x.diffusion, h), edge):
        given = Coordinate(x.drift.xreplace(values), x.diffusion.xreplace(values))
        try:
            at = behaviour(edge, given, h.xreplace(values))
            if not _needs_reflection(at):
                continue
        except NoLeadingTermError:
            continue
        shown: dict[str, str | list[str]] = {str(s): str(v) for s, v in values.items()}
        shown[str(edge.block)] = str(edge.end)
        finding = (
            f"at a distance e the density goes like e^k with k = {at.density.log} and D like e^m"
            f" with m = {at.diffusion.power}; as k + m <= 0 and k > -1, the edge is attained and"
            " the flux through it is not 0"
        )
        return refuted(
            f"{NEEDS_REFLECTION}: the process reaches the edge and must be reflected",
            Witness(shown, finding),
            edge.repair,
        )
    return None


def _parameter_values(
    expressions: tuple[Expr, ...], edge: Edge
) -> Iterator[dict[Symbol, Rational]]:
    symbols = sorted(set().union(*(e.free_symbols for e in expressions)) - {edge.block}, key=str)
    for seed in range(MAX_PARAMETER_CHOICES if symbols else 1):
        point = Point(
            {s: 1 + seed % 3 for s in symbols if isinstance(s, Length)}, seed, edge=seed % 2 == 1
        )
        values = point.choose_all(symbols)
        if values is not None:
            yield values
