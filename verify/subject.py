"""What is verified: a recipe, a claim (an update rule with the law that it is said to have), a step
of either, or a kernel.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

from sympy import Expr

from recipe import Discretisation, Dynamics, Kernel, Recipe, RecipeError, Update, derive, limit_of
from recipe.declare.preimage import as_functions_of_preimages
from recipe.declare.reflect_update import has_folds, unfolded
from recipe.declare.reflection import Reflection
from recipe.kernel.part import MetropolisHastings, leaves_of, updates_of
from recipe.language.calculus import gradient
from recipe.language.symbols import Block
from recipe.rebuild.map_expressions import rewritten
from verify.decide.definedness import Condition
from verify.kernels.step_sizes import conditions_on_step
from verify.scope import Declared, scope_of


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
