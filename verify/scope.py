"""The scope of a proof in words: every length, function, parameter and domain that it holds for."""

from __future__ import annotations

from typing import Any

from sympy import Symbol
from sympy.core.function import UndefinedFunction

from recipe import Discretisation, Kernel, LabelledPosterior, Recipe, Update
from recipe.language.abstract import Dense, Field, Potential, written_image
from recipe.language.domain import domain_text
from recipe.language.symbols import Vector, assumptions_of, name_of

Declared = Recipe | Update | Discretisation | Kernel | LabelledPosterior


def scope_of(declared: Declared) -> str:
    """Return the scope of a proof about a declaration in words."""
    lengths = [
        f"every {length}"
        for length in sorted({str(b.length) for b in declared.state if isinstance(b, Vector)})
    ]
    return ", ".join([*_sizes_of(declared), *lengths, *kinds_of(declared)]) or "as written"


def for_posteriors(scope: str, declared: Declared) -> str:
    """Return a scope with the potentials of posteriors in the place of every smooth one.

    Args:
        scope: the scope of a proof about a declaration, in words.
        declared: the declaration: a recipe, or a discrete step of one.
    """
    recipe = declared.of if isinstance(declared, Discretisation) else declared
    for U, _ in recipe.posteriors if isinstance(recipe, Recipe) else ():
        every = _abstract_text(U)
        own = every.replace("every smooth", "the")
        scope = scope.replace(every, f"{own} of its posterior with any data and parameters")
    return scope


def _sizes_of(declared: Declared) -> list[str]:
    """Return the numbers of labels and of items of a datum that a proof holds for, in words."""
    if not isinstance(declared, LabelledPosterior):
        return []
    z = declared.labels
    return [f"every number of labels {z.labels}", f"every number of items {z.size}"]


def kinds_of(declared: Declared) -> list[str]:
    """Return the functions, parameters and domains that a proof holds for, each in words."""
    parts = [_abstract_text(a) for a in declared.abstract]
    parts += [_parameter_text(s) for s in declared.parameters]
    parts += (
        [_parameter_text(declared.step)]
        if isinstance(declared, Kernel) and declared.step is not None
        else []
    )
    parts += [f"where {condition}" for condition in declared.where]
    parts += [f"{b} in units of {unit}" for b, unit in getattr(declared, "units", ())]
    parts += [f"{b} in {domain_text(b)}" for b in declared.state if str(b.domain) != "Reals"]
    return parts + [
        f"{b.image} = {written_image(b)}" for b in declared.state if b.image is not None
    ]


def _abstract_text(head: Any) -> str:
    if isinstance(head, Potential):
        return f"every smooth {head}({', '.join(b.name for b in head.blocks)})"
    if isinstance(head, Field):
        return f"every smooth {'positive ' if head.is_positive else ''}{head}_i({head.block})"
    if isinstance(head, UndefinedFunction):
        return (
            f"every smooth {'positive ' if head._kwargs.get('positive') else ''}elementwise"
            f" {head.__name__}"
        )
    if isinstance(head, Dense):
        kind = (
            "positive definite "
            if head.positive_definite
            else "symmetric "
            if head.symmetric
            else ""
        )
        return f"every {kind}matrix {head}"
    return str(head)


def _parameter_text(s: Symbol) -> str:
    facts = sorted(
        k for k, v in assumptions_of(s).items() if v and k not in ("real", "commutative")
    )
    kind = " ".join(facts) if facts else "real"  # a symbol without assumptions is taken as real
    return f"every {kind} {name_of(s)}"
