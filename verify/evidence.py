"""What a proof rests on, in forms that a checker can go through again without searching for
anything.

Identities need none: a checker derives them from H, D, Q and the drift by itself. Signs and
positive semidefinite matrices need one idea each, and it is an identity: a form whose sign can be
read off, or a factor.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr

from recipe.language.abstract import Dense
from recipe.language.entry import Entry
from recipe.language.symbols import Block, Length


@dataclass(frozen=True)
class SignStep:
    """``e`` is ``> 0``, ``>= 0`` or ``!= 0`` wherever it is defined, as it equals ``form``, whose
    sign is read off its structure.

    Read off means: a product, power or sum of parts whose signs are known from declared
    assumptions, from ``x - a`` and ``b - x`` of a coordinate x between the ends a and b of its
    domain, from ``1 - total(x)`` on the simplex, and from functions that have one sign (``exp``,
    ``cosh``) or that of their argument (``sinh``, ``tanh``, ``atan``, ``erf``, ``exp(x) - 1``,
    ``log(1 + x)``).
    """

    e: Expr
    sign: str
    form: Expr


@dataclass(frozen=True)
class FactorColumn:
    """One block of columns of B, with what the diagonal matrix W has there.

    ``length`` is None for a single column; then ``entries`` are ``Column`` (vector rows) and
    ``Number`` (scalar rows). Otherwise they are ``Coupling`` and ``Row``. Rows that are left out
    are zero. W is ``weight``, an expression of the generic coordinate, or a number ``weight`` times
    the positive definite ``matrix``.
    """

    length: Length | None
    entries: tuple[tuple[Block, Entry], ...]
    weight: Expr
    matrix: Dense | None = None


@dataclass(frozen=True)
class FactorStep:
    """``D = B W B^T`` with nonnegative weights W; ``signs`` prove them so, in the order of the
    columns.

    The identity holds where B is defined, off a nowhere dense set. So D is positive semidefinite
    there, and hence everywhere: D is continuous and positive semidefiniteness a closed condition.
    """

    columns: tuple[FactorColumn, ...]
    signs: tuple[SignStep, ...]


Step = SignStep | FactorStep
