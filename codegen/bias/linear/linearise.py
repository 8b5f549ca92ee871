"""The linear recursion that a step is near the point where its noise-free part stands still:
``z' = z* + M (z - z*) + N w``.

M comes from central differences of steps with the same random numbers, in which additive noise
cancels. N comes from steps at one point with different random numbers: these are known
(``streams``), and the least squares fit is exact for additive noise from all of the data.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from codegen.bias.linear.stationary import stationary_covariance
from codegen.bias.step.same_rows import SameRows, same_rows
from codegen.bias.step.step_map import STREAM, StepMap
from codegen.bias.step.streams import normals
from codegen.bias.step.unpredictable import UnpredictableError

SMALL_STEP = 1 / 256  # of the step size: what is left of the bias of the step there
QUIET_STEPS, QUIET_PARTS = 4096, 32
MORE_STEPS = 8  # than unknowns, in the fit of N
REACH = 1e-2  # of a difference, in scales of its coordinate
CLOSE = 0.01  # scales: a fixed point is not searched for more closely
MAX_ROUNDS = 20  # linearisations on the way to the fixed point
MAX_HALVINGS = 6  # of a move of Newton's method
MAX_JUMP = 1e6  # scales: no fixed point is looked for farther away
# of the effect of the noise: more is a noise that depends on the state
MAX_CHANGE_OF_NOISE = 0.05


@dataclass(frozen=True)
class Middle:
    """A point, shape (n,), where a step with some of the rows is corrected to one with more of
    them, as control variates correct a gradient: a mode of few rows is far from that of many.
    """

    point: np.ndarray
    rows: int

    def of(self, places: np.ndarray) -> Middle:
        """Return the point without its other coordinates."""
        return Middle(self.point[places], self.rows)


@dataclass(frozen=True, eq=False)
class Setting:
    """What is the same in all steps of a linearisation.

    Attributes:
        step: the step as a function.
        streams: purpose and length of each stream of normal numbers.
        rows: the rows of a step that stands for one with all of the data; 0 for all of them.
        step_size: the step size.
        middle: where a step with these rows is to be as one with more rows; None for nowhere.
        same: the steps that have the same rows, by step and rows: they hold many rows, and settings
            that differ in the step size share them.
    """

    step: StepMap
    streams: list[tuple[int, int]]
    rows: int
    step_size: float
    middle: Middle | None = None
    same: dict[tuple[StepMap, int], SameRows | None] = field(default_factory=dict)

    @property
    def noises(self) -> int:
        """The number of normal numbers of a step."""
        return sum(length for _, length in self.streams)

    def normals(self, steps: np.ndarray) -> np.ndarray:
        """Return the normal numbers of some steps, shape (steps, noises)."""
        return normals(self.streams, self.step.kernel.options.seed, STREAM, steps)

    @cached_property
    def quiet(self) -> int:
        """The number of the step with the least noise among many: slopes are taken there."""
        parts = np.split(np.arange(QUIET_STEPS), QUIET_PARTS)  # to hold few numbers at a time
        sizes = [np.sum(self.normals(part) ** 2, axis=1) for part in parts]
        return int(np.argmin(np.concatenate(sizes)))

    def full(self, point: np.ndarray, step: int | None = None) -> np.ndarray:
        """Return the result of a step with all of the data, by default of the quiet one."""
        step = self.quiet if step is None else step
        if self._same_rows is None:
            return self.step(point, step, self.step_size, self.rows, True)
        return self._same_rows(point, step, self.step_size) + self._more_rows

    @property
    def _same_rows(self) -> SameRows | None:
        key = self.step, self.rows
        if key not in self.same:
            self.same[key] = same_rows(*key)
        return self.same[key]

    @cached_property
    def _more_rows(self) -> np.ndarray:
        """What more rows add to the result of a step from the middle, shape (m,)."""
        if self.middle is None or self._same_rows is None:
            return np.zeros(self.step.results)
        point, size = self.middle.point, self.step_size
        more = self.step(point, self.quiet, size, self.middle.rows, True)
        return more - self._same_rows(point, self.quiet, size)

    def from_positions(self, centre: np.ndarray, deviation: np.ndarray) -> np.ndarray:
        """Return the point whose judged coordinates deviate from a centre, with the gradient there
        where the scheme keeps it.

        Args:
            centre: a point, shape (n,).
            deviation: deviations of the judged coordinates, shape (k,).
        """
        step = self.step
        point = centre.copy()
        for name, part in step.recorded.items():
            point[step.fields[name]] += deviation[part.start - step.size : part.stop - step.size]
        if step.block_size < step.size:
            kept = slice(step.block_size, step.size)
            point[kept] = step(point, 0, 0.0, self.rows, True, fresh=True)[kept]
        return point


@dataclass(frozen=True, eq=False)
class Linear:
    """A step near a point; results have the new point first, and then the draw.

    Attributes:
        point: the point, shape (n,).
        moved: the result of the step from there without noise, shape (m,).
        slopes: the derivatives of the result by the point, shape (m, n).
        noise: the derivatives of the result by the normal numbers, shape (m, w).
    """

    point: np.ndarray
    moved: np.ndarray
    slopes: np.ndarray
    noise: np.ndarray

    def law(self, extra: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the stationary covariances of points and of draws; None where there is no
        stationary law.

        Args:
            extra: the covariance of the noise that minibatches add to a result, shape (m, m).
        """
        n = self.point.size
        V = self.noise @ self.noise.T + (0.0 if extra is None else extra)
        S = stationary_covariance(self.slopes[:n], V[:n, :n])
        if S is None:
            return None
        C = self.slopes[n:]
        # a step's noise reaches the draw directly; the state before it is independent of that
        return S, C @ S @ C.T + V[n:, n:]


def linearised(setting: Setting, point: np.ndarray, scale: np.ndarray) -> Linear:
    """Return the step near a point.

    Args:
        setting: the step with its size.
        point: the point, shape (n,).
        scale: the order of magnitude of deviations from it, shape (n,).
    """
    steps = np.arange(setting.noises + MORE_STEPS)
    results = np.array([setting.full(point, int(t)) for t in steps])
    known = np.hstack([np.ones((len(steps), 1)), setting.normals(steps)])
    fitted = np.linalg.lstsq(known, results - results[0], rcond=None)[0]
    return Linear(point, results[0] + fitted[0], _slopes(setting, point, scale), fitted[1:].T)


def _slopes(setting: Setting, point: np.ndarray, scale: np.ndarray) -> np.ndarray:
    columns = []
    for i in range(point.size):
        ahead, back = point.copy(), point.copy()
        ahead[i] += REACH * scale[i]
        back[i] -= REACH * scale[i]
        columns.append((setting.full(ahead) - setting.full(back)) / (ahead[i] - back[i]))
    return np.column_stack(columns)


def at_fixed_point(setting: Setting, start: np.ndarray, scale: np.ndarray) -> Linear:
    """Return the step near the point where it stands still without noise, found by Newton's method.

    Args:
        setting: the step with its size.
        start: where the search begins.
        scale: the order of magnitude of deviations.

    Raises:
        UnpredictableError: where there is no such point near the start.
    """
    point = start
    for _ in range(MAX_ROUNDS):
        here = linearised(setting, point, scale)
        n = point.size
        try:
            move = np.linalg.solve(np.eye(n) - here.slopes[:n], here.moved[:n] - point)
        except np.linalg.LinAlgError:
            break
        with np.errstate(all="ignore"):
            far = float(np.max(np.abs(move) / scale))
        if far < CLOSE:
            return here
        if not far < MAX_JUMP:
            break
        point = point + _shortened(setting, here, move)
        law = here.law()
        if law is not None:
            own = np.sqrt(np.abs(np.diag(law[0])))
            scale = np.where(own > 0, own, scale)
    raise UnpredictableError(
        "the step without its noise stands still nowhere near the draws: the density has no mode"
        " there, or the sampler moves it",
        "no mode of the density was found near the draws: is the sign of the potential right, does"
        " exp(-U) have a finite integral, and have the chains arrived?",
    )


def _shortened(setting: Setting, here: Linear, move: np.ndarray) -> np.ndarray:
    """Return a move of Newton's method, halved until the step drifts less where it ends."""
    n = here.point.size
    noise = (here.noise @ setting.normals(np.array([setting.quiet]))[0])[:n]

    def drift(point: np.ndarray) -> float:
        return float(np.linalg.norm(setting.full(point)[:n] - noise - point))

    now = drift(here.point)
    for _ in range(MAX_HALVINGS):
        if drift(here.point + move) < now:
            break
        move = move / 2
    return move


def require_additive_noise(setting: Setting, here: Linear, covariance: np.ndarray) -> None:
    """Require that the noise does not depend on the state.

    Args:
        setting: the step with its size.
        here: the step near its fixed point.
        covariance: that of deviations from that point, shape (n, n).

    Raises:
        UnpredictableError: where the noise changes with the state.
    """
    steps = (0, 1, 2)
    n = setting.step.block_size
    alternating = np.where(np.arange(len(covariance)) % 2, 1.0, -1.0)
    deviation = np.sqrt(np.diag(covariance)) * alternating
    there = np.array(
        [setting.full(here.point + deviation, t) - setting.full(here.point, t) for t in steps]
    )[:, :n]
    size = np.sqrt(np.sum(here.noise[:n] ** 2, axis=1))
    moved = np.max(np.abs(there - there[0]), axis=0)
    if np.any(moved > MAX_CHANGE_OF_NOISE * size + 1e-9 * np.abs(there[0])):
        raise UnpredictableError(
            "the sampler's noise depends on the state, which no linear step says"
        )


def with_size(setting: Setting, step_size: float) -> Setting:
    """Return the setting with another step size."""
    return replace(setting, step_size=step_size)
