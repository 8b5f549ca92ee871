"""Quantities that the process keeps: each of their values has an invariant law of its own, if any.

A function c with ``L c = 0`` and ``D grad c = 0`` keeps its value. If exp(-H) is invariant, so is
its restriction to a set of values of c.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from sympy import Add, Expr, Rational, S

from recipe.declare.dynamics import Dynamics
from recipe.language.blocks import Block, Vector
from recipe.language.calculus import gradient, inner
from recipe.language.entry import parts
from recipe.language.errors import OutsideLanguageError
from recipe.language.free_symbols import blocks_in
from recipe.language.text import text
from recipe.signs.defined import is_smooth
from recipe.signs.sign import is_nonnegative
from verify.decide.zero.decide import decide_zero, vanishes
from verify.generator.coupling import own_diffusion
from verify.generator.one_dimension import at_length_one
from verify.verdict import Outcome, Verdict, Witness, refuted

Point = dict[Block, Expr]
SLOPES = tuple(Rational(k) for k in (-2, -1, 1, 2))  # of b + c e, in which pairs are looked for


def refute_uniqueness(dynamics: Dynamics, H: Expr) -> Outcome | None:
    """Refute uniqueness by a quantity that is kept, or by a point of rest; None if none is
    found.
    """
    if any(b.domain != S.Reals for b in dynamics.state):
        return None  # what happens at an edge may change the quantity
    found = next(_kept_energies(dynamics, H), None) or next(_kept_differences(dynamics), None)
    if found is not None or not is_smooth(*dynamics.coefficients()):
        return found
    return next(_walls(dynamics), None) or _rest(dynamics)


def _kept_energies(dynamics: Dynamics, H: Expr) -> Iterator[Outcome]:
    """Yield refutations by H, or by its terms in the blocks without noise."""
    silent = tuple(b for b in dynamics.state if _has_no_noise(dynamics, b))
    for c in dict.fromkeys((H, Add(*(t for t in Add.make_args(H) if blocks_in(t, silent))))):
        if not blocks_in(c, dynamics.state) <= set(silent):
            continue
        slope = {b: gradient(c, b) for b in dynamics.state}
        changes = any(decide_zero(e).verdict is Verdict.REFUTED for e in slope.values())
        if changes and vanishes(inner(dynamics.drift, slope)):
            yield _refuted_by(c, "H" if c == H else text(c))


def _has_no_noise(dynamics: Dynamics, block: Block) -> bool:
    entries = (dynamics.diffusion[block, other] for other in dynamics.state)
    return all(p == 0 for entry in entries for p in parts(entry))


def _kept_differences(dynamics: Dynamics) -> Iterator[Outcome]:
    """Yield refutations by a sum ``b + c e`` of two blocks, coordinate by coordinate."""
    for b, e in combinations(dynamics.state, 2):
        if isinstance(b, Vector) is not isinstance(e, Vector) or (
            isinstance(b, Vector) and isinstance(e, Vector) and b.length != e.length
        ):
            continue
        for c in SLOPES:
            if vanishes(dynamics.drift[b] + c * dynamics.drift[e]) and all(
                vanishes(p + c * q)
                for other in dynamics.state
                for p, q in zip(
                    parts(dynamics.diffusion[b, other]),
                    parts(dynamics.diffusion[e, other]),
                    strict=True,
                )
            ):
                yield _refuted_by(b + c * e, text(b + c * e))


def _refuted_by(c: Expr, shown: str) -> Outcome:
    finding = f"{shown} keeps its value, and every law of it is kept"
    return refuted(f"{shown} never changes", Witness({"kept": shown}, finding))


def _walls(dynamics: Dynamics) -> Iterator[Outcome]:
    """Yield refutations by a coordinate that never passes 0, when every vector has length 1.

    There its drift is ``x b`` and its diffusion ``x^2 a``, with b and a bounded on bounded sets: D
    is nowhere negative, so that its slope vanishes as well. So log|x| stays finite until the
    process explodes.
    """
    for x in dynamics.state:
        f, D = (at_length_one(e) for e in (dynamics.drift[x], own_diffusion(dynamics, x)))
        here = {x: S.Zero}
        if is_nonnegative(D) and _is_zero_at(f, here) and _is_zero_at(D, here):
            finding = (
                f"at {x} = 0 drift and noise of {x} vanish, so that it never changes its sign: the"
                f" laws of {x} < 0 and of {x} > 0 are kept by themselves"
            )
            yield refuted(f"{x} never passes 0", Witness(_at(dynamics, here), finding))


def _rest(dynamics: Dynamics) -> Outcome | None:
    """Refute uniqueness by the law of a point at which the process rests, if that is 0."""
    origin = dict.fromkeys(dynamics.state, S.Zero)
    moved = [at_length_one(e) for e in dynamics.coefficients()]
    if not all(_is_zero_at(e, origin) for e in moved):
        return None
    witness = Witness(_at(dynamics, origin), "drift and D vanish there, and the process rests")
    return refuted("the law of one point is invariant as well", witness)


def _is_zero_at(e: Expr, point: Point) -> bool:
    """Return True if an expression at length one is proved to vanish where some blocks have given
    values.
    """
    try:
        return vanishes(e.xreplace(point))  # type: ignore[arg-type]
    except OutsideLanguageError:  # an abstract function stands at the state only
        return False


def _at(dynamics: Dynamics, point: Point) -> dict[str, str | list[str]]:
    shown: dict[str, str | list[str]] = {
        str(b.length): "1" for b in dynamics.state if isinstance(b, Vector)
    }
    return shown | {str(b): str(v) for b, v in point.items()}
