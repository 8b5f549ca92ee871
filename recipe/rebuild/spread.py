"""``spread``: a sampler that was written for one vector, on the several blocks of a model.

The new state is the old one cut into pieces: where ``theta`` had n coordinates, ``mu``, ``eta``,
... have n together. Elementwise expressions and sums over all coordinates do not depend on where a
piece ends, so the sampler is literally the same. An expression that does depend on it (a matrix,
``outer``, a ``Field``) is refused.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import singledispatch, singledispatchmethod
from typing import Any, TypeVar

from sympy import Add, Expr, ImmutableDenseMatrix, Integer, Symbol

from recipe.declare.recipe import Recipe
from recipe.declare.reflection import Reflection
from recipe.declare.replace_fields import with_fields
from recipe.declare.update import Update
from recipe.kernel.kernel import Kernel
from recipe.language.abstract import Dense, Field, Potential
from recipe.language.assumed import ParameterCondition
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.checks.matrix import BlockMatrix, matrix_of
from recipe.language.checks.validate import check_state
from recipe.language.data import Parameter, VectorParameter, with_numbers
from recipe.language.domain import on_simplex
from recipe.language.entry import matrices_in
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import UnusedNames
from recipe.language.noise import Noise
from recipe.language.symbols import GENERIC, Index, Indexed, Length, assumptions_of, name_of
from recipe.language.total import Total, free_indexed, opened, sum_over
from recipe.rebuild.split_kernel import Cut, Seconds, part_in_pieces
from recipe.rebuild.taken_names import require_free_names

At = Mapping[int, int]
Spread = TypeVar("Spread", Recipe, Update, Kernel)
ONE_VECTOR_ONLY = "the recipe holds for one vector only; write the model with one Vector block"


def spread(
    recipe: Spread, U: Potential | str, blocks: Any, *, avoid: Iterable[Expr] = ()
) -> Spread:
    """The same sampler on several blocks in place of the one vector that ``U`` depends on.

    Every block of that length (a momentum, say) and every vector parameter is copied for each new
    block: ``r`` becomes ``r_mu``, ``r_eta``, ... The state consists of all copies of its first
    block, then all of its second, and so on. The length becomes the number of coordinates that the
    new blocks have together. A published ``update`` is copied as well. It is left out where its
    copy would move coordinates one after another that it moved at once; a rule with this property
    that is the sampler, or a part of a kernel, is refused.

    Args:
        recipe: the sampler, a recipe, an update rule or a kernel.
        U: a potential in it that depends on one ``Vector``, or its name.
        blocks: the new blocks, a tuple (or one block), on the domain of that vector.
        avoid: expressions whose names no copy may get.

    Returns:
        A new recipe, update or kernel; the given one, where ``blocks`` is that vector.

    Raises:
        RecipeError: for parts that make sense for one vector only: ``Field``, ``Dense`` and
            ``outer`` of that length, a noise with a covariance, a simplex, or a potential that has
            its posterior already; and for a block with the name of the step size, a parameter or a
            function of the sampler.
    """
    new, theta = check_state(blocks, "blocks"), _the_vector(recipe, U)
    if new == (theta,):
        return recipe
    changed = next((b for b in recipe.state if b.image is not None), None)
    if changed is not None:
        raise RecipeError(
            f"{changed} stands for {changed.image} here, so it cannot be spread; bind the posterior"
            " first, then transform"
        )
    _check_blocks(recipe, theta, new)
    require_free_names(recipe, theta, new)
    _check_whole(recipe, theta)
    return _rebuilt(recipe, _copies(recipe, theta, new, avoid))  # type: ignore[no-any-return]


def _the_vector(recipe: Recipe | Update | Kernel, given: Potential | str) -> Vector:
    """Return the one vector that a potential of the recipe depends on."""
    named = {name_of(f): f for f in recipe.abstract}
    U = named.get(given) if isinstance(given, str) else given
    if not isinstance(U, Potential) or U not in recipe.abstract:
        raise RecipeError(
            f"{given} is no potential of this recipe, which has:"
            f" {', '.join(map(str, recipe.abstract)) or 'none'}"
        )
    if len(U.blocks) > 1 or not isinstance(U.blocks[0], Vector):
        names = ", ".join(b.name for b in U.blocks)
        raise RecipeError(
            f"{U}({names}) does not depend on one Vector block; only such a potential can be spread"
            " over other blocks"
        )
    return U.blocks[0]


def _check_blocks(recipe: Recipe | Update | Kernel, theta: Vector, new: tuple[Block, ...]) -> None:
    """Require new blocks on the domain of the vector, under names that no other block of the state
    has.
    """
    for b in new:
        if b.domain != theta.domain:
            raise RecipeError(
                f"the block {b} lives on {b.domain}, and {theta} on {theta.domain}: declare {b}"
                f" with the domain of {theta}"
            )
    simplex = next((v for v in recipe.state if _has(v, theta.length) and on_simplex(v)), None)
    if simplex is not None and (len(new) > 1 or isinstance(new[0], Scalar)):
        raise RecipeError(
            f"the coordinates of {simplex} are a simplex together, which cannot be cut into pieces:"
            f" {ONE_VECTOR_ONLY}"
        )
    stays = {b.name for b in recipe.state if not _has(b, theta.length)}
    twice = next((b for b in new if b.name in stays), None)
    if twice is not None:
        raise RecipeError(
            f"the recipe has a block {twice} of its own beside {theta}: give the new block {twice}"
            " another name"
        )


def _check_whole(recipe: Recipe | Update | Kernel, theta: Vector) -> None:
    """Refuse a sampler that depends on where a piece of the vector ends."""
    for U, _ in recipe.posteriors:
        if any(_has(b, theta.length) for b in U.blocks):
            raise RecipeError(
                f"{U} has its posterior already, a law of {U.blocks[0]}: bind all the posteriors of"
                " a recipe at once"
            )
    for e, where in _written(recipe):
        for s in sorted(e.atoms(Dense), key=str):
            if theta.length in (s.row.length, s.column.length):
                raise RecipeError(
                    f"{where}: {s} is a matrix of all coordinates of {theta}, so {ONE_VECTOR_ONLY}"
                )


def _written(recipe: Recipe | Update | Kernel) -> list[tuple[Expr, str]]:
    printed = recipe.update if isinstance(recipe, Recipe) else None
    return recipe.written() + (printed.written() if printed is not None else [])


def _has(s: Symbol, length: Length) -> bool:
    return isinstance(s, Indexed) and s.length == length


def _copies(
    recipe: Recipe | Update | Kernel, theta: Vector, new: tuple[Block, ...], avoid: Iterable[Expr]
) -> _Copies:
    """A copy for each new block of every symbol that has the length of ``theta``, under names of
    their own.
    """
    expressions = [e for e, _ in _written(recipe)]
    found = {
        s.at(GENERIC)
        for e in expressions
        for s in e.atoms(Indexed)
        if s.length == theta.length and not isinstance(s, Index)
    }
    wanted = dict.fromkeys(
        [*(b for b in recipe.state if _has(b, theta.length)), *sorted(found, key=str)]
    )
    names = UnusedNames([*recipe.state, *expressions, *new, *avoid])
    of: dict[Symbol, tuple[Symbol, ...]] = {theta: new}
    for s in wanted:
        if s == theta:
            continue
        of[s] = tuple(copied(s, names.fresh(f"{s.base}_{b.name}"), b) for b in new)
    return _Copies(theta.length, new, of)


@singledispatch
def copied(symbol: Indexed, name: str, block: Block) -> Symbol:
    """The copy, for one block, of a symbol with one value for each coordinate."""
    raise TypeError(symbol)


@copied.register
def _(symbol: Vector, name: str, block: Block) -> Symbol:
    if isinstance(block, Scalar):
        return Scalar(name, domain=symbol.domain)
    return Vector(name, like=block, domain=symbol.domain)


@copied.register
def _(symbol: VectorParameter, name: str, block: Block) -> Symbol:
    if symbol.known is not None and isinstance(block, Vector):
        return with_numbers(name, block, symbol.known)
    if symbol.known is not None:
        raise RecipeError(
            f"{symbol} carries a number for each coordinate, and {block} is one number; declare"
            f" {symbol} without its values, and give those of each block in params="
        )
    return Parameter(
        name, like=None if isinstance(block, Scalar) else block, **assumptions_of(symbol)
    )


@copied.register
def _(symbol: Noise, name: str, block: Block) -> Symbol:
    if symbol.covariance is not None:
        raise RecipeError(
            f"update: {symbol} has the covariance {symbol.covariance} between all of its"
            f" coordinates, so {ONE_VECTOR_ONLY}"
        )
    return Noise(name, like=block)


@copied.register
def _(symbol: Field, name: str, block: Block) -> Symbol:
    raise RecipeError(
        f"each value of the field {symbol} depends on all of {symbol.block}, so {ONE_VECTOR_ONLY}, "
        f"or bind {symbol} to an elementwise expression of {symbol.block}"
    )


@dataclass(frozen=True)
class _Copies:
    """The copies of every symbol of one length.

    Attributes:
        length: the length that is cut into pieces.
        blocks: the new blocks.
        of: the copies of each symbol; ``of[s][k]`` belongs to ``blocks[k]``.
        potentials: the potentials that were replaced so far.
    """

    length: Length
    blocks: tuple[Block, ...]
    of: Mapping[Symbol, tuple[Symbol, ...]]
    potentials: dict[Potential, Potential] = field(default_factory=dict, compare=False)

    @singledispatchmethod
    def put(self, e: Any, at: At) -> Any:
        """Replace the symbols in an expression by their copies.

        ``at[l]`` is the number of the block in which the index with label ``l`` runs.
        """
        return e.func(*(self.put(a, at) for a in e.args)) if e.args else e

    @put.register
    def _(self, e: Length, at: At) -> Expr:
        if e != self.length:
            return e
        return Add(*(b.length if isinstance(b, Vector) else Integer(1) for b in self.blocks))

    @put.register
    def _(self, e: Indexed, at: At) -> Expr:
        if e.length != self.length:
            return e
        copy = self.of[e.at(GENERIC)][at[e.label]]
        return copy.at(e.label) if isinstance(copy, Indexed) else copy

    @put.register
    def _(self, e: Potential, at: At) -> Expr:
        if e not in self.potentials:  # one with many blocks stands in the rule of each of them
            pieces = (c for b in e.blocks for c in self.pieces(b))
            self.potentials[e] = Potential(e.name, *pieces)
        return self.potentials[e]

    @put.register
    def _(self, e: Total, at: At) -> Expr:
        body, k = opened(e, *at)
        if e.index.length != self.length:
            return sum_over(self.put(body, at), k, e.index.length)
        return Add(
            *(self.summed(self.put(body, {**at, k: n}), k, b) for n, b in enumerate(self.blocks))
        )

    def summed(self, body: Expr, label: int, block: Block) -> Expr:
        """The sum over the coordinates of one block; for a scalar block, the expression itself."""
        return sum_over(body, label, block.length) if isinstance(block, Vector) else body

    def pieces(self, block: Block) -> tuple[Block, ...]:
        """The blocks that replace a block of the state; the block itself, where it stays."""
        return self.of.get(block, (block,))  # type: ignore[return-value]

    def pieces_at(self, block: Block) -> list[tuple[Block, At]]:
        """The pieces of a block, each with the number of the new block that the generic coordinate
        lies in.

        For a block that stays, this mapping is empty.
        """
        if block not in self.of:
            return [(block, {})]
        return [(piece, {GENERIC: k}) for k, piece in enumerate(self.pieces(block))]

    def matrix(self, m: BlockMatrix | None) -> ImmutableDenseMatrix | None:
        """A block matrix between the pieces; a diagonal entry couples each piece with the same
        piece only.
        """
        if m is None:
            return None
        count = itertools.count()
        # The number of each piece among all of them, by block.
        places = {b: [(next(count), at) for _, at in self.pieces_at(b)] for b in m.blocks}
        entries: dict[tuple[int, int], Expr] = {}
        for (row, column), e in m.nonzero.items():
            self._check_entry(m, row, column)
            both = row in self.of and column in self.of
            if both:
                pairs = list(zip(places[row], places[column], strict=True))
            else:
                pairs = list(itertools.product(places[row], places[column]))
            for (a, here), (b, there) in pairs:
                entries[a, b] = self.put(e, {**here, **there})
        return matrix_of(next(count), entries)

    def _check_entry(self, m: BlockMatrix, row: Block, column: Block) -> None:
        """Refuse an entry between blocks that are cut into pieces if it is a matrix."""
        guilty = matrices_in(m.nonzero[row, column])
        if guilty and (row in self.of or column in self.of):
            raise RecipeError(
                f"{m.place(row, column)}: {guilty[0]} is a matrix of all coordinates of the block,"
                f" so {ONE_VECTOR_ONLY}"
            )

    def reflections(self, reflections: Iterable[Reflection]) -> list[Reflection]:
        """The reflections of the pieces: each piece turns back with its own pieces of the
        momenta.
        """
        return [
            Reflection(block, tuple(flips))
            for reflection in reflections
            for block, *flips in zip(
                *(self.pieces(b) for b in (reflection.block, *reflection.flips)), strict=True
            )
        ]

    def conditions(self, where: Iterable[ParameterCondition]) -> list[ParameterCondition]:
        """The conditions between parameters on the pieces: one that holds for each coordinate holds
        for each coordinate of each piece.
        """
        return [
            condition.rewritten(lambda e, at=at: self.put(e, at))  # type: ignore[misc]
            for condition in where
            for at in self._places(condition)
        ]

    def _places(self, condition: ParameterCondition) -> list[At]:
        own = [s for s in free_indexed(condition.e) if s.length == self.length]
        return [{GENERIC: k} for k in range(len(self.blocks))] if own else [{}]

    def update(self, update: Update | None) -> Update | None:
        """The printed rule on the pieces; None where a list of new values would no longer move all
        pieces at once.
        """
        if update is None:
            return None
        rule: list[tuple[Block, Expr]] = []
        sequential = update.sequential and len(update.rule) > 1
        for block, e in update.rule:
            moved = [(piece, self.put(e, at)) for piece, at in self.pieces_at(block)]
            if sequential and any(
                earlier in new.free_symbols
                for k, (_, new) in enumerate(moved)
                for earlier, _ in moved[:k]
            ):
                return None
            rule += moved
        observe = {
            piece: self.put(e, at)
            for block, e in update.observe
            for piece, at in self.pieces_at(block)
        }
        made = Update(
            update.step,
            rule if sequential else dict(rule),
            self.put(update.target, {}),
            observe=observe,
            name=update.name,
            source=update.source,
            expect=update.expect,
            where=self.conditions(update.where),
        )
        # the rule is in these units already
        units = tuple((p, unit) for block, unit in update.units for p in self.pieces(block))
        return with_fields(
            made, units=units, limit_only=update.limit_only, posteriors=update.posteriors
        )


@singledispatch
def _rebuilt(recipe: Any, copies: _Copies) -> Any:
    raise TypeError(recipe)


@_rebuilt.register
def _(kernel: Kernel, copies: _Copies) -> Kernel:
    def put(cost: Expr, seconds: Seconds) -> Expr:
        return replace(copies, of={**copies.of, **seconds}).put(cost, {})  # type: ignore[no-any-return]

    def cut_update(update: Update) -> Update:
        return _cut(update, copies, "a rule of the kernel")

    parts = [part_in_pieces(part, Cut(cut_update, copies.pieces, put)) for part in kernel.parts]
    return Kernel(
        parts,
        name=kernel.name,
        source=kernel.source,
        expect=kernel.expect,
        posteriors=dict(kernel.posteriors),
    )


@_rebuilt.register
def _(update: Update, copies: _Copies) -> Update:
    return _cut(update, copies, "the rule")


def _cut(update: Update, copies: _Copies, what: str) -> Update:
    """Return the rule on the pieces, or refuse it."""
    found = copies.update(update)
    if found is None:
        raise RecipeError(
            f"{what} moves all coordinates of {update.rule[0][0]} at once from their old values,"
            f" and the pieces would move one after the other: {ONE_VECTOR_ONLY}, or write the rule"
            " with a dict, whose right-hand sides all see the old values"
        )
    return found


@_rebuilt.register
def _(recipe: Recipe, copies: _Copies) -> Recipe:
    return Recipe(
        tuple(piece for b in recipe.state for piece in copies.pieces(b)),
        copies.put(recipe.H, {}),
        copies.matrix(recipe.D),
        copies.matrix(recipe.Q),
        name=recipe.name,
        noise_factor=copies.matrix(recipe.noise_factor),
        marginal={
            tuple(p for b in kept for p in copies.pieces(b)): copies.put(e, {})
            for kept, e in recipe.marginal
        },
        lyapunov=None if recipe.lyapunov is None else copies.put(recipe.lyapunov, {}),
        require=recipe.require,
        source=recipe.source,
        update=copies.update(recipe.update),
        posteriors=dict(recipe.posteriors),
        reflections=copies.reflections(recipe.reflections),
        where=copies.conditions(recipe.where),
    )
