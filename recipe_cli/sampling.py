"""The commands ``generate`` and ``sample``: parse what was typed, call the generator, show what came out."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from rich.console import Console
from rich.table import Table

from codegen import Draws
from codegen import generate as generate_kernel
from codegen import sample as sample_kernel
from recipe import Posterior, Potential, Recipe, RecipeError, bind
from recipe_cli.declarations import Declaration, posterior_in

SHOWN_COORDINATES = 40


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


def sample_posterior(declaration: Declaration, posterior: str, settings: Settings, output: Path | None, console: Console) -> int:
    """Sample, summarise and save; returns the exit status."""
    if not isinstance(declaration.declared, Recipe):
        raise RecipeError(f"{declaration.name} is an update rule; `recipe sample` takes a recipe")
    law = posterior_in(posterior)
    target = bind(declaration.declared, {_potential(declaration): law})
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
    _summarise(declaration, law, draws, seconds, console)
    if saved is not None:
        console.print(f"draws saved in {output}", soft_wrap=True)
    return 130 if draws.interrupted else 1 if draws.divergences else 0


def _summarise(declaration: Declaration, law: Posterior, draws: Draws, seconds: float, console: Console) -> None:
    for divergence in draws.divergences:
        console.print(str(divergence), style="bold red", soft_wrap=True)
    kept = int(min(draws.counts))
    chains = len(draws.counts)
    stopped = ", interrupted" if draws.interrupted else ""
    console.print(f"{declaration.name}: {chains} chains of {kept} draws in {seconds:.1f} s{stopped}", soft_wrap=True)
    if kept < 4:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ArviZ speaks of its own next version, and of chains too short to diagnose
        import arviz

        names = [b.name for b in law.blocks if b.name in draws.values]
        summary = arviz.summary(draws.to_inferencedata(), var_names=names, kind="all", round_to="none")
    table = Table(box=None)
    for column in ("", "mean", "sd", "mcse_mean", "ess_bulk", "ess_tail", "r_hat"):
        table.add_column(column, justify="right" if column else "left")
    for name, row in summary.head(SHOWN_COORDINATES).iterrows():
        numbers = [f"{row[c]:.3f}" for c in ("mean", "sd", "mcse_mean")] + [f"{row[c]:.0f}" for c in ("ess_bulk", "ess_tail")]
        table.add_row(str(name), *numbers, f"{row['r_hat']:.3f}")
    console.print(table)
    if len(summary) > SHOWN_COORDINATES:
        console.print(f"... and {len(summary) - SHOWN_COORDINATES} coordinates more")
    worst = float(np.nanmax(summary["r_hat"])) if chains > 1 else float("nan")
    if worst > 1.01:
        console.print(f"the chains do not agree yet (largest R-hat {worst:.3f}, want 1.01): take more steps", style="yellow")


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
