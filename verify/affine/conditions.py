"""What remains of conditions once everything that is proved positive is taken off them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sympy import Add, Expr, Mul, S

from verify.affine.exact import Exact
from verify.signs.sign import NEGATIVE, POSITIVE, possible_signs
from verify.zero.ratio import Ratio

RELATIONS = {">": "<", ">=": "<=", "!=": "!="}


@dataclass(frozen=True)
class Positive:
    """``e > 0``, or with another ``sign`` ``e >= 0`` or ``e != 0``."""

    e: Expr
    sign: str = ">"

    def __str__(self) -> str:
        terms = Add.make_args(self.e)
        right = Add(*(t for t in terms if not t.could_extract_minus_sign()))
        left = Add(*(-t for t in terms if t.could_extract_minus_sign()))
        return f"{left} {RELATIONS[self.sign]} {right}"


@dataclass(frozen=True)
class Conditions:
    """All of ``remaining`` must hold; ``impossible`` is what is never positive, though it should be."""

    remaining: tuple[Positive, ...]
    impossible: Expr | None = None

    def __str__(self) -> str:
        if self.impossible is not None:
            return "never"
        return " and ".join(map(str, self.remaining)) or "always"


def remaining(exact: Exact, ratios: Iterable[Ratio]) -> Conditions:
    """What is left of ``r > 0`` for all of some ratios; equivalent to it, as only positive factors are taken off."""
    stripped = [_stripped(exact, r) for r in ratios]
    failed = next((sign for sign, odd, _ in stripped if sign <= 0 and not odd), None)
    if failed is not None:
        return Conditions((), S(failed))
    nonzero = {f for _, _, even in stripped for f in even}
    products = _without_known([(sign, odd) for sign, odd, _ in stripped if odd])
    if any(sign < 0 and not odd for sign, odd in products):
        return Conditions((), S.NegativeOne)
    products = [(sign, odd) for sign, odd in products if odd]
    known = {f for _, odd in products if len(odd) == 1 for f in odd}
    found = [Positive(_oriented(exact, sign, odd)) for sign, odd in products]
    found += [Positive(exact.decays.back(f), "!=") for f in sorted(nonzero - known, key=str)]
    return Conditions(tuple(dict.fromkeys(found)))


def _stripped(exact: Exact, r: Ratio) -> tuple[int, frozenset[Expr], frozenset[Expr]]:
    """The sign of what was taken off, the factors of odd power that are left, and those of even power."""
    if r.is_zero():
        return 0, frozenset(), frozenset()
    sign, odd, even = 1, set[Expr](), set[Expr]()
    for poly in (r.num, r.den):
        constant, factors = poly.factor()
        sign *= 1 if constant > 0 else -1
        for f, n in factors:
            e = exact.canonical.generators.poly_expression(f)
            signs = possible_signs(e)
            if signs not in (POSITIVE, NEGATIVE):
                (odd if n % 2 else even).add(e)
            elif signs == NEGATIVE and n % 2:
                sign = -sign
    return sign, frozenset(odd), frozenset(even)


def _without_known(products: list[tuple[int, frozenset[Expr]]]) -> list[tuple[int, frozenset[Expr]]]:
    """A factor whose sign is a condition of its own is taken off the others."""
    while True:
        known = {next(iter(odd)): sign for sign, odd in products if len(odd) == 1}
        shorter = []
        for sign, odd in products:
            gone = [f for f in odd if f in known] if len(odd) > 1 else []
            for f in gone:
                sign *= known[f]  # noqa: PLW2901
            shorter.append((sign, odd - set(gone)))
        if shorter == products:
            return list(dict.fromkeys(products))
        products = shorter


def _oriented(exact: Exact, sign: int, odd: frozenset[Expr]) -> Expr:
    factors = sorted(odd, key=str)
    e = Mul(*factors) if len(factors) > 1 else factors[0] if factors else S.One
    return exact.decays.back((sign * e).expand() if len(factors) == 1 else sign * e)
