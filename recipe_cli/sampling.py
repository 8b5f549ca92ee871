"""The commands ``generate`` and ``sample``: parse what was typed, call the generator, show what came out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from rich.console import Console

from codegen import generate as generate_kernel
from codegen import sample as sample_kernel
from codegen.plots import writable_folder
from recipe import Potential, Recipe, RecipeError, bind
from recipe_cli.declarations import Declaration, posterior_in
from recipe_cli.summary import show_draws


@dataclass(frozen=True)
class Settings:
    """What was typed for ``recipe sample``."""

    scheme: str
    order: str | None
    step_size: float
    params: tuple[str, ...]
    steps: int
    warmup: int | None
    thin: int
    batch_size: int | None
    chains: int
    threads: int | None
    seed: int


def generate_module(declaration: Declaration, output: Path, scheme: str, order: str | None, posterior: str | None) -> None:
    """Write the module of a recipe (or of a printed rule) to a file."""
    declared = declaration.declared
    posteriors = {}
    if posterior is not None:
        posteriors = {_potential(declaration): posterior_in(posterior)}
        if isinstance(declared, Recipe):
            declared, posteriors = bind(declared, posteriors), {}
    generate_kernel(declared, scheme=scheme, order=_blocks(order), posteriors=posteriors, name=declaration.name).write(output)


def sample_posterior(
    declaration: Declaration, posterior: str, settings: Settings, output: Path | None, console: Console,
    plots: Path | None = None, as_json: bool = False,
) -> int:  # fmt: skip
    """Sample, save and diagnose; returns the exit status."""
    if not isinstance(declaration.declared, Recipe):
        raise RecipeError(f"{declaration.name} is an update rule; `recipe sample` takes a recipe")
    law = posterior_in(posterior)
    target = bind(declaration.declared, {_potential(declaration): law})
    if plots is not None:
        writable_folder(plots)  # a long run must not fail at its end
    began = perf_counter()
    draws = sample_kernel(
        target, scheme=settings.scheme, order=_blocks(settings.order), step_size=settings.step_size,
        params=_parameters(settings.params), steps=settings.steps, warmup=_warmup(settings), thin=settings.thin,
        batch_size=settings.batch_size, chains=settings.chains, threads=settings.threads, seed=settings.seed, name=declaration.name,
    )  # fmt: skip
    seconds = perf_counter() - began
    saved = None
    if output is not None and int(max(draws.counts)) > 0:  # a chain that stopped early costs the others nothing
        saved = draws.save(output)
    show_draws(console, draws, [b.name for b in law.blocks], seconds, saved, plots, as_json)
    return 130 if draws.interrupted else 1 if draws.divergences else 0


def _warmup(settings: Settings) -> int:
    return settings.steps // 10 if settings.warmup is None else settings.warmup


def _potential(declaration: Declaration) -> Potential:
    potentials = [a for a in declaration.declared.abstract if isinstance(a, Potential)]
    if len(potentials) == 1:
        return potentials[0]
    names = ", ".join(map(str, potentials)) or "none"
    raise RecipeError(f"{declaration.name} has the potentials {names}: a posterior file gives the meaning of exactly one")


def _blocks(order: str | None) -> list[str] | None:
    return None if order is None else [b.strip() for b in order.split(",")]


def _parameters(typed: tuple[str, ...]) -> dict[str, float]:
    values: dict[str, float] = {}
    for item in typed:
        name, equals, number = item.partition("=")
        name = name.strip()
        if not equals or not name:
            raise RecipeError(f"--param {item}: write NAME=VALUE, such as --param C=1")
        if name in values:
            raise RecipeError(f"--param {name} is given twice")
        try:
            values[name] = float(number)
        except ValueError:
            raise RecipeError(f"--param {item}: {number!r} is not a number") from None
    return values
