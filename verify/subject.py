"""What is verified: a recipe, a claim (an update rule with the law that it is said to have), a step
of either, or a kernel.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

from sympy import Expr, Symbol
from sympy.core.function import UndefinedFunction

from recipe import Discretisation, Dynamics, Kernel, Recipe, RecipeError, Update, derive, limit_of
from recipe.declare.preimage import as_functions_of_preimages
from recipe.declare.reflect_update import has_folds, unfolded
from recipe.declare.reflection import Reflection
from recipe.kernel.part import MetropolisHastings, leaves_of, updates_of
from recipe.language.abstract import Dense, Field, Potential, written_image
from recipe.language.calculus import gradient
from recipe.language.domain import domain_text
from recipe.language.symbols import Block, Vector, assumptions_of, name_of
from recipe.rebuild.map_expressions import rewritten
from verify.decide.definedness import Condition
from verify.kernels.step_sizes import conditions_on_step

Declared = Recipe | Update | Discretisation | Kernel


@dataclass(frozen=True)
class Subject:
    """The diffusion and its target, with the declaration that they came from.

    ``gradient`` is grad H, ``written`` the expressions of the declaration with their places. Of a
    discrete step the diffusion is the one that it is made from.
    """

    declared: Declared
    kind: str
    H: Expr
    gradient: dict[Block, Expr]
    dynamics: Dynamics
    written: tuple[tuple[Expr, str], ...]
    reflections: tuple[Reflection, ...] = ()

    @property
    def state(self) -> tuple[Block, ...]:
        """The blocks."""
        return self.dynamics.state

    @property
    def is_reflected(self) -> bool:
        """Whether it turns back at an edge of its domain."""
        return bool(self.reflections)

    @property
    def scope(self) -> str:
        """In words, for what a proof holds."""
        return ", ".join([scope_of(self.declared), *map(str, self.reflections)])


@dataclass(frozen=True)
class KernelSubject:
    """A kernel in discrete time and its target: no limit is taken, and there is no diffusion.

    ``conditions`` are those on the step size that belong to the scope.
    """

    declared: Kernel
    H: Expr
    written: tuple[tuple[Expr, str], ...]
    conditions: tuple[Condition, ...] = ()
    kind: str = "kernel"

    @property
    def state(self) -> tuple[Block, ...]:
        """The blocks."""
        return self.declared.state

    @property
    def is_reflected(self) -> bool:
        """Whether a rule is folded at an edge of the domain that is no proposal; the density of a
        proposal knows its folds.
        """
        leaves = (
            leaf
            for part in self.declared.parts
            for leaf in leaves_of(part)
            if not isinstance(leaf, MetropolisHastings)
        )
        return any(has_folds(update) for leaf in leaves for update in updates_of(leaf))

    @property
    def scope(self) -> str:
        """In words, for what a proof holds."""
        return " with ".join(
            [
                scope_of(self.declared),
                *([" and ".join(map(str, self.conditions))] if self.conditions else []),
            ]
        )


def subject_of(declared: Declared) -> Subject:
    """The subject behind a declaration of a diffusion.

    Raises:
        RecipeError: where it is none of these, or an Update has no limit.
    """
    return _subject_of(_in_own_coordinates(declared))


def _in_own_coordinates(declared: Any) -> Any:
    """The declaration with abstract functions of the blocks that it moves, where these stand for
    others (``Preimage``).
    """
    if not isinstance(declared, Declared) or all(b.image is None for b in declared.state):
        return declared
    return rewritten(declared, lambda e: as_functions_of_preimages(e, declared.state))


@singledispatch
def _subject_of(declared: Any) -> Subject:
    raise RecipeError(f"{declared!r} is no Recipe, no Update and no Discretisation")


def kernel_subject_of(kernel: Kernel) -> KernelSubject:
    """The subject behind a kernel."""
    kernel = _in_own_coordinates(kernel)
    try:
        found = conditions_on_step(kernel)
    except RecursionError:  # then no condition is taken for granted
        found = ()
    return KernelSubject(kernel, kernel.target, tuple(kernel.written()), found)


@_subject_of.register
def _(declared: Recipe) -> Subject:
    derivation = derive(declared)
    written = tuple(declared.written())
    return Subject(
        declared,
        "recipe",
        declared.H,
        derivation.gradient,
        derivation.dynamics,
        written,
        declared.reflections,
    )


@_subject_of.register
def _(declared: Update) -> Subject:
    dynamics, inside = limit_of(declared), unfolded(declared)
    grad_H = {block: gradient(declared.target, block) for block in dynamics.state}
    written = tuple(inside.update.written())
    return Subject(
        declared, "claim", declared.target, grad_H, dynamics, written, inside.reflections
    )


@_subject_of.register
def _(declared: Discretisation) -> Subject:
    return replace(
        _subject_of(declared.of), declared=declared, kind="step", written=tuple(declared.written())
    )


def scope_of(declared: Declared) -> str:
    """In words, for what a proof holds."""
    lengths = [
        f"every {length}"
        for length in sorted({str(b.length) for b in declared.state if isinstance(b, Vector)})
    ]
    return ", ".join([*lengths, *kinds_of(declared)]) or "as written"


def kinds_of(declared: Declared) -> list[str]:
    """In words, for which functions, parameters and domains a proof holds."""
    parts = [_abstract_text(a) for a in declared.abstract]
    parts += [_parameter_text(s) for s in declared.parameters]
    parts += (
        [_parameter_text(declared.step)]
        if isinstance(declared, Kernel) and declared.step is not None
        else []
    )
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
