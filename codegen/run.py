"""``sample``: check everything, generate, compile, run chains, collect."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from numba import njit
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError

import recipe
from codegen.arguments import LARGEST_SEED, positive, whole
from codegen.chains import Advance, Chain, run_chains
from codegen.draws import Divergence, Draws
from codegen.generate import Module, generate
from codegen.initial import given_blocks, start
from codegen.lengths import Lengths, learn_given
from codegen.settings import resolved_data, resolved_params
from recipe.abstract import Potential
from recipe.errors import RecipeError
from recipe.recipe import Recipe
from recipe.symbols import Block, Indexed, Scalar
from recipe.update import Update


@dataclass(frozen=True)
class _Request:
    """The checked arguments that say how long to run and what to keep."""

    step_size: float
    steps: int
    warmup: int
    thin: int
    chains: int
    seed: int
    batch_size: int
    threads: int
    kept: tuple[Block, ...]

    def __post_init__(self) -> None:
        if self.draws < 1:
            raise RecipeError(f"steps={self.steps} with warmup={self.warmup} and thin={self.thin} keep no draw; raise steps")

    @property
    def draws(self) -> int:
        """How many draws a chain keeps."""
        return (self.steps - self.warmup) // self.thin


def sample(
    what: Recipe | Update,
    *,
    step_size: float,
    steps: int,
    params: Mapping[Any, Any] | None = None,
    scheme: str = "semi-implicit",
    order: Sequence[Block | str] | None = None,
    chains: int = 4,
    seed: int = 0,
    batch_size: int | None = None,
    warmup: int = 0,
    thin: int = 1,
    keep: Sequence[Block | str] | None = None,
    threads: int | None = None,
    initial: Mapping[Any, Any] | None = None,
    lengths: Mapping[Any, int] | None = None,
    gradient: Any = None,
    progress: bool = True,
    name: str | None = None,
) -> Draws:
    """Draw from a recipe (or a printed rule) with its compiled kernel.

    Args:
        what: the recipe; its potentials are bound to a ``Posterior`` or an expression, or ``gradient`` is given.
        step_size: the step, above 0.
        steps: how many steps each chain makes, the ``warmup`` included.
        params: the value of every parameter, by name or symbol; arrays for vector parameters and Dense matrices.
        scheme, order: the discretisation.
        chains, seed: chain c of a seed is the same whatever the number of chains and threads.
        batch_size: rows of a minibatch, drawn with replacement; None is all of the data.
        warmup, thin: the state after every ``thin``-th step that follows the warmup is a draw.
        keep: the blocks to keep; by default all.
        threads: by default one a chain, at most one a processor.
        initial: first values by block, of the shape (length,) or (chains, length); by default see ``codegen.initial``.
        lengths: the number behind the length of a block, where data and parameters do not tell.
        gradient: for a potential without posterior: ``gradient(g_theta, theta)``, a function that Numba can compile and that writes
            the gradient of the potential into its first arguments; ``{U: function}`` if there are several potentials.
        progress: show a progress bar, if standard error is a terminal.
        name: how the module and the draws call the recipe, where it has no name of its own.

    Raises:
        RecipeError: for any argument that is missing, unknown or out of range, before anything runs.
    """
    module = generate(what, scheme=scheme, order=order, name=name)
    known = Lengths()
    data, rows = resolved_data(module, known)
    how = _request(module, rows, step_size, steps, warmup, thin, chains, seed, batch_size, threads, keep)
    values = resolved_params(module, params, what.parameters, known)
    learn_given(known, lengths, module.plan.state)
    given = given_blocks(initial, module.plan.state, how.chains, known)
    functions = _gradients(what, module, gradient)
    loaded = module.load()
    advance = _advance(loaded, how, functions, loaded.Data(**data) if data else (), loaded.Params(**values) if values else ())
    running = [_chain(module, loaded, how, c, start(loaded, module.plan, given, known, (how.seed, c))) for c in range(how.chains)]
    _compile(advance, running[0])
    interrupted = run_chains(advance, running, how.steps, how.threads, progress)
    return _collected(module, how, running, interrupted, _attributes(what, module, how))


def _request(
    module: Module, rows: int | None, step_size: Any, steps: Any, warmup: Any, thin: Any, chains: Any, seed: Any,
    batch_size: Any, threads: Any, keep: Any,
) -> _Request:  # fmt: skip
    number = whole("chains", chains, 1)
    return _Request(
        step_size=positive("step_size", step_size),
        steps=whole("steps", steps, 1),
        warmup=whole("warmup", warmup, 0),
        thin=whole("thin", thin, 1),
        chains=number,
        seed=whole("seed", seed, 0, LARGEST_SEED),
        batch_size=_batch(batch_size, rows),
        threads=min(number, os.cpu_count() or 1) if threads is None else whole("threads", threads, 1),
        kept=_kept(keep, module.plan.state),
    )


def _advance(loaded: Any, how: _Request, gradient: Any, data: Any, params: Any) -> Advance:
    """What moves one chain by some steps."""

    def advance(state: Any, draws: Any, chain: int, begin: int, count: int) -> tuple[int, int]:
        return loaded.run(  # type: ignore[no-any-return]
            state, draws, gradient, data, how.step_size, params, np.uint64(how.seed), chain, begin, count,
            how.warmup, how.thin, how.batch_size,
        )  # fmt: skip

    return advance


def _batch(batch_size: Any, rows: int | None) -> int:
    if batch_size is None:
        return 0
    if rows is None:
        raise RecipeError("batch_size= needs data: bind a Posterior to the potential first")
    return whole("batch_size", batch_size, 1, rows)


def _kept(keep: Any, state: tuple[Block, ...]) -> tuple[Block, ...]:
    if keep is None:
        return state
    wanted = [keep] if isinstance(keep, str | Indexed | Scalar) else list(keep)
    by_name = {b.name: b for b in state}
    for block in wanted:
        if str(block) not in by_name:
            raise RecipeError(f"keep= names {block}, which is no block; the blocks are {', '.join(by_name)}")
    if not wanted:
        raise RecipeError("keep=[] keeps nothing; name the blocks to keep")
    return tuple(by_name[name] for name in dict.fromkeys(map(str, wanted)))


def _gradients(what: Recipe | Update, module: Module, gradient: Any) -> Any:
    """The ``gradient`` argument of ``run``."""
    own = {U: p.user_gradient for U, p in (what.posteriors if isinstance(what, Recipe) else ()) if p.user_gradient is not None}
    needed = [U for U in module.plan.potentials if U not in module.gradients]
    if not needed:
        if gradient is not None:
            raise RecipeError("gradient= is not needed: every potential of this recipe is bound; leave it out")
        return ()
    given = {_potential(key, needed): f for key, f in gradient.items()} if isinstance(gradient, Mapping) else {}
    if gradient is not None and not isinstance(gradient, Mapping):
        if len(needed) > 1:
            raise RecipeError(
                f"there are {len(needed)} potentials without data: give gradient={{{needed[0]}: ..., {needed[1]}: ...}}"
            )
        given = {needed[0]: gradient}
    functions = {U: _compiled(U, given.get(U, own.get(U))) for U in needed}
    if len(module.plan.potentials) == 1:
        return functions[needed[0]]
    return tuple(functions.get(U, _no_gradient) for U in module.plan.potentials)


@njit
def _no_gradient() -> None:
    """Stands in a tuple of gradients for one that the module contains."""


def _potential(key: Any, needed: list[Potential]) -> Potential:
    for U in needed:
        if key in (U, U.name):
            return U
    raise RecipeError(f"gradient= names {key}, which is no potential without data; those are {', '.join(map(str, needed))}")


def _compiled(U: Potential, function: Callable[..., None] | None) -> Any:
    if function is None:
        blocks = ", ".join(b.name for b in U.blocks)
        results = ", ".join(f"g_{b.name}" for b in U.blocks)
        raise RecipeError(
            f"{U} has no gradient: bind it, bind(recipe, {{{U}: Posterior(...) or an expression}}), "
            f"or give gradient=f with f({results}, {blocks})"
        )
    if not callable(function):
        raise RecipeError(f"gradient={function!r} is not a function")
    return function if isinstance(function, Dispatcher) else njit(error_model="numpy")(function)


def _chain(module: Module, loaded: Any, how: _Request, number: int, first: dict[str, np.ndarray]) -> Chain:
    kept = {module.plan.fields[b] for b in how.kept}
    try:
        arrays = {f: np.full((how.draws if f in kept else 0, first[f].size), np.nan) for f in module.plan.fields.values()}
    except (MemoryError, ValueError):
        raise RecipeError(
            f"{how.draws} draws a chain do not fit into memory; raise thin= or keep fewer blocks, keep=[...]"
        ) from None
    return Chain(number, loaded.allocate(*first.values()), loaded.Draws(**arrays))


def _compile(advance: Any, chain: Chain) -> None:
    """Compile with no step, so that a gradient that Numba refuses is an error here."""
    try:
        advance(chain.state, chain.draws, chain.number, 0, 0)
    except NumbaError as error:
        reason = next((line.strip() for line in str(error).splitlines() if line.strip()), "unknown")
        raise RecipeError(f"Numba cannot compile the kernel with this gradient: {reason}") from None


def _attributes(what: Recipe | Update, module: Module, how: _Request) -> dict[str, Any]:
    return {
        "recipe": what.name or module.name, "scheme": module.scheme, "step_size": how.step_size, "seed": str(how.seed),
        "warmup": how.warmup, "thin": how.thin, "batch_size": how.batch_size, "module_hash": module.hash,
        "version": recipe.__version__, "sympy_version": sympy.__version__,
    }  # fmt: skip


def _divergence(module: Module, chain: Chain) -> Divergence:
    block = module.plan.state[chain.guilty]
    values = getattr(chain.state, module.plan.fields[block])
    return Divergence(chain.number, chain.done, block.name, left_domain=bool(np.all(np.isfinite(values))))


def _collected(module: Module, how: _Request, chains: list[Chain], interrupted: bool, attributes: dict[str, Any]) -> Draws:
    counts = np.array([max(0, chain.done - how.warmup) // how.thin for chain in chains])
    healthy = [n for n, chain in zip(counts, chains, strict=True) if chain.guilty < 0]
    length = int(min(healthy)) if healthy else int(counts.max())
    values = {}
    for block in how.kept:
        stacked = np.stack([getattr(chain.draws, module.plan.fields[block])[:length] for chain in chains])
        values[block.name] = stacked[..., 0] if isinstance(block, Scalar) else stacked
    divergences = tuple(_divergence(module, c) for c in chains if c.guilty >= 0)
    return Draws(values, np.minimum(counts, length), divergences, interrupted, attributes)
