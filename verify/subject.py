"""The subject of a verification: the process behind a declaration, with its target.

A declaration is a recipe, a claim (an update rule with the law that it is said to have), a discrete
step of either, or a kernel.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

from sympy import Expr

from recipe import Discretisation, Dynamics, Kernel, Recipe, RecipeError, Update, derive, limit_of
from recipe.declare.reflect_update import has_folds, unfolded
from recipe.declare.reflection import Reflection
from recipe.declare.transformations.preimage import as_functions_of_preimages
from recipe.kernel.part import MetropolisHastings, leaves_of, updates_of
from recipe.language.blocks import Block
from recipe.language.calculus import gradient
from recipe.rebuild.map_expressions import rewritten
from recipe.signs.defined import Condition
from verify.kernels.step_sizes import conditions_on_step
from verify.scope import Declared, scope_of


@dataclass(frozen=True)
class Subject:
    """A diffusion and its target, with the declaration that they came from.

    Attributes:
        declared: the recipe, claim or discrete step.
        kind: ``"recipe"``, ``"claim"`` or ``"step"``.
        H: the energy of the target ``exp(-H)``.
        gradient: grad H, by block.
        dynamics: drift and diffusion; for a discrete step, those of what it was made from.
        written: the expressions of the declaration with the places where they are written.
        reflections: the reflections at edges of the domain.
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
        """The blocks of the state."""
        return self.dynamics.state

    @property
    def is_reflected(self) -> bool:
        """True if the sampler is reflected at an edge of its domain."""
        return bool(self.reflections)

    @property
    def scope(self) -> str:
        """The scope of a proof in words."""
        return ", ".join([scope_of(self.declared), *map(str, self.reflections)])


@dataclass(frozen=True)
class KernelSubject:
    """A kernel in discrete time and its target: no limit is taken, and there is no diffusion.

    Attributes:
        declared: the kernel.
        H: the energy of the target ``exp(-H)``.
        written: the expressions of the kernel with the places where they are written.
        conditions: the conditions on the step size that belong to the scope.
        kind: ``"kernel"``.
    """

    declared: Kernel
    H: Expr
    written: tuple[tuple[Expr, str], ...]
    conditions: tuple[Condition, ...] = ()
    kind: str = "kernel"

    @property
    def state(self) -> tuple[Block, ...]:
        """The blocks of the state."""
        return self.declared.state

    @property
    def is_reflected(self) -> bool:
        """True if a rule other than a Metropolis-Hastings proposal is folded at an edge of the
        domain.

        The density of a proposal takes its folds into account.
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
        """The scope of a proof in words."""
        return " with ".join(
            [
                scope_of(self.declared),
                *([" and ".join(map(str, self.conditions))] if self.conditions else []),
            ]
        )


def subject_of(declared: Declared) -> Subject:
    """Return the subject behind the declaration of a diffusion.

    Raises:
        RecipeError: if it is no recipe, update rule or discrete step, or if an update rule has no
            limit.
    """
    return _subject_of(_in_own_coordinates(declared))


def _in_own_coordinates(declared: Any) -> Any:
    """Return the declaration with its abstract functions as functions of the blocks that it moves,
    if these stand for others (``Preimage``).
    """
    if not isinstance(declared, Declared) or all(b.image is None for b in declared.state):
        return declared
    return rewritten(declared, lambda e: as_functions_of_preimages(e, declared.state))


def densities_of(declared: Any) -> list[tuple[Expr, str]]:
    """Return the log densities of the posteriors that stand for abstract potentials of a recipe or
    a kernel, each with its place.
    """
    posteriors = declared.posteriors if isinstance(declared, Recipe | Update | Kernel) else ()
    written = (
        (e, f"the {name} of {U}")
        for U, posterior in posteriors
        for e, name in (
            (posterior.log_likelihood, "log likelihood"),
            (posterior.log_prior, "log prior"),
        )
    )
    return [(e, where) for e, where in written if e is not None]


@singledispatch
def _subject_of(declared: Any) -> Subject:
    raise RecipeError(f"{declared!r} is not a Recipe, an Update or a Discretisation")


def kernel_subject_of(kernel: Kernel) -> KernelSubject:
    """Return the subject behind a kernel."""
    kernel = _in_own_coordinates(kernel)
    try:
        found = conditions_on_step(kernel)
    except RecursionError:  # without conditions the scope is larger, so this is safe
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
