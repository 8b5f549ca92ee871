"""The statements of a step under construction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sympy import Expr, Symbol

from codegen.lowering.lower import Lowering
from codegen.lowering.statements import GradientCall, NoiseDraw, Statement, ValueCall
from recipe.language.abstract import Potential
from recipe.language.blocks import Block
from recipe.language.symbols import Length

Versions = tuple[int, ...]  # of the blocks that a potential depends on, in their order
# an evaluation: of the gradient or of the value, and of which potential
Evaluated = tuple[type[GradientCall] | type[ValueCall], Potential]


@dataclass(frozen=True)
class First:
    """The first evaluation of a gradient or of a value in a body.

    Attributes:
        at: the versions of the blocks of the potential at the evaluation.
        call: the statement that evaluates it.
    """

    at: Versions
    call: GradientCall | ValueCall


@dataclass
class Body:
    """The statements of a step, or of a loop in it, under construction.

    Attributes:
        lowering: holds the statements, and appends further ones.
        entry: the version of each block where the body begins.
        noises: the normal draws that the body uses.
        first: the first evaluation of each gradient and value. An evaluation at the versions of
            ``entry`` is a statement of the body itself; a later evaluation may stand in a loop
            inside of the body.
    """

    lowering: Lowering
    entry: dict[Block, int]
    noises: list[NoiseDraw] = field(default_factory=list)
    first: dict[Evaluated, First] = field(default_factory=dict)


@dataclass
class PendingLoop:
    """The elementwise loop that is written next, to which new values of vectors are added.

    Attributes:
        length: the length of the loop; None if no loop is pending.
        new: the local variable with the new value of each block that the loop moves.
        values: the local variables with their values, in order.
        comments: the comments above the loop.
    """

    length: Length | None = None
    new: dict[Block, Symbol] = field(default_factory=dict)
    values: list[tuple[Symbol, Expr]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class View:
    """Where an expression of two states reads its blocks, while it is lowered.

    Attributes:
        cells: the cell of each block that is not read from its usual place.
        fresh: True to evaluate potentials at the present state; False to read the results of their
            last evaluation.
    """

    cells: Mapping[Block, Expr]
    fresh: bool


def call_in(statements: Iterable[Statement], first: First) -> GradientCall | ValueCall:
    """Return the call of a first evaluation.

    Raises:
        AssertionError: where the call is not one of these statements, but stands in a loop among
            them or nowhere.
    """
    if not any(s is first.call for s in statements):
        raise AssertionError(
            f"the first evaluation of {first.call.potential} does not stand where it is looked for"
        )
    return first.call
