"""Concrete instances of a kernel: vectors of one coordinate, a potential that is written out, and
numbers for steps and parameters.

A kernel that is right for every U, every length and every step of its scope is right for each
instance, so an exact contradiction in one of them refutes the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

from sympy import Expr, Lambda, Rational, S, Symbol
from sympy.core.function import AppliedUndef, UndefinedFunction

from recipe import Kernel, total
from recipe.language.abstract import DenseEntry, Field, Potential
from recipe.language.blocks import Block, Vector
from recipe.language.symbols import GENERIC, Indexed, Length
from recipe.rebuild.bind import put_meanings
from verify.decide.points.balls import NoValueError
from verify.decide.points.point import Point
from verify.generator.one_dimension import at_length_one
from verify.kernels.step_sizes import conditions_on_step, hold_at

STEP_SIZES = (Rational(1, 2), Rational(1), Rational(1, 4), Rational(3, 2))
POTENTIAL_POWERS = (2, 4)  # of U = x^2/2 and U = x^4/4
PARAMETER_CHOICES = 2

Place = dict[Block, Expr]  # a value of each block


@dataclass(frozen=True)
class Instance:
    """The meaning of each abstract function, the numbers of parameters and step, and the lengths of
    vectors, which are all 1.
    """

    meanings: tuple[tuple[object, Expr], ...]
    numbers: tuple[tuple[Symbol, Rational], ...]
    lengths: tuple[Length, ...]

    def of(self, e: Expr) -> Expr:
        """Return the expression in this instance: plain symbols for coordinates and noise, and
        numbers.

        Raises:
            OutsideLanguageError: where an abstract function cannot be replaced by its meaning.
        """
        return _flat(put_meanings(e, dict(self.meanings))).xreplace(dict(self.numbers))

    def shown(self) -> dict[str, str | list[str]]:
        """Return the instance by name, for the point of a witness."""
        lengths = {str(length): "1" for length in self.lengths}
        functions = {
            getattr(head, "__name__", str(head)): _written(value) for head, value in self.meanings
        }
        return lengths | functions | {str(s): str(v) for s, v in self.numbers}


def places(blocks: Sequence[Block], coordinates: Sequence[Rational], count: int) -> Iterator[Place]:
    """Yield so many points with some of these numbers as their coordinates, the first numbers
    first.
    """
    for values in islice(product(coordinates, repeat=len(blocks)), count):
        yield dict(zip(blocks, values, strict=True))


def instances(
    kernel: Kernel, powers: tuple[int, ...] = POTENTIAL_POWERS, *, edges: bool = False
) -> Iterator[Instance]:
    """Yield instances of a kernel, the simplest first, with steps and parameters within its scope.

    Unless ``edges`` is True nothing is yielded where a block has an edge, as a rule may step over
    it.
    """
    if not edges and any(b.domain != S.Reals for b in kernel.state):
        return
    parameters = [s.at(GENERIC) if isinstance(s, Indexed) else s for s in kernel.parameters]
    lengths = tuple(dict.fromkeys(b.length for b in kernel.state if isinstance(b, Vector)))
    steps = STEP_SIZES if kernel.step is not None else (None,)
    conditions = conditions_on_step(kernel)
    for power in powers if any(isinstance(a, Potential) for a in kernel.abstract) else powers[:1]:
        meanings = tuple(
            (head, value)
            for head in kernel.abstract
            if (value := _meaning(head, power, kernel)) is not None
        )
        for seed in range(PARAMETER_CHOICES if parameters else 1):
            values = _parameters_at(Point(dict.fromkeys(lengths, 1), seed), parameters)
            if values is None:
                return
            for step in steps:
                numbers = dict(values) | (
                    {kernel.step: step} if step is not None and kernel.step is not None else {}
                )
                if hold_at(conditions, numbers):
                    yield Instance(meanings, tuple(numbers.items()), lengths)


def _parameters_at(point: Point, parameters: list[Symbol]) -> dict[Symbol, Rational] | None:
    """The values of parameters, of a vector its only coordinate; None where there are none that
    meet the assumptions of their symbols and the conditions between them.
    """
    try:
        return {s: point.choose(s, 0 if isinstance(s, Indexed) else None) for s in parameters}
    except NoValueError:
        return None


def number(e: Expr) -> Expr | None:
    """Return a ball around an expression without symbols; None where it has no certain value."""
    try:
        return Point({}, 0).evaluate(e)
    except NoValueError:
        return None


def _meaning(head: object, power: int, kernel: Kernel) -> Expr | None:
    """Return the simplest function for an abstract head; None where it takes several arguments."""
    if isinstance(head, Potential):
        return sum((_contracted(b**power / power, b) for b in head.blocks), S.Zero)
    if isinstance(head, Field):
        return 1 + head.block**2 if head.is_positive else head.block
    if isinstance(head, UndefinedFunction):
        x = Symbol("x", real=True)
        return (
            Lambda((x,), 1 + x**2 if head._kwargs.get("positive") else x)
            if _takes_one(head, kernel)
            else None
        )
    return None


def _takes_one(function: UndefinedFunction, kernel: Kernel) -> bool:
    """Return True if the kernel applies the function to one argument everywhere."""
    applied = {a for e, _ in kernel.written() for a in e.atoms(AppliedUndef) if a.func == function}
    return all(len(a.args) == 1 for a in applied)


def _contracted(e: Expr, block: Block) -> Expr:
    return total(e) if isinstance(block, Vector) else e


def _written(value: Expr) -> str:
    return str(_flat(value.expr if isinstance(value, Lambda) else value))


def _flat(e: Expr) -> Expr:
    """Return the expression at length one, with 1 for the one entry of each matrix."""
    one = at_length_one(e)
    return one.xreplace(dict.fromkeys(one.atoms(DenseEntry), S.One))
