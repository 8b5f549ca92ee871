"""Changes of a recipe: entries of D and Q, summands of H, the correction Gamma.

A change of D or Q gives another recipe, whose Gamma is derived anew: where D stays symmetric and Q
skew it is a right sampler, and the proof has to say so. A change of H or Gamma gives the Euler step
of the changed dynamics as a claim about the law that was meant: ``exp(-H)`` of the original.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from sympy import Add, Expr, Integer, Matrix, Rational, S, exp

from mutation.mutant import RECIPE, Change, Mutant, mutants_of
from recipe import Recipe, Update, Vector, derive, discretise, total
from recipe.declare.reflect_update import folded, unfolded
from recipe.language.blocks import Block

FACTORS = {
    "doubled": Integer(2),
    "halved": Rational(1, 2),
    "negated": Integer(-1),
    "dropped": Integer(0),
}


def recipe_mutants(name: str, recipe: Recipe) -> Iterator[Mutant]:
    """All mutants of one recipe."""
    plain = rebuilt(recipe)
    for changes in (_entries(recipe), _hamiltonians(recipe), _corrections(recipe)):
        yield from mutants_of(RECIPE, name, plain, changes)


def rebuilt(recipe: Recipe, **changed: Any) -> Recipe:
    """The recipe without its printed rule, so that it is judged by its law alone, and with
    something changed.
    """
    D, Q = (changed.get(letter, getattr(recipe, letter).written) for letter in "DQ")
    root = (
        recipe.noise_factor.written
        if recipe.noise_factor is not None and "D" not in changed
        else None
    )
    return Recipe(
        recipe.state,
        changed.get("H", recipe.H),
        D,
        Q,
        marginal=dict(recipe.marginal),
        lyapunov=recipe.lyapunov,
        noise_factor=root,
        require=recipe.require,
        posteriors=dict(recipe.posteriors),
        reflections=recipe.reflections,
    )


def _entries(recipe: Recipe) -> Iterator[Change]:
    for letter, sign in (("D", 1), ("Q", -1)):
        M = Matrix(getattr(recipe, letter).written)
        places = [(a, b) for a in range(M.rows) for b in range(M.cols) if M[a, b] != 0]
        for a, b in places:
            at = f"{letter}[{recipe.state[a]}, {recipe.state[b]}]"
            for words, factor in FACTORS.items():
                yield _changed(
                    letter, f"{at} {words}", recipe, _with(M, {(a, b): factor * M[a, b]})
                )
            yield _changed(letter, f"{at} plus 1", recipe, _with(M, {(a, b): M[a, b] + 1}))
            for other in {M[c, e] for c, e in places} - {M[a, b], sign * M[a, b]}:
                yield _changed(letter, f"{at} is {other}", recipe, _with(M, {(a, b): other}))
            if a > b:
                yield from _both_sides(letter, sign, recipe, M, (a, b))
            if a == b:
                bumped = M[a, b] * _bump(recipe.state[a])
                yield _changed(
                    letter,
                    f"{at} times {_bump(recipe.state[a])}",
                    recipe,
                    _with(M, {(a, b): bumped}),
                )
        yield from _moved(letter, recipe, M, places)


def _both_sides(
    letter: str, sign: int, recipe: Recipe, M: Matrix, place: tuple[int, int]
) -> Iterator[Change]:
    """An entry and its mirror image together: symmetric stays symmetric, skew stays skew."""
    a, b = place
    row, column = recipe.state[a], recipe.state[b]
    both = f"{letter}[{row}, {column}] and {letter}[{column}, {row}]"
    for words, factor in FACTORS.items():
        yield _changed(
            letter,
            f"{both} {words}",
            recipe,
            _with(M, {(a, b): factor * M[a, b], (b, a): factor * M[b, a]}),
        )
    yield _changed(letter, f"{both} equal", recipe, _with(M, {(a, b): M[b, a]}))
    for block in (row, column):
        if not isinstance(block, Vector) or {type(row), type(column)} == {Vector}:
            bump = _bump(block)
            made = _with(M, {(a, b): bump * M[a, b], (b, a): bump * M[b, a]})
            yield _changed(letter, f"{both} times {bump}", recipe, made)
            wrong = _with(M, {(a, b): bump * M[a, b]})
            yield _changed(letter, f"{letter}[{row}, {column}] times {bump}", recipe, wrong)


def _moved(
    letter: str, recipe: Recipe, M: Matrix, places: list[tuple[int, int]]
) -> Iterator[Change]:
    """A diagonal entry that stands one block too far."""
    for a, b in places:
        to = (a + 1) % M.rows
        if a == b and to != a and M[to, to] == 0:
            words = f"{letter}[{recipe.state[a]}, {recipe.state[a]}] moved to {recipe.state[to]}"
            yield _changed(letter, words, recipe, _with(M, {(a, a): S.Zero, (to, to): M[a, a]}))


def _bump(block: Block) -> Expr:
    """A positive function of a block."""
    return 1 + exp(-(block**2))


def _with(M: Matrix, values: dict[tuple[int, int], Expr]) -> Matrix:
    changed = M.copy()
    for place, value in values.items():
        changed[place] = value
    return changed


def _changed(letter: str, words: str, recipe: Recipe, M: Matrix) -> Change:
    return f"entry of {letter}", words, partial(rebuilt, recipe, **{letter: M})


def _hamiltonians(recipe: Recipe) -> Iterator[Change]:
    """Summand by summand; D and Q stay, so that what is sampled is the wrong law."""
    terms = Add.make_args(recipe.H.expand(deep=False))
    for term in terms:
        for words, factor in FACTORS.items():
            H = recipe.H + (factor - 1) * term
            yield "H", f"{term} {words} in H", partial(_claim_with, recipe, H)
    for block in recipe.state:
        tilted = recipe.H + (total(block) if isinstance(block, Vector) else block)
        yield "H", f"H plus {block}", partial(_claim_with, recipe, tilted)


def _claim_with(recipe: Recipe, H: Expr) -> Update:
    """The Euler step with the drift of another Hamiltonian, as a claim about the law of the
    original.
    """
    return _about(recipe, discretise(rebuilt(recipe, H=H), "euler"))


def _about(recipe: Recipe, update: Update) -> Update:
    return Update(
        update.step, list(update.rule) if update.sequential else dict(update.rule), recipe.H
    )


def _corrections(recipe: Recipe) -> Iterator[Change]:
    """Gamma multiplied by a number in the Euler step, all of it or that of one block."""
    gamma = derive(rebuilt(recipe)).gamma
    moving = [b for b in recipe.state if gamma[b] != 0]
    for words, factor in {**FACTORS, "flipped": Integer(-1)}.items():
        if words != "negated":
            for b in moving:
                yield (
                    "Gamma",
                    f"Gamma of {b} {words}",
                    partial(_with_gamma, recipe, {b: (factor - 1) * gamma[b]}),
                )


def _with_gamma(recipe: Recipe, added: dict[Block, Expr]) -> Update:
    """The Euler step with something added to the drift. A fold is around the whole rule, so it is
    added inside.
    """
    update = discretise(rebuilt(recipe), "euler")
    inside = unfolded(update)
    rule = {b: e + update.step * added.get(b, S.Zero) for b, e in inside.update.rule}
    return _about(recipe, folded(Update(update.step, rule, recipe.H), inside.reflections))
