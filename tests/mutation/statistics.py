"""Who is killed by statistics: steps and kernels carried out, and compared with what they should
be.

A kernel with a Metropolis test is started in the law that the original is proved to leave
invariant, with exact draws of it. A step is compared with the original step by the law that both
lead to from the same random states. Both nulls are exact; the battery of ``check_invariance``
bounds the probability that a right one is killed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sympy import Interval, Lambda, S, Symbol, exp, oo

from mutation.mutant import Fate, Judgement, Mutant
from recipe import (
    Discretisation,
    Kernel,
    Potential,
    Recipe,
    RecipeError,
    Update,
    Vector,
    bind,
    total,
)
from recipe.kernel.part import Move
from recipe.language.abstract import Dense
from recipe.language.blocks import Block
from recipe.language.symbols import name_of
from verify.statistics import Findings, Stepper, check_invariance
from verify.statistics.law.simulate import Runner, carry_out_sweep
from verify.statistics.numbers.arrays import State
from verify.statistics.numbers.inputs import setting_of

LENGTH, LEVEL, SWEEPS, REPLICAS = 2, 1e-8, 3, 20_000
STEP_SIZES = (0.4, 0.1, 1.2)  # one after another, until something is seen
# of the gamma law whose logarithm is sampled: U = exp(theta) - 2 theta is neither even nor of unit
# scale
SHAPE = 2
Step = Callable[[State, np.random.Generator], State]


def judge_by_statistics(mutant: Mutant, original: Any, seed: int = 0) -> Judgement:
    """Killed if the battery sees a difference at one of the step sizes; what cannot be carried out
    stays undecided.
    """
    declared, right = concrete(mutant.declared), concrete(original)
    if declared is None or right is None:
        return Judgement(Fate.UNDECIDED, "statistics: there is no exact null for a recipe")
    for size in STEP_SIZES:
        try:
            findings = _compared(
                _step(declared, right, size), right, isinstance(original, Kernel), size, seed
            )
        except (RecipeError, NotImplementedError) as error:
            return Judgement(Fate.UNDECIDED, f"statistics: {error}")
        if findings.differing:
            line = findings.differing[0]
            seen = f"{line.name}: {line.distance:.3g} is above {line.threshold:.3g}"
            return Judgement(
                Fate.STATISTICS,
                f"{line.test}: {seen}, step {size}, seed {seed}, level"
                f" {LEVEL / len(STEP_SIZES):.1g}",
            )
    return Judgement(
        Fate.UNDECIDED,
        f"statistics saw nothing in {REPLICAS} replicas at the steps {STEP_SIZES}, seed {seed}",
    )


def _compared(
    step: Step, right: Update | Kernel, is_exact: bool, size: float, seed: int
) -> Findings:
    start, how = (
        _start(right),
        {"seed": seed, "level": LEVEL / len(STEP_SIZES), "replicas": REPLICAS},
    )
    if is_exact:
        return check_invariance(Stepper(_finite(step), batched=True), start, steps=SWEEPS, **how)
    rightly = _finite(_step(right, right, size))
    # The replicas forget where they are: what is compared is the law after one step from random
    # states.
    anew = Stepper(
        _finite(lambda state, rng: step(start(rng, len(next(iter(state.values())))), rng)),
        batched=True,
    )
    return check_invariance(anew, lambda rng, n: rightly(start(rng, n), rng), steps=1, **how)


def concrete(declared: Any) -> Update | Kernel | None:
    """What is carried out, with a meaning for everything that is abstract; of a recipe nothing."""
    if isinstance(declared, Recipe | str):
        return None
    if isinstance(declared, Discretisation):
        declared = declared.update
    if not declared.abstract:
        return declared
    kernel = Kernel([Move(declared, "step")]) if isinstance(declared, Update) else declared
    return bind(
        kernel, {head: _meaning(head) for head in kernel.abstract if not isinstance(head, Dense)}
    )


def _meaning(head: Any) -> Any:
    if not isinstance(head, Potential):
        x = Symbol("x", real=True)
        return Lambda(x, 1 + 1 / (1 + x**2))
    if len(head.blocks) > 1 or not isinstance(head.blocks[0], Vector):
        raise NotImplementedError(f"{head} depends on {head.blocks}")
    (block,) = head.blocks
    return (
        total(exp(block) - SHAPE * block)
        if block.domain == S.Reals
        else total(block + block**2 / 4)
    )


def _step(declared: Update | Kernel, right: Update | Kernel, size: float) -> Step:
    values = {name_of(s): 0.7 for s in right.parameters} | {
        str(M): np.eye(LENGTH) for M in _matrices(right)
    }
    meanings = setting_of(right, step_size=size, params=values, length=LENGTH).meanings

    def step(state: State, rng: np.random.Generator) -> State:
        return carry_out_sweep(declared, state, Runner(meanings, rng))

    return step


def _matrices(declared: Update | Kernel) -> list[Dense]:
    return [head for head in declared.abstract if isinstance(head, Dense)]


def _finite(step: Step) -> Step:
    """What is no number is far out: it must be seen, and no moment of it exists."""
    return lambda state, rng: {
        name: np.nan_to_num(x, nan=1e6, posinf=1e6, neginf=-1e6)
        for name, x in step(state, rng).items()
    }


def _start(declared: Update | Kernel) -> Callable[[np.random.Generator, int], State]:
    """Exact draws of ``exp(-H)`` where H is of the kernels here: log-gamma positions, standard
    normal momenta.
    """
    return lambda rng, n: {b.name: _drawn(b, rng, n) for b in declared.state}


def _drawn(block: Block, rng: np.random.Generator, n: int) -> np.ndarray:
    shape = n, LENGTH if isinstance(block, Vector) else 1
    if block.domain in (Interval.open(0, oo), Interval(0, oo)):
        return rng.standard_gamma(0.7, shape)
    return (
        np.log(rng.standard_gamma(SHAPE, shape))
        if block.name == "theta"
        else rng.standard_normal(shape)
    )
