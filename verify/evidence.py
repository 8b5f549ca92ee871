"""The evidence of a proof, in forms that a checker can verify without a search.

An identity needs no evidence: a checker derives it from H, D, Q and the drift. The sign of an
expression and a positive semidefinite matrix need one idea each, which is itself an identity: a
form with a sign that can be read off, or a factor of the matrix.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr

from recipe.language.abstract import Dense
from recipe.language.blocks import Block
from recipe.language.entry import Entry
from recipe.language.symbols import Length


@dataclass(frozen=True)
class SignStep:
    """A proof of the sign of an expression: it equals a form whose sign can be read off.

    A form is read off if it is a product, power or sum of parts with known signs. Signs are known
    from declared assumptions; from ``x - a`` and ``b - x`` for a coordinate x whose domain has the
    ends a and b; from ``1 - total(x)`` on the simplex; from functions of one sign (``exp``,
    ``cosh``) or with the sign of their argument (``sinh``, ``tanh``, ``atan``, ``erf``, ``exp(x) -
    1``, ``log(1 + x)``), two of which with one argument are a square; from ``total(f) - f`` with f
    at one coordinate and never negative; from ``cosh``, ``cos`` and ``exp`` less a Taylor
    polynomial at 0; and from a rational function of one whole number or length, which is tried at
    each number before its last root.

    Attributes:
        e: the expression.
        sign: ``"> 0"``, ``">= 0"`` or ``"!= 0"``; it holds wherever ``e`` is defined.
        form: an expression that equals ``e``.
    """

    e: Expr
    sign: str
    form: Expr


@dataclass(frozen=True)
class FactorColumn:
    """One block of columns of B, and the diagonal of W for these columns.

    Attributes:
        length: the number of columns, one for each coordinate; None for a single column.
        entries: the nonzero entries by row. For a single column they are ``Column`` (vector rows)
            and ``Number`` (scalar rows), otherwise ``Coupling`` and ``Row``.
        weight: the diagonal of W, an expression of the generic coordinate.
        matrix: a positive definite matrix; W is then the coordinate-free ``weight`` times this
            matrix. None if W is diagonal.
    """

    length: Length | None
    entries: tuple[tuple[Block, Entry], ...]
    weight: Expr
    matrix: Dense | None = None


@dataclass(frozen=True)
class FactorStep:
    """A proof that D is positive semidefinite: ``D = B W B^T`` with nonnegative weights W.

    The identity holds where B is defined, off a nowhere dense set. So D is positive semidefinite
    there, and hence everywhere: D is continuous, and positive semidefiniteness is a closed
    condition.

    Attributes:
        columns: the columns of B with their weights.
        signs: proofs that the weights are nonnegative, one for each column, in the same order.
    """

    columns: tuple[FactorColumn, ...]
    signs: tuple[SignStep, ...]


@dataclass(frozen=True)
class SelfReflectingEdge:
    """A proof that a coordinate leaves an edge by itself.

    Near it D = e D_1, where e is the distance from it, and D_1 and the inward drift are positive
    there.

    Attributes:
        block: the block.
        end: ``"low"`` or ``"high"``, the end of its domain.
        drift: its drift, as a function of its coordinate.
        form: D_1.
    """

    block: Block
    end: str
    drift: Expr
    form: Expr


@dataclass(frozen=True)
class UnattainableEdge:
    """A proof that a coordinate never reaches an edge.

    Near it e f >= (1 - C e) D, where e is the distance from it, and f the inward drift.

    Attributes:
        block, end, drift: as for ``SelfReflectingEdge``.
        form: M with ``e f - (1 - C e) D = e^power M``, which is nonnegative near the edge.
        constant: C, which is nonnegative.
        power: the exponent.
    """

    block: Block
    end: str
    drift: Expr
    form: Expr
    constant: Expr
    power: int


Step = SignStep | FactorStep | SelfReflectingEdge | UnattainableEdge
