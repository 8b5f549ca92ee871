"""``generate``: the pipeline from a recipe, an update rule or a kernel to the text of a module."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sympy import Symbol

from codegen.check_arguments import checked_flag, require_sampler, short_text
from codegen.check_generation import (
    all_posteriors,
    check_estimators,
    check_no_discretisation,
    one_reduction,
)
from codegen.device.random import KEYS
from codegen.lowering.in_place import drawn_ahead
from codegen.lowering.minibatch import data_fields, posterior_gradient
from codegen.lowering.names import RESERVED_FIELDS, field_namer, local_namer
from codegen.lowering.plan import plan
from codegen.lowering.statements import Plan
from codegen.module import Module
from codegen.printing.estimator import Reduction, estimators
from codegen.printing.module import ROWS, module_text, of_gradients
from codegen.printing.provenance import provenance
from codegen.store import modules
from codegen.store.allowlist import checked
from codegen.system.numba_settings import check_switches
from recipe.declare.posterior import Posterior
from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.kernel import Kernel
from recipe.kernel.stays_in_domain import check_inside
from recipe.language.abstract import Potential
from recipe.language.blocks import Block
from recipe.language.errors import RecipeError
from recipe.language.symbols import name_of
from recipe.rebuild.bind import bind
from recipe.rebuild.potentials import blocks_of_interest
from recipe.scheme import DEFAULT_SCHEME, discretise

MAX_NAME_CHARS = 60  # of the name of a file


def generate(
    what: Recipe | Update | Kernel,
    posterior: Any = None,
    *,
    scheme: str = DEFAULT_SCHEME,
    order: Sequence[Block | str] | None = None,
    posteriors: Mapping[Potential, Posterior] | None = None,
    name: str | None = None,
    control_variates: bool = False,
    svrg: bool = False,
    saga: bool = False,
    compensate: bool = False,
    scheduled: Sequence[str] = (),
) -> Module:
    """Generate the text of a Numba module whose ``run`` carries out steps of a sampler.

    A potential that is bound to a ``Posterior`` gets its gradient from rows of the data, derived
    from the log likelihood; the gradient of any other potential is an argument of ``run``.

    Args:
        what: a recipe, which is discretised; an ``Update``, which is taken as it stands; or a
            composed ``Kernel``, one sweep of which is a step.
        posterior: the meaning of the potential of a recipe, rule or kernel, as for ``bind``: a
            ``Posterior``, an expression, or several of them by name; None where it is bound
            already, or to leave it abstract.
        scheme: the discretisation of a recipe, one of ``recipe.scheme.SCHEME_NAMES`` or a splitting
            word such as "BAOAB".
        order: the blocks of a recipe in the order in which a sequential scheme moves them; by
            default the scheme chooses.
        posteriors: the posterior behind each potential of an ``Update`` that is bound to none.
        name: the name in the head of the text, where ``what`` has no name of its own.
        control_variates: True to estimate each gradient as the full gradient at a mode plus the
            difference that a minibatch shows (Baker et al. 2019, Stat. Comput. 29).
        svrg: True to take a snapshot of the state now and then, and the full gradient there, in the
            place of the mode (Dubey et al. 2016).
        saga: True to take what was last seen of every row in the place of the mode (Dubey et al.
            2016).
        compensate: True to estimate the variance of the gradient's noise during a run and to draw
            that much less noise (Ma, Chen & Fox 2015, section 3).
        scheduled: names of parameters, such as a temperature, each of which may have another value
            in every step: the module then has ``run_scheduled``.

    Returns:
        The module; nothing of it is written to disk or compiled.

    Raises:
        RecipeError: naming the expression that has no compiled form, or the argument that does not
            fit, and the repair.

    Example:
        >>> from sympy import Matrix
        >>> from codegen import generate
        >>> from recipe import Recipe, Vector, total
        >>> theta = Vector("theta")
        >>> normal = Recipe((theta,), total(theta**2) / 2, D=Matrix([[1]]), Q=Matrix([[0]]))
        >>> module = generate(normal, scheme="euler", name="normal")
        >>> "theta <- " in module.source
        True
    """
    check_switches()
    what = bound(what, posterior, "generate(sghmc, posterior)")
    if not isinstance(what, Recipe | Update | Kernel):
        raise RecipeError(
            f"{short_text(what)} is neither a Recipe nor an Update nor a Kernel, so there is"
            " nothing to generate; give one of these"
        )
    checked_flag("compensate", compensate)
    if not isinstance(what, Recipe):
        check_no_discretisation(what, what.name or name or "this", scheme, order, compensate)
    if isinstance(what, Update) and what.limit_only:
        raise RecipeError(
            f"{what.name or 'this update'} stands for the limit of a sweep as its step vanishes, so"
            " there is no step to carry out; compile the sweep, compose(...)"
        )
    posteriors = all_posteriors(what, posteriors)
    # 1. Discretise. From here on a recipe and a printed rule are the same thing, and a kernel is a
    # list of such rules.
    moves = (
        discretise(what, scheme, order=order, compensate=compensate)
        if isinstance(what, Recipe)
        else what
    )
    check_inside(moves)
    if not isinstance(what, Recipe):
        scheme = "as printed" if isinstance(what, Update) else "composed"
    return module_of(
        moves,
        what,
        posteriors,
        what.name or name or "recipe",
        scheme,
        reduction=one_reduction(control_variates, svrg, saga),
        compensate=compensate,
        scheduled=scheduled,
    )


def bound(what: Recipe | Update | Kernel, posterior: Any, example: str) -> Recipe | Update | Kernel:
    """Return a sampler whose potential is bound to a posterior, where one is given.

    Args:
        what: the sampler.
        posterior: the meaning of its potential, as for ``bind``; None leaves the sampler as it is.
        example: the call that a user should write who has exchanged the two.

    Raises:
        RecipeError: for what is no sampler, and where ``bind`` raises.
    """
    require_sampler(what, example)
    if posterior is None:
        return what
    return bind(what, posterior)  # type: ignore[type-var]


def module_of(
    moves: Update | Kernel,
    what: Recipe | Update | Kernel,
    posteriors: Mapping[Potential, Posterior],
    name: str,
    scheme: str,
    *,
    reduction: Reduction = "plain",
    compensate: bool = False,
    scheduled: Sequence[str] = (),
) -> Module:
    """Return the module of an update rule or a kernel.

    Args:
        moves: the rule or the kernel of one step.
        what: the declaration that it was made from, whose state gives the order of the blocks.
        posteriors: the posteriors behind its potentials.
        name: the name in the head of the text and, as far as it can be, of the file.
        scheme: the discretisation, as the head of the text names it.
        reduction: how the variance of gradients from minibatches is reduced.
        compensate, scheduled: as in ``generate``.
    """
    # 2. Plan: sums by level, gradients, matrix products, fused loops. The namer gives no name of
    # the module twice.
    namer = local_namer()
    step = plan(moves, what.state, namer)
    # 3. Lower the gradients of posteriors in the same way; the step and they share parameters.
    settings = _with_parameters_of(posteriors, step)
    data_names = field_namer()
    fields = data_fields(posteriors, data_names)
    gradients = {
        U: posterior_gradient(U, p, settings, fields[U], namer, valued=U in step.valued)
        for U, p in posteriors.items()
        if U in step.potentials
    }
    state_names = field_namer([*step.fields.values(), *step.scratch, *RESERVED_FIELDS])
    stops = not isinstance(what, Recipe)  # a recipe compensates with a variance that follows it
    estimated = estimators(gradients, step, reduction, namer, state_names, data_names, stops=stops)
    check_estimators(step, estimated, reduction, compensate)
    # 4. Print. 5. Check the text: exactly this text is imported later.
    named = {name_of(s): f for s, f in step.settings.items()}
    changing = {name: named[name] for name in sorted(scheduled) if name in named}
    ahead = {d.key: state_names.fresh(f"{d.name}_ahead") for d in drawn_ahead(step)}
    source = checked(
        module_text(
            provenance(what, name, scheme, moves),
            step,
            estimated,
            ahead,
            namer,
            state_names,
            tuple(changing.values()),
        )
    )
    redrawn = (*ahead.values(), KEYS, *(ROWS if estimated else ()))
    return Module(
        _file_name(name),
        source,
        modules.hash_of(source),
        scheme,
        moves,
        step,
        estimated,
        blocks_of_interest(what),
        redrawn,
        changing,
        of_gradients(step, estimated),
    )


def _with_parameters_of(
    posteriors: Mapping[Potential, Posterior], step: Plan
) -> Mapping[Symbol, str]:
    """Add the parameters of the posteriors to those of the step, and return the field of each."""
    assert isinstance(step.settings, dict)
    known = {name_of(s): s for s in step.settings}
    fields = field_namer([*step.settings.values(), *step.factors.values()])
    for U, posterior in posteriors.items():
        for s in posterior.parameters:
            if known.setdefault(name_of(s), s) != s:
                raise RecipeError(
                    f"the parameter {s} of the posterior of {U} and that of the recipe are two"
                    " different symbols of one name; use one object for both"
                )
            if s not in step.settings:
                step.settings[s] = fields.fresh(name_of(s))
    return step.settings


def _file_name(name: str) -> str:
    return re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")[:MAX_NAME_CHARS] or "recipe"
