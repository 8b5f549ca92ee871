"""Integrability of densities that depend on one homogeneous function of the coordinates, such as
the length of a vector: one integral over one variable decides.

Let ``S(lambda^(1/k_1) z_1, ...) = lambda S(z)`` for every lambda > 0, with a power k for each
block, and let ``S <= 1`` be a bounded set. Then the set ``S <= s`` is the image of ``S <= 1`` under
``z -> s^(1/k) z``, and with respect to the measure ``prod z^(g - 1) dz`` (g > 0; g = 1 on the
real line) it has ``s^C`` times the mass of ``S <= 1``, where C is the sum of the ``g/k`` over all
coordinates. So

    integral of prod z^(g - 1) exp(-h(S(z))) dz = constant * integral of exp(-h(s)) s^(C - 1) ds,

which is exact: it proves and it refutes. For ``S = |z|^2`` in d dimensions C is d/2; Dirichlet's
and Liouville's integrals are the case k = 1 on the positive half line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import (
    Add,
    Expr,
    Integer,
    Interval,
    Matrix,
    Mul,
    PolynomialError,
    S,
    Symbol,
    hessian,
    ilcm,
    log,
    oo,
    preorder_traversal,
)
from sympy.core.function import AppliedUndef

from recipe.language.abstract import DenseEntry, Potential
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.calculus import abstract_atoms, contract
from recipe.language.errors import OutsideLanguageError
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import GENERIC, Length
from recipe.language.text import text
from recipe.language.total import Total, relabel, substitute
from recipe.signs.defined import is_continuous
from recipe.signs.sets import NOT_POSITIVE
from recipe.signs.sign import is_nonnegative, is_positive, possible_signs
from verify.decide.asymptotics.growth import expanded
from verify.decide.linear_algebra.minors import has_positive_minors
from verify.decide.zero.decide import vanishes
from verify.diffusion.infinity.ends import ends, is_integrable
from verify.diffusion.infinity.separation import (
    as_quadratic,
    of_one_coordinate,
    of_one_coordinate_each,
    scaled_total,
)
from verify.diffusion.infinity.transport import is_half_line
from verify.verdict import Outcome, Witness, proved, refuted

REDUCED = "one integral is left, over"
LENGTHS_TRIED = (1, 2, 3, 4, 5, 6, 8, 10, 20, 50, 100, 1000)  # where the length decides
MAX_TERMS = 60  # of the definite forms that are looked at


@dataclass(frozen=True)
class Homogeneous:
    """``form = S + constant``, where S is homogeneous with the power of each block, and ``S <= 1``
    is bounded.
    """

    form: Expr
    constant: Expr
    powers: dict[Block, Expr]


def decide_homogeneous(e: Expr, blocks: tuple[Block, ...]) -> Outcome | None:
    """Decide whether ``exp(-e)`` has a finite integral, for a function e of one homogeneous sum,
    and of logarithms on half lines.

    None if e is not of this form, or a sign or the integral is not decided; that leaves the
    question open.
    """
    if any(b.domain != S.Reals and not is_half_line(b) for b in blocks):
        return None
    exponents, rest = _powers_apart(e, blocks)
    s = Scalar("s", domain=Interval.open(0, oo))
    for found in _forms_in(rest, blocks):
        h = _as_function_of(rest, found, blocks, s)
        if h is not None and is_continuous(h):
            return _decide(found, h, s, exponents)
    return None


def _powers_apart(e: Expr, blocks: tuple[Block, ...]) -> tuple[dict[Block, Expr], Expr]:
    """The exponents g of the factors ``z^(g - 1)``, and e without their logarithms."""
    exponents: dict[Block, Expr] = dict.fromkeys(blocks, S.One)
    rest: list[Expr] = []
    for term in Add.make_args(e):
        own = blocks_in(term, blocks)
        block = next(iter(own)) if len(own) == 1 else blocks[0]
        h = of_one_coordinate(term, block) if len(own) == 1 and is_half_line(block) else None
        c = S.Zero if h is None else (h / log(block)).expand()
        if c != 0 and not blocks_in(c, blocks) and not abstract_atoms(c):
            exponents[block] -= c
        else:
            rest.append(term)
    return exponents, Add(*rest)


# -- one integral
# --------------------------------------------------------------------------------------------------


def _decide(found: Homogeneous, h: Expr, s: Scalar, exponents: dict[Block, Expr]) -> Outcome | None:
    size = Add(*(contract(g / found.powers[b], b) for b, g in exponents.items()))
    name = text(found.form - found.constant)
    if not all(is_positive(g) for g in exponents.values()):
        return _refuted_at_zero(exponents)
    radial = expanded(h - (size - 1) * log(s))
    finite = {end: is_integrable(radial, s, end) for end in ends(s)}
    if all(finite.values()):
        return proved(f"{REDUCED} s = {name}, of s^({text(size - 1)}) exp(-H)")
    lengths = sorted(radial.atoms(Length) | size.atoms(Length), key=str)
    for n in LENGTHS_TRIED if lengths else (1,):
        at = dict.fromkeys(lengths, Integer(n))
        for end in ends(s):
            if is_integrable(expanded(radial.xreplace(at)), s, end) is False:
                shown = text(expanded(radial.xreplace(at)))
                return refuted(
                    "exp(-H) is not integrable",
                    Witness(
                        {**{str(d): str(n) for d in lengths}, name: f"-> {end.name}"},
                        f"s = {name} has the density exp(-({shown})), not integrable there",
                    ),
                )
    return None


def _refuted_at_zero(exponents: dict[Block, Expr]) -> Outcome | None:
    """Refute it by a coordinate that goes to 0 while another one keeps S in a compact set.

    None if there is no such coordinate: the only one moves S itself.
    """
    if len(exponents) == 1 and isinstance(next(iter(exponents)), Scalar):
        return None
    for b, g in exponents.items():
        if possible_signs(g) <= NOT_POSITIVE:
            lengths = {str(c.length): "2" for c in exponents if isinstance(c, Vector)}
            return refuted(
                "exp(-H) is not integrable",
                Witness(
                    {**lengths, str(b): "-> 0"},
                    f"H has the term {text(1 - g)} log({b}), and {text(1 - g)} >= 1",
                ),
            )
    return None


# -- the homogeneous sum
# --------------------------------------------------------------------------------------------------


def _forms_in(e: Expr, blocks: tuple[Block, ...]) -> Iterator[Homogeneous]:
    """Yield each sum within e, without its constant terms, that is proved to be homogeneous."""
    seen: set[Expr] = set()
    for node in preorder_traversal(e):
        if not isinstance(node, Add | Total) or blocks_in(node, blocks) != set(blocks):
            continue
        form = Add(*(t for t in Add.make_args(node) if blocks_in(t, blocks)))
        if form in seen or len(Add.make_args(form)) > MAX_TERMS:
            continue
        seen.add(form)
        found = _squares(form, blocks) or _definite(form, blocks) or _of_powers(form, blocks)
        if found is not None:
            yield found


def _squares(form: Expr, blocks: tuple[Block, ...]) -> Homogeneous | None:
    """A sum of ``a (x - m)^2`` over the coordinates of every block, with a > 0.

    On a half line m must be 0.
    """
    rest = form
    for b in blocks:
        q = as_quadratic(rest, b)
        if (
            q is None
            or not is_positive(q.a)
            or blocks_in(q.a + q.b, blocks)
            or (q.b != 0 and b.domain != S.Reals)
        ):
            return None
        rest = q.rest - contract(q.b**2 / (4 * q.a), b)
    return None if blocks_in(rest, blocks) else Homogeneous(form, rest, dict.fromkeys(blocks, S(2)))


def _definite(form: Expr, blocks: tuple[Block, ...]) -> Homogeneous | None:
    """A quadratic polynomial with a positive definite matrix, coordinate by coordinate."""
    if any(b.domain != S.Reals for b in blocks):
        return None
    h = of_one_coordinate_each(form, blocks)
    try:
        if h is None or not h.is_polynomial(*blocks) or h.as_poly(*blocks).total_degree() != 2:
            return None
    except PolynomialError:
        return None
    matrix = Matrix(hessian(h, blocks))
    if any(blocks_in(a, blocks) or abstract_atoms(a) for a in matrix):
        return None
    if not has_positive_minors(matrix):
        return None
    at_zero = dict.fromkeys(blocks, S.Zero)
    slope = Matrix([h.diff(b).xreplace(at_zero) for b in blocks])
    least = h.xreplace(at_zero) - (slope.T * matrix.LUsolve(slope))[0] / 2
    return Homogeneous(form, contract(least, blocks[0]), dict.fromkeys(blocks, S(2)))


def _of_powers(form: Expr, blocks: tuple[Block, ...]) -> Homogeneous | None:
    """A sum of terms that are not negative, among them a power of every block, which scales with
    these powers.
    """
    powers: dict[Block, Expr] = {}
    for term in Add.make_args(form):
        if _is_dense_square(term, blocks):
            powers |= {b: S(2) for b in blocks_in(term, blocks)}
        elif not is_nonnegative(term):
            return None
        else:
            powers |= _pure_power(term, blocks)
    if set(powers) != set(blocks):
        return None
    return Homogeneous(form, S.Zero, powers) if _scales(form, powers) else None


def _pure_power(term: Expr, blocks: tuple[Block, ...]) -> dict[Block, Expr]:
    """The block and the power of a term ``a |z|^k``, summed over the coordinates, with a > 0 and
    k > 0; else nothing.
    """
    own = blocks_in(term, blocks)
    if len(own) != 1:
        return {}
    (block,) = own
    h = of_one_coordinate(term, block)
    for f in () if h is None else Mul.make_args(h):
        base, k = f.as_base_exp()
        if base == block:
            a = h / f
            even = k.is_Integer and k % 2 == 0
            good = is_positive(k) and is_positive(a) and (even or is_half_line(block))
            return {block: k} if good and not blocks_in(a, blocks) else {}
    return {}


def _is_dense_square(term: Expr, blocks: tuple[Block, ...]) -> bool:
    """Return True for ``a total(x * dot(M, x))`` with a > 0 and a positive definite matrix M."""
    a, outer = scaled_total(term)
    if outer is None or not is_positive(a) or blocks_in(a, blocks):
        return False
    body = relabel(outer.body, outer.index.label, GENERIC)
    x, inner = scaled_total(body)
    if inner is None or x not in blocks or not isinstance(x, Vector):
        return False
    k = inner.index.label
    entries = [f for f in Mul.make_args(inner.body) if isinstance(f, DenseEntry)]
    return (
        len(entries) == 1
        and inner.body / entries[0] == x.at(k)
        and set(entries[0].labels) == {GENERIC, k}
        and entries[0].matrix.positive_definite
    )


def _scales(form: Expr, powers: dict[Block, Expr]) -> bool:
    """Return True if the form is proved to be homogeneous with these powers."""
    t = Symbol("t_scale", positive=True)
    whole = all(k.is_Integer for k in powers.values())
    common = Integer(ilcm(1, 1, *(int(k) for k in powers.values()))) if whole else S.One
    try:
        scaled = substitute(form, {b: t ** (common / k) * b for b, k in powers.items()})
    except OutsideLanguageError:
        return False
    return vanishes(scaled - t**common * form)


def _as_function_of(
    e: Expr, found: Homogeneous, blocks: tuple[Block, ...], s: Scalar
) -> Expr | None:
    """e with ``s + constant`` for the form; None if e depends on the blocks in another way."""
    if not blocks_in(e, blocks):
        return e
    if e == found.form:
        return s + found.constant
    if isinstance(e, Add):
        return _sum_as_function_of(e, found, blocks, s)
    if isinstance(e, Symbol | Total | Potential | AppliedUndef | DenseEntry) or not e.args:
        return None
    read = [_as_function_of(a, found, blocks, s) for a in e.args]
    return None if None in read else e.func(*read)


def _sum_as_function_of(
    e: Add, found: Homogeneous, blocks: tuple[Block, ...], s: Scalar
) -> Expr | None:
    """Read the terms one by one; the others must be a multiple of the form together."""
    parts = Add.make_args(found.form)
    read: list[Expr] = []
    left: list[Expr] = []
    for a in e.args:
        is_part = len(parts) > 1 and any(_ratio(a, p, blocks) is not None for p in parts)
        of_a = None if is_part else _as_function_of(a, found, blocks, s)
        (left if of_a is None else read).append(a if of_a is None else of_a)
    if not left:
        return Add(*read)
    factors = (_ratio(left[0], p, blocks) for p in parts)
    c = next((f for f in factors if f is not None), None)
    if c is None or (Add(*left) - c * found.form).expand() != 0:
        return None
    return Add(*read) + c * (s + found.constant)


def _ratio(a: Expr, b: Expr, blocks: tuple[Block, ...]) -> Expr | None:
    """``a/b`` if it does not depend on the blocks."""
    q = a / b
    return None if blocks_in(q, blocks) else q


__all__ = ["decide_homogeneous"]
