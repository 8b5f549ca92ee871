"""Of which law the draws of a run are, in words, where it is not that of what was given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Add, Expr, Float, S, expand

from codegen.inputs.options import SamplingOptions
from codegen.inputs.parameter_schedules import energy_of, is_temperature, kept_values, with_value
from codegen.module import Module
from recipe.declare.posterior import Posterior
from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.kernel import Kernel
from recipe.language.abstract import Potential
from recipe.language.blocks import Block
from recipe.language.derivatives import symbols_in
from recipe.language.free_symbols import blocks_in, parameters_of
from recipe.language.symbols import generic, name_of
from recipe.rebuild.potentials import potentials_of

SAME = 1e-12  # a factor this close to 1 is 1


@dataclass(frozen=True)
class _Known:
    """The parameters of a run.

    Attributes:
        numbers: the values of those that stay in the steps that are kept, by name; no vector is a
            temperature.
        changing: the names of those that change there.
    """

    numbers: Mapping[str, float]
    changing: frozenset[str]


def said_of_law(
    what: Recipe | Update | Kernel, module: Module, options: SamplingOptions
) -> tuple[str, ...]:
    """Return what a user should read about the law of the draws of a run; () where they are of what
    was given.

    A step with the value T of a parameter keeps, up to the error of its step size, the law that
    belongs to T. Where the law depends on T, and T changes among the steps that are kept, the draws
    have no law in common. Where it is a temperature that stays, and is not 1, they are of another
    law than the posterior; and so they are where the energy has more than the potential.

    Args:
        what: the sampler, bound to its posteriors.
        module: its module.
        options: the options of the run.
    """
    energy, known = energy_of(what), _known(options)
    said: list[str] = []
    for U in potentials_of(what):
        given = module.estimators.get(U)
        if given is not None:
            said += _of_posterior(what, known, U, given.gradient.posterior)
    others = [U for U in potentials_of(what) if U not in module.estimators]
    said += said_of_given(what, options, others)
    if not potentials_of(what):
        for name, value in known.numbers.items():
            said += _of_another_law(what, name, value)
    of_law = {name_of(s) for s in parameters_of([energy])} | set(module.of_gradients)
    for name, schedule in options.schedules.items():
        if name not in of_law or name not in known.changing:
            continue
        first, last, _ = kept_values(schedule, options)
        target = ""
        if is_temperature(energy, name):
            target = f", and only draws with {name} = 1 are of {_law(with_value(energy, name, 1))}"
        said.append(
            f"these are no draws of one law: {name} changes from {first:.4g} to {last:.4g} in the"
            f" steps that are kept, and the law depends on it; a step keeps the law of its own"
            f" {name}{target}"
        )
    return tuple(said)


def said_of_given(
    what: Recipe | Update | Kernel, options: SamplingOptions, potentials: Iterable[Potential]
) -> tuple[str, ...]:
    """Return what a user should read about the law of draws of a sampler with potentials that are
    given as expressions or as gradients.

    What stands beside such a potential may be the prior of what is given, so that it is only said.

    Args:
        what: the sampler, with the potentials.
        options: the options of the run.
        potentials: those that are looked at.
    """
    known, said = _known(options), []
    for U in potentials:
        law = _law_beside(what, known, U)
        if law is None:
            continue
        given = f"the {U.name} that is given"
        end = f", not of exp(-{U.name}) with {given}" if law.tempered else f", with {given}"
        said.append(f"these are draws of {law.text}{end}")
    return tuple(said)


def _of_posterior(
    what: Recipe | Update | Kernel, known: _Known, U: Potential, posterior: Posterior
) -> tuple[str, ...]:
    """Return what is said of the potential of a posterior.

    Where the posterior says nothing of the prior of a block, what the energy has of this block is
    its prior, as in a sampler that is declared with the prior of its weights: nothing is said.
    """
    law = _law_beside(what, known, U)
    if law is None:
        return ()
    has_prior = {generic(s) for s in symbols_in(posterior.log_prior)}
    twice = any(b in has_prior or b.image in has_prior for b in law.beside)
    if not (law.tempered or twice):
        return ()
    return (f"these are draws of {law.text}, not of the posterior",)


@dataclass(frozen=True)
class _Law:
    """A law that is not that of a potential alone.

    Attributes:
        text: the law and the values of its parameters.
        tempered: whether there is a factor at the potential.
        beside: the blocks of the potential that the energy depends on beside it.
    """

    text: str
    tempered: bool
    beside: frozenset[Block]


def _law_beside(what: Recipe | Update | Kernel, known: _Known, U: Potential) -> _Law | None:
    """Return the law of the blocks of a potential, which has a factor in the energy, 1/T for a
    temperature T, or other terms in these blocks beside it; None where it has neither, or a factor
    that changes, of which ``said_of_law`` says more.
    """
    energy = energy_of(what)
    factor = energy.diff(U)
    if not _names(factor) <= set(known.numbers):
        return None
    own = frozenset(U.blocks) & frozenset(what.state)  # of a change of variables none
    extra = _terms_of(expand(energy - factor * U), own, what.state)
    beside = blocks_in(expand(_at(extra, known)), what.state) & own
    tempered = abs(float(_at(factor, known)) - 1) >= SAME
    if not (tempered or beside):
        return None
    shown = factor * U + (extra if beside else S.Zero)
    numbers = {n: known.numbers[n] for n in sorted(_names(shown) & set(known.numbers))}
    values = " and ".join(f"{n} = {v:.6g}" for n, v in numbers.items())
    return _Law(_law(shown) + (f" with {values}" if values else ""), tempered, beside)


def _terms_of(rest: Expr, own: frozenset[Block], state: tuple[Block, ...]) -> Expr:
    """Return the terms in the blocks of a potential; 0 where one has another block too, as a
    kinetic energy with a mass that depends on the state has: what is left of these terms in the
    marginal law is not known.
    """
    terms = [(term, blocks_in(term, state)) for term in Add.make_args(rest)]
    mine = [(term, blocks) for term, blocks in terms if blocks & own]
    if any(blocks - own for _, blocks in mine):
        return S.Zero
    return Add(*(term for term, _ in mine))


def _known(options: SamplingOptions) -> _Known:
    kept = {name: kept_values(s, options) for name, s in options.schedules.items()}
    changing = frozenset(name for name, (_, _, changes) in kept.items() if changes)
    numbers = {name_of(key): value for key, value in options.numbers.items()}
    numbers |= {name: last for name, (_, last, _) in kept.items()}
    stay = {n: v for n, v in numbers.items() if n not in changing and np.ndim(v) == 0}
    return _Known({n: float(v) for n, v in stay.items()}, changing)


def _names(e: Expr) -> set[str]:
    return {name_of(s) for s in e.free_symbols}


def _at(e: Expr, known: _Known) -> Expr:
    """Return an expression at the values of the parameters that are numbers."""
    named = {s: known.numbers.get(name_of(s)) for s in e.free_symbols}
    return e.xreplace({s: Float(v) for s, v in named.items() if v is not None})


def _of_another_law(what: Recipe | Update | Kernel, name: str, value: float) -> tuple[str, ...]:
    """Return what is said where a temperature of an energy that is written out stays and is not 1.

    A parameter below such an energy counts as a temperature where the noise depends on it, too;
    else it may be the variance of a law.
    """
    energy = energy_of(what)
    noise = isinstance(what, Recipe) and name in {
        name_of(s) for s in parameters_of(what.D.nonzero.values())
    }
    if value == 1 or not is_temperature(energy, name) or not noise:
        return ()
    target = _law(with_value(energy, name, 1))
    return (f"these are draws of {_law(energy)} with {name} = {value:.6g}, not of {target}",)


def _law(energy: Any) -> str:
    return f"exp(-{energy})" if energy.is_Atom else f"exp(-({energy}))"
