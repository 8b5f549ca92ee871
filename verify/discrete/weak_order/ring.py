"""Polynomials over the rationals in generators that know their derivatives.

A generator stands for a coordinate, a parameter, a noise, a derivative of an abstract function, a
root, a reciprocal or the value of a function such as ``exp``. Distinct generators are assumed to be
independent except for ``root^q = radicand``. So a zero polynomial is a proof that the expression is
zero; a polynomial that is not zero is handed to ``verify.decide.zero.decide`` as an expression.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import flint
import sympy
from flint.utils.flint_exceptions import DomainError
from sympy import Add, Expr, Integer, Mul, NumberSymbol, Pow, Rational, Symbol, factorial2
from sympy.core.function import AppliedUndef

from recipe.language.abstract import DenseEntry, Jet, Partial
from recipe.language.blocks import Block
from recipe.language.calculus import partial
from recipe.language.errors import OutsideLanguageError
from recipe.language.expectation import NOISE
from verify.decide.zero.errors import TableFullError, TooLargeError
from verify.generator.one_dimension import at_length_one

Poly = Any  # flint.fmpq_mpoly: python-flint has no public type to name here

MAX_TERMS = 200_000  # a product with more than 50 times as many pairs of terms is refused
SMOOTH = (
    sympy.exp, sympy.log, sympy.sin, sympy.cos, sympy.tan, sympy.sinh, sympy.cosh, sympy.tanh,
    sympy.atan, sympy.erf, sympy.loggamma, sympy.polygamma,
)  # fmt: skip
ATOMS = (Symbol, NumberSymbol, Partial, Jet, AppliedUndef, DenseEntry, *SMOOTH)


class Ring:
    """Polynomials over a table of generators that grows while expressions are read."""

    def __init__(self, coordinates: Sequence[Block], capacity: int) -> None:
        self.coordinates = tuple(coordinates)
        self._context = flint.fmpq_mpoly_ctx.get(("g", capacity), flint.Ordering.lex)
        self._gens = self._context.gens()
        self._index: dict[Expr, int] = {}
        self.meanings: list[Expr] = []
        self._roots: dict[int, tuple[int, Poly]] = {}
        self._derivatives: dict[tuple[int, Block], Poly] = {}

    @cached_property
    def zero(self) -> Poly:
        """The number 0."""
        return self._context.constant(0)

    def number(self, q: Rational | int) -> Poly:
        """Return a rational constant."""
        q = Rational(q)
        return self._context.constant(flint.fmpq(int(q.p), int(q.q)))

    # -- reading expressions, and writing them
    # -----------------------------------------------------------------------------------

    def read(self, e: Expr) -> Poly:
        """Return an expression as a polynomial.

        Raises:
            OutsideLanguageError: where the expression is not smooth, or its derivatives are not
                known.
        """
        if isinstance(e, Rational):
            return self.number(e)
        if isinstance(e, Add):
            return sum((self.read(a) for a in e.args), self.zero)
        if isinstance(e, Mul):
            product = self.number(1)
            for a in e.args:
                product = self.product(product, self.read(a))
            return product
        if isinstance(e, Pow):
            return self._power(e)
        if isinstance(e, ATOMS):
            return self.generator(e)
        raise OutsideLanguageError(
            f"{e} has no derivatives that are known: the order of a scheme is found for smooth"
            " expressions"
        )

    def _power(self, e: Pow) -> Poly:
        """Return a power: whole ones of polynomials, and generators for roots, reciprocals and
        symbolic exponents.
        """
        base, exponent = e.as_base_exp()
        if isinstance(exponent, Integer) and exponent > 0:
            return self.read(base) ** int(exponent)
        if not isinstance(exponent, Rational):
            return self.generator(e)
        base, exponent = e.base, e.exp
        if exponent.q == 1 and exponent > 0:
            return self.read(base) ** int(exponent)
        unit = Pow(base, Rational(1, exponent.q) if exponent > 0 else Rational(-1, exponent.q))
        if not isinstance(unit, Pow):
            return self.read(unit) ** abs(int(exponent.p))
        root = self.generator(unit)
        if exponent > 0:
            self._roots.setdefault(self._index[unit], (int(exponent.q), self.read(base)))
        return root ** abs(int(exponent.p))

    def generator(self, meaning: Expr) -> Poly:
        """Return the generator that stands for an expression; it is added to the table if it is
        new.
        """
        if meaning not in self._index:
            if meaning.has(*NOISE) and not isinstance(meaning, NOISE):
                raise OutsideLanguageError(
                    f"{meaning} is outside the language: an update must be a polynomial of its"
                    " noise"
                )
            if len(self.meanings) == len(self._gens):
                raise TableFullError(f"the expansion needs more than {len(self._gens)} generators")
            self._index[meaning] = len(self.meanings)
            self.meanings.append(meaning)
        return self._gens[self._index[meaning]]

    def expression(self, p: Poly) -> Expr:
        """Return a polynomial as an expression."""
        return Add(
            *(
                self._monomial(exponents) * Rational(int(c.p), int(c.q))
                for exponents, c in p.to_dict().items()
            )
        )

    def _monomial(self, exponents: tuple[int, ...]) -> Expr:
        return Mul(*(self.meanings[k] ** int(n) for k, n in enumerate(exponents) if n))

    def split(self, p: Poly, wanted: Sequence[int]) -> dict[tuple[int, ...], Poly]:
        """Split a polynomial by its exponents in the generators with the numbers ``wanted``; the
        values are the factors of these powers.
        """
        parts: dict[tuple[int, ...], dict[tuple[int, ...], Any]] = {}
        for exponents, c in p.to_dict().items():
            key = tuple(int(exponents[k]) for k in wanted)
            rest = list(exponents)
            for k in wanted:
                rest[k] = 0
            parts.setdefault(key, {})[tuple(rest)] = c
        return {key: self._context.from_dict(terms) for key, terms in parts.items()}

    def numbers_of(self, *polys: Poly) -> list[int]:
        """Return the numbers of the generators that occur in polynomials."""
        return sorted({k for p in polys for k, n in enumerate(p.degrees()) if n > 0})

    def number_of(self, meaning: Expr) -> int:
        """Return the number of the generator that stands for an expression."""
        self.generator(meaning)
        return self._index[meaning]

    def of_number(self, k: int) -> Poly:
        """Return the k-th generator."""
        return self._gens[k]

    # -- arithmetic
    # ----------------------------------------------------------------------------------------------

    def product(self, p: Poly, q: Poly) -> Poly:
        """Return the product.

        Raises:
            TooLargeError: where it may have too many terms.
        """
        if len(p) * len(q) > MAX_TERMS * 50:
            raise TooLargeError("the expansion has too many terms")
        return p * q

    def quotient(self, p: Poly, q: Poly) -> Poly:
        """Return the quotient: exact where it is a polynomial, and with a generator for the
        reciprocal of q otherwise.
        """
        try:
            return p / q
        except DomainError:
            return self.product(p, self.read(1 / self.expression(q)))

    def derivative(self, p: Poly, x: Block) -> Poly:
        """Return the derivative by a coordinate."""
        total = self.zero
        for k in self.numbers_of(p):
            slope = self._slope(k, x)
            if slope != 0:
                total += self.product(p.derivative(k), slope)
        return total

    def _slope(self, k: int, x: Block) -> Poly:
        if (k, x) not in self._derivatives:
            self._derivatives[k, x] = self.read(at_length_one(partial(self.meanings[k], x)))
        return self._derivatives[k, x]

    def is_constant(self, k: int) -> bool:
        """Return True if the k-th generator does not depend on the state."""
        return all(self._slope(k, x) == 0 for x in self.coordinates)

    def is_free_of(self, k: int, x: Block) -> bool:
        """Return True if the k-th generator does not depend on a coordinate."""
        return bool(self._slope(k, x) == 0)

    def mean(self, p: Poly) -> Poly:
        """Return the mean over the noises, which are independent and normal; powers of roots are
        reduced.
        """
        noises = [k for k in self.numbers_of(p) if isinstance(self.meanings[k], NOISE)]
        if not noises:
            return self.reduced(p)
        total = self.zero
        for exponents, rest in self.split(p, noises).items():
            if all(n % 2 == 0 for n in exponents):
                total += math.prod(
                    (self._moment(k, n) for k, n in zip(noises, exponents, strict=True)), start=rest
                )
        return self.reduced(total)

    def _moment(self, k: int, n: int) -> Poly:
        """Return the mean of an even power of a noise."""
        covariance = getattr(self.meanings[k], "covariance", None)
        variance = self.number(1) if covariance is None else self.read(covariance.entry(0, 0))
        return variance ** (n // 2) * int(factorial2(n - 1))

    def reduced(self, p: Poly) -> Poly:
        """Return the polynomial with ``root^q`` replaced by its radicand."""
        for k, (q, radicand) in self._roots.items():
            if p.degrees()[k] >= q:
                parts = self.split(p, [k])
                p = sum(
                    (
                        rest * self._gens[k] ** (n % q) * radicand ** (n // q)
                        for (n,), rest in parts.items()
                    ),
                    self.zero,
                )
        return p
