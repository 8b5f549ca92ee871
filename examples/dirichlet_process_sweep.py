"""A sweep of examples/models/dirichlet_process.py: how sticks and components move, new components,
and labels given slices.

An exact draw keeps its conditional law, and so does a step of SCIR. ``recipe verify`` proves the
stationarity of ``expanded_mean``, of which SGRLD is a discretisation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sympy import log

from catalog import scir, sgrld
from codegen import CountTable, Module, generate, one_step
from codegen.files.counts import count_table
from recipe import Parameter, RecipeError, bind, mirror, total

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


def by_released_sticks(
    rows: np.ndarray, prior: np.ndarray, counts: np.ndarray, step: float, rng: np.random.Generator
) -> np.ndarray:
    """One step of the sticks of the released code of Baker et al. (2018), in numpy: ``v n`` goes
    from both coordinates of a pair, which ``recipe audit`` refutes (``released_stick``).
    """
    shares = rows[:, :1] / rows.sum(axis=1, keepdims=True)
    drift = prior - rows + counts - shares * counts.sum(axis=1, keepdims=True)
    noise = np.sqrt(2 * step * rows) * rng.standard_normal(rows.shape)
    moved: np.ndarray = np.maximum(np.abs(rows + step * drift + noise), TINY)
    return moved


def _stepped(
    module: Module, row: np.ndarray, step: float, rng: np.random.Generator, **params: np.ndarray
) -> np.ndarray:
    kernel = one_step(module, step_size=step, params=params)
    seed, begin = int(rng.integers(2**62)), int(rng.integers(2**40))
    moved = kernel.advanced({"theta": row}, 1, seed=seed, chain=0, begin=begin)
    if moved is None:
        raise RecipeError(f"a row left its domain with the step {step:g}; take a smaller one")
    return np.maximum(moved["theta"], TINY)


MOVERS: dict[str, Mover] = {
    "Gibbs": exact,
    "SCIR": by_scir,
    "SGRLD": by_sgrld,
    "released sticks": by_released_sticks,
}


@dataclass(frozen=True)
class Settings:
    """What a sampler is told.

    Attributes:
        sampler: ``"Gibbs"``, ``"SCIR"`` or ``"SGRLD"``.
        batch: the users in a minibatch; None for all.
        stick_step, row_step: the step sizes of sticks and of components.
        a: of the prior Dirichlet(a, ..., a).
        concentration: shape and rate of the gamma prior of alpha.
        sticks: how sticks are moved, where it is not as components are; a key of ``MOVERS``.
    """

    sampler: str
    batch: int | None = None
    stick_step: float = 0.1
    row_step: float = 0.1
    a: float = 0.5
    concentration: tuple[float, float] = (1.0, 1.0)
    sticks: str | None = None


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
    stick_mover = MOVERS[settings.sticks or settings.sampler]
    indicator = csr_matrix((np.full(n, scale), (labels, np.arange(n))), (used, n))
    size = scale * np.bincount(labels, minlength=used)
    later = np.concatenate([np.cumsum(size[::-1])[::-1][1:], [0.0]])
    of_stick, of_row = np.array([1.0, state.alpha]), np.full(x.shape[1], settings.a)
    pairs = np.stack([size, later], axis=1)
    state.sticks = stick_mover(state.sticks[:used], of_stick, pairs, settings.stick_step, rng)
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
