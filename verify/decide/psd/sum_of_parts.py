"""``D = sum of f * C`` with nonnegative functions f and constant positive semidefinite matrices C.

A logistic Fisher metric, ``sum of p (1 - p) x x^T`` over data, has this form. Only constant
matrices are eliminated.
"""

from __future__ import annotations

from fractions import Fraction

from sympy import Add, Expr, Rational, S

from recipe.language.blocks import Scalar, Vector
from recipe.language.entry import Coupling, Entry, Number, is_diagonal, parts
from verify.decide.linear_algebra.semidefinite import Indefinite, eliminate
from verify.decide.nonnegative.certifier import nonnegative
from verify.decide.psd.elimination import NotReachedError
from verify.evidence import FactorColumn, SignStep
from verify.generator.coupling import Diffusion, Group


def constant_parts(diffusion: Diffusion, group: Group) -> list[tuple[FactorColumn, SignStep]]:
    """The columns of the factor, for a group of scalars or of diagonal vectors of one length.

    Raises:
        NotReachedError: if the group is of another kind, or one of its parts is not positive
            semidefinite by itself.
    """
    lengths = {b.length if isinstance(b, Vector) else None for b in group}
    if len(lengths) > 1 or not all(is_diagonal(diffusion[a, b]) for a in group for b in group):
        raise NotReachedError("the group is not one small matrix at each coordinate")
    found: list[tuple[FactorColumn, SignStep]] = []
    for f, C in _parts(diffusion, group).items():
        pivots = eliminate(C)
        if isinstance(pivots, Indefinite):
            raise NotReachedError(f"the part with {f} is not positive semidefinite by itself")
        for column, weight in pivots:
            e = Rational(weight.numerator, weight.denominator) * f
            sign = nonnegative(e)
            if sign is None:
                raise NotReachedError(f"the sign of {f} is not proved")
            entries = tuple((b, _entry(b, c)) for b, c in zip(group, column, strict=True) if c)
            found.append((FactorColumn(lengths.copy().pop(), entries, e), sign))
    return found


def _entry(block: Vector | Scalar, c: Fraction) -> Entry:
    value = Rational(c.numerator, c.denominator)
    return Coupling(value, S.Zero) if isinstance(block, Vector) else Number(value)


def _parts(diffusion: Diffusion, group: Group) -> dict[Expr, list[list[Fraction]]]:
    """The constant matrix C of each function f."""
    found: dict[Expr, list[list[Fraction]]] = {}
    for a, row in enumerate(group):
        for b, column in enumerate(group):
            for term in Add.make_args(parts(diffusion[row, column])[0]):
                c, f = term.as_coeff_Mul(rational=True)
                C = found.setdefault(f, [[Fraction(0)] * len(group) for _ in group])
                C[a][b] += Fraction(int(c.p), int(c.q))
    return found
