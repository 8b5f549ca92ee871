"""Is the integral of ``exp(-H)`` finite?

H is split into parts that have no block in common, and the integral into factors. A part of a
single block is decided by the tails of one coordinate, or by Liouville's integral. A block that is
Gaussian given the others is integrated out. A part that grows like a power in every direction is
integrable.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sympy import Add, Expr, Interval, Mul, S, Symbol, exp, log, oo

from recipe.language.assumed import cached
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.calculus import contract
from recipe.language.domain import on_simplex
from recipe.language.text import text
from recipe.signs.defined import is_continuous
from recipe.signs.sign import is_positive
from verify.decide.asymptotics.growth import leading
from verify.diffusion.infinity.bounded import is_bounded_everywhere
from verify.diffusion.infinity.cones import decide_by_directions
from verify.diffusion.infinity.dominance import (
    abstract_potential,
    coercive,
    is_bounded_below_apart,
    meant_of,
)
from verify.diffusion.infinity.ends import End, T, at_end, ends, is_integrable
from verify.diffusion.infinity.exchangeable import decide_exchangeable
from verify.diffusion.infinity.homogeneous import decide_homogeneous
from verify.diffusion.infinity.liouville import decide_liouville
from verify.diffusion.infinity.logarithm import log_of
from verify.diffusion.infinity.mixture import components
from verify.diffusion.infinity.polynomial import decide_polynomial, refute_on_horn
from verify.diffusion.infinity.separation import (
    Summand,
    TooManyTermsError,
    as_quadratic,
    at_length_one,
    couples,
    in_coordinates,
    of_one_coordinate,
    parts_of,
)
from verify.diffusion.infinity.transport import moves
from verify.verdict import Outcome, Verdict, Witness, conjunction, proved, refuted, undecided

MAX_EXPRESSION_CHARS = 100
MAX_VECTORS_WRITTEN_OUT = 2  # with two coordinates each


@cached(maxsize=256)
def decide_finite(H: Expr, state: tuple[Block, ...]) -> Outcome:
    """Decide whether ``exp(-H)`` has a finite integral over the domain, for every length and all
    parameters.

    *Proved* may carry assumptions about abstract potentials; *refuted* has as its witness a
    coordinate along which the integral diverges.
    """
    try:
        parts = [(", ".join(map(str, p.blocks)), _decide_part(p)) for p in parts_of(H, state)]
    except TooManyTermsError as error:
        return undecided(str(error))
    if len(parts) == 1:
        return parts[0][1]
    return conjunction(parts, by="; ".join(f"{name}: {o.by}" for name, o in parts))


def _decide_part(part: Summand) -> Outcome:
    single = part.blocks[0] if len(part.blocks) == 1 else None
    if single is not None and on_simplex(single):
        return decide_liouville(part.e, single) or undecided(
            "the behaviour of H at the edge of the simplex is not decided"
        )
    h = None if single is None else of_one_coordinate(part.e, single)
    if single is not None and h is not None:
        outcome = _decide_coordinate(h, single)
        if outcome is not None:
            return outcome
    first: Outcome | None = None
    for method in METHODS:
        found = method(part)
        if found is not None and found.verdict is not Verdict.UNDECIDED:
            return found
        first = first or found
    return first or undecided(f"the tails of exp(-({_short(part.e)})) were not decided")


# -- one coordinate
# --------------------------------------------------------------------------------------------------


def _decide_coordinate(h: Expr, x: Block) -> Outcome | None:
    """Decide by the tails at both ends, which are the same for all coordinates of a block; None if
    open.
    """
    tails = {end: is_integrable(h, x, end) for end in ends(x)}
    for end, finite in tails.items():
        if finite is False:
            return refuted("exp(-H) is not integrable", _witness(h, x, end))
    if all(tails.values()) and is_continuous(h):
        return proved("integrable tails")
    return None


def _witness(h: Expr, x: Block, end: End, **point: str) -> Witness:
    return Witness(
        {**point, str(x): f"-> {end.name}"}, f"as {x} -> {end.name}, {_growth(h, x, end)}"
    )


def _growth(h: Expr, x: Block, end: End) -> str:
    f = at_end(h, x, end)
    order = None if f is None else leading(f, T)
    if order is None:
        return (
            f"H does not grow faster than a multiple of log({x})"
            if end.infinite
            else "H goes to -oo too fast"
        )
    if order.logs == order.power == 0 and not order.rates:
        return f"H goes to {text(order.coefficient)}"
    size = Mul(
        order.coefficient,
        T**order.power,
        log(T) ** order.logs,
        exp(Add(*(a * T**s for s, a in order.rates))),
    )
    names = {"oo": x, "-oo": -x}
    shown = size.xreplace({T: names[end.name] if end.infinite else 1 / Symbol("distance")})
    return f"H is about {text(shown)}" + (
        "" if end.infinite else f" at a small distance from {end.name}"
    )


# -- several blocks
# --------------------------------------------------------------------------------------------------


def _integrate_out(part: Summand) -> Outcome | None:
    """Integrate out a block that is Gaussian given the others: ``a x^2 + b x`` leaves ``log(a)/2 -
    b^2/(4 a)``.

    None if there is no such block.
    """
    if len(part.blocks) == 1:
        return None
    for block in part.blocks:
        if block.domain != S.Reals:
            continue
        q = as_quadratic(part.e, block)
        if q is None or not is_positive(q.a):
            continue
        left = q.rest + contract(log_of(q.a) / 2 - q.b**2 / (4 * q.a), block)
        others = tuple(b for b in part.blocks if b != block)
        outcome = decide_finite(left, others)
        how = f"{block} is Gaussian given the rest and is integrated out"
        witness = outcome.witness and replace(
            outcome.witness, finding=f"{outcome.witness.finding}, without {block}"
        )
        return Outcome(outcome.verdict, f"{how}; {outcome.by}", witness, outcome.assumed)
    return None


def _assume_normalisable_potential(part: Summand) -> Outcome | None:
    """Assume that ``exp(-U)`` is normalisable, and prove that the rest of H is bounded below.

    None if abstract potentials do not cover all blocks of the part.
    """
    terms = Add.make_args(part.e)
    abstract = [t for t in terms if abstract_potential(t)]
    covered = {b for t in abstract for b in abstract_potential(t)}
    if not abstract or covered != set(part.blocks):
        return None
    rest = Add(*(t for t in terms if t not in abstract))
    together = Add(*abstract)
    if not is_bounded_below_apart(rest, part.blocks):
        return undecided(
            f"whether exp(-({_short(part.e)})) is normalisable depends on the unknown function"
        )
    beside = "" if rest == 0 else ", and what is added to it in H is bounded below"
    shown = (
        text(together)
        if len(abstract) == 1 and not isinstance(together, Mul)
        else f"({text(together)})"
    )
    return proved(
        f"exp(-{shown}) is taken to be normalisable{beside}",
        f"exp(-{shown}) is normalisable{meant_of(together, part.blocks)}",
    )


def _grows_like_a_power(part: Summand) -> Outcome | None:
    found = coercive(part.e, part.blocks)
    if found is None or found.assumptions:
        return None
    infinite = [
        b for b in part.blocks if not on_simplex(b) and any(end.infinite for end in ends(b))
    ]
    if any(found.powers[b] is None or not is_positive(found.powers[b]) for b in infinite):
        return None
    return proved("H grows at least like a power in every direction")


def _infinite_at_length_one(part: Summand) -> Outcome | None:
    """Refute by one coordinate whose tail is infinite whatever the others are (Tonelli's theorem).

    Every vector has length 1 in the witness. None if no such coordinate was found.
    """
    if any(on_simplex(b) for b in part.blocks):
        return None
    e = at_length_one(part.e)
    lengths = {str(b.length): "1" for b in part.blocks if isinstance(b, Vector)}
    for x in part.blocks:
        for end in ends(x):
            if is_integrable(e, x, end) is False:
                return refuted("exp(-H) is not integrable", _witness(e, x, end, **lengths))
    return None


def _infinite_at_length_two(part: Summand) -> Outcome | None:
    """Refute it where each vector has two coordinates; None if it is not refuted there."""
    vectors = [b for b in part.blocks if isinstance(b, Vector)]
    if not vectors or any(map(on_simplex, vectors)) or len(vectors) > MAX_VECTORS_WRITTEN_OUT:
        return None
    written_out = in_coordinates(part.written, part.blocks, 2)
    outcome = None if written_out is None else decide_finite(*written_out)
    if outcome is None or outcome.witness is None:
        return None
    point = {**{str(b.length): "2" for b in vectors}, **outcome.witness.point}
    return replace(outcome, witness=replace(outcome.witness, point=point))


# -- equal or equivalent integrals
# --------------------------------------------------------------------------------------------------


def _without_bounded_terms(part: Summand) -> Outcome | None:
    """Leave out terms that are bounded: they change the integral by a bounded factor.

    None if there are none.
    """
    terms = Add.make_args(part.written)
    bounded = [t for t in terms if is_bounded_everywhere(t, part.blocks)]
    if not bounded:
        return None
    outcome = decide_finite(Add(*(t for t in terms if t not in bounded)), part.blocks)
    return _found(outcome, f"{_short(Add(*bounded))} is bounded")


def _on_half_line(part: Summand) -> Outcome | None:
    """Put ``u = exp(-s)`` for a coordinate between 0 and 1, with the Jacobian ``exp(-s)``.

    There the sign of ``1 - u^a`` is that of an exponent. None if it is not decided there.
    """
    (x, *others) = part.blocks
    if others or not isinstance(x, Scalar) or x.domain not in (Interval.open(0, 1), Interval(0, 1)):
        return None
    s = Scalar(f"minus_log_{x.name}", domain=Interval.open(0, oo))
    return _found(decide_finite(part.written.xreplace({x: exp(-s)}) + s, (s,)), f"{x} = exp(-{s})")


def _by_components(part: Summand) -> Outcome | None:
    """Decide a sum of densities by each of them; None if it is no such sum, or is not decided."""
    found = [decide_finite(e, part.blocks) for e in components(part.written, part.blocks)]
    if not found:
        return None
    whole = conjunction(
        [(f"component {k}", o) for k, o in enumerate(found, 1)],
        by="; ".join(dict.fromkeys(o.by for o in found)),
    )
    return _found(whole, "it is finite if each component of the sum has a finite mass")


def _moved_apart(part: Summand) -> Outcome | None:
    """Shift or scale a block by what depends on the others, if fewer blocks stand together then.

    None if there is no such map, or the integral is not decided after it.
    """
    together = couples(part.e, part.blocks)
    for block in part.blocks if together else ():
        for moved in moves(part.written, block):
            try:
                left = couples(moved.W, part.blocks)
            except TooManyTermsError:
                continue
            if len(left) < len(together):
                found = _found(decide_finite(moved.W, part.blocks), moved.how)
                if found is not None:
                    return found
    return None


def _found(outcome: Outcome, how: str) -> Outcome | None:
    """The outcome with a remark on how it was reached; None if it is undecided."""
    if outcome.verdict is Verdict.UNDECIDED:
        return None
    return replace(outcome, by=f"{how}; {outcome.by}")


def _short(e: Expr) -> str:
    shown = text(e)
    return shown if len(shown) <= MAX_EXPRESSION_CHARS else "..."


def _by_liouville(part: Summand) -> Outcome | None:
    return decide_liouville(part.e, part.blocks[0]) if len(part.blocks) == 1 else None


def _by_either_form(
    decide: Callable[[Expr, tuple[Block, ...]], Outcome | None],
) -> Callable[[Summand], Outcome | None]:
    """A method that looks at the part as it is written, then multiplied out."""
    return lambda part: decide(part.written, part.blocks) or decide(part.e, part.blocks)


METHODS: tuple[Callable[[Summand], Outcome | None], ...] = (
    _integrate_out,
    _assume_normalisable_potential,
    _by_liouville,
    _grows_like_a_power,
    _infinite_at_length_one,
    _by_either_form(decide_homogeneous),
    _without_bounded_terms,
    _by_components,
    _by_either_form(decide_by_directions),
    lambda part: decide_polynomial(part.e, part.blocks),
    lambda part: decide_exchangeable(part.e, part.blocks),
    _moved_apart,
    lambda part: refute_on_horn(part.e, part.blocks),
    _on_half_line,
    _infinite_at_length_two,
)  # the cheap ones first
