"""Replace every expression in a declaration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import singledispatch
from typing import Any

from sympy import Expr, ImmutableDenseMatrix

from recipe.declare.recipe import Recipe
from recipe.declare.replace_fields import with_fields
from recipe.declare.update import Update
from recipe.kernel import Kernel
from recipe.language.checks.matrix import BlockMatrix
from recipe.rebuild.map_kernel import rewritten_part, rewritten_update
from recipe.scheme.discretisation import Discretisation
from recipe.scheme.exact import Exact
from recipe.scheme.flow import Flow
from recipe.scheme.pieces import Motion
from recipe.scheme.splitting import Splitting, SubFlow

Put = Callable[[Expr], Expr]


@singledispatch
def rewritten(declared: Any, put: Put) -> Any:
    """A recipe, update, discrete step or kernel with ``put`` applied to every expression."""
    raise TypeError(declared)


@rewritten.register
def _(declared: Update, put: Put) -> Update:
    return rewritten_update(declared, put)


@rewritten.register
def _(declared: Kernel, put: Put) -> Kernel:
    parts = [rewritten_part(part, put) for part in declared.parts]
    return Kernel(
        parts,
        name=declared.name,
        source=declared.source,
        expect=declared.expect,
        posteriors=dict(declared.posteriors),
    )


@rewritten.register
def _(declared: Recipe, put: Put) -> Recipe:
    def put_matrix(m: BlockMatrix | None) -> ImmutableDenseMatrix | None:
        return None if m is None else m.written.applyfunc(put)

    update = None if declared.update is None else rewritten_update(declared.update, put)
    made = Recipe(
        declared.state,
        put(declared.H),
        put_matrix(declared.D),
        put_matrix(declared.Q),
        name=declared.name,
        noise_factor=put_matrix(declared.noise_factor),
        marginal={kept: put(e) for kept, e in declared.marginal},
        lyapunov=None if declared.lyapunov is None else put(declared.lyapunov),
        require=declared.require,
        source=declared.source,
        update=update,
        posteriors=dict(declared.posteriors),
        reflections=declared.reflections,
        where=[c.rewritten(put) for c in declared.where],
    )
    return with_fields(made, transform=declared.transform)


@rewritten.register
def _(declared: Discretisation, put: Put) -> Discretisation:
    splitting = None if declared.splitting is None else _splitting(declared.splitting, put)
    exact = None if declared.exact is None else _exact(declared.exact, put)
    of, update = rewritten(declared.of, put), rewritten_update(declared.update, put)
    return replace(declared, of=of, update=update, splitting=splitting, exact=exact)


def _exact(exact: Exact, put: Put) -> Exact:
    transitions = tuple(replace(t, value=put(t.value), base=put(t.base)) for t in exact.transitions)
    return replace(exact, recipe=rewritten(exact.recipe, put), transitions=transitions)


def _splitting(splitting: Splitting, put: Put) -> Splitting:
    flows = tuple(_sub_flow(sub, put) for sub in splitting.flows)
    return replace(splitting, recipe=rewritten(splitting.recipe, put), flows=flows)


def _sub_flow(sub: SubFlow, put: Put) -> SubFlow:
    m = sub.motion
    motion = Motion(m.block, put(m.rate), put(m.push), put(m.noise))
    return replace(sub, motion=motion, law=Flow(put(sub.law.mean), put(sub.law.variance)))
