"""Random samplers by number: ``case(n)`` is always the same one, right as it was built or a mutant.

The class is that of ``random_samplers``; the numbers go through its families in turn. Of every
three, one is as it was built and two are mutants: an entry of D or Q with its sign or a factor
changed, dropped, transposed, something added to it, or changed on both sides of the diagonal; H
changed; in a rule the noise scaled, its sign changed, the correction Gamma dropped, doubled or
negated, a summand dropped, the order of the blocks changed. Some mutants are right samplers too:
the oracle says which.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from sympy import Add, Expr, Integer, Matrix, Rational

from generators.pasteable import pasteable
from generators.random_samplers import (
    any_symmetric,
    blocks,
    claims,
    edges,
    fisher,
    published,
    scalars,
)
from recipe import Noise, Recipe, RecipeError, Update, Vector, total
from recipe.language.noise import ScalarNoise
from recipe.language.symbols import Indexed
from recipe.language.total import substitute

FAMILIES: dict[str, Callable[..., tuple[Recipe | Update, bool]]] = {
    "blocks": blocks,
    "any D": any_symmetric,
    "edges": edges,
    "scalars": scalars,
    "fisher": fisher,
    "published": published,
    "claims": claims,
}
WITH_A_RULE = ("published", "claims")


@dataclass(frozen=True)
class Case:
    """One sampler of the class; what hypothesis draws has no number. ``built_psd``: D is positive
    semidefinite by construction.
    """

    number: int | None
    family: str
    mutation: str | None
    declared: Recipe | Update
    built_psd: bool

    def __repr__(self) -> str:
        return f"{self.family}, {self.mutation or 'as built'}:\n{pasteable(self.declared)}"


def case(number: int) -> Case:
    """The sampler of that number."""
    is_mutant = number // len(FAMILIES) % 3 != 0
    family = list(FAMILIES)[number % len(FAMILIES)]
    found = drawn(
        family, Random(f"sampler {number}"), Random(f"mutant {number}") if is_mutant else None
    )
    return replace(found, number=number)


def drawn(family: str, random: Random, of_mutation: Random | None) -> Case:
    """A sampler of a family, and where there are random numbers for it a mutant of that."""
    build, start = FAMILIES[family], random.getstate()
    declared, built_psd = build(random)
    if of_mutation is None:
        return Case(None, family, None, declared, built_psd)
    if family in WITH_A_RULE and of_mutation.random() < 0.3:
        gamma = of_mutation.choice([0, -1, 2])
        random.setstate(start)  # the same sampler with another correction
        return Case(None, family, f"Gamma times {gamma}", build(random, gamma=gamma)[0], built_psd)
    name, mutant = _mutant(declared, of_mutation)
    return Case(None, family, name, mutant, built_psd and not name.startswith("D"))


def _mutant(declared: Recipe | Update, random: Random) -> tuple[str, Recipe | Update]:
    """A mutant that is a sentence of the language: an entry between two lengths, for one, cannot be
    transposed.
    """
    for _ in range(20):
        try:
            return (
                _of_update(declared, random)
                if isinstance(declared, Update)
                else _of_recipe(declared, random)
            )
        except RecipeError:
            continue
    raise AssertionError(f"no mutant of {declared}")


def _of_recipe(recipe: Recipe, random: Random) -> tuple[str, Recipe]:
    if recipe.update is not None and random.random() < 0.4:
        name, update = _of_update(recipe.update, random)
        return f"update: {name}", rebuilt(recipe, update=update)
    places = [(m, a, b) for m in "DQ" for (a, b) in _nonzero(getattr(recipe, m).written)]
    if random.random() < 0.1 or not places:
        block = random.choice(recipe.state)
        return "H changed", rebuilt(
            recipe,
            H=recipe.H + (total(block) if isinstance(block, Vector) else block),
            marginal=None,
        )
    letter, a, b = random.choice(places)
    name = random.choice(list(CHANGES))
    changed = CHANGES[name](
        Matrix(getattr(recipe, letter).written),
        a,
        b,
        random.choice([Integer(-1), Integer(2), Rational(1, 2)]),
    )
    return f"{letter}[{a}, {b}] {name}", rebuilt(recipe, **{letter: changed})


def _nonzero(M: Matrix) -> list[tuple[int, int]]:
    return [(a, b) for a in range(M.rows) for b in range(M.cols) if M[a, b] != 0]


def _replaced(M: Matrix, a: int, b: int, value: Expr) -> Matrix:
    M[a, b] = value
    return M


def _transposed(M: Matrix, a: int, b: int, factor: Expr) -> Matrix:
    M[a, b], M[b, a] = M[b, a], M[a, b]
    return M


def _on_both_sides(M: Matrix, a: int, b: int, factor: Expr) -> Matrix:
    M[a, b] *= factor
    if a != b:
        M[b, a] *= factor
    return M


CHANGES: dict[str, Callable[[Matrix, int, int, Expr], Matrix]] = {
    "multiplied": lambda M, a, b, factor: _replaced(M, a, b, factor * M[a, b]),
    "dropped": lambda M, a, b, factor: _replaced(M, a, b, Integer(0)),
    "transposed": _transposed,
    "added to": lambda M, a, b, factor: _replaced(
        M, a, b, M[a, b] + factor * next((e for e in M if e not in (0, M[a, b])), M[a, b])
    ),
    "multiplied on both sides": _on_both_sides,
}


def rebuilt(recipe: Recipe, **changed: Any) -> Recipe:
    """The recipe with something changed."""
    H, D, Q = (
        changed.get(k, v)
        for k, v in (("H", recipe.H), ("D", recipe.D.written), ("Q", recipe.Q.written))
    )
    marginal = changed.get("marginal", dict(recipe.marginal))
    return Recipe(
        recipe.state, H, D, Q, marginal=marginal, update=changed.get("update", recipe.update)
    )


def _of_update(update: Update, random: Random) -> tuple[str, Update]:
    rule = list(update.rule)
    k = random.randrange(len(rule))
    block, e = rule[k]
    how = random.choice(
        ["noise scaled", "noise negated", "a summand dropped", "order changed", "target changed"]
    )
    if how == "order changed":
        return how, Update(
            update.step, rule if not update.sequential else rule[::-1], update.target
        )
    if how == "target changed":
        return how, Update(
            update.step,
            _like(update, rule),
            update.target * 2 if random.random() < 0.5 else update.target + _of(block),
        )
    if how == "a summand dropped":
        terms = [t for t in Add.make_args(e.expand(deep=False)) if t != block]
        rule[k] = (block, e - random.choice(terms)) if terms else rule[k]
    else:
        factor = (
            Integer(-1)
            if how == "noise negated"
            else random.choice([Integer(2), Rational(1, 2), Integer(0)])
        )
        noises = {s.at(0) if isinstance(s, Indexed) else s for s in e.atoms(Noise, ScalarNoise)}
        rule[k] = (block, substitute(e, {w: factor * w for w in noises}))
    return how, Update(update.step, _like(update, rule), update.target)


def _like(update: Update, rule: list[Any]) -> Any:
    return rule if update.sequential else dict(rule)


def _of(block: Any) -> Expr:
    return total(block) if isinstance(block, Vector) else block
