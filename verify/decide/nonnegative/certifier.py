"""Sign certificates: a form that equals an expression, and whose sign can be read off.

A ratio is a constant times powers of irreducible polynomials. Even powers are nonnegative. Each
factor with an odd power needs a form of its own: a sign that ``recipe.signs.sign`` proves, or a
nonnegative combination of squares times known nonnegative expressions (``combination``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isqrt

from sympy import Add, Expr, Mul, Pow, Rational, S, cos, sin

from recipe.language.assumed import cached
from recipe.language.symbols import Index
from recipe.language.total import Total, relabel
from recipe.signs.sets import NOT_NEGATIVE, NOT_POSITIVE
from recipe.signs.sign import possible_signs
from verify.decide.linear_algebra.work import TooMuchWorkError, apart, at_most, count
from verify.decide.nonnegative.combination import combination_of
from verify.decide.nonnegative.gram import sum_of_squares
from verify.decide.nonnegative.one_total import one_total
from verify.decide.nonnegative.points import possible_at_points
from verify.decide.nonnegative.products_of_totals import multiple_sum
from verify.decide.nonnegative.syntactic_forms import readable_form
from verify.decide.nonnegative.weighted_squares import weighted_squares
from verify.decide.zero.canonical import Canonical
from verify.decide.zero.decide import vanishes
from verify.decide.zero.errors import CannotDecideError
from verify.decide.zero.ratio import Poly, Ratio, factors_of
from verify.evidence import SignStep

NONNEGATIVE = ">= 0"
Method = Callable[[Poly], Expr | None]  # a nonnegative form of a polynomial, or None
# Of the search for one sign; the longest search with a result, of those in the tests, took 11.7
# million. A million steps take about a fifth of a second.
MAX_STEPS = 25_000_000
ROOT_DIGITS = 1000  # a root that is no rational number is bounded from below up to 1 in 1000


def nonnegative(e: Expr, *, combining: bool = False) -> SignStep | None:
    """Prove that an expression is nonnegative wherever it is defined; return None if that fails.

    The proof is an equal form, in the returned step, whose sign can be read off. ``combining`` also
    searches for nonnegative combinations by linear programming, which takes longer. None leaves the
    sign open; a search of more than ``MAX_STEPS`` steps is given up.

    Raises:
        TooMuchWorkError: if a search around this one has taken as many steps as it was given.
    """
    found, steps = _searched(e, combining)
    count(steps)  # of a search that is remembered as well
    return found


@cached(maxsize=4096)
def _searched(e: Expr, combining: bool) -> tuple[SignStep | None, int]:
    """A proof, or None, and the steps that the search took."""
    with apart(), at_most(MAX_STEPS) as allowance:
        try:
            form = _form(e, combining)
        except TooMuchWorkError:
            return None, MAX_STEPS
    return _confirmed(e, form), allowance.spent


def _confirmed(e: Expr, form: Expr | None) -> SignStep | None:
    if form is None or not possible_signs(form) <= NOT_NEGATIVE:
        return None
    if form != e and not vanishes(e - form):
        return None
    return SignStep(e, NONNEGATIVE, form)


def _form(e: Expr, combining: bool) -> Expr | None:
    if possible_signs(e) <= NOT_NEGATIVE:
        return readable_form(e)
    return _form_by_factors(e, combining)


def _form_by_factors(e: Expr, combining: bool) -> Expr | None:
    """A nonnegative form, found from the irreducible factors of the canonical form."""
    canonical = Canonical()
    try:
        canonical.read(e)
        return _Search(canonical, combining).of_ratio(canonical.read_again(e))
    except CannotDecideError:
        return None


@dataclass(frozen=True)
class _Search:
    """A search for nonnegative forms of polynomials in one table of generators."""

    canonical: Canonical
    combining: bool

    def of_ratio(self, r: Ratio) -> Expr | None:
        """A nonnegative form of a ratio; None if none was found."""
        above, below = self._of_poly(r.num), self._of_poly(r.den)
        if above is None or below is None:
            return None
        (p, numerator), (q, denominator) = above, below
        if p * q < 0:
            return None
        return _product([p / q, *numerator, *(Pow(f, -1, evaluate=False) for f in denominator)])

    def _of_poly(self, poly: Poly) -> tuple[Rational, list[Expr]] | None:
        """A polynomial as a constant times nonnegative forms; None if a factor has no such form."""
        constant, factors = factors_of(poly)
        number, forms = Rational(constant), list[Expr]()
        for factor, n in factors:
            e = self.canonical.generators.poly_expression(factor)
            if n % 2 == 0:
                forms.append(Pow(e, n, evaluate=False))
                continue
            found = self._of_factor(factor, e)
            if found is None:
                return None
            number *= found[0]
            forms += [found[1], *([Pow(e, n - 1, evaluate=False)] if n > 1 else [])]
        return number, forms

    def _of_factor(self, factor: Poly, e: Expr) -> tuple[int, Expr] | None:
        """An irreducible factor as ``1`` or ``-1`` times a nonnegative form; None if neither sign
        has one.
        """
        signs = possible_signs(e)
        if signs <= NOT_NEGATIVE:
            return 1, readable_form(e)
        if signs <= NOT_POSITIVE:
            return -1, readable_form((-e).expand())
        if not self.combining:
            return _first(self._quick(), factor, (1, -1))
        without = _Search(self.canonical, False)
        methods = (
            *without._quick(),
            without._by_conjugate,
            self._by_one_total,
            self._by_products_of_totals,
            self._by_weighted_squares,
            self._by_least_root,
            self._by_combination,
            self._by_conjugate,
        )
        return _first(methods, factor, possible_at_points(e))

    def _quick(self) -> tuple[Method, ...]:
        """The methods that are tried first."""
        return (
            self._by_squares,
            self._by_one_total,
            self._by_products_of_totals,
            self._by_root_taken_out,
            self._by_least_root,
        )

    def _by_squares(self, poly: Poly) -> Expr | None:
        """A sum of squares, of the polynomial as it stands or with ``1 - cos^2`` for each
        ``sin^2``.
        """
        generators = self.canonical.generators
        return sum_of_squares(poly, generators) or sum_of_squares(
            self._in_cosines(poly), generators
        )

    def _in_cosines(self, poly: Poly) -> Poly:
        """The polynomial with ``1 - cos^2`` in place of ``sin^2``, which has the same values."""
        generators = self.canonical.generators
        for k in generators.generators_of(poly):
            sine = generators.meanings[k]
            if isinstance(sine, sin) and poly.degrees()[k] > 1:
                cosine = self.canonical.read(cos(sine.args[0]))
                if cosine.is_generator():
                    poly = generators.rewritten(poly, k, 2, generators.number(1) - cosine**2).num
        return poly

    def _by_one_total(self, poly: Poly) -> Expr | None:
        """A sum of totals over one length as a single total with a nonnegative summand.

        Schur complements have this form.
        """
        found = one_total(poly, self.canonical.generators)
        if found is None:
            return None
        body, label, length = found
        form = _form(body, self.combining)
        if form is None:
            return None
        bound = 1 + max((t.index.label for t in form.atoms(Total)), default=0)
        return Total(relabel(form, label, bound), Index("", length, bound))

    def _by_products_of_totals(self, poly: Poly) -> Expr | None:
        # a summand is long and has no sign by its structure, which takes long to find out
        return multiple_sum(
            poly, self.canonical.generators, lambda body: _form_by_factors(body, self.combining)
        )

    def _by_conjugate(self, poly: Poly) -> Expr | None:
        """``a + b g = ((a + b g)^2 + (a^2 - b^2 g^2)) / (2 a)``, where the square of g is known.

        g is a square root or a cosine. The same holds with a and b g exchanged.
        """
        generators = self.canonical.generators
        for k in generators.generators_of(poly):
            square = generators.square_of(k)
            if square is None or poly.degrees()[k] != 1:
                continue
            b = generators.coefficient(poly, k)
            a = poly - b * generators.of_index(k).num
            one = generators.number(1).den
            if a.is_zero():  # then b g is the whole, of which no more is known
                continue
            gap = generators.reduce(Ratio(a * a, one) - Ratio(b * b, one) * square)
            sides = ((a, gap), (b * generators.of_index(k).num, generators.number(0) - gap))
            for larger, difference in sides:
                half = self.of_ratio(Ratio(2 * larger, one))
                norm = None if half is None else self.of_ratio(difference)
                if norm is not None and half is not None:
                    own = Pow(generators.poly_expression(poly), 2, evaluate=False)
                    return Mul(
                        Add(own, norm, evaluate=False),
                        Pow(half, -1, evaluate=False),
                        evaluate=False,
                    )
        return None

    def _by_root_taken_out(self, poly: Poly) -> Expr | None:
        """``a g^2 + b g`` as ``g (a g + b)``, with a root g whose square is written out.

        Roots of numbers stay: ``sqrt(2)`` can be taken out of everything, again and again.
        """
        generators = self.canonical.generators
        for k in generators.generators_of(poly):
            root, square = generators.meanings[k], generators.square_of(k)
            if square is None or not isinstance(root, Pow) or root.is_number:
                continue
            rest = generators.reduce(Ratio(poly, generators.number(1).den) * generators.of_index(k))
            rest = rest / square
            if rest.den.is_constant():
                form = self.of_ratio(rest)
                if form is not None:
                    return _product([root, form])
        return None

    def _by_least_root(self, poly: Poly) -> Expr | None:
        """``a + b g = (a + b m) + b (g^2 - m^2)/(g + m)`` with a root g, where ``g^2 >= m^2``.

        The number m is the root of the constant in ``g^2``: ``sqrt(1 + x^2) >= 1``.
        """
        generators = self.canonical.generators
        for k in generators.generators_of(poly):
            root = generators.meanings[k]
            if not (isinstance(root, Pow) and root.exp == S.Half) or poly.degrees()[k] != 1:
                continue
            least = root_below(root.base.as_coeff_Add()[0])
            above = root.base - least**2
            if least == 0 or not possible_signs(above) <= NOT_NEGATIVE:
                continue
            one = generators.number(1).den
            b = Ratio(generators.coefficient(poly, k), one)
            a = Ratio(poly, one) - b * generators.of_index(k)
            at_least = a + b * generators.number(least.p, least.q)
            slope = self.of_ratio(b)
            rest = None if slope is None else self.of_ratio(at_least)
            if rest is not None and slope is not None:
                down = Pow(Add(root, least, evaluate=False), -1, evaluate=False)
                return Add(rest, _product([slope, readable_form(above), down]), evaluate=False)
        return None

    def _by_weighted_squares(self, poly: Poly) -> Expr | None:
        return weighted_squares(poly, self.canonical)

    def _by_combination(self, poly: Poly) -> Expr | None:
        return combination_of(self.canonical.generators.poly_expression(poly))


def root_below(c: Rational) -> Rational:
    """A rational number that is at most the root of a rational one, and 0 if that is negative."""
    if c <= 0:
        return S.Zero
    return Rational(isqrt(int(c.p * c.q * ROOT_DIGITS**2)), c.q * ROOT_DIGITS)


def _first(
    methods: Iterable[Method], factor: Poly, signs: tuple[int, ...]
) -> tuple[int, Expr] | None:
    """A sign and a form of that sign times the factor, by the first method that finds one."""
    for method in methods:
        for sign in signs:
            form = method(sign * factor)
            if form is not None:
                return sign, form
    return None


def _product(factors: list[Expr]) -> Expr:
    kept = [f for f in factors if f != 1]
    return Mul(*kept, evaluate=False) if len(kept) > 1 else kept[0] if kept else S.One
