"""A step size by the tree-structured Parzen estimator of optuna, as in Yokoi, Otsuka & Sato (2020).

optuna is not a dependency of the project: pip install optuna.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from experiment_command import NotInstalledError


def best_step(
    loss: Callable[[float], float], low: float, high: float, trials: int, seed: int = 1
) -> tuple[float, float]:
    """Return the step size with the least loss, and that loss.

    Args:
        loss: the loss at a step size, on data to validate; infinite where the chain diverged.
        low, high: the range of step sizes; their logarithm is searched uniformly.
        trials: how often ``loss`` is called.
        seed: of the search; the same seed finds the same step size.

    Raises:
        NotInstalledError: where optuna is not installed.
    """
    try:
        import optuna
    except ImportError:
        raise NotInstalledError(
            "a search for step sizes needs optuna, which is not installed: pip install optuna"
        ) from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))

    def objective(trial: optuna.Trial) -> float:
        found = loss(trial.suggest_float("step", low, high, log=True))
        return found if math.isfinite(found) else 1e9

    study.optimize(objective, n_trials=trials)
    return float(study.best_params["step"]), float(study.best_value)
