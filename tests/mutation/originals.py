"""What is mutated: the recipes of the catalog, steps of them, its kernels, and generated modules;
and who judges the mutants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from cases.catalog_recipes import catalog_recipes
from cases.translations import case

from catalog.hmc import ghmc, hmc_kernel
from catalog.mala import mala, pmala
from mutation.bugs import bugs
from mutation.mutant import BUG, RECIPE, SCHEME, SOURCE, Judgement, Mutant
from mutation.of_kernels import kernel_mutants
from mutation.of_recipes import rebuilt, recipe_mutants
from mutation.of_rules import step_mutants
from mutation.of_sources import source_mutants
from mutation.proofs import REQUIRED, Asked, asked_of, judge_by_proof
from mutation.statistics import judge_by_statistics
from mutation.translation import judge_by_translation
from recipe import discretised
from recipe.scheme.discretisation import PRINTED
from recipe_cli.program.translation import trusted_texts

Judge = Callable[[Mutant], Judgement]

STEPS = {
    "sgld": ("euler", "leimkuhler-matthews"),
    "sghmc": ("semi-implicit", "baoab", "obabo", "aboba"),
    "sgnht": ("semi-implicit", "badodab"),
    "hmc": ("leapfrog",),
    "sgrhmc": ("euler", PRINTED),
    "sgrhmc_bounded": ("semi-implicit", "milstein"),
    "third_order_langevin": (PRINTED,),
    "scir": ("exact", "milstein"),
    "lognormal_exp_ou": ("exact",),
    "mirror_sghmc": ("semi-implicit",),
    "mirror_sgld": ("euler",),
    "corv_sgld": (PRINTED,),
    "jacobi_beta": ("euler",),
    "fisher_sgld": ("euler",),
    "sgrld": (PRINTED,),
}
KERNELS = {"hmc_kernel": hmc_kernel, "ghmc": ghmc, "mala": mala, "pmala": pmala}
# Random numbers, sums, an exact draw, a fold, a Metropolis test, a splitting, a posterior; what is
# generated is made of these.
SOURCES = ("sgnht", "baoab", "scir", "reflected", "hmc", "two noises", "dense", "corv", "posterior")
OF_EACH_KIND = 3
# Their Fokker-Planck residuals have two sums over a simplex, and are refuted in a minute each.
LEFT_OUT = {
    "sgrld_simplex_reduced_mean",
    "sgrld_simplex_reduced_mean_as_printed",
    "sgrld_simplex_reduced_natural",
    "wright_fisher_dirichlet",
}


@dataclass(frozen=True)
class Original:
    """Something right, of which mutants are made.

    ``mutants`` makes them, ``judge`` prepares the judge of them, and ``then`` judges what that
    leaves undecided.
    """

    group: str
    name: str
    declared: Any
    mutants: Callable[[], Iterator[Mutant]]
    judge: Callable[[], Judge]
    then: Judge | None = None


def originals() -> Iterator[Original]:
    """All of them, in the order in which they are judged."""
    for name, recipe in sorted(catalog_recipes().items()):
        if name not in LEFT_OUT:
            plain = rebuilt(recipe)
            yield Original(
                RECIPE, name, plain, partial(recipe_mutants, name, recipe), partial(_prover, plain)
            )
    yield from _steps()
    for name in SOURCES:
        yield Original(
            SOURCE, f"module {name}", None, partial(_of_text, name), partial(_translator, name)
        )
    asked = Asked(frozenset(REQUIRED))
    yield Original(BUG, "published rules", None, bugs, lambda: partial(judge_by_proof, asked=asked))


def _steps() -> Iterator[Original]:
    found = catalog_recipes()
    for name, schemes in STEPS.items():
        for scheme in schemes:
            step, called = discretised(found[name], scheme), f"{name}, {scheme}"
            seen = partial(judge_by_statistics, original=step)
            yield Original(
                SCHEME,
                called,
                step,
                partial(step_mutants, called, step),
                partial(_prover, step),
                seen,
            )
    for name, kernel in KERNELS.items():
        seen = partial(judge_by_statistics, original=kernel)
        yield Original(
            SCHEME,
            name,
            kernel,
            partial(kernel_mutants, name, kernel),
            partial(_prover, kernel),
            seen,
        )


def _prover(original: Any) -> Judge:
    return partial(judge_by_proof, asked=asked_of(original))


def _of_text(name: str) -> Iterator[Mutant]:
    return source_mutants(
        f"module {name}", case(name).text, frozenset(trusted_texts().functions), OF_EACH_KIND
    )


def _translator(name: str) -> Judge:
    return partial(judge_by_translation, case=case(name))
