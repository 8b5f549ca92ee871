"""Points, or subspaces of codimension 2 or more, where coefficients are not smooth:
``sqrt(x**2 + y**2)``.

A quadratic form b of m >= 2 coordinates is positive definite, so that it vanishes where these
coordinates have one value: on a set S of codimension m. The surfaces at the distance r of S have an
area of the order r^(m - 1). So there is no flux into S in the limit, and a vector field is
integrable, if it is at most of an order above ``-(m - 1)`` in r. The current ``x/|x|^m`` of a
source has just that order.

An order is bounded by structure alone: each of the coordinates, less its value on S, is at most a
multiple of ``b**(1/2)``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sympy import (
    Add,
    Dummy,
    Expr,
    Matrix,
    Mul,
    Poly,
    PolynomialError,
    Pow,
    Rational,
    S,
    atan,
    cancel,
    cos,
    erf,
    exp,
    expand,
    hessian,
    sin,
    tanh,
    together,
)

from recipe.language.blocks import Block, Scalar
from recipe.language.calculus import ABSTRACT_ATOMS, freeze, thaw
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import generic
from recipe.language.total import Total, opened
from recipe.signs.sign import is_nonzero, is_positive
from verify.decide.smoothness import faults
from verify.decide.zero.canonical import normalised
from verify.decide.zero.decide import vanishes

HALF = Rational(1, 2)
BOUNDED_FUNCTIONS = (sin, cos, tanh, atan, erf)


@dataclass(frozen=True)
class Form:
    """A positive definite quadratic form of two coordinates or more.

    Attributes:
        b: the form.
        state: the state of the process.
        values: its coordinates, with their values where it vanishes.
    """

    b: Expr
    state: tuple[Block, ...]
    values: dict[Block, Expr]

    @property
    def codimension(self) -> int:
        """The least codimension of the set where it vanishes, as a vector has one coordinate or
        more.
        """
        return len(self.values)


def form_of(b: Expr, state: tuple[Block, ...]) -> Form | None:
    """Return an expression as a positive definite quadratic form of two coordinates or more; None
    if it is none.

    A vector may stand in it as a positive multiple of the sum of its squares.
    """
    sums = [term for term in Add.make_args(expand(b)) if term.has(*ABSTRACT_ATOMS)]
    vectors = [_summed_square(term) for term in sums]
    rest = expand(b - Add(*sums))
    scalars = sorted((s for s in rest.free_symbols if s in state), key=str)
    if not all(v in state for v in vectors) or not all(isinstance(s, Scalar) for s in scalars):
        return None
    values = _zero_of(rest, scalars)
    if values is None or len({*vectors, *values}) < 2:
        return None
    return Form(b, state, values | {v: S.Zero for v in vectors if v is not None})


def _summed_square(term: Expr) -> Block | None:
    """Return the vector whose squares a term sums, times a positive factor; None otherwise."""
    factor, (total, *others) = term.as_independent(Total)[0], term.atoms(Total)
    if others or term != factor * total or not is_positive(factor):
        return None
    root = total.body.args[0] if isinstance(total.body, Pow) and total.body.exp == 2 else None
    is_own = root is not None and getattr(root, "label", None) == total.index.label
    return generic(root) if is_own else None


def _zero_of(form: Expr, scalars: list[Scalar]) -> dict[Block, Expr] | None:
    """Return where a polynomial of scalars vanishes, if it is a positive definite quadratic form
    around this point; None otherwise.
    """
    if not scalars:
        return {} if form == 0 else None
    if not form.is_polynomial(*scalars) or Poly(form, *scalars).total_degree() != 2:
        return None
    curvature = hessian(form, scalars)
    minors = (curvature[:k, :k].det() for k in range(1, len(scalars) + 1))
    if not all(is_positive(minor) for minor in minors):
        return None
    slope = Matrix([form.diff(s).xreplace(dict.fromkeys(scalars, S.Zero)) for s in scalars])
    values = dict(zip(scalars, -curvature.LUsolve(slope), strict=True))
    return values if vanishes(form.xreplace(values)) else None


def is_multiple(e: Expr, form: Form) -> bool:
    """Return True if an expression is a positive constant times the form."""
    ratio = cancel(together(freeze(e / form.b)[0]))
    return not blocks_in(ratio, form.state) and ratio.is_finite is not False and is_positive(ratio)


def are_apart(a: Form, b: Form) -> bool:
    """Return True if two forms are proved to vanish on sets at a positive distance: a coordinate of
    both has two values there.
    """
    return any(is_nonzero(normalised(a.values[s] - b.values[s])) for s in a.values if s in b.values)


def has_no_source(e: Expr, form: Form, elsewhere: Iterable[Form] = ()) -> bool:
    """Return True if a vector field with this component is proved to have no flux into the set
    where the form vanishes, and to be integrable there.

    The component must be continuous on the closure of each of the regions at hand, but for zeros of
    multiples of the form, and of forms that vanish ``elsewhere``, apart from it: near the set each
    power of these is bounded.
    """
    bounded = {
        p: Dummy("bounded", positive=True)
        for p in e.atoms(Pow)
        if p.exp.is_Rational and any(is_multiple(p.base, other) for other in elsewhere)
    }
    # a common denominator lets terms cancel, and may hide what vanishes: (x - 1)/r as x/r - 1/r
    written = e.xreplace(bounded)
    orders = [_order(way, form) for way in (_tidied(written), written)]
    return any(
        order is not None and order > -HALF * (form.codimension - 1) for order in orders
    )  # of a power of b


def _tidied(e: Expr) -> Expr:
    frozen, stands_for = freeze(e)
    try:
        return thaw(cancel(together(frozen)), stands_for)
    except PolynomialError:
        return e


def _order(e: Expr, form: Form) -> Expr | None:
    """Return a power of the form of which an expression is at most a multiple, near each point of
    the set where it vanishes; None if none is known.
    """
    by_parts = _order_by_parts(e, form)
    if any(fault.order < 0 for fault in faults(e, form.state)):
        return by_parts
    return S.Zero if by_parts is None else max(by_parts, S.Zero)  # it is continuous, and so bounded


def _order_by_parts(e: Expr, form: Form) -> Expr | None:
    if isinstance(e, Total):
        return _order(opened(e)[0], form)
    polynomial = _order_of_polynomial(e, form)
    if polynomial is not None:
        return polynomial
    if isinstance(e, Pow) and e.exp.is_Rational and is_multiple(e.base, form):
        return e.exp
    found = [_order(a, form) for a in e.args]
    orders = [order for order in found if order is not None]
    if not orders or len(orders) < len(found):
        return None
    if isinstance(e, Add):
        return min(orders)
    if isinstance(e, Mul):
        return Add(*orders)
    if isinstance(e, Pow) and e.exp.is_Integer and e.exp > 0:
        return e.exp * orders[0]
    is_bounded = isinstance(e, BOUNDED_FUNCTIONS) or (isinstance(e, exp) and orders[0] >= 0)
    return S.Zero if is_bounded else None


def _order_of_polynomial(e: Expr, form: Form) -> Expr | None:
    """Return half the least degree of a polynomial in the distances of its coordinates from where
    the form vanishes.
    """
    own = {s: generic(s) for s in e.free_symbols if generic(s) in form.values}
    if not own or e.has(*ABSTRACT_ATOMS) or not e.is_polynomial(*own):
        return None
    around = e.xreplace({s: s + form.values[block] for s, block in own.items()})
    terms = Poly(around, *own).monoms()
    return HALF * min(sum(powers) for powers in terms)
