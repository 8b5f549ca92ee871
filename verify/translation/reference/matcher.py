"""The two sides meet here: what the rule says of every value, and whether a value of the text is
that.

Both are written in *atoms*. Every new value of a block gets an atom of its own (``theta@1``),
defined by the rule in atoms that come before; so nothing grows. So does every evaluation of a
potential, by where it is evaluated: two evaluations are one only where their arguments are proved
to be equal.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sympy import Expr, Symbol

from recipe.language.abstract import Potential
from recipe.language.symbols import (
    Block,
    Indexed,
    Length,
    Noise,
    ScalarNoise,
    VectorParameter,
    assumptions_of,
    generic,
)
from recipe.language.total import substitute
from verify.translation.parse.problems import unread, wrong
from verify.translation.reference.defined import Defined
from verify.translation.reference.equality import Looks, witness_against

MAX_MATCHED_NOISES = 5  # for more than these in one expression not all ways to match them are tried


def atom(name: str, length: Length | None, **facts: bool) -> Symbol:
    """A number, or one number a coordinate, that nothing is known of but what is declared."""
    facts = {"real": True, **facts}
    return (
        Symbol(name, **facts)
        if length is None
        else Indexed.__new__(VectorParameter, name, length, 0, (), **facts)
    )


def length_of(block: Any) -> Length | None:
    """The length of a vector."""
    return block.length if isinstance(block, Indexed) else None


@dataclass(frozen=True)
class PotentialEvaluation:
    """The gradient of a potential (or its value) at these values of its blocks, with one atom for
    each result.

    ``draw`` is the minibatch that it is an estimate from, where the text has said so; ``variances``
    are those that are known after.
    """

    kind: str
    potential: Potential
    arguments: tuple[Expr, ...]
    atoms: tuple[Symbol, ...]
    variances: tuple[Symbol, ...]
    draw: Any = None


@dataclass(frozen=True)
class Square:
    """A draw from the non-central chi-squared law with these parameters; ``noise`` names it in the
    rule, ``key`` in the text.
    """

    df: Expr
    nonc: Expr
    draw: Symbol
    noise: Any
    key: Any
    clock: Any


@dataclass
class Judge:
    """What is known while a text is read; ``definitions`` are the atoms of new values, in their
    order.
    """

    looks: Looks
    definitions: dict[Symbol, Expr] = field(default_factory=dict)
    evaluations: list[PotentialEvaluation] = field(default_factory=list)
    noises: dict[Symbol, Symbol] = field(default_factory=dict)  # of the rule -> of the text
    whites: set[Symbol] = field(default_factory=set)  # those of the text
    squares: list[Square] = field(default_factory=list)
    of_block: dict[Symbol, Block] = field(default_factory=dict)  # whose new value an atom is
    met: set[Symbol] = field(
        default_factory=set
    )  # the new values that the text was seen to compute
    # the counter of random numbers here: what a rule draws here is what the text draws at this
    # counter
    clock: Any = None
    clocks: dict[Symbol, Any] = field(
        default_factory=dict
    )  # the counters of the noises of the text
    counter: Iterable[int] = field(default_factory=lambda: itertools.count(1))
    defined: Defined = field(init=False)

    def __post_init__(self) -> None:
        self.defined = Defined(self.looks)

    def fresh(self, name: str, length: Length | None, **facts: bool) -> Symbol:
        """A new atom."""
        return atom(f"{name}@{next(iter(self.counter))}", length, **facts)

    # -- what the rule says
    # ----------------------------------------------------------------------------------------------

    def define(self, block: Block, value: Expr) -> Expr:
        """The atom of a new value of a block."""
        if value.is_Symbol or value.is_number:
            return value
        new = self.value_of(block)
        self.definitions[new], self.of_block[new] = value, block
        return new

    def value_of(self, block: Block) -> Symbol:
        """An atom for some value of a block, in its domain."""
        facts = {k: v for k, v in assumptions_of(block).items() if k != "commutative"}
        return self.fresh(block.name, length_of(block), **facts)

    def evaluate(
        self, kind: str, potential: Potential, arguments: tuple[Expr, ...], draw: Any = None
    ) -> PotentialEvaluation:
        """The evaluation of a potential there; the one that there is already, if there is one."""
        for n, known in enumerate(self.evaluations):
            if (known.kind, known.potential) != (kind, potential) or not self.all_equal(
                known.arguments, arguments
            ):
                continue
            if draw is None or known.draw in (None, draw):
                if draw is not None and known.draw is None:
                    self.evaluations[n] = replace(known, draw=draw)
                return self.evaluations[n]
        gradient = kind == "gradient"
        names = (
            [(f"g_{potential}_{b.name}", length_of(b)) for b in potential.blocks]
            if gradient
            else [(f"value_{potential}", None)]
        )
        atoms = tuple(self.fresh(name, length) for name, length in names)
        variances = tuple(
            self.fresh(f"V_{potential}_{b.name}", length_of(b), nonnegative=True)
            for b in potential.blocks
        )
        self.evaluations.append(
            PotentialEvaluation(
                kind, potential, arguments, atoms, variances if gradient else (), draw
            )
        )
        return self.evaluations[-1]

    def all_equal(self, ours: Iterable[Expr], theirs: Iterable[Expr]) -> bool:
        """Whether values are equal one by one."""
        return all(self.same(a, b) for a, b in zip(ours, theirs, strict=True))

    def square(
        self, df: Expr, nonc: Expr, length: Length | None, *, noise: Any = None, key: Any = None
    ) -> Symbol:
        """A draw from the non-central chi-squared law: that of a noise of the rule, or of a key of
        the text.

        Two draws are one where their parameters are, and where neither belongs to another noise or
        to another key.
        """
        for n, known in enumerate(self.squares):
            ours, theirs = (known.noise, noise), (known.key, key)
            if known.clock != self.clock or any(
                a is not None and b is not None and a != b for a, b in (ours, theirs)
            ):
                continue
            if self.same(df, known.df) and self.same(nonc, known.nonc):
                self.squares[n] = replace(known, noise=known.noise or noise, key=known.key or key)
                return known.draw
        draw = self.fresh("chi_squared", length, positive=True)
        self.squares.append(Square(df, nonc, draw, noise, key, self.clock))
        return draw

    # -- what the text says
    # ----------------------------------------------------------------------------------------------

    def white(self, name: str, length: Length | None) -> Symbol:
        """A standard normal number of the text, or one a coordinate, drawn at the counter that is
        the present one.
        """
        found = atom(name, length)
        self.whites.add(found)
        self.clocks[found] = self.clock
        return found

    def named(self, value: Expr) -> Expr:
        """The atom that a value of the text is proved to be, if it is one; else the value."""
        if value.is_Symbol or value.is_number:
            return value
        for new, definition in self.definitions.items():
            if self.same(value, definition):
                self.met.add(new)
                return new
        return value

    def missing(self, block: Block) -> Symbol | None:
        """The first new value of a block that the text was not seen to compute."""
        return next(
            (a for a in self.definitions if self.of_block[a] == block and a not in self.met), None
        )

    def same(self, theirs: Expr, ours: Expr) -> bool:
        """Whether a value of the text is proved to be one of the rule; the noises in both are
        matched one to one.
        """
        if theirs == ours:
            return True
        for match in self.matches(theirs, ours):
            if self.looks.equal(theirs, replace_symbols(ours, {**self.noises, **match})):
                self.noises |= match
                return True
        return False

    def matches(self, theirs: Expr, ours: Expr) -> Iterable[dict[Symbol, Symbol]]:
        """The ways to match noises of the text with those of the rule that have none yet."""
        left = sorted(
            {s for s in generic_symbols(ours) if isinstance(s, Noise | ScalarNoise)}
            - self.noises.keys(),
            key=str,
        )
        right = sorted(generic_symbols(theirs) & self.whites - set(self.noises.values()), key=str)
        if any(self.clocks[w] != self.clock for w in right):
            return []
        if len(left) != len(right) or len(left) > MAX_MATCHED_NOISES:
            return []
        ways = [dict(zip(left, way, strict=True)) for way in itertools.permutations(right)]
        return [way for way in ways if all(length_of(a) == length_of(b) for a, b in way.items())]

    def require(self, theirs: Expr, ours: Expr, line: int, what: str) -> None:
        """Require that a value of the text is that of the rule.

        Raises:
            TranslationError: with a point where they differ, if there is one.
        """
        self.defined.rule[ours] = None
        if self.same(theirs, ours):
            return
        expanded, expected = self.expanded(theirs), self.expanded(ours)
        ways = list(self.matches(expanded, expected)) or [{}]
        found = None
        for way in ways:
            right = replace_symbols(expected, {**self.noises, **way})
            if self.looks.equal(expanded, right):
                self.noises |= way
                return
            found = witness_against(expanded, right)
            if found is None:
                raise unread(
                    line, f"{what}: it is not seen that {_shown(expanded)} is {_shown(right)}"
                )
        raise wrong(line, f"{what} is {_shown(theirs)}, and must be {_shown(ours)}", found)

    def expanded(self, e: Expr) -> Expr:
        """An expression with the definitions of new values put in."""
        for new, definition in reversed(self.definitions.items()):
            if new in generic_symbols(e):
                e = substitute(e, {new: definition})
        return e

    # -- trying something
    # ----------------------------------------------------------------------------------------------

    def snapshot(self) -> tuple[Any, ...]:
        """Everything that is known now."""
        return (
            dict(self.definitions),
            list(self.evaluations),
            dict(self.noises),
            set(self.whites),
            list(self.squares),
        )

    def restore(self, known: tuple[Any, ...]) -> None:
        """Forget what came after a snapshot."""
        self.definitions, self.evaluations, self.noises, self.whites, self.squares = (
            type(part)(part) for part in known
        )


def generic_symbols(e: Expr) -> set[Symbol]:
    """The symbols of an expression, each at the generic coordinate."""
    return {generic(s) for s in e.atoms(Symbol)}


def replace_symbols(e: Expr, values: Mapping[Symbol, Symbol]) -> Expr:
    """An expression with symbols for symbols, at every index."""
    return e.xreplace(
        {s: _at(values[generic(s)], s) for s in e.atoms(Symbol) if generic(s) in values}
    )


def _at(symbol: Symbol, like: Symbol) -> Symbol:
    return (
        symbol.at(like.label)
        if isinstance(like, Indexed) and isinstance(symbol, Indexed)
        else symbol
    )


def _shown(e: Expr) -> str:
    text = str(e)
    return text if len(text) <= 300 else f"{text[:300]}..."
