"""A sampler that is ready to be tried: bound, compiled, with the scales and the states of a pilot
run.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Lambda, S

from codegen.generate import bound, generate
from codegen.inputs.density.compiled_posterior import Density
from codegen.inputs.gradients.control_variates import control_data, find_modes
from codegen.inputs.initial_states import first_state, given_blocks
from codegen.inputs.lengths import Lengths, learn_given
from codegen.inputs.options import SamplingOptions, require_options_that_fit
from codegen.inputs.parameters import require_conditions, resolved_data, resolved_params
from codegen.inputs.preimages import reported_block, with_images
from codegen.module import Module
from codegen.running.compiled import Compiled
from codegen.tuning.law.pilot import Pilot
from codegen.tuning.law.target import Target
from codegen.tuning.law.untunable import UntunableError
from codegen.tuning.parameters_of_law import require_no_parameter_of_the_law
from recipe.declare.coordinate_names import coordinate_names
from recipe.declare.recipe import Recipe
from recipe.declare.transformations.onto_simplex import preimage_of_simplex
from recipe.kernel import Kernel
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.domain import on_simplex
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import names_to_give
from recipe.language.symbols import name_of
from recipe.rebuild.onto_domains import map_onto
from recipe.rebuild.preconditioned import preconditioned

DIGITS = 3  # of every tuned number: it can be typed, and no rounding error of a library changes it


@dataclass(frozen=True, eq=False)
class Scaled:
    """A sampler with the scales of a pilot run.

    Attributes:
        what: the sampler, with a scale for each coordinate where it can have one.
        on: that sampler, bound to the posterior.
        params: the values of its scales, by name, and those that were given.
        open: the names of the parameters that are left to choose.
        scales: the scale of each coordinate; None where the sampler has none.
        blocks: the blocks of its state that hold the coordinates, in the order of the target.
        name: the name in the head of its module, where the sampler has none of its own: that of the
            run, so that what was compiled for trials is compiled for it.
    """

    what: Recipe | Kernel
    on: Recipe | Kernel
    params: dict[str, Any]
    open: tuple[str, ...]
    scales: np.ndarray | None
    blocks: tuple[Block, ...]
    name: str | None = None


def scaled(
    sampler: Recipe | Kernel,
    posterior: Any,
    target: Target,
    pilot: Pilot,
    params: Mapping[Any, Any],
    name: str = "",
) -> Scaled:
    """Return a sampler of a posterior with scales.

    Args:
        sampler: the sampler, not bound yet.
        posterior: the posterior or the expression.
        target: its law, and the pilot run of it.
        pilot: the pilot run.
        params: the values of parameters that were given.
        name: the name that was given to the sampler.

    Raises:
        RecipeError: where a parameter that the law depends on is not given.
    """
    values: dict[str, Any] = {name_of(k): v for k, v in params.items()}
    what, added = _with_scales(sampler)
    on = bound(what, posterior, "tune(sghmc, posterior)")
    assert isinstance(on, Recipe | Kernel)
    state = {reported_block(b): b for b in on.state}
    blocks = tuple(state[b] for b in target.density.blocks if b in state)
    _require_the_same_line(blocks, target)
    needed = names_to_give(on.parameters)
    scales = rounded(pilot.sd) if added else None
    if scales is not None:
        for block, part in zip(blocks, target.parts(scales), strict=True):
            names = {f"{added}_{block.name}", *([added] if len(blocks) == 1 else [])}
            own = next(n for n in needed if n in names or n.rstrip("_") in names)
            values[own] = float(part[0]) if isinstance(block, Scalar) else part
    left = tuple(n for n in needed if n not in values)
    require_no_parameter_of_the_law(on, blocks, left)
    head = name if name.isidentifier() else None
    return Scaled(what, on, values, left, scales, blocks, head)


def _with_scales(sampler: Recipe | Kernel) -> tuple[Recipe | Kernel, str]:
    """Return a sampler with a scale for each coordinate, and the name of the scales; the sampler
    itself and no name where its coordinates have none.
    """
    try:
        what: Recipe | Kernel = preconditioned(sampler)  # type: ignore[type-var]
        (new,) = {name_of(s) for s in what.parameters} - {name_of(s) for s in sampler.parameters}
    except RecipeError:
        return sampler, ""
    return what, new


def module_of_tests(samplers: Iterable[Recipe | Kernel], posterior: Any) -> Module | None:
    """Return the module of the first kernel whose tests compare values of a posterior, as it will
    be tuned but for the length of its trajectories; None where there is none.

    Args:
        samplers: the samplers, not bound yet.
        posterior: the posterior or the expression.
    """
    for sampler in samplers:
        if isinstance(sampler, Kernel):
            with suppress(RecipeError):  # what is wrong is said when it is tuned
                module = generate(bound(_with_scales(sampler)[0], posterior, ""))
                if module.density is not None:
                    return module
    return None


def _require_the_same_line(blocks: Sequence[Block], target: Target) -> None:
    """Require that the state has the coordinates of the target: real numbers, by the same maps.

    Raises:
        UntunableError: naming the block that has others.
    """
    if len(blocks) < len(target.sizes):
        raise UntunableError("it does not move all blocks of the posterior; give step_size=")
    for block in blocks:
        forward = None if block.image is None else _usual_map(block)
        if block.domain != S.Reals or (forward is not None and forward != block.forward):
            raise UntunableError(
                f"its state has {reported_block(block).name} in coordinates that the pilot run does"
                " not have; use a sampler of real numbers, such as hmc_kernel, or give step_size="
            )


def _usual_map(block: Block) -> Lambda:
    """Return the map by which ``bind`` would write the image of a block."""
    image = block.image
    if isinstance(image, Vector) and on_simplex(image):
        return preimage_of_simplex(block.name, image).forward
    assert image is not None
    return map_onto(image.domain).forward


@dataclass(frozen=True, eq=False)
class Prepared:
    """A compiled sampler, and how its states are made.

    Attributes:
        kernel: the compiled module with its arguments.
        lengths: the lengths of its blocks.
        fields: the fields of the state that hold the coordinates, in the order of the target.
    """

    kernel: Compiled
    lengths: Lengths
    fields: tuple[str, ...]

    def state(self, target: Target, z: np.ndarray, chain: int = 0) -> Any:
        """Return a state of the module at a point of the target; other blocks start as they do.

        Args:
            target: the law.
            z: the point, shape (n,).
            chain: the number of the chain.
        """
        module, options = self.kernel.module, self.kernel.options
        of_field = {f: b for b, f in module.plan.fields.items()}
        values = {of_field[f]: v for f, v in zip(self.fields, target.parts(z), strict=True)}
        given = given_blocks(
            {b: v[0] if isinstance(b, Scalar) else v for b, v in values.items()},
            module.plan.state,
            1,
            self.lengths,
        )
        first = first_state(
            self.kernel.loaded,
            module.plan,
            _all_chains(given, chain),
            self.lengths,
            (options.seed, chain),
        )
        return self.kernel.allocate(first.values())

    def with_params(self, **values: float) -> Prepared:
        """Return the same with other values of number parameters."""
        settings = {name_of(s): f for s, f in self.kernel.module.plan.settings.items()}
        params = dict(self.kernel.params) | {settings[n]: float(v) for n, v in values.items()}
        return dataclasses.replace(self, kernel=dataclasses.replace(self.kernel, params=params))


def prepared(
    what: Scaled,
    options: SamplingOptions,
    check: Callable[[Module], None] | None = None,
    density: Density | None = None,
) -> Prepared:
    """Compile a sampler.

    Args:
        what: the sampler.
        options: the options of a run; its parameters are complete.
        check: called with the module before any of it is compiled; it raises where the module
            should not run.
        density: the compiled posterior, whose gradient at a mode control variates need.
    """
    module = generate(
        what.on,
        scheme=options.scheme,
        order=options.order,
        name=what.name,
        control_variates=options.controlled,
    )
    if check is not None:
        check(module)
    lengths = Lengths()
    learn_given(lengths, options.lengths, with_images(module.plan.state))
    data, rows = resolved_data(module, lengths)
    require_options_that_fit(options, module, rows)
    lengths.learn_names(coordinate_names(options.coords, with_images(module.plan.state)))
    params = resolved_params(module, options.params, what.on.parameters, lengths)
    require_conditions(module.moves.where, options.params, lengths)
    data = data | _at_mode(module, options, density, lengths, data)
    kernel = Compiled(module, module.load(), options, (), data, params)
    fields = tuple(module.plan.fields[b] for b in what.blocks)
    return Prepared(kernel, lengths, fields)


def _at_mode(
    module: Module,
    options: SamplingOptions,
    density: Density | None,
    lengths: Lengths,
    data: Mapping[str, np.ndarray],
) -> dict[str, np.ndarray]:
    """Return the fields of ``Data`` with the mode and the gradient there, for control variates."""
    if not module.controlled or density is None:
        return {}
    densities = dict.fromkeys(module.estimators, density)
    modes = find_modes(module.estimators, options.control_variates, densities, lengths)
    fields: dict[str, np.ndarray] = {}
    for U, estimator in module.estimators.items():
        arrays = [data[f] for f in estimator.gradient.fields.values()]
        fields |= control_data(estimator, modes[U], None, density, arrays)
    return fields


def rounded(x: Any) -> Any:
    """Return a number, or each number of an array, with ``DIGITS`` digits."""
    if np.ndim(x):
        return np.array([rounded(v) for v in x])
    return float(f"{float(x):.{DIGITS}g}")


def _all_chains(given: Mapping[Block, np.ndarray], chain: int) -> dict[Block, np.ndarray]:
    """Return first values of one chain as those of all chains up to it."""
    return {b: np.broadcast_to(v, (chain + 1, v.shape[-1])) for b, v in given.items()}
