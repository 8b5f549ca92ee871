"""``preconditioned``: a sampler with a scale for each coordinate.

Where a sampler leaves ``exp(-U(z))`` invariant for every U, it does so for ``V(z) = U(scale*z)``,
and ``theta = scale*z`` then has the law ``exp(-U(theta))``, as the map is linear. Written in theta,
that sampler reads ``theta/scale`` and ``scale*grad(U, theta)``, and what moves z moves theta by
``scale`` times as much. For Hamiltonian dynamics this is a diagonal mass ``scale^-2`` (Neal 2011,
"MCMC using Hamiltonian dynamics", section 4.1).

The result is a declaration like any other: its own proof is as good as that of the sampler.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any, TypeVar

from sympy import Expr, ImmutableDenseMatrix, S

from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.kernel import Kernel
from recipe.kernel.part import (
    MetropolisedMap,
    MetropolisedPath,
    MetropolisHastings,
    Move,
    Part,
    Repeat,
)
from recipe.kernel.partner import partners_of
from recipe.kernel.proposal import cost_of
from recipe.language.abstract import Field, Partial, Potential
from recipe.language.blocks import Vector
from recipe.language.checks.matrix import BlockMatrix
from recipe.language.data import Parameter
from recipe.language.entry import matrices_in
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import UnusedNames
from recipe.language.symbols import Indexed, generic
from recipe.language.total import Total, opened, sum_over
from recipe.rebuild.potentials import kind_of, one_potential

SCALE = "scale"
Sampler = TypeVar("Sampler", Recipe, Kernel)


def preconditioned(sampler: Sampler) -> Sampler:
    """The same sampler with a further parameter ``scale``, one positive number for each coordinate.

    With ``scale`` 1 it is the sampler as it was. A good scale is the posterior standard deviation:
    one step size then fits all coordinates.

    Args:
        sampler: a recipe or a kernel with one potential, a function of one ``Vector`` on the real
            line, through which alone its Hamiltonian depends on that vector.

    Returns:
        A new recipe or kernel, whose law is the same. The parameter has the name ``scale``, or
        ``scale_`` where that is taken; ``spread`` and ``bind`` give each block of a model its own,
        ``scale_mu``, ``scale_beta``, ...

    Raises:
        RecipeError: where the sampler is of another kind.

    Example:
        >>> from recipe import Potential, Recipe, Vector, preconditioned
        >>> theta = Vector("theta")
        >>> langevin = Recipe(theta, H=Potential("U", theta), D=1, Q=0)
        >>> preconditioned(langevin).D.written
        Matrix([[scale**2]])
    """
    theta = _the_vector(sampler)
    taken = UnusedNames([*sampler.state, *(e for e, _ in _written(sampler))])
    scale = Parameter(taken.fresh(SCALE), like=theta, positive=True)
    return _rebuilt(sampler, _Scaled(theta, scale))  # type: ignore[no-any-return]


def _written(sampler: Recipe | Kernel) -> list[tuple[Expr, str]]:
    printed = sampler.update if isinstance(sampler, Recipe) else None
    return sampler.written() + (printed.written() if printed is not None else [])


def _the_vector(sampler: Recipe | Kernel) -> Vector:
    """Return the vector that the one potential of a sampler depends on."""
    if not isinstance(sampler, Recipe | Kernel):
        raise RecipeError(
            f"{sampler!r} is neither a Recipe nor a Kernel: there is nothing to scale"
        )
    U = one_potential(sampler)
    kind, blocks = kind_of(sampler), U.blocks
    if len(blocks) != 1 or not isinstance(blocks[0], Vector) or blocks[0].domain != S.Reals:
        raise RecipeError(
            f"{U} is no function of one Vector of real numbers, so the coordinates of this {kind}"
            " have no scales; bind a posterior after preconditioned(...)"
        )
    theta, law = blocks[0], sampler.H if isinstance(sampler, Recipe) else sampler.target
    if theta not in sampler.state:
        raise RecipeError(f"the state has no {theta}, so nothing of it has a scale")
    if any(_has(e, theta) for e in _without(law, U)):
        raise RecipeError(
            f"the law of this {kind} depends on {theta} outside of {U}; put all of it into {U}"
        )
    guilty = next(
        (m for e, _ in _written(sampler) for m in [*matrices_in(e), *e.atoms(Field)]), None
    )
    if guilty is not None:
        raise RecipeError(
            f"{guilty} couples the coordinates of this {kind}, so they have no scales of their own"
        )
    return theta


def _without(law: Expr, U: Potential) -> list[Expr]:
    """Return the law without the potential, which must be a summand of it."""
    rest = law - U
    return [law] if rest.has(U) else [rest]


def _has(e: Expr, theta: Vector) -> bool:
    return any(generic(s) == theta for s in e.atoms(Vector))


@dataclass(frozen=True)
class _Scaled:
    """The substitution that writes a sampler of ``z = theta/scale`` as one of theta."""

    theta: Vector
    scale: Any

    def put(self, e: Expr) -> Expr:
        """Write an expression of z in theta."""
        if isinstance(e, Partial):
            made = e
            for x in e.wrt:
                made = made * self.scale.at(x.label) if generic(x) == self.theta else made  # type: ignore[union-attr]
            return made
        if isinstance(e, Potential):
            return e
        if isinstance(e, Total):
            body, label = opened(e)
            return sum_over(self.put(body), label, e.index.length)
        if isinstance(e, Indexed) and generic(e) == self.theta:
            return e / self.scale.at(e.label)
        return e.func(*(self.put(a) for a in e.args)) if e.args else e

    def update(self, update: Update) -> Update:
        """Write a rule of z as one of theta."""
        pairs = [(b, self._moved(b, e)) for b, e in update.rule]
        return Update(
            update.step,
            pairs if update.sequential else dict(pairs),
            update.target,
            observe={b: self._moved(b, e) for b, e in update.observe},
            name=update.name,
            source=update.source,
            expect=update.expect,
            where=update.where,
        )

    def _moved(self, block: Any, e: Expr) -> Expr:
        return (self.scale * self.put(e)).expand() if block == self.theta else self.put(e)

    def matrix(self, m: BlockMatrix | None, columns: bool = True) -> ImmutableDenseMatrix | None:
        """Scale the rows of a block matrix that belong to theta, and its columns."""
        if m is None:
            return None

        def factor(block: Any) -> Expr:
            return self.scale if block == self.theta else S.One

        return ImmutableDenseMatrix(
            [
                [
                    factor(row) * (factor(column) if columns else S.One) * self.put(m.written[a, b])
                    for b, column in enumerate(m.blocks)
                ]
                for a, row in enumerate(m.blocks)
            ]
        )

    def part(self, part: Part) -> Part:
        """Write a part of a kernel in theta."""
        match part:
            case Move(update=update):
                return replace(part, update=self.update(update))
            case MetropolisHastings(proposal=proposal):
                rule = self.update(proposal)
                partners = partners_of(rule)
                return MetropolisHastings(rule, partners, cost_of(rule, partners))
            case MetropolisedMap(map=update):
                return replace(part, map=self.update(update))
            case MetropolisedPath(around=around, test=test):
                moved = replace(around, update=self.update(around.update))
                return MetropolisedPath(moved, replace(test, map=self.update(test.map)))
            case Repeat(parts=parts):
                return replace(part, parts=tuple(self.part(p) for p in parts))


@singledispatch
def _rebuilt(sampler: Any, scaled: _Scaled) -> Any:
    raise TypeError(sampler)


@_rebuilt.register
def _(kernel: Kernel, scaled: _Scaled) -> Kernel:
    return Kernel(
        [scaled.part(part) for part in kernel.parts],
        name=kernel.name,
        source=kernel.source,
        expect=kernel.expect,
    )


@_rebuilt.register
def _(recipe: Recipe, scaled: _Scaled) -> Recipe:
    return Recipe(
        recipe.state,
        recipe.H,
        scaled.matrix(recipe.D),
        scaled.matrix(recipe.Q),
        name=recipe.name,
        noise_factor=scaled.matrix(recipe.noise_factor, columns=False),
        marginal=dict(recipe.marginal),
        lyapunov=None if recipe.lyapunov is None else scaled.put(recipe.lyapunov),
        require=recipe.require,
        source=recipe.source,
        update=None if recipe.update is None else scaled.update(recipe.update),
        reflections=recipe.reflections,
        where=recipe.where,
    )
