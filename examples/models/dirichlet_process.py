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
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sympy import Interval, Symbol, exp, log, oo

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import dirichlet_process_sweep
from dirichlet_process_sweep import (
    Settings,
    State,
    begun,
    log_predictive,
    matrix,
    sweep,
)
from saved_run import load, save

from recipe import LabelledPosterior, Labels, Vector, total

expanded_mean = dirichlet_process_sweep.expanded_mean  # `recipe verify` finds it in this file

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


@dataclass(eq=False)
class Progress:
    """A run after some sweeps: its state, its generator, what was seen, and the mean predictive
    probabilities of held-out users over the ``kept`` states of the second half.
    """

    state: State
    rng: np.random.Generator
    course: Course
    mean: np.ndarray
    kept: int = 0
    sweeps: int = 0

    def save(self, path: Path, kind: str) -> None:
        """Write all of it to a file, whole or not at all."""
        arrays = {name: getattr(self.state, name) for name in ("labels", "sticks", "rows")}
        plain = {"kind": kind, "alpha": self.state.alpha, "course": asdict(self.course)}
        plain |= {"kept": self.kept, "sweeps": self.sweeps, "rng": self.rng.bit_generator.state}
        save(path, {**arrays, "mean": self.mean}, plain)

    @classmethod
    def load(cls, path: Path, kind: str) -> Progress:
        """Read what ``save`` wrote.

        Raises:
            BadDataError: for a file that is damaged, or of a run with other settings.
        """
        arrays, plain = load(path, kind)
        rng = np.random.default_rng()
        rng.bit_generator.state = plain["rng"]
        state = State(*(arrays[name] for name in ("labels", "sticks", "rows")), plain["alpha"])
        course = Course(**plain["course"])
        return cls(state, rng, course, arrays["mean"], plain["kept"], plain["sweeps"])


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
    checkpoint: Path | None = None,
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
        checkpoint: a file, written every ``5 * every`` sweeps; a call that finds it goes on from
            there, with the same random numbers.

    Raises:
        RecipeError: for impossible data, and where a sampler left its domain.
        BadDataError: where the checkpoint is damaged, or of a run with other settings.
    """
    x, other = matrix(data), matrix(held_out)
    kind = f"{settings}, {sweeps} sweeps, {components} components, every {every}, seed {seed}"
    if checkpoint is not None and checkpoint.is_file():
        at = Progress.load(checkpoint, kind)
    else:
        rng = np.random.default_rng(seed)
        first = begun(x, settings, components, rng)
        at = Progress(first, rng, Course([], [], np.nan, []), np.zeros(other.shape[0]))
    while at.sweeps < sweeps:
        sweep(at.state, x, settings, at.rng)
        at.sweeps += 1
        if at.sweeps % every == 0:
            _look(at, other, 2 * at.sweeps > sweeps)
        if checkpoint is not None and at.sweeps % (5 * every) == 0:
            at.save(checkpoint, kind)
        show(at.sweeps)
    if at.kept:
        at.course.averaged = float(-np.log(at.mean / at.kept).mean())
    return at.course


def _look(at: Progress, other: csr_matrix, keep: bool) -> None:
    """Predict, and count components."""
    logs = log_predictive(at.state, other)
    at.course.steps.append(at.sweeps)
    at.course.single.append(float(-logs.mean()))
    at.course.used.append(len(np.unique(at.state.labels)))
    if keep:
        at.mean, at.kept = at.mean + np.exp(logs), at.kept + 1


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
