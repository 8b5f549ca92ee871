"""The states from which steps begin. Any state will do, because the law of a step given its state
is tested.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from sympy import Interval

from recipe import RecipeError
from recipe.language.blocks import Block, Simplex
from recipe.language.domain import on_simplex
from recipe.language.symbols import name_of
from verify.statistics.numbers.arrays import Array, Meanings, State
from verify.statistics.recover.innovations import carry_out, innovations, normal_numbers
from verify.statistics.recover.plan import RecoveryPlan

MIN_SCALE, MAX_SCALE = 0.3, 10.0  # the range of the scales of blocks on the real line
MAX_POOLS = 60  # of drawn states, before the search for states gives up
RARE_NOISE_SCALE = 3.0  # factor of noise that is seldom as large: steps must be resolved with it
MAX_ROUNDING_SHARE = 0.01  # of rounding in the standard error of a mean over all replicas


def drawn_states(
    state: tuple[Block, ...], lengths: Mapping[str, int], count: int, rng: np.random.Generator
) -> State:
    """Draw states anywhere in the domain.

    Each block of each state has a scale of its own, so that every term of a rule is large beside
    the others somewhere.

    Args:
        state: the blocks.
        lengths: the number of coordinates, by the name of the length.
        count: the number of states.
        rng: the source of random numbers.
    """
    return {
        name_of(b): _drawn(b, lengths[b.length.name] if b.length is not None else 1, count, rng)
        for b in state
    }


def _drawn(block: Block, length: int, count: int, rng: np.random.Generator) -> Array:
    """Draw values of one block, an array (count, length)."""
    domain = block.domain
    if isinstance(domain, Simplex):
        return rng.dirichlet(np.ones(length + 1), size=count)[:, :-1]
    scale = np.exp(rng.uniform(np.log(MIN_SCALE), np.log(MAX_SCALE), size=(count, 1)))
    if not isinstance(domain, Interval):
        return scale * rng.standard_normal((count, length))
    low, high = float(domain.start), float(domain.end)
    if np.isfinite(low) and np.isfinite(high):
        return low + (high - low) * rng.beta(1.5, 1.5, size=(count, length))
    if not np.isfinite(low) and not np.isfinite(high):
        return scale * rng.standard_normal((count, length))
    away = scale * np.exp(0.5 * rng.standard_normal((count, length)))
    return low + away if np.isfinite(low) else high - away


def is_inside(state: tuple[Block, ...], rows: State) -> Array:
    """Return which states are finite and in the domain, an array (states,)."""
    good = np.ones(len(next(iter(rows.values()))), dtype=bool)
    for b in state:
        x = rows[name_of(b)]
        good &= np.isfinite(x).all(axis=1)
        if on_simplex(b):
            good &= (x > 0).all(axis=1) & (x.sum(axis=1) < 1)
        elif isinstance(b.domain, Interval):
            good &= ((x > float(b.domain.start)) & (x < float(b.domain.end))).all(axis=1)
    return good


def is_resolvable(
    plan: RecoveryPlan,
    rows: State,
    meanings: Meanings,
    rng: np.random.Generator,
    *,
    rounding: float,
    replicas: int,
) -> Array:
    """Return from which states the noise of a step can be recovered in spite of rounding, an array
    (states,).

    Steps of the rule itself, not of the kernel, decide that. The noise of a step must be recovered
    both when it has its usual size and when it is three times as large, because second steps begin
    where first ones led.

    Args:
        plan: how the noise is recovered.
        rows: the states, by block, arrays (states, length).
        meanings: the values of all other symbols.
        rng: the source of noise.
        rounding: the relative precision of the kernel's arithmetic.
        replicas: the number of replicas of the test, whose standard error rounding must not reach.
    """
    drawn = normal_numbers(plan.equations, rows, meanings, rng)
    good = is_inside(plan.equations.state, rows)
    for scale in (1.0, RARE_NOISE_SCALE):
        with np.errstate(all="ignore"):
            after = carry_out(
                plan.equations, rows, {name: scale * w for name, w in drawn.items()}, meanings
            )
            read = innovations(plan, rows, after, meanings, rounding=rounding)
        for u in read.noise.values():
            good &= np.isfinite(u).all(axis=1)
        for far in read.resolution.values():
            good &= far < MAX_ROUNDING_SHARE / np.sqrt(replicas)
        for ratio in read.residuals.values():
            good &= np.isfinite(ratio).all(axis=1)
    return good


def states_of(
    plan: RecoveryPlan,
    meanings: Meanings,
    count: int,
    rng: np.random.Generator,
    *,
    rounding: float,
    replicas: int,
) -> State:
    """Return ``count`` states from which the noise of a step can be recovered.

    Raises:
        RecipeError: if too few are found.
    """
    kept: list[State] = []
    found = 0
    for _ in range(MAX_POOLS):
        rows = drawn_states(plan.equations.state, meanings.lengths, 4 * count, rng)
        good = is_resolvable(plan, rows, meanings, rng, rounding=rounding, replicas=replicas)
        kept.append({name: x[good] for name, x in rows.items()})
        found += int(good.sum())
        if found >= count:
            return {name: np.concatenate([k[name] for k in kept])[:count] for name in rows}
    raise RecipeError(
        "no state was found from which a step is finite and its noise is larger than the rounding"
        " errors; give states= with smaller states, or another step_size="
    )


def choose_states(pool: State, moved: Sequence[Array], count: int) -> State:
    """Choose ``count`` states of a pool: the first ones, and as many where a wrong coefficient
    moves the noise most.

    Args:
        pool: the states, which were drawn at random, by block, arrays (states, length).
        moved: for each coefficient how far it moves the noise, arrays (states,).
        count: the number of states.
    """
    rows = list(range(count // 2 if moved else count))
    orders = [iter(np.argsort(-far, kind="stable")) for far in moved]
    turn = 0
    while len(rows) < count:
        best = next(int(n) for n in orders[turn % len(orders)] if int(n) not in rows)
        rows.append(best)
        turn += 1
    return {name: x[rows] for name, x in pool.items()}
