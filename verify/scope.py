"""The scope of a proof in words: every length, function, parameter and domain that it holds for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sympy import Symbol
from sympy.core.function import UndefinedFunction

from recipe import Discretisation, Kernel, LabelledPosterior, Recipe, Update
from recipe.language.abstract import Dense, Field, Potential, written_image
from recipe.language.blocks import Vector
from recipe.language.domain import domain_text
from recipe.language.symbols import assumptions_of, name_of

ANY_DATA = "any data and parameters"
THESE_DATA = "any parameters and any data with the signs of these"

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
    for U in _bound(declared):
        scope = for_posterior(scope, U)
    return scope


def for_posterior(scope: str, U: Potential, data: str = ANY_DATA) -> str:
    """Return a scope with the potential of a posterior in the place of every smooth one.

    Args:
        scope: the scope of a proof about a declaration, in words.
        U: the potential that a posterior is bound to.
        data: the data that the proof holds for: ``ANY_DATA`` or ``THESE_DATA``.
    """
    return scope.replace(_abstract_text(U), _own_text(U, data))


def narrowed(scope: str, declared: Declared, parts: Iterable[str | None]) -> str:
    """Return a scope with each potential of a posterior as narrow as some part of a proof needs it.

    Args:
        scope: the scope of a proof about a declaration, in words.
        declared: the declaration: a recipe, or a discrete step of one.
        parts: the scopes of the parts of the proof; None for a part without its own.
    """
    narrow = [part for part in parts if part is not None]
    for U in _bound(declared):
        for data in (THESE_DATA, ANY_DATA):  # once replaced, the wider words find nothing
            if any(_own_text(U, data) in part for part in narrow):
                scope = for_posterior(scope, U, data)
    return scope


def _bound(declared: Declared) -> list[Potential]:
    """Return the potentials of a declaration that posteriors are bound to."""
    recipe = declared.of if isinstance(declared, Discretisation) else declared
    return [U for U, _ in recipe.posteriors] if isinstance(recipe, Recipe | Update) else []


def _own_text(U: Potential, data: str) -> str:
    own = _abstract_text(U).replace("every smooth", "the")
    return f"{own} of its posterior with {data}"


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
