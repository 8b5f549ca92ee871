"""The modules of a run over data with labels, loaded, with the values of their parameters."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from sympy import Expr, Interval

from codegen.check_arguments import checked_mapping
from codegen.inputs.label_arrays import LabelWarning
from codegen.inputs.lengths import Lengths
from codegen.inputs.parameters import resolved_values
from codegen.inputs.schedule import schedule_of
from codegen.labels.arguments import DataByIndex, LabelOptions
from codegen.labels.chain import RowMover
from codegen.labels.declared_law import said_of_law
from codegen.labels.numbers import (
    LabelWeights,
    NumberMover,
    checked_numbers,
    potential_of_numbers,
    sampler_of_numbers,
)
from codegen.labels.rows import potential, row_sampler
from codegen.labels.sampler_of_counts import module_of, vector_of
from codegen.labels.sweeps import LabelKernel
from codegen.labels.text import LabelModule, label_module
from codegen.labels.weight import Weight, number_of_a_label
from codegen.module import Module
from codegen.printing.common_functions import common_names, common_text
from codegen.store import modules
from recipe import Recipe, RecipeError
from recipe.language.blocks import Scalar
from recipe.language.symbols import name_of
from recipe.latent.posterior import LabelledPosterior

Check = Callable[[LabelModule | Module], None]  # raises for a module that must not run


def label_kernel(
    module: LabelModule, options: LabelOptions, numbers: Mapping[str, Any]
) -> LabelKernel:
    """Return the compiled draws of labels."""
    common = modules.Common(common_text(), common_names())
    loaded = modules.load(module.name, module.source, common)
    K = {str(module.model.labels.labels): options.labels}
    params = _label_params(loaded, module.weight, {**numbers, **K})
    of_data = module.weight.of_datum
    return LabelKernel(loaded, params, options.labels, options.seed, options.chain, of_data)


def prepared(
    model: LabelledPosterior,
    sampler: Any,
    data: DataByIndex,
    options: LabelOptions,
    params: Mapping[str, Any],
    scheme: str,
    check: Check | None,
    weights: LabelWeights | None = None,
) -> tuple[RowMover, str]:
    """Return the compiled sampler with its parameters, and the digest of all that decides draws."""
    z, drawing = model.labels, label_module(model)
    made, plain = _apart(params)
    numbers = plain | {str(z.labels): options.labels}
    recipe = row_sampler(model, sampler, made)
    modules_of = [(recipe, module_of(recipe, scheme, "rows"))]
    row = vector_of(recipe)
    said = [said_of_law(recipe, row, "rows", lambda: potential(model, row))]
    own = _checked_weights(model, weights)
    if own is not None and weights is not None:
        made_of_own, plain_of_own = _apart(checked_mapping("LabelWeights(params=)", weights.params))
        of_own = sampler_of_numbers(model, own, weights, made_of_own)
        if plain_of_own:
            first = next(iter(plain_of_own))
            raise RecipeError(
                f"LabelWeights(params=) gives {first} a number: numbers stand in params= of the"
                f" run, where the rows see them, too; expressions of {z.name}.members stand here"
            )
        modules_of.append((of_own, module_of(of_own, weights.scheme or scheme, "numbers")))
        of_all = vector_of(of_own)
        declared = partial(potential_of_numbers, model, own, of_all)
        said.append(said_of_law(of_own, of_all, f"the numbers {own} of labels", declared))
    for sentence in filter(None, said):
        warnings.warn(sentence, LabelWarning, stacklevel=5)
    if check is not None:
        check(drawing)
        for _, module in modules_of:
            check(module)
    known = {*drawing.weight.parameters, *model.parameters, z.labels}
    known |= {s for _, m in modules_of for s in m.plan.settings}
    counts = (z.summed.base, str(z.data), str(z.batch), str(z.members))
    sizes = (data.width, "data="), (options.labels, "labels=")
    found = [
        _loaded(r, m, numbers, known, counts, size)
        for (r, m), size in zip(modules_of, sizes, strict=False)
    ]
    moved = None
    texts = {"rows": modules_of[0][1].source, "labels": drawing.source}
    if own is not None and weights is not None:
        moved = _number_mover(own, weights, options, len(data), found[1])
        texts["numbers"] = f"{modules_of[1][1].source}{moved.schedule!r}"
    loaded, blocks, values, fields = found[0]
    kernel = label_kernel(drawing, options, numbers)
    domain = z.like.domain if isinstance(z.like.domain, Interval) else None
    mover = RowMover(loaded, blocks, values, fields, kernel, data, options, domain, moved)
    return mover, options.fingerprint(texts, numbers, f"{data.digest} {len(data)} {data.width}")


def _apart(params: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters that are expressions of counts, and numbers."""
    given = {name_of(s): v for s, v in params.items()}
    made = {n: v for n, v in given.items() if isinstance(v, Expr) and v.free_symbols}
    plain = {n: v for n, v in given.items() if n not in made}
    return made, {n: float(v) if isinstance(v, Expr) and v.is_real else v for n, v in plain.items()}


def _checked_weights(model: LabelledPosterior, weights: LabelWeights | None) -> Scalar | None:
    """The number that a label has beside its row, if it has one, with something that moves it.

    Raises:
        RecipeError: where there is one without the other.
    """
    own = number_of_a_label(model)
    if own is None and weights is not None:
        raise RecipeError("weights= is given, and labels of the model have no number but their row")
    if own is not None and not isinstance(weights, LabelWeights):
        z = model.labels.name
        raise RecipeError(
            f"beside its row a label has the number {own}: give what moves it, such as"
            f" weights=LabelWeights(scir, params={{'a': alpha + {z}.data / {z}.batch *"
            f" {z}.members}})"
        )
    return own


Loaded = tuple[Any, tuple[str, ...], dict[str, Any], tuple[str | None, ...]]


def _loaded(
    recipe: Recipe,
    module: Module,
    numbers: Mapping[str, Any],
    known: set[Any],
    counts: tuple[str, ...],
    size: tuple[int, str],
) -> Loaded:
    """A loaded module of a sampler, the fields of its blocks, the values of its parameters, and the
    fields of the counts.
    """
    lengths = Lengths()
    lengths.learn(vector_of(recipe).length, *size)
    settings = module.plan.settings
    fields = {name_of(s): f for s, f in settings.items()}
    own = {s: f for s, f in settings.items() if name_of(s) not in counts}
    values = resolved_values(own, numbers, known, lengths)
    blocks = tuple(module.plan.fields[b] for b in module.plan.state)
    return module.load(), blocks, dict(values), tuple(fields.get(name) for name in counts)


def _number_mover(
    own: Scalar, weights: LabelWeights, options: LabelOptions, size: int, found: Loaded
) -> NumberMover:
    loaded, blocks, values, (_, data, batch, members) = found
    step = weights.step_size
    schedule = options.schedule if step is None else schedule_of(step)
    first = weights.initial
    if first is not None:
        first = checked_numbers(first, options.labels, own, "LabelWeights(initial=)")
    counted = members, data, batch
    return NumberMover(
        own.name, loaded, blocks, values, counted, options, schedule, size, own.domain, first
    )


def _label_params(loaded: Any, weight: Weight, numbers: Mapping[str, Any]) -> Any:
    """The parameters of the draws of labels."""
    lengths = Lengths()
    settings = dict(zip(weight.parameters, loaded.Params._fields, strict=False))
    mine = {name_of(s): numbers[name_of(s)] for s in settings if name_of(s) in numbers}
    values = resolved_values(settings, mine, (), lengths)
    return loaded.Params(**values)
