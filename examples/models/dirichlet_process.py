"""A Dirichlet process mixture of multinomials (Dunson & Xing 2009): exact slice Gibbs sampling, and
the minibatch slice sampler of Baker, Fearnhead, Fox & Nemeth (2018), section 4.2, whose sticks and
components are moved by SCIR or by SGRLD of the catalog.

python examples/models/dirichlet_process.py --quick    # seconds, no data needed
python examples/dirichlet_process_page.py --help       # msweb, and the page of the results

    x_i | z_i ~ Multinomial(theta_(z_i)),  P(z_i = j) = omega_j,  theta_j ~ Dirichlet(a, ..., a)
    omega_j = v_j times (1 - v_l) for all l < j,  v_j ~ Beta(1, alpha),  alpha ~ Gamma(1, 1)

A slice u_i ~ Uniform(0, omega_(z_i)) leaves the label of a user the components with omega_j > u_i,
with equal weights before the data are seen: that is ``members``, and ``recipe verify`` proves its
draw of a label and its gradient for every number of components and columns. The sweep of a
minibatch as a whole is not proved. No component is left out: sticks are drawn as slices ask.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sympy import Interval, Symbol, exp, log, oo

from catalog import scir, sgrld
from codegen import CountTable, Module, generate, one_step
from codegen.files.counts import count_table
from recipe import (
    LabelledPosterior,
    Labels,
    Parameter,
    RecipeError,
    Vector,
    bind,
    mirror,
    total,
)

theta = Vector("theta", domain=Interval.open(0, oo))  # a component is theta / total(theta)
a = Symbol("a", positive=True)
z = Labels("z", like=theta, each="datum")
members = LabelledPosterior(
    blocks=theta,
    labels=z,
    log_joint=z.sum(total(z.counts * log(theta / total(theta)))),
    log_prior=total((a - 1) * log(theta) - theta),
    conditional=exp(total(z.row * log(theta / total(theta)))),
    gradient=(a - 1) / theta
    - 1
    + z.data / z.batch * (z.summed / theta - total(z.summed) / total(theta)),
    source="Baker, Fearnhead, Fox & Nemeth (2018), NeurIPS, section 4.2, given the slices",
)

# Positive rows whose shares have the law Dirichlet(prior + counts): those of a component, and the
# pair of a stick v = g / (g + k), whose prior is (1, alpha).
_x = sgrld.x
prior = Parameter("prior", like=_x, positive=True)
counts = Parameter("counts", like=_x, nonnegative=True)
_row = total(_x - (prior + counts - 1) * log(_x)) + total(counts) * log(total(_x))
expanded_mean = mirror(bind(sgrld.sgrld_reciprocal, {sgrld.V: _row}), _x)

TINY = np.finfo(float).tiny
# (rows, prior, counts, step, rng) to the moved rows
Mover = Callable[[np.ndarray, np.ndarray, np.ndarray, float, np.random.Generator], np.ndarray]


@cache
def _scir() -> Module:
    return generate(scir.scir, scheme="exact", name="scir_rows")


@cache
def _sgrld() -> Module:
    return generate(expanded_mean, scheme="euler", name="sgrld_rows")


def exact(
    rows: np.ndarray, prior: np.ndarray, counts: np.ndarray, step: float, rng: np.random.Generator
) -> np.ndarray:
    """Independent draws from the law given the counts; ``step`` is not used."""
    return np.maximum(rng.standard_gamma(prior + counts), TINY)


def by_scir(
    rows: np.ndarray, prior: np.ndarray, counts: np.ndarray, step: float, rng: np.random.Generator
) -> np.ndarray:
    """One step of ``catalog.scir``: its law given the counts has independent gamma coordinates, so
    that the sum of a row is drawn anew where labels, and so counts, have changed.
    """
    shapes = prior + counts
    sums = rng.standard_gamma(shapes.sum(axis=1)) / rows.sum(axis=1)
    scaled = np.maximum(rows * sums[:, None], TINY)
    return _stepped(_scir(), scaled.ravel(), step, rng, a=shapes.ravel()).reshape(rows.shape)


def by_sgrld(
    rows: np.ndarray, prior: np.ndarray, counts: np.ndarray, step: float, rng: np.random.Generator
) -> np.ndarray:
    """One step of ``catalog.sgrld`` with reflection in the expanded mean, where the sum of a row
    has the prior law whatever the counts.
    """
    prior = np.broadcast_to(prior, rows.shape)
    sums = rng.standard_gamma(prior.sum(axis=1)) / rows.sum(axis=1)
    scaled = np.maximum(rows * sums[:, None], TINY)
    moved = (
        _stepped(_sgrld(), r, step, rng, prior=p, counts=c)
        for r, p, c in zip(scaled, prior, counts, strict=True)
    )
    return np.array(list(moved))


def _stepped(
    module: Module, row: np.ndarray, step: float, rng: np.random.Generator, **params: np.ndarray
) -> np.ndarray:
    kernel = one_step(module, step_size=step, params=params)
    seed, begin = int(rng.integers(2**62)), int(rng.integers(2**40))
    moved = kernel.advanced({"theta": row}, 1, seed=seed, chain=0, begin=begin)
    if moved is None:
        raise RecipeError(f"a row left its domain with the step {step:g}; take a smaller one")
    return np.maximum(moved["theta"], TINY)


MOVERS: dict[str, Mover] = {"Gibbs": exact, "SCIR": by_scir, "SGRLD": by_sgrld}


@dataclass(frozen=True)
class Settings:
    """What a sampler is told.

    Attributes:
        sampler: ``"Gibbs"``, ``"SCIR"`` or ``"SGRLD"``.
        batch: the users in a minibatch; None for all.
        stick_step, row_step: the step sizes of sticks and of components.
        a: of the prior Dirichlet(a, ..., a).
        concentration: shape and rate of the gamma prior of alpha.
    """

    sampler: str
    batch: int | None = None
    stick_step: float = 0.1
    row_step: float = 0.1
    a: float = 0.5
    concentration: tuple[float, float] = (1.0, 1.0)


@dataclass(eq=False)
class State:
    """A state of the mixture: the label of each user; for components up to the last that is used,
    the pair of the stick and the positive row; and the concentration alpha.
    """

    labels: np.ndarray
    sticks: np.ndarray
    rows: np.ndarray
    alpha: float

    def weights(self) -> np.ndarray:
        """omega of each component that is here."""
        return weights(self.sticks)


def weights(sticks: np.ndarray) -> np.ndarray:
    """omega_j, from the pairs of sticks."""
    v, left = (sticks / sticks.sum(axis=1, keepdims=True)).T
    product: np.ndarray = v * np.concatenate([[1.0], np.cumprod(left)[:-1]])
    return product


def matrix(data: Any) -> csr_matrix:
    """The counts of users by page, a row a user.

    Raises:
        RecipeError: one sentence that names the user, for a negative count and for a user without
            a page.
    """
    table: CountTable = count_table(data)
    return csr_matrix(
        (table.counts.astype(float), table.columns, table.starts), (len(table), table.width)
    )


def begun(x: csr_matrix, settings: Settings, components: int, rng: np.random.Generator) -> State:
    """A first state: labels that are uniform on some components, all else from the prior."""
    labels = rng.integers(components, size=x.shape[0])
    rows = rng.standard_gamma(settings.a, (labels.max() + 1, x.shape[1]))
    sticks = rng.standard_gamma(1.0, (labels.max() + 1, 2))
    return State(labels, np.maximum(sticks, TINY), np.maximum(rows, TINY), 1.0)


def sweep(state: State, x: csr_matrix, settings: Settings, rng: np.random.Generator) -> None:
    """Move a state by one sweep, in place.

    Args:
        state: the state.
        x: the counts of users by page.
        settings: with ``batch=None`` each step is a draw that keeps the posterior, or a step of the
            sampler for such a law. With a minibatch counts are scaled by L/n, the labels of
            other users stay, and no law is known to be kept.
        rng: makes all random numbers.
    """
    users = x.shape[0]
    n = users if settings.batch is None else settings.batch
    which = rng.choice(users, n, replace=False) if n < users else np.arange(users)
    mine, labels = x[which], state.labels[which]
    used = int(state.labels.max()) + 1
    _move_parameters(state, mine, labels, used, users / n, settings, rng)
    slices = rng.uniform(0.0, state.weights()[labels])
    _draw_new_components(state, slices.min(), settings.a, rng)
    state.labels[which] = _drawn_labels(state, mine, slices, rng)
    used = int(state.labels.max()) + 1
    state.sticks, state.rows = state.sticks[:used], state.rows[:used]


def _move_parameters(
    state: State,
    x: csr_matrix,
    labels: np.ndarray,
    used: int,
    scale: float,
    settings: Settings,
    rng: np.random.Generator,
) -> None:
    """Sticks and components given labels, then alpha given the sticks (Escobar & West 1995)."""
    mover, n = MOVERS[settings.sampler], len(labels)
    indicator = csr_matrix((np.full(n, scale), (labels, np.arange(n))), (used, n))
    size = scale * np.bincount(labels, minlength=used)
    later = np.concatenate([np.cumsum(size[::-1])[::-1][1:], [0.0]])
    of_stick, of_row = np.array([1.0, state.alpha]), np.full(x.shape[1], settings.a)
    pairs = np.stack([size, later], axis=1)
    state.sticks = mover(state.sticks[:used], of_stick, pairs, settings.stick_step, rng)
    counted = (indicator @ x).toarray()
    state.rows = mover(state.rows[:used], of_row, counted, settings.row_step, rng)
    shape, rate = settings.concentration
    left = np.log(state.sticks[:, 1]) - np.log(state.sticks.sum(axis=1))
    state.alpha = float(rng.gamma(shape + used) / (rate - left.sum()))


def _draw_new_components(state: State, least: float, a: float, rng: np.random.Generator) -> None:
    """Draw sticks from the prior until what is left of the unit is below the least slice."""
    rest = 1.0 - state.weights().sum()
    new: list[np.ndarray] = []
    while rest > least:
        new.append(np.maximum(rng.standard_gamma([1.0, state.alpha]), TINY))
        rest *= new[-1][1] / new[-1].sum()
    if new:
        rows = np.maximum(rng.standard_gamma(a, (len(new), state.rows.shape[1])), TINY)
        state.sticks = np.concatenate([state.sticks, new])
        state.rows = np.concatenate([state.rows, rows])


def _drawn_labels(
    state: State, x: csr_matrix, slices: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Labels given the slices, with the weights of ``members``: the largest of Gumbel numbers."""
    score = x @ _log_shares(state.rows).T
    score = np.where(state.weights() > slices[:, None], score, -np.inf)
    drawn: np.ndarray = (score + rng.gumbel(size=score.shape)).argmax(axis=1)
    return drawn


def _log_shares(rows: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.log(rows) - np.log(rows.sum(axis=1, keepdims=True))
    return found


def log_predictive(state: State, x: csr_matrix) -> np.ndarray:
    """The log probability of each user of other data by the components up to the last that is used,
    without multinomial coefficients.
    """
    omega = state.weights()
    terms = x @ _log_shares(state.rows).T + np.log(omega / omega.sum())
    most = terms.max(axis=1)
    found: np.ndarray = most + np.log(np.exp(terms - most[:, None]).sum(axis=1))
    return found


@dataclass(eq=False)
class Course:
    """What a run shows: at some steps the score of that state, minus the mean log predictive of a
    held-out user; the same of probabilities averaged over those steps from the middle on; and how
    many components have users.
    """

    steps: list[int]
    single: list[float]
    averaged: float
    used: list[int]


def run(
    data: Any,
    held_out: Any,
    settings: Settings,
    *,
    sweeps: int,
    components: int = 20,
    every: int = 10,
    seed: int = 0,
    show: Callable[[int], None] = lambda _: None,
) -> Course:
    """Sample the mixture, and predict held-out users.

    Args:
        data, held_out: counts: a ``CountTable``, a matrix of ``scipy.sparse`` or an array.
        settings: the sampler.
        sweeps: how many.
        components: the first labels are uniform on so many.
        every: predict after so many sweeps.
        seed: of all random numbers.
        show: is told the number of each sweep that is done.

    Raises:
        RecipeError: for impossible data, and where a sampler left its domain.
    """
    x, other = matrix(data), matrix(held_out)
    rng = np.random.default_rng(seed)
    state, course = begun(x, settings, components, rng), Course([], [], np.nan, [])
    mean, kept = np.zeros(other.shape[0]), 0
    for step in range(1, sweeps + 1):
        sweep(state, x, settings, rng)
        if step % every == 0:
            logs = log_predictive(state, other)
            course.steps.append(step)
            course.single.append(float(-logs.mean()))
            course.used.append(len(np.unique(state.labels)))
            if 2 * step > sweeps:
                mean, kept = mean + np.exp(logs), kept + 1
        show(step)
    course.averaged = float(-np.log(mean / max(kept, 1)).mean()) if kept else np.nan
    return course


def small_users(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Pages of 400 users and of 100 held-out ones, five each, from four components over 20."""
    rng = np.random.default_rng(seed)
    laws = rng.dirichlet(np.full(20, 0.2), 4)[rng.choice(4, 500, p=[0.4, 0.3, 0.2, 0.1])]
    counts = np.array([rng.multinomial(5, p) for p in laws])
    return counts[:400], counts[400:]


QUICK = (
    Settings("Gibbs"),
    Settings("SCIR", 100, 0.1, 0.1),
    Settings("SGRLD", 100, 0.0005, 0.005),
)


def one_law(data: Any, held_out: Any, a: float = 0.5) -> float:
    """The score of one multinomial for all users."""
    x, other = matrix(data), matrix(held_out)
    frequency = np.asarray(x.sum(axis=0)).ravel() + a
    return float(-(other @ np.log(frequency / frequency.sum())).mean())


def main() -> None:
    """Print the scores of the small set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small set, some seconds")
    if not parser.parse_args().quick:
        parser.error("give --quick; examples/dirichlet_process_page.py has the runs on msweb")
    data, held_out = small_users()
    print("minus mean log predictive of a held-out user: averaged over draws, of the last draw")
    print(f"one multinomial {one_law(data, held_out):.3f}")
    for settings in QUICK:
        found = run(data, held_out, settings, sweeps=200)
        used = found.used[-1]
        print(
            f"{settings.sampler:15} {found.averaged:.3f} {found.single[-1]:.3f} {used} components"
        )


if __name__ == "__main__":
    main()
