"""Reading an expression into canonical form, from the inside out.

Every rewrite here is an identity of real numbers wherever the expression is defined: products of
exponentials, logarithms and roots are taken apart only into factors that are proved positive.
(``well-defined`` proves that the expression is defined.)
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable
from functools import singledispatchmethod

from sympy import (
    Abs,
    Add,
    Expr,
    Function,
    Integer,
    Mul,
    Pow,
    Rational,
    Symbol,
    cos,
    cosh,
    exp,
    factorint,
    log,
    sign,
    sin,
    sinh,
    tan,
    tanh,
)
from sympy.core.function import AppliedUndef
from sympy.core.numbers import Exp1, Pi

from recipe.language.abstract import DenseEntry, Jet, Partial
from recipe.language.blocks import Block
from recipe.language.symbols import OTHER, Indexed
from recipe.language.total import Total, labels, relabel
from recipe.signs.low_degree import affine_at
from recipe.signs.sign import is_nonzero, is_positive
from verify.decide.zero.errors import CannotDecideError, TableFullError
from verify.decide.zero.generators import CAPACITIES, Generators
from verify.decide.zero.ratio import Poly, Ratio, factors_of, ratio
from verify.decide.zero.sums import FIRST_OPEN_LABEL, SumGenerators

RootKey = tuple[str, Hashable]  # the radicand: ("exp", a term) or ("power", a positive factor)

# Two powers of exp(x) are written as powers of one generator, exp(x/n), only while n and both
# powers stay below this; exp(998*x/997) and exp(x/997) remain two unrelated generators.
MAX_GENERATOR_POWER = 64


def is_zero(e: Expr) -> bool:
    """Return True if the canonical form of the expression is zero, which proves that it is
    identically zero.

    False proves nothing: functions may be related in a way that the canonical form does not know.

    Raises:
        CannotDecideError: if the expression has no canonical form, or one that is too large.
    """
    for capacity in CAPACITIES:
        canonical = Canonical(capacity)
        try:
            # Read again, if need be, now that all roots are known: arguments read early may have
            # used coarser ones.
            return canonical.read(e).is_zero() or (
                canonical.refined and canonical.read_again(e).is_zero()
            )
        except TableFullError:
            if capacity == CAPACITIES[-1]:
                raise
    return False


def normalised(e: Expr) -> Expr:
    """Return the same function written in canonical form, so that what cancels is gone.

    The expression itself is returned if it has no canonical form. It may stand inside of sums: the
    labels that these bind are kept apart while it is read, as sums in canonical form bind the
    smallest labels; where one of those is among them, the expression is returned as well.
    """
    bound_around = sorted(k for k in labels(e) if k > 0)
    apart = [min({OTHER, *labels(e)}) - 1 - n for n in range(len(bound_around))]
    canonical = Canonical()
    try:
        settled = canonical.generators.expression(canonical.read(_moved(e, bound_around, apart)))
    except CannotDecideError:
        return e
    bound = {t.index.label for t in settled.atoms(Total)}
    if bound_around and max(bound, default=0) >= bound_around[0]:
        return e
    return _moved(settled, apart, bound_around)


def _moved(e: Expr, old: list[int], new: list[int]) -> Expr:
    """The expression with labels replaced one after another, none of which is among the new."""
    for before, after in zip(old, new, strict=True):
        e = relabel(e, before, after)
    return e


class Canonical:
    """Reads expressions into one polynomial ring, so that equal functions become equal ratios."""

    def __init__(self, capacity: int = CAPACITIES[-1]) -> None:
        self.generators = Generators(capacity)
        self.sums = SumGenerators(self.generators)
        self._seen: dict[Expr, Ratio] = {}
        self._finest: dict[RootKey, int] = {}
        # True once a generator in use was rewritten as a power of a finer root: reading the
        # expression a second time may then cancel more
        self.refined = False

    def read(self, e: Expr) -> Ratio:
        """Return the expression as a reduced ratio of polynomials in the generators.

        Raises:
            CannotDecideError: if the expression has no canonical form, or one that is too large.
        """
        if e not in self._seen:
            try:
                self._seen[e] = self.generators.reduce(self._read(e))
            except ZeroDivisionError as error:
                raise CannotDecideError(f"{error}: {e}") from None
            except OverflowError:  # of python-flint, whose exponents are machine words
                raise CannotDecideError("a power is too high for a canonical form") from None
        return self._seen[e]

    def read_again(self, e: Expr) -> Ratio:
        """Read an expression anew, with every relation between generators that was found since."""
        self._seen.clear()
        return self.read(e)

    @singledispatchmethod
    def _read(self, e: Expr) -> Ratio:
        raise CannotDecideError(f"no canonical form is known for {type(e).__name__}")

    @_read.register
    def _(self, e: Rational) -> Ratio:
        return self.generators.number(int(e.p), int(e.q))

    @_read.register(Symbol)
    @_read.register(Partial)
    @_read.register(DenseEntry)
    @_read.register(Pi)
    def _(self, e: Expr) -> Ratio:
        return self.generators.generator(e, e)

    @_read.register
    def _(self, e: Exp1) -> Ratio:
        return self._exponential(self.generators.number(1))

    @_read.register
    def _(self, e: Add) -> Ratio:
        parts = [self.read(a) for a in e.args]
        return sum(parts[1:], parts[0])

    @_read.register
    def _(self, e: Mul) -> Ratio:
        return math.prod((self.read(a) for a in e.args), start=self.generators.number(1))

    @_read.register
    def _(self, e: Pow) -> Ratio:
        base, power = e.as_base_exp()
        if power.is_Integer:
            if abs(int(power)) > 4 * MAX_GENERATOR_POWER:
                raise CannotDecideError(f"the power {power} is too high for a canonical form")
            return self.read(base) ** int(power)
        if power.is_Rational and abs(power.p) <= 4 * MAX_GENERATOR_POWER:
            return self._rational_power(self.read(base), power)
        if is_positive(base):
            return self._exponential(
                self.generators.reduce(self.read(power) * self._logarithm(self.read(base)))
            )
        return self._opaque(Pow, base, power)

    @_read.register
    def _(self, e: exp) -> Ratio:
        return self._exponential(self.read(e.args[0]))

    @_read.register
    def _(self, e: log) -> Ratio:
        return self._logarithm(self.read(e.args[0]))

    # sympy's ``rewrite(exp)`` would rewrite the argument as well: sinh(sin(x)) with exp(I*x).
    @_read.register(sinh)
    @_read.register(cosh)
    @_read.register(tanh)
    def _(self, e: Expr) -> Ratio:
        up = self.read(exp(e.args[0]))
        down = self.generators.number(1) / up
        sine, cosine = up - down, up + down
        if isinstance(e, tanh):
            return sine / cosine
        return (sine if isinstance(e, sinh) else cosine) / self.generators.number(2)

    @_read.register
    def _(self, e: sin) -> Ratio:
        return self._opaque(sin, *e.args)

    @_read.register
    def _(self, e: cos) -> Ratio:
        settled = cos(self._settled(e.args[0]))
        if not isinstance(settled, cos):
            return self.read(settled)
        cosine = self.generators.generator(settled, settled)
        self.generators.relate(
            cosine, 2, self.generators.number(1) - self.read(sin(settled.args[0])) ** 2
        )
        return cosine

    @_read.register
    def _(self, e: Abs) -> Ratio:
        return self._side(e.args[0]) * self.read(e.args[0])

    @_read.register
    def _(self, e: sign) -> Ratio:
        if not _vanishes_at_single_points(e.args[0]):
            raise CannotDecideError(f"{e} is 0 where {e.args[0]} is, and its square is not 1 there")
        return self._side(e.args[0])

    def _side(self, e: Expr) -> Ratio:
        """The sign of an expression where it is not 0; times the expression, right everywhere."""
        settled = sign(self._settled(e))
        if not isinstance(settled, sign):
            return self.read(settled)
        return self.generators.sign(settled)

    @_read.register
    def _(self, e: tan) -> Ratio:
        return self.read(sin(e.args[0])) / self.read(cos(e.args[0]))

    @_read.register(Function)
    @_read.register(AppliedUndef)
    def _(self, e: Expr) -> Ratio:
        return self._opaque(e.func, *e.args)

    @_read.register
    def _(self, e: Jet) -> Ratio:
        arguments = [self._settled(a) for a in e.applied.args]
        settled = Jet(e.applied.func(*arguments), e.orders)
        return self.generators.generator(settled, settled)

    @_read.register
    def _(self, e: Total) -> Ratio:
        label = next(k for k in itertools.count(FIRST_OPEN_LABEL, -1) if k not in labels(e.body))
        return self.sums.read(self.read(relabel(e.body, e.index.label, label)), e.index.at(label))

    def _settled(self, e: Expr) -> Expr:
        """The argument rewritten in canonical form, so that equal arguments become the same
        expression.
        """
        return self.generators.expression(self.read(e))

    def _opaque(self, function: type[Expr], *arguments: Expr) -> Ratio:
        settled = function(*(self._settled(a) for a in arguments))
        if not isinstance(settled, function):  # sympy knows the value, as of sin(0)
            return self.read(settled)
        return self.generators.generator(settled, settled)

    # -- exp
    # ----------------------------------------------------------------------------------------------

    def _exponential(self, argument: Ratio) -> Ratio:
        """``exp(sum of terms)`` as the product of ``exp(term)``."""
        content = argument.den.content()
        den = argument.den // content
        result = self.generators.number(1)
        for exponents, coefficient in argument.num.to_dict().items():
            term = ratio(self.generators.context.from_dict({exponents: 1}), den)
            common = math.gcd(int(coefficient), int(content))
            result *= self._exp_term(term, int(coefficient) // common, int(content) // common)
        return result

    def _exp_term(self, term: Ratio, p: int, q: int) -> Ratio:
        """``exp(p/q * term)`` as a power of one generator, or of x where the term is ``log(x)``."""
        meaning = self.generators.expression(term)
        if isinstance(meaning, log):
            return self._rational_power(self.read(meaning.args[0]), Rational(p, q))
        return self._fraction_of(("exp", term.key()), p, q, lambda r: exp(r * meaning))

    def _fraction_of(
        self, key: RootKey, p: int, q: int, meaning: Callable[[Rational], Expr]
    ) -> Ratio:
        """``g^(p/q)``, a power of the finest root of g seen so far; ``meaning(1/n)`` is the n-th
        root of g.
        """
        finest = self._finest.get(key, 1)
        n = math.lcm(finest, q)
        if n > MAX_GENERATOR_POWER or abs(p) * n // q > MAX_GENERATOR_POWER:
            return self.generators.generator((*key, p, q), meaning(Rational(p, q)))
        generator = self.generators.generator((*key, n), meaning(Rational(1, n)))
        if n != finest and self.generators.known((*key, finest)):
            coarse = self.generators.generator((*key, finest), meaning(Rational(1, finest)))
            self.refined = True
            self.generators.relate(coarse, 1, generator ** (n // finest))
        self._finest[key] = n
        return generator ** (p * n // q)

    # -- log and roots
    # ----------------------------------------------------------------------------------------------

    def _logarithm(self, argument: Ratio) -> Ratio:
        rest, positive = self._positive_factors(argument)
        result = self.generators.number(0)
        if rest is not None:
            e = self.generators.expression(rest)
            result = self.generators.generator(log(e), log(e))
        for factor, power in positive:
            result += self._log_factor(factor) * self.generators.number(power)
        return result

    def _log_factor(self, factor: Expr) -> Ratio:
        if isinstance(factor, exp):
            return self.read(factor.args[0])
        if (
            isinstance(factor, Pow) and factor.exp.is_Rational
        ):  # the generator of a root of an irreducible factor
            return self._log_factor(factor.base) * self.read(factor.exp)
        if isinstance(factor, Pow):
            return self._logarithm(self.read(factor.base)) * self.read(factor.exp)
        return self.generators.generator(log(factor), log(factor))

    def _rational_power(self, base: Ratio, power: Rational) -> Ratio:
        if base.is_zero():
            if power <= 0:
                raise ZeroDivisionError("a power of zero")
            return base
        rest, positive = self._positive_factors(base)
        p, q = int(power.p), int(power.q)
        result = self.generators.number(1)
        if rest is not None:
            root = self._opaque_root(rest, q)
            result = root**p
        for factor, n in positive:
            result *= self._factor_power(factor, Rational(n * p, q))
        return result

    def _opaque_root(self, base: Ratio, q: int) -> Ratio:
        e = self.generators.expression(base)
        root = self.generators.generator(("root", base.key(), q), Pow(e, Rational(1, q)))
        self.generators.relate(root, q, base)
        return root

    def _factor_power(self, factor: Expr, power: Rational) -> Ratio:
        if isinstance(factor, exp):
            return self._exponential(self.read(factor.args[0]) * self.read(power))
        if isinstance(factor, Pow) and not factor.exp.is_Rational:
            return self._exponential(
                self.generators.reduce(self._log_factor(factor) * self.read(power))
            )
        if isinstance(factor, Pow):  # the generator of a root
            factor, power = factor.base, factor.exp * power
        whole = power.p // power.q
        return self.read(factor) ** whole * self._root_power(factor, power - whole)

    def _root_power(self, factor: Expr, power: Rational) -> Ratio:
        """A power between 0 and 1 of a positive factor."""
        if power == 0:
            return self.generators.number(1)
        key = ("power", factor)
        result = self._fraction_of(key, int(power.p), int(power.q), lambda r: Pow(factor, r))
        finest = self._finest.get(key, 1)
        if finest > 1:
            root = self.generators.generator((*key, finest), Pow(factor, Rational(1, finest)))
            value = self.read(factor)
            if value.is_generator() and value.key() != root.key():
                # A symbol becomes a power of its root: otherwise two generators would stand for
                # powers of the same number, and be treated as independent.
                self.refined = True
                self.generators.relate(value, 1, root**finest)
            elif value.key() != (root**finest).key():
                self.generators.relate(root, finest, value)
        return result

    def _positive_factors(self, r: Ratio) -> tuple[Ratio | None, list[tuple[Expr, int]]]:
        """Split off the factors that are proved positive, as (factor, power).

        The first item is the product of all other factors, or None if there are none.
        """
        generators = self.generators
        positive: list[tuple[Expr, int]] = []
        rest = generators.number(1)
        for poly, side in ((r.num, 1), (r.den, -1)):
            constant, factors = factors_of(poly)
            for prime, n in factorint(abs(constant), limit=10_000).items():
                positive.append((Integer(prime), side * n))
            if constant < 0:
                rest *= generators.number(-1)
            for factor, n in factors:
                e, oriented = self._oriented(factor)
                if e is not None:
                    positive.append((e, side * n))
                    if oriented < 0 and n % 2:
                        rest *= generators.number(-1)
                else:
                    rest *= Ratio(factor, generators.number(1).den) ** (side * n)
        if rest.den == 1 and rest.num == -1:
            raise CannotDecideError(
                f"a root or logarithm of {generators.expression(r)}, which is negative"
            )
        nothing_left = rest.den == 1 and rest.num == 1
        return (None if nothing_left else rest), positive

    def _oriented(self, factor: Poly) -> tuple[Expr | None, int]:
        """``(f, 1)`` or ``(-f, -1)``, whichever is proved positive, or ``(None, 1)``."""
        e = self.generators.poly_expression(factor)
        if is_positive(e):
            return e, 1
        if is_positive(-e):
            return -e, -1
        return None, 1


def _vanishes_at_single_points(e: Expr) -> bool:
    """Return True if an expression moves evenly with a real symbol, whatever all others are.

    It is 0 at single points then, which are judged apart as kinks; ``n - 3`` is 0 for a number n.
    """
    coordinates = (s for s in sorted(e.free_symbols, key=str) if isinstance(s, Block | Indexed))
    found = (affine_at(e, s) for s in coordinates)
    return any(f is not None and is_nonzero(f[0]) for f in found)
