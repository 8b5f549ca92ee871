"""What a declaration is, in at most five lines: what a prompt shows of it. ``print`` shows all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sympy import Expr, Mul, Symbol

from recipe.declare.dynamics import Dynamics
from recipe.declare.ordered_answers import answers_in_order
from recipe.declare.posterior import Posterior
from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.kernel.kernel import Kernel
from recipe.kernel.part import updates_of
from recipe.language.abstract import Potential
from recipe.language.assumed import ParameterCondition
from recipe.language.blocks import Block, Vector
from recipe.language.data import VectorData
from recipe.language.free_symbols import known_numbers, names_to_give
from recipe.language.text import listed, text
from recipe.language.total import Total
from recipe.latent.posterior import LabelledPosterior
from recipe.printing.derivation import sde_lines
from recipe.printing.plain_text import without_codes
from recipe.scheme.discretisation import Discretisation

MAX_LINES, MAX_CHARS = 5, 100
MAX_NUMBERS = 6  # of a parameter that carries them


def recipe_summary(recipe: Recipe) -> str:
    """The state, the law and the source of a recipe."""
    head = _head("Recipe", recipe.name, recipe.state, recipe.parameters)
    laws = _laws(recipe.posteriors)
    conditions = _conditions(recipe.where)
    return _shown([head, f"H = {text(recipe.H)}", *conditions, *laws, *_source(recipe.source)])


def update_summary(update: Update) -> str:
    """The state, the target and the source of a rule."""
    head = _head("Update", update.name, update.state, update.parameters)
    aim = f"a step of size {update.step}, for H = {text(update.target)}"
    conditions = _conditions(update.where)
    return _shown([head, aim, *conditions, *_laws(update.posteriors), *_source(update.source)])


def kernel_summary(kernel: Kernel) -> str:
    """The state, the law, the parts and the source of a kernel."""
    head = _head("Kernel", kernel.name, kernel.state, kernel.parameters)
    moved = sum(1 for part in kernel.parts for _ in updates_of(part))
    law = f"H = {text(kernel.target)}, {len(kernel.parts)} parts with {moved} rules"
    conditions = _conditions(kernel.where)
    return _shown([head, law, *conditions, *_laws(kernel.posteriors), *_source(kernel.source)])


def labelled_summary(model: LabelledPosterior) -> str:
    """The row of a label, its share of the joint law, and the weight that follows from it."""
    head = _head("LabelledPosterior", model.name, model.blocks, model.parameters)
    share = f"log joint law of a label: {model.labels.text_of(model.of_one_label)}"
    drawn = f"weight of a label in a draw: {model.labels.text_of(model.weight)}"
    return _shown([head, share, f"log prior of a row: {text(model.log_prior)}", drawn])


def posterior_summary(posterior: Posterior) -> str:
    """The blocks, the data and the two densities of a posterior."""
    order = answers_in_order(posterior.laws, posterior.categories)
    given = posterior.given.items()
    data = [f"{s} {_size(v)}" + (f" {order[s]}" if s in order else "") for s, v in given]
    lines = [_head("Posterior", None, posterior.blocks, posterior.parameters)]
    lines += [f"data: {listed(data)}"] if data else []
    known = known_numbers(posterior.parameters)
    for block, law in posterior.priors.items():  # of one number less than the prior shows
        if law.startswith("dirichlet("):
            known.pop(f"concentration_of_{block}", None)
    lines += [f"known: {listed(f'{n} = {_few(x)}' for n, x in known.items())}"] if known else []
    if posterior.log_likelihood is not None:
        lines.append(f"log likelihood of a row: {_as_written(posterior.log_likelihood)}")
    if posterior.priors:
        lines.append(f"prior: {listed(f'{b} ~ {law}' for b, law in posterior.priors.items())}")
    in_ordered = {s for block in posterior.ordered for s in block.blocks}
    blocks = [*posterior.ordered, *(b for b in posterior.blocks if b not in in_ordered)]
    if any(b.name not in posterior.priors for b in blocks):
        lines.append(f"log prior: {text(posterior.log_prior)}")
    if posterior.user_gradient is not None:
        lines.append("with a gradient of its own")
    return _shown(lines)


def _few(numbers: Sequence[float]) -> str:
    """Some of the numbers of a parameter."""
    shown = [f"{x:.6g}" for x in numbers]
    cut = [*shown[:MAX_NUMBERS], "..."] if len(shown) > MAX_NUMBERS else shown
    return f"[{', '.join(cut)}]"


def _as_written(e: Expr) -> str:
    """An expression with coordinates that labels name as a person writes them, ``a[city]``."""
    named = {}
    for t in e.atoms(Total):
        factors = t.body.args if isinstance(t.body, Mul) else ()
        chosen = [f for f in factors if isinstance(f, VectorData) and f.labels is not None]
        others = [f for f in factors if isinstance(f, Vector)]
        if len(factors) == 2 and len(chosen) == len(others) == 1:
            named[t] = Symbol(f"{others[0].base}[{chosen[0].labels}]")
    return text(e.xreplace(named))


def dynamics_summary(dynamics: Dynamics, kind: str) -> str:
    """The stochastic differential equation."""
    return _shown([_head(kind, None, dynamics.state, ()), *sde_lines(dynamics)])


def discretisation_summary(step: Discretisation) -> str:
    """The scheme and the rule of a discrete step."""
    head = f"{_head('Discretisation', step.name, step.state, ())}, {step.scheme}"
    conditions = _conditions(step.update.where)
    return _shown([head, *conditions, *(f"{b} <- {text(e)}" for b, e in step.update.rule)])


def _head(kind: str, name: str | None, state: Sequence[Block], parameters: Iterable[Symbol]) -> str:
    named = f" {name}" if name else ""
    needed = listed(names_to_give(parameters))
    return f"{kind}{named} of ({listed(b.name for b in state)})" + (
        f" with the parameters {needed}" if needed else ""
    )


def _laws(posteriors: Iterable[tuple[Potential, Posterior]]) -> list[str]:
    return [
        f"{U} is a posterior of {listed(p.blocks)}, data: {listed(p.given) or 'none'}"
        for U, p in posteriors
    ]


def _conditions(where: Iterable[ParameterCondition]) -> list[str]:
    shown = listed(where)
    return [f"where {shown}"] if shown else []


def _source(source: str | None) -> list[str]:
    return [f"source: {source}"] if source else []


def _size(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if shape is None:
        return f"({len(value)},)" if hasattr(value, "__len__") else ""
    return str(tuple(shape))


def _shown(lines: Sequence[str]) -> str:
    """Return the first lines, each cut where it is too long."""
    kept = list(lines[:MAX_LINES])
    if len(lines) > MAX_LINES:
        kept[-1] = f"... and {len(lines) - MAX_LINES + 1} lines more"
    cut = [without_codes(line) for line in kept]
    return "\n  ".join(c if len(c) <= MAX_CHARS else f"{c[: MAX_CHARS - 4]} ..." for c in cut)
