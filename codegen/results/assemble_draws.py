"""Draws from chains that have run: cut to one length, with attributes that say how they were made,
and warnings.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import sympy

import recipe
from codegen.bias.prediction import Prediction
from codegen.inputs.lengths import Lengths
from codegen.inputs.not_finite import why_not_finite
from codegen.inputs.options import SamplingOptions, ordered_blocks
from codegen.inputs.posterior_data import bad_rows
from codegen.inputs.preimages import reported_block
from codegen.inputs.schedule import step_sizes
from codegen.module import Module
from codegen.results.diagnostics.hierarchy import is_of_a_hierarchy
from codegen.results.diagnostics.local_acceptance import narrow_place
from codegen.results.draws import Divergence, Draws
from codegen.results.law_of_draws import law_of
from codegen.results.quantities import (
    AtDraws,
    at_draws,
    derived_draws,
    derived_names,
    numbers_of_ordered,
    require_room_for,
)
from codegen.running.chains import Chain
from codegen.step_size.noise_budget import Budget
from recipe.declare.posterior import Posterior
from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.kernel import Kernel
from recipe.language.blocks import Scalar
from recipe.language.errors import RecipeError
from recipe.language.symbols import name_of


def collected(
    what: Recipe | Update | Kernel,
    module: Module,
    options: SamplingOptions,
    chains: Sequence[Chain],
    lengths: Lengths,
    *,
    interrupted: bool,
    seconds: float,
    warnings: tuple[str, ...],
    budget: Budget | None,
    faults: Mapping[int, str],
    bias: Prediction | None,
    of_law: tuple[str, ...] = (),
) -> Draws:
    """Return the draws of all chains, as many as the shortest healthy chain has; ``of_law`` says of
    which law they are, where it is not that of the posterior.
    """
    counts = np.array([options.draws_after(chain.done) for chain in chains])
    healthy = [n for n, chain in zip(counts, chains, strict=True) if chain.stopped_by < 0]
    length = int(min(healthy)) if healthy else int(counts.max())
    values = {}
    for block in options.kept(module):
        stacked = np.stack(
            [getattr(chain.draws, module.plan.fields[block])[:length] for chain in chains]
        )
        values[reported_block(block).name] = (
            stacked[..., 0] if isinstance(block, Scalar) else stacked
        )
    derived, lost = _derived(module, options, values)
    rates = [getattr(c.draws, f)[:length, 0] for f in module.plan.statistics for c in chains]
    acceptance = np.stack(rates) if rates and length else None
    narrow = None if acceptance is None else narrow_place(values, acceptance)
    if narrow is not None:
        posteriors = (e.gradient.posterior for e in module.estimators.values())
        narrow = replace(narrow, hierarchy=is_of_a_hierarchy(posteriors, narrow.coordinate))
    stopped = [c for c in chains if c.stopped_by >= 0]
    still = _never_accepted(module, options, chains)
    bad = (
        bad_rows(e.gradient.posterior for e in module.estimators.values())
        if stopped or still
        else []
    )
    stuck = _stuck(module, options, still, bad, values)
    divergences = [
        *(
            replace(_divergence(module, options, c, budget, bad), fault=faults.get(c.number))
            for c in stopped
        ),
        *stuck,
    ]
    divergences.sort(key=lambda d: d.chain)
    return Draws(
        _reported(module, options, {**values, **derived}),
        np.minimum(counts, length),
        tuple(divergences),
        interrupted,
        {
            **_attributes(what, module, options, seconds, acceptance),
            **_law(module, options, values, of_law),
            **({} if narrow is None else {"narrow_place": narrow.where}),
        },
        options.schedule.at(options.warmup + options.thin * np.arange(1.0, length + 1) - 1),
        # where data are at fault, the warnings of the run would advise a smaller step
        (
            *bad,
            *map(str, divergences),
            *(() if stuck or bad else warnings),
            *(() if narrow is None else (str(narrow),)),
            *lost,
        ),
        acceptance,
        _coordinates(module, options, lengths),
        bias,
    )


def _coordinates(
    module: Module, options: SamplingOptions, lengths: Lengths
) -> dict[str, tuple[str, ...]]:
    """Return the names of the coordinates of kept blocks, where they have names."""
    kept = options.kept(module)
    named = {reported_block(b).name: lengths.names_of(b) for b in kept}
    named |= {b.image.name: lengths.names_of(b.image) for b in kept if b.image is not None}
    for posterior in _posteriors(module):
        named |= derived_names(posterior, lengths)
    return {block: names for block, names in named.items() if names is not None}


def specimen(
    what: Recipe | Update | Kernel, module: Module, options: SamplingOptions, lengths: Lengths
) -> tuple[Draws, int]:
    """Return one draw of one chain, at 0, in the form that ``collected`` will return; and the bytes
    that all draws will have.

    Raises:
        RecipeError: for a derived quantity that cannot be computed, or does not fit into memory.
    """
    values = {
        reported_block(b).name: np.zeros((1, 1) if isinstance(b, Scalar) else (1, 1, lengths.of(b)))
        for b in options.kept(module)
    }
    for at in _places(module, options, values):
        for name, found in derived_draws(at).items():
            require_room_for(name, (options.chains, options.draws), int(np.prod(found.shape)))
            values[name] = found
    values = _reported(module, options, values)
    acceptance = np.zeros((1, 1)) if module.plan.statistics else None
    attributes = _attributes(what, module, options, 0.0, acceptance)
    one = Draws(
        values,
        np.ones(1, int),
        (),
        False,
        attributes,
        np.ones(1),
        acceptance=acceptance,
        coords=_coordinates(module, options, lengths),
    )
    return one, one.bytes * options.draws * options.chains


def small_quantities(
    module: Module, options: SamplingOptions, values: Mapping[str, np.ndarray], most: int
) -> dict[str, np.ndarray]:
    """Return the derived quantities of at most so many numbers at draws of blocks; none where they
    cannot be computed.

    Args:
        module: the generated module.
        options: the settings of the run.
        values: the draws by the name of a block, of the shape (chains, draws) or (chains, draws,
            length).
        most: the most numbers of a quantity.
    """
    try:
        places = _places(module, options, values)
        return {name: found for at in places for name, found in derived_draws(at, most).items()}
    except RecipeError:
        return {}


def _derived(
    module: Module, options: SamplingOptions, values: Mapping[str, np.ndarray]
) -> tuple[dict[str, np.ndarray], tuple[str, ...]]:
    """Return the derived quantities of all draws; where they cannot be computed a sentence, as the
    draws are worth more.
    """
    try:
        places = _places(module, options, values)
        return {name: found for at in places for name, found in derived_draws(at).items()}, ()
    except RecipeError as error:
        return {}, (f"derived quantities are left out: {error}",)


def _places(
    module: Module, options: SamplingOptions, values: Mapping[str, np.ndarray]
) -> list[AtDraws]:
    """Return where derived quantities are evaluated: the draws of each posterior that has some, and
    all of whose blocks are kept.
    """
    named = {name_of(key): value for key, value in options.numbers.items()}
    return [
        at_draws(p, values, named)
        for p in _posteriors(module)
        if p.derived and all(b.name in values for b in p.blocks)
    ]


def _law(
    module: Module,
    options: SamplingOptions,
    values: Mapping[str, np.ndarray],
    of_law: tuple[str, ...],
) -> dict[str, str]:
    """Return which law the draws are of, where it is the one posterior of a run that keeps all of
    its blocks; without it nothing is computed of the draws.
    """
    law = next(iter(_posteriors(module)), None)
    if law is None or len(_posteriors(module)) > 1 or law.log_likelihood is None:
        return {}
    if any(b.name not in values for b in law.blocks):
        return {}
    named = {name_of(key): value for key, value in options.numbers_after(options.steps).items()}
    try:
        return law_of(at_draws(law, values, named), of_law)
    except RecipeError:  # the draws are worth more
        return {}


def _posteriors(module: Module) -> list[Posterior]:
    return [e.gradient.posterior for e in module.estimators.values()]


def _reported(
    module: Module, options: SamplingOptions, values: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Return draws with the numbers of ordered blocks, all of whose scalars are there, and without
    these scalars, unless the user keeps them.
    """
    numbers = {
        b.name: numbers_of_ordered(b, values)
        for b in ordered_blocks(module)
        if b.name not in values and all(s.name in values for s in b.blocks)
    }
    left_out = options.left_out(module)
    return {n: found for n, found in {**values, **numbers}.items() if n not in left_out}


def _never_accepted(
    module: Module, options: SamplingOptions, chains: Sequence[Chain]
) -> list[Chain]:
    """Return the chains that rejected at every Metropolis test, as happens where no potential is
    finite.
    """

    def refused_all(chain: Chain) -> bool:
        rates = [
            getattr(chain.draws, f)[: options.draws_after(chain.done)]
            for f in module.plan.statistics
        ]
        return any(r.size > 0 and np.nansum(r) == 0 for r in rates)

    return [c for c in chains if c.stopped_by < 0 and refused_all(c)]


def _stuck(
    module: Module,
    options: SamplingOptions,
    still: Sequence[Chain],
    bad: Sequence[str],
    values: Mapping[str, np.ndarray],
) -> list[Divergence]:
    """Return a divergence for each such chain if data are not finite, or the log density is not
    where it began; otherwise none, as the chain needs a smaller step.
    """
    name, said = reported_block(module.plan.state[0]).name, "; ".join(bad)
    if bad:
        return [Divergence(c.number, 0, name, bad_data=said, never_moved=True) for c in still]
    reasons = {c.number: _not_finite(module, options, c.number, values) for c in still}
    return [
        Divergence(number, 0, name, fault=reason, never_moved=True)
        for number, reason in reasons.items()
        if reason is not None
    ]


def _not_finite(
    module: Module, options: SamplingOptions, chain: int, values: Mapping[str, np.ndarray]
) -> str | None:
    """Return why the log density is not finite where a chain stands that never moved; None also
    where that cannot be found out, as the draws are worth more.
    """
    here = {name: v[chain : chain + 1, :1] for name, v in values.items()}
    named = {name_of(key): value for key, value in options.numbers_after(options.steps).items()}
    for p in _posteriors(module):
        if p.log_likelihood is None or any(b.name not in here for b in p.blocks):
            continue
        try:
            reason = why_not_finite(p, at_draws(p, here, named).values(slice(0, 1)))
        except Exception:
            continue
        if reason is not None:
            return reason
    return None


def _divergence(
    module: Module,
    options: SamplingOptions,
    chain: Chain,
    budget: Budget | None,
    bad: Sequence[str],
) -> Divergence:
    """Return why a chain stopped."""
    block = module.plan.state[chain.stopped_by]
    values = getattr(chain.state, module.plan.fields[block])
    left = (
        bool(np.all(np.isfinite(values))) and block.image is None
    )  # an image that is recorded may overflow
    beyond = None
    if budget is not None and budget.constant and not left:
        bound = budget.largest_step(chain.state)
        beyond = bound if float(step_sizes(options.schedule, chain.done, 1)[0]) > bound else None
    name = (
        block.name if block.image is None or not np.all(np.isfinite(values)) else block.image.name
    )
    return Divergence(
        chain.number, chain.done, name, left, beyond, None if left or not bad else "; ".join(bad)
    )


def _schedules(options: SamplingOptions) -> dict[str, Any]:
    return {
        name: {"schedule": type(s).__name__, **asdict(s)} for name, s in options.schedules.items()
    }


def _attributes(
    what: Recipe | Update | Kernel,
    module: Module,
    options: SamplingOptions,
    seconds: float,
    acceptance: np.ndarray | None,
) -> dict[str, Any]:
    """Return how the draws were made, as netCDF can store it."""
    schedule = options.schedule
    computed = [
        name
        for p in _posteriors(module)
        for name in p.derived
        if name not in {b.name for b in p.ordered}
    ]
    tuned = {} if options.tuning is None else {"tuning": options.tuning}
    tested = {} if acceptance is None else {"acceptance_rate": float(np.nanmean(acceptance))}
    return {
        "recipe": what.name or module.name,
        "scheme": module.scheme,
        "step_size": json.dumps({"schedule": type(schedule).__name__, **asdict(schedule)}),
        **({"schedules": json.dumps(_schedules(options))} if options.schedules else {}),
        "seed": str(options.seed),
        "chains": options.chains,
        "warmup": options.warmup,
        "thin": options.thin,
        "batch_size": options.rows,
        "replace": int(options.replace),
        "seconds": seconds,
        "module_hash": module.hash,
        "version": recipe.__version__,
        "sympy_version": sympy.__version__,
        **tested,
        **tuned,
        **({"derived": " ".join(computed)} if computed else {}),
    }
