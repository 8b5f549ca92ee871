"""Slips of code that show in the reading: what the author may have meant, as a rule of its own.

Nothing is decided here. The verifier proposes a slip as the repair of a refuted rule where it
proves the rule that was meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from math import floor, log10
from typing import Any

from sympy import Expr, Rational, sqrt

from recipe.declare.update import Update
from recipe.language.blocks import Vector
from recipe.language.errors import RecipeError
from recipe.language.noise import Noise, ScalarNoise
from recipe.lifting.claims.claim import Claim
from recipe.lifting.rule_of_tree import RuleOfTree, drawn_at, rule_of
from recipe.lifting.tracing.trace import Front
from recipe.lifting.tree.decimals import ReadFloat, instead_of, noting
from recipe.lifting.tree.place import Place

NEAR = 0.005  # relative: 0.707 and 0.71 are near sqrt(1/2)
COMPARED = 6  # leading digits of a decimal in which what it may stand for must agree with it
SHORT = 12  # the largest numerator and denominator of what a decimal may stand for
MAX_DECIMALS = 4  # decimals that are read again
DRAWS_AS_MANY = {  # how a library draws as many numbers as an array has
    "NumpyFront": "size={x}.shape",
    "JaxFront": "the shape {x}.shape",
    "TorchFront": "torch.randn_like({x})",
}

Slip = tuple[str, Update]


def slips_of(
    front: Front,
    claim: Claim,
    target: Any,
    read: RuleOfTree,
    notes: Sequence[ReadFloat | None],
    options: Mapping[str, Any],
) -> tuple[Slip, ...]:
    """Return the rules that may have been meant, each with what must be mended for it.

    Args:
        front: the front end that traced the function.
        claim: what the user says of it.
        target: the target that is claimed.
        read: the rule that was read.
        notes: the floats that were read, in the order in which they were met; None among them for
            other notes.
        options: those of the update.
    """

    def update_of(rule: Any) -> Update:
        kept = {n: value for n, value in options.items() if n not in {"expect", "where"}}
        return Update(claim.step, rule, target, where=options.get("where", ()), **kept)

    found: list[Slip] = []
    for text, rule in (
        *_keys_drawn_from_twice(front, claim, target, read, options),
        *_one_number_for_all(front, claim, read, options),
        *_near_decimals(front, claim, target, notes, options),
    ):
        try:
            found.append((text, update_of(rule)))
        except RecipeError:
            continue  # what was meant is outside of the language
    return tuple(found)


def _again(
    front: Front,
    claim: Claim,
    target: Any,
    options: Mapping[str, Any],
    context: AbstractContextManager[None],
) -> Any:
    """Return the rule that is read within a context; None where it has no reading there."""
    try:
        with context, noting({}):
            return rule_of(front, claim, target).written(options)
    except RecipeError:
        return None


def _keys_drawn_from_twice(
    front: Front, claim: Claim, target: Any, read: RuleOfTree, options: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    repeated = read.tree.trace.draws.repeated
    if not repeated:
        return
    from recipe.lifting.fronts.jax.keys import apart  # only code of JAX has keys

    rule = _again(front, claim, target, options, apart())
    if rule is None:
        return
    key, first, again = repeated[0]
    yield (
        f"the key {key}{_at(first.place)} draws again{_at(again)}, and gives the same numbers: draw"
        f" from two keys, jax.random.split({key})",
        rule,
    )


def _one_number_for_all(
    front: Front, claim: Claim, read: RuleOfTree, options: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    """A number that was drawn once and moves every coordinate of a vector."""
    arguments = {b: name for name, b in claim.state.items()}
    for w, which in read.draws.items():
        moved = [b for b, e in read.pairs if w in e.free_symbols]
        if not isinstance(w, ScalarNoise) or w in claim.noise.values() or not moved:
            continue
        lengths = {b.length for b in moved if isinstance(b, Vector)}
        if len(lengths) != 1 or not all(isinstance(b, Vector) for b in moved):
            continue
        own: Expr = Noise(str(w), like=moved[0])
        rule = read.written(options)
        pairs = [(b, e.xreplace({w: own})) for b, e in (rule if read.sequential else rule.items())]
        x = arguments[moved[0]]
        how = DRAWS_AS_MANY[type(front).__name__].format(x=x)
        yield (
            f"{w}{_at(drawn_at(read.tree, which))} is one number for all coordinates of {moved[0]}:"
            f" draw one for each, with {how}",
            pairs if read.sequential else dict(pairs),
        )


def _near_decimals(
    front: Front,
    claim: Claim,
    target: Any,
    notes: Sequence[ReadFloat | None],
    options: Mapping[str, Any],
) -> Iterator[tuple[str, Any]]:
    near: dict[tuple[str, Expr], ReadFloat] = {}
    for number in notes:
        if number is not None:
            near |= {(number.shown, e): number for e in meant_by(number.read)}
    for (shown, e), number in list(near.items())[:MAX_DECIMALS]:
        rule = _again(front, claim, target, options, instead_of(shown, e))
        if rule is not None:
            yield (
                f"{shown}{_at(number.place)} must be {e}: compute it, or write all of its digits",
                rule,
            )


def meant_by(decimal: Expr) -> list[Expr]:
    """Return the number that a decimal may stand for: the nearest root of a short fraction, or
    short fraction that no decimal is, with the digits of the decimal. A float of many digits that
    was computed is near to many such numbers, and stands for none of them.

    Args:
        decimal: the decimal.
    """
    if not isinstance(decimal, Rational) or decimal.is_integer:
        return []
    size, sign = abs(decimal), 1 if decimal > 0 else -1
    unit = float(_unit_of_last_digit(size))
    off = {e: abs(value - float(size)) for e, value in _written_short().items() if e != size}
    close = [e for e in off if off[e] < min(unit, NEAR * float(size))]
    return [sign * e for e in sorted(close, key=lambda e: (off[e], str(e)))][:1]


def _unit_of_last_digit(size: Rational) -> Rational:
    """One unit of the last digit that is compared: what was typed was rounded or cut off there."""
    first = floor(log10(float(size)))
    units = [Rational(10) ** (first - k) for k in range(COMPARED)]
    return next((unit for unit in units if (size / unit).is_integer), units[-1])


@cache
def _written_short() -> dict[Expr, float]:
    """Roots of short fractions, and short fractions that no decimal is, with their values."""
    fractions = {Rational(n, m) for n in range(1, SHORT + 1) for m in range(1, SHORT + 1)}
    roots = [sqrt(r) for r in fractions if not sqrt(r).is_rational]
    no_decimals = [r for r in fractions if 10 ** (2 * SHORT) % r.q]
    return {e: float(e) for e in (*roots, *no_decimals)}


def _at(place: Place | None) -> str:
    return "" if place is None else f" ({place})"
