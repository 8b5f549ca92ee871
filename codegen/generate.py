"""The whole pipeline, from a recipe to a module."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from sympy import Symbol

from codegen.check_arguments import flag, worded
from codegen.device.random import KEYS
from codegen.files.atomic_write import whole_file
from codegen.lowering.in_place import drawn_ahead
from codegen.lowering.minibatch import data_fields, posterior_gradient
from codegen.lowering.names import RESERVED_FIELDS, field_namer, local_namer
from codegen.lowering.plan import plan
from codegen.lowering.statements import Plan
from codegen.lowering.stays_in_domain import check_inside
from codegen.printing.estimator import Estimator, estimators
from codegen.printing.module import ROWS, module_text
from codegen.printing.provenance import provenance
from codegen.store import modules
from codegen.store.allowlist import checked
from codegen.system.numba_settings import check_switches
from recipe.declare.posterior import Posterior
from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.kernel import Kernel
from recipe.language.abstract import Potential
from recipe.language.errors import RecipeError
from recipe.language.symbols import Block, name_of
from recipe.scheme import discretise


@dataclass(frozen=True)
class Module:
    """A generated module: its name, its text and the SHA-256 of the text.

    ``moves`` is the rule or the kernel of a step that it was made from; ``plan`` and
    ``estimators`` (of gradients from data) are what it was printed from. ``redrawn`` are the fields
    of its state that every call of ``run`` fills before it reads them.
    """

    name: str
    source: str
    hash: str
    scheme: str
    moves: Update | Kernel = field(repr=False)
    plan: Plan = field(repr=False)
    estimators: Mapping[Potential, Estimator] = field(repr=False)
    redrawn: tuple[str, ...] = field(repr=False)

    @property
    def controlled(self) -> bool:
        """Whether its gradients are estimated with control variates."""
        return any(estimator.control is not None for estimator in self.estimators.values())

    def write(self, path: str | Path) -> Path:
        """Write the text to a file; a reader sees all of it or none. Raises RecipeError where that
        cannot be done.
        """
        target = Path(path)
        text = checked(self.source)
        with whole_file(target) as temporary:
            temporary.write_text(text, encoding="utf-8")
        return target

    def load(self) -> ModuleType:
        """Import it from the content-hashed store."""
        return modules.load(self.name, self.source)


def generate(
    what: Recipe | Update | Kernel,
    *,
    scheme: str = "semi-implicit",
    order: Sequence[Block | str] | None = None,
    posteriors: Mapping[Potential, Posterior] | None = None,
    name: str | None = None,
    control_variates: bool = False,
    compensate: bool = False,
) -> Module:
    """Compile a recipe, a printed rule as it stands, or a composed kernel, to the text of a Numba
    module.

    ``scheme`` and ``order`` discretise a recipe; an ``Update`` is one already, and a ``Kernel`` is
    made of some. ``posteriors`` gives the potentials of an ``Update`` their data (a recipe and a
    kernel bring them); the module then contains the minibatch gradient, otherwise it takes
    ``gradient``. ``name`` is how the module calls what it was made from, where that has no name of
    its own. ``control_variates`` estimates gradients by their difference to that at a mode;
    ``compensate`` takes the estimated noise of the gradients off the noise that is added (see
    ``recipe.scheme.compensation``).

    Raises:
        RecipeError: naming what has no compiled form or no meaning, and the repair.
    """
    check_switches()
    if not isinstance(what, Recipe | Update | Kernel):
        raise RecipeError(
            f"{worded(what)} is neither a Recipe nor an Update nor a Kernel: there is nothing to"
            " generate"
        )
    if flag("compensate", compensate) and not isinstance(what, Recipe):
        raise RecipeError(
            "compensate= changes how a recipe is discretised, and a printed rule is taken as it"
            " stands; leave it out"
        )
    given = _posteriors(what, posteriors)
    # 1. discretise: from here on a recipe and a printed rule are the same thing, and a kernel is a
    # list of such rules
    moves = (
        discretise(what, scheme, order=order, compensate=compensate)
        if isinstance(what, Recipe)
        else what
    )
    check_inside(moves)
    shown = (
        scheme
        if isinstance(what, Recipe)
        else "as printed"
        if isinstance(what, Update)
        else "composed"
    )
    called = what.name or name or "recipe"
    return module_of(
        moves, what, given, called, shown, control_variates=control_variates, compensate=compensate
    )


def module_of(
    moves: Update | Kernel,
    what: Recipe | Update | Kernel,
    given: Mapping[Potential, Posterior],
    called: str,
    scheme: str,
    *,
    control_variates: bool = False,
    compensate: bool = False,
) -> Module:
    """The module of a rule or a kernel; ``what`` is what it was made from, ``given`` the posteriors
    of its potentials.
    """
    # 2. plan: sums by level, gradients, matrix products, fused loops; the namer keeps every name of
    # the module apart
    namer = local_namer()
    step = plan(moves, what.state, namer)
    # 3. the gradients of posteriors, lowered in the same way; their parameters join those of the
    # step
    settings = _with_parameters_of(given, step)
    names_of_data = field_namer()
    fields = data_fields(given, names_of_data)
    gradients = {
        U: posterior_gradient(U, p, settings, fields[U], namer, valued=U in step.valued)
        for U, p in given.items()
        if U in step.potentials
    }
    names_of_state = field_namer([*step.fields.values(), *step.scratch, *RESERVED_FIELDS])
    own = estimators(gradients, step, control_variates, namer, names_of_state, names_of_data)
    _check_estimators(step, own, control_variates, compensate)
    # 4. print, 5. validate the text: what is imported later is exactly what was checked
    ahead = {d.key: names_of_state.fresh(f"{d.name}_ahead") for d in drawn_ahead(step)}
    source = checked(
        module_text(
            provenance(what, called, scheme, moves), step, own, ahead, namer, names_of_state
        )
    )
    redrawn = (*ahead.values(), KEYS, *(ROWS if own else ()))
    file, digest = _file_name(called), modules.hash_of(source)
    return Module(file, source, digest, scheme, moves, step, own, redrawn)


def _check_estimators(
    step: Plan, own: Mapping[Potential, Estimator], control_variates: bool, compensate: bool
) -> None:
    for U in step.valued:
        if U not in own:
            raise RecipeError(
                f"a Metropolis test compares values of {U}: bind it to an expression or a Posterior"
                " first"
            )
    if step.valued and control_variates:
        raise RecipeError(
            "control_variates= is about minibatches, and a Metropolis test needs all of the data;"
            " leave it out"
        )
    if control_variates and not own:
        raise RecipeError("control_variates= needs data: bind a Posterior to the potential first")
    for U in step.variances:
        if compensate and U not in own:
            raise RecipeError(
                f"the noise of {U} is estimated from data: bind a Posterior to it first, or leave"
                " compensate= out"
            )


def _posteriors(
    what: Recipe | Update | Kernel, posteriors: Mapping[Potential, Posterior] | None
) -> dict[Potential, Posterior]:
    given = {**({} if isinstance(what, Update) else dict(what.posteriors)), **(posteriors or {})}
    for U in given:
        if U not in what.abstract:
            raise RecipeError(f"posteriors= names {U}, which is no potential of this update")
    return dict(sorted(given.items(), key=lambda item: str(item[0])))


def _with_parameters_of(
    posteriors: Mapping[Potential, Posterior], step: Plan
) -> Mapping[Symbol, str]:
    """The settings of the step, to which those of the posteriors are added."""
    assert isinstance(step.settings, dict)
    known = {name_of(s): s for s in step.settings}
    fields = field_namer([*step.settings.values(), *step.factors.values()])
    for U, posterior in posteriors.items():
        for s in posterior.parameters:
            if known.setdefault(name_of(s), s) != s:
                raise RecipeError(
                    f"the parameter {s} of the posterior of {U} is another symbol than that of the"
                    " recipe; use one object"
                )
            if s not in step.settings:
                step.settings[s] = fields.fresh(name_of(s))
    return step.settings


def _file_name(called: str) -> str:
    return re.sub(r"\W+", "_", called, flags=re.ASCII).strip("_")[:60] or "recipe"
