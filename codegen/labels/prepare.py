"""The modules of a run over data with labels, loaded, with the values of their parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sympy import Expr, Interval

from codegen.generate import Module
from codegen.inputs.lengths import Lengths
from codegen.inputs.parameters import resolved_values
from codegen.labels.arguments import DataByIndex, LabelOptions
from codegen.labels.chain import RowMover
from codegen.labels.rows import module_of_rows, row_sampler
from codegen.labels.sweeps import LabelKernel
from codegen.labels.text import LabelModule, label_module
from codegen.labels.weight import Weight
from codegen.printing.common_functions import common_names, common_text
from codegen.store import modules
from recipe.language.errors import RecipeError
from recipe.language.symbols import Vector, name_of
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
) -> tuple[RowMover, str]:
    """Return the compiled sampler with its parameters, and the digest of all that decides draws."""
    z, drawing = model.labels, label_module(model)
    made = {n: v for n, v in params.items() if isinstance(v, Expr) and v.free_symbols}
    numbers = {n: v for n, v in params.items() if n not in made} | {str(z.labels): options.labels}
    recipe = row_sampler(model, sampler, made)
    module = module_of_rows(recipe, scheme)
    if module.plan.factors:
        raise RecipeError("a sampler of rows with correlated noise is not run; choose another one")
    if check is not None:
        check(drawing)
        check(module)
    known = {*drawing.weight.parameters, *model.parameters, z.labels}
    lengths = Lengths()
    row = recipe.state[0]
    assert isinstance(row, Vector)  # `row_sampler` refuses any other
    lengths.learn(row.length, data.width, "data=")
    counts = (z.summed.base, str(z.data), str(z.batch))
    fields = {name_of(s): f for s, f in module.plan.settings.items()}
    settings = {s: f for s, f in module.plan.settings.items() if name_of(s) not in counts}
    values = resolved_values(settings, numbers, known | set(module.plan.settings), lengths)
    kernel = label_kernel(drawing, options, numbers)
    blocks = tuple(module.plan.fields[b] for b in module.plan.state)
    summed, data_field, batch = (fields.get(name) for name in counts)
    counted = summed, data_field, batch
    own = z.like.domain
    domain = own if isinstance(own, Interval) else None
    mover = RowMover(module.load(), blocks, values, counted, kernel, data, options, domain)
    texts = {"rows": module.source, "labels": drawing.source}
    return mover, options.fingerprint(texts, numbers, f"{data.digest} {len(data)} {data.width}")


def _label_params(loaded: Any, weight: Weight, numbers: Mapping[str, Any]) -> Any:
    """The parameters of the draws of labels."""
    lengths = Lengths()
    settings = dict(zip(weight.parameters, loaded.Params._fields, strict=False))
    mine = {name_of(s): numbers[name_of(s)] for s in settings if name_of(s) in numbers}
    values = resolved_values(settings, mine, (), lengths)
    return loaded.Params(**values)
