"""The matcher: it proves that a value of the text is a value of the rule.

Both are written in *atoms*. Every new value of a block gets an atom (``theta@1``), which the rule
defines by earlier atoms; so expressions stay small. Every evaluation of a potential gets atoms as
well, by its arguments: two evaluations are one only if their arguments are proved to be equal.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from sympy import Expr, Symbol

from recipe.language.abstract import Potential
from recipe.language.blocks import Block
from recipe.language.data import VectorParameter
from recipe.language.derivatives import symbols_in
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import Indexed, Length, assumptions_of, generic
from recipe.language.total import substitute
from verify.translation.parse.problems import unread, wrong
from verify.translation.reference.defined import Defined
from verify.translation.reference.equality import EqualityProver, not_apart, witness_against

ANY_NOISE = Symbol("noise@", real=True)
MAX_MATCHED_NOISES = 5  # more noises in one expression have too many matchings (n!) to be tried


def atom(name: str, length: Length | None, **facts: bool) -> Symbol:
    """Return a new symbol: one number, or one number for each coordinate of a length."""
    facts = {"real": True, **facts}
    return (
        Symbol(name, **facts)
        if length is None
        else Indexed.__new__(VectorParameter, name, length, 0, (), **facts)
    )


def length_of(block: Any) -> Length | None:
    """Return the length of a vector; None for one number."""
    return block.length if isinstance(block, Indexed) else None


@dataclass(frozen=True)
class PotentialEvaluation:
    """An evaluation of a potential: its gradient or value at values of its blocks.

    Attributes:
        kind: ``"gradient"`` or ``"value"``.
        potential: the potential.
        arguments: the values of its blocks.
        atoms: one atom for each result.
        variances: for a gradient, the running variance after it, by block.
        draw: the minibatch of an estimate; None if the text has not named one.
    """

    kind: str
    potential: Potential
    arguments: tuple[Expr, ...]
    atoms: tuple[Symbol, ...]
    variances: tuple[Symbol, ...]
    draw: Any = None


@dataclass(frozen=True)
class Square:
    """A draw from the noncentral chi-squared law.

    Attributes:
        df: the degrees of freedom.
        nonc: the noncentrality parameter.
        draw: the atom of its value.
        noise: its noise in the rule; None if only the text has drawn it.
        key: its key in the text; None if only the rule has drawn it.
        clock: the counter of random numbers at which it was drawn.
    """

    df: Expr
    nonc: Expr
    draw: Symbol
    noise: Any
    key: Any
    clock: Any


@dataclass
class Judge:
    """The matcher's knowledge while a text is read.

    Attributes:
        equality: proves that expressions are equal.
        definitions: the atoms of new values, in their order, with their definitions.
        evaluations: the evaluations of potentials.
        noises: for each noise of the rule the matching noise of the text.
        whites: the noises of the text.
        squares: the noncentral chi-squared draws.
        of_block: the block that an atom is a new value of.
        computed: the new values that the text was proved to compute.
        clock: the present counter of random numbers; the rule and the text draw at the same
            counter.
        clocks: the counter of each noise of the text.
        counter: numbers that make the names of atoms unique.
        approximations: the values of expressions at a point, see ``named``.
        defined: the conditions under which the text has a value.
    """

    equality: EqualityProver
    definitions: dict[Symbol, Expr] = field(default_factory=dict)
    evaluations: list[PotentialEvaluation] = field(default_factory=list)
    noises: dict[Symbol, Symbol] = field(default_factory=dict)
    whites: set[Symbol] = field(default_factory=set)
    squares: list[Square] = field(default_factory=list)
    of_block: dict[Symbol, Block] = field(default_factory=dict)
    computed: set[Symbol] = field(default_factory=set)
    clock: Any = None
    clocks: dict[Symbol, Any] = field(default_factory=dict)
    counter: Iterable[int] = field(default_factory=lambda: itertools.count(1))
    approximations: dict[Expr, float | None] = field(default_factory=dict)
    defined: Defined = field(init=False)
    _known_matched: tuple[dict[Symbol, Symbol], int, set[Symbol]] = field(init=False)
    _known_numbers: tuple[dict[Symbol, Expr], list[tuple[Symbol, Expr]], list[float | None]] = (
        field(init=False)
    )

    def __post_init__(self) -> None:
        self.defined = Defined(self.equality)
        self._known_matched = self.noises, 0, set()
        self._known_numbers = self.definitions, [], []

    def fresh(self, name: str, length: Length | None, **facts: bool) -> Symbol:
        """Return a new atom with a unique name."""
        return atom(f"{name}@{next(iter(self.counter))}", length, **facts)

    # -- values of the rule
    # ----------------------------------------------------------------------------------------------

    def define(self, block: Block, value: Expr) -> Expr:
        """Return the atom of a new value of a block; a symbol or a number needs none."""
        if value.is_Symbol or value.is_number:
            return value
        new = self.value_of(block)
        self.definitions[new], self.of_block[new] = value, block
        return new

    def value_of(self, block: Block) -> Symbol:
        """Return an atom for an arbitrary value of a block, in its domain."""
        facts = {k: v for k, v in assumptions_of(block).items() if k != "commutative"}
        return self.fresh(block.name, length_of(block), **facts)

    def evaluate(
        self, kind: str, potential: Potential, arguments: tuple[Expr, ...], draw: Any = None
    ) -> PotentialEvaluation:
        """Return the evaluation of a potential at some arguments: an earlier equal one, or a new
        one.
        """
        for n, known in enumerate(self.evaluations):
            if (known.kind, known.potential) != (kind, potential):
                continue
            # Equal tuples of one state are told at once; the blocks of a model are many.
            if known.arguments != arguments and not self.all_equal(known.arguments, arguments):
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
        """Return True if two lists of values are proved to be equal one by one."""
        return all(self.same(a, b) for a, b in zip(ours, theirs, strict=True))

    def square(
        self, df: Expr, nonc: Expr, length: Length | None, *, noise: Any = None, key: Any = None
    ) -> Symbol:
        """Return a draw from the noncentral chi-squared law, for a noise of the rule or a key of
        the text.

        Two draws are one if their parameters are proved to be equal, and they do not belong to two
        noises or two keys.
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

    # -- values of the text
    # ----------------------------------------------------------------------------------------------

    def white(self, name: str, length: Length | None) -> Symbol:
        """Return a standard normal number of the text, or one for each coordinate, at the present
        counter.
        """
        found = atom(name, length)
        self.whites.add(found)
        self.clocks[found] = self.clock
        return found

    def named(self, value: Expr) -> Expr:
        """Return the atom that a value of the text is proved to equal; else the value."""
        if value.is_Symbol or value.is_number or not self.definitions:
            return value
        mine = self._approximation(value)
        items, numbers = self._defined_numbers()
        for new, definition in (items[n] for n in not_apart(mine, numbers)):
            if self.same(value, definition):
                self.computed.add(new)
                return new
        return value

    def _defined_numbers(self) -> tuple[list[tuple[Symbol, Expr]], list[float | None]]:
        """Return the new values with their definitions, and the approximations of these."""
        of, items, numbers = self._known_numbers
        if of is not self.definitions:
            of, items, numbers = self._known_numbers = self.definitions, [], []
        more = list(itertools.islice(of.items(), len(items), None))  # it only grows
        items += more
        numbers += [self._approximation(definition) for _, definition in more]
        return items, numbers

    def _approximation(self, e: Expr) -> float | None:
        """Return the value of an expression at a point where all noises are the same number.

        Where two values are the same under some matching of their noises, these are the same, too:
        so it tells most of hundreds of new values apart at once.
        """
        if e not in self.approximations:
            noises = {s for s in symbols_in(e) if generic(s) in self.whites or is_noise(s)}
            masked = e.xreplace(dict.fromkeys(noises, ANY_NOISE)) if noises else e
            self.approximations[e] = self.equality.approximation(masked)
        return self.approximations[e]

    def missing(self, block: Block) -> Symbol | None:
        """Return the first new value of a block that the text was not proved to compute; None if
        there is none.
        """
        return next(
            (a for a in self.definitions if self.of_block[a] == block and a not in self.computed),
            None,
        )

    def same(self, theirs: Expr, ours: Expr) -> bool:
        """Return True if a value of the text is proved to be a value of the rule.

        The noises in both are matched one to one.
        """
        theirs, ours = self.equality.shared(theirs), self.equality.shared(ours)
        if theirs == ours:
            return True
        for match in self.matches(theirs, ours):
            if self.equality.equal(theirs, replace_symbols(ours, {**self.noises, **match})):
                self.noises |= match
                return True
        return False

    def matches(self, theirs: Expr, ours: Expr) -> Iterable[dict[Symbol, Symbol]]:
        """Return the ways to match noises of the text with unmatched noises of the rule."""
        left = sorted((w for w in noises_in(ours) if w not in self.noises), key=str)
        drawn = generic_symbols(theirs) & self.whites if self.whites else frozenset()
        right = sorted((w for w in drawn if w not in self._matched()), key=str)
        if any(self.clocks[w] != self.clock for w in right):
            return []
        if len(left) != len(right) or len(left) > MAX_MATCHED_NOISES:
            return []
        ways = [dict(zip(left, way, strict=True)) for way in itertools.permutations(right)]
        return [way for way in ways if all(length_of(a) == length_of(b) for a, b in way.items())]

    def _matched(self) -> set[Symbol]:
        """Return the noises of the text that belong to one of the rule."""
        of, count, found = self._known_matched
        if of is not self.noises or count != len(of):  # a dict of matches only grows
            found = set(self.noises.values())
            self._known_matched = self.noises, len(self.noises), found
        return found

    def require(self, theirs: Expr, ours: Expr, line: int, place: str) -> None:
        """Require that a value of the text is the value of the rule.

        Raises:
            TranslationError: if that is not proved, with a point where they differ if there is one.
        """
        self.defined.rule[ours] = None
        if self.same(theirs, ours):
            return
        # A value that the text has computed brings noises of the rule along, which are matched.
        expanded = replace_symbols(self.expanded(theirs), self.noises)
        expected = self.expanded(ours)
        ways = list(self.matches(expanded, expected)) or [{}]
        found = None
        for way in ways:
            right = replace_symbols(expected, {**self.noises, **way})
            if self.equality.equal(expanded, right):
                self.noises |= way
                return
            found = witness_against(expanded, right)
            if found is None:
                raise unread(
                    line, f"{place}: {_shown(expanded)} is not proved to be {_shown(right)}"
                )
        raise wrong(line, f"{place} is {_shown(theirs)}, but must be {_shown(ours)}", found)

    def expanded(self, e: Expr) -> Expr:
        """Return an expression with the definitions of new values inserted."""
        for new, definition in reversed(self.definitions.items()):
            if new in generic_symbols(e):
                e = substitute(e, {new: definition})
        return e

    # -- going back
    # ----------------------------------------------------------------------------------------------

    def snapshot(self) -> tuple[Any, ...]:
        """Return a copy of the knowledge that ``restore`` can bring back."""
        return (
            dict(self.definitions),
            list(self.evaluations),
            dict(self.noises),
            set(self.whites),
            list(self.squares),
        )

    def restore(self, known: tuple[Any, ...]) -> None:
        """Forget everything since a snapshot."""
        self.definitions, self.evaluations, self.noises, self.whites, self.squares = (
            type(part)(part) for part in known
        )


@lru_cache(maxsize=65536)  # a value of the text is compared with every new value of the rule
def generic_symbols(e: Expr) -> frozenset[Symbol]:
    """Return the symbols of an expression, each at the generic coordinate."""
    return frozenset(map(generic, symbols_in(e)))


@lru_cache(maxsize=65536)
def noises_in(e: Expr) -> frozenset[Symbol]:
    """Return the noises of the rule in an expression."""
    return frozenset(generic(s) for s in symbols_in(e) if is_noise(s))


def is_noise(s: Symbol) -> bool:
    """Return True if a symbol is a noise of the rule."""
    return isinstance(s, Noise | ScalarNoise)


def replace_symbols(e: Expr, values: Mapping[Symbol, Symbol]) -> Expr:
    """Return an expression with symbols replaced by symbols, at every coordinate."""
    if not values or generic_symbols(e).isdisjoint(values):
        return e
    return e.xreplace(
        {s: _at(values[generic(s)], s) for s in symbols_in(e) if generic(s) in values}
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
