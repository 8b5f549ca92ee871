"""The small form that code is printed from: a step is a list of these statements.

Their expressions are sympy expressions whose symbols are *called by the text they print as*: ``state.r[i]``, ``params.A``,
``total_1``. In the body of a loop, and there only, ``i`` is the coordinate. ``out`` holds what this step has written so far and
``state`` the state before it; in the in-place loop of ``run`` they are the same object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sympy import Expr, Symbol

from recipe.abstract import Dense, Potential
from recipe.symbols import Block, Length


@dataclass(frozen=True)
class Let:
    """``target = value``, once a step; ``store`` is the scalar block that takes it as its new value, if any."""

    target: Symbol
    value: Expr
    store: str | None = None
    comment: str = ""


@dataclass(frozen=True)
class Sums:
    """``target = sum over i of value`` for several targets in one loop."""

    function: str
    length: Length
    targets: tuple[Symbol, ...]
    values: tuple[Expr, ...]


@dataclass(frozen=True)
class GradientCall:
    """Evaluate the gradient of a potential; each block is read from ``out`` or ``state``, the result goes to scratch of ``out``."""

    potential: Potential
    places: tuple[str, ...]
    scratch: tuple[str, ...]


@dataclass(frozen=True)
class MatrixProduct:
    """``out.target[i] = sum over j of M[i, j] * value_j`` (M[j, i] if transposed): the one doubly nested loop."""

    function: str
    target: str
    matrix: str
    transposed: bool
    rows: Length
    columns: Length
    value: Expr


@dataclass(frozen=True)
class Sweep:
    """One fused elementwise loop: local values first, then stores of the final ones into the blocks of ``out``."""

    function: str
    length: Length
    locals: tuple[tuple[Symbol, Expr], ...]
    stores: tuple[tuple[str, Symbol], ...]
    comments: tuple[str, ...]


Statement = Let | Sums | GradientCall | MatrixProduct | Sweep


@dataclass(frozen=True)
class NoiseDraw:
    """One noise symbol of the update.

    ``local`` is what the loops call its value at the coordinate, ``pair`` the two that a fused loop draws at once, and ``lane``
    the key of its random numbers.
    """

    name: str
    local: Symbol
    pair: tuple[str, str]
    lane: str
    length: Length | None
    matrix: Dense | None


@dataclass(frozen=True)
class Carried:
    """Gradients that need one evaluation a step and not two: a step ends where the next one begins, so they stay in scratch.

    ``mark`` is the number in scratch that says for which step they are right, counted from 1; 0 is none.
    """

    potentials: tuple[Potential, ...]
    mark: str


@dataclass(frozen=True)
class Recorded:
    """What is recorded of a state, where that is not the state itself: scratch arrays by block, and how they are filled."""

    fields: Mapping[Block, str]
    statements: tuple[Statement, ...]
    noises: tuple[NoiseDraw, ...]


@dataclass(frozen=True)
class Plan:
    """A whole step: what it reads and writes, and its statements in order.

    ``fields`` calls each block by its field in ``State``, ``settings`` each parameter (and matrix) by its field in ``Params``,
    ``scratch`` gives the length of each array in ``State`` that is no block; ``variances`` are those among them that hold the
    variance of an estimated gradient, by block of the potential.
    """

    state: tuple[Block, ...]
    fields: Mapping[Block, str]
    settings: Mapping[Symbol, str]
    scratch: Mapping[str, Length | None]
    variances: Mapping[Potential, tuple[str, ...]]
    factors: Mapping[Dense, str]
    noises: tuple[NoiseDraw, ...]
    potentials: tuple[Potential, ...]
    statements: tuple[Statement, ...]
    sizes: Mapping[Length, Symbol]
    carried: Carried | None
    recorded: Recorded
