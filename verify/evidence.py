"""The evidence of a proof, in forms that a checker can verify without searching for anything.

An identity needs no evidence: a checker derives it from H, D, Q and the drift. A sign, or a
positive semidefinite matrix, needs one idea, which is itself an identity: a form whose sign can be
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
    """``e`` is ``> 0``, ``>= 0`` or ``!= 0``, as ``sign`` says, wherever it is defined: it equals
    ``form``, whose sign can be read off.

    A form is read off if it is a product, power or sum of parts with known signs. Signs are known
    from declared assumptions; from ``x - a`` and ``b - x`` for a coordinate x whose domain has the
    ends a and b; from ``1 - total(x)`` on the simplex; and from functions of one sign (``exp``,
    ``cosh``) or with the sign of their argument (``sinh``, ``tanh``, ``atan``, ``erf``, ``exp(x) -
    1``, ``log(1 + x)``).
    """

    e: Expr
    sign: str
    form: Expr


@dataclass(frozen=True)
class FactorColumn:
    """One block of columns of B, and the diagonal of W for these columns.

    ``length`` is None for a single column; ``entries`` are then ``Column`` (for vector rows) and
    ``Number`` (for scalar rows). Otherwise there is a column for each coordinate, and they are
    ``Coupling`` and ``Row``. Rows that are left out are zero. The diagonal of W is ``weight``, an
    expression of the generic coordinate. With a ``matrix``, W is a coordinate-free ``weight`` times
    this positive definite matrix.
    """

    length: Length | None
    entries: tuple[tuple[Block, Entry], ...]
    weight: Expr
    matrix: Dense | None = None


@dataclass(frozen=True)
class FactorStep:
    """``D = B W B^T`` with nonnegative weights W; ``signs`` prove that, one for each column in
    order.

    The identity holds where B is defined, off a nowhere dense set. So D is positive semidefinite
    there, and hence everywhere: D is continuous, and positive semidefiniteness is a closed
    condition.
    """

    columns: tuple[FactorColumn, ...]
    signs: tuple[SignStep, ...]


Step = SignStep | FactorStep
