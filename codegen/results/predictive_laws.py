"""Random numbers of the laws by name, one for each row of the data.

Each function gets the generator of a draw and the arguments of its law: arrays with one number for
each row, or for each row and coordinate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray
Draw = Callable[..., Array]


def _normal(rng: np.random.Generator, size: Any, mean: Array, sd: Array) -> Array:
    return mean + sd * rng.standard_normal(size)


def _student_t(
    rng: np.random.Generator, size: Any, df: Array, location: Array, scale: Array
) -> Array:
    return location + scale * rng.standard_t(df, size)


def _cauchy(rng: np.random.Generator, size: Any, location: Array, scale: Array) -> Array:
    return location + scale * rng.standard_cauchy(size)


def _laplace(rng: np.random.Generator, size: Any, location: Array, scale: Array) -> Array:
    return location + scale * rng.laplace(size=size)


def _logistic(rng: np.random.Generator, size: Any, location: Array, scale: Array) -> Array:
    return location + scale * rng.logistic(size=size)


def _half_normal(rng: np.random.Generator, size: Any, scale: Array) -> Array:
    return scale * np.abs(rng.standard_normal(size))


def _half_cauchy(rng: np.random.Generator, size: Any, scale: Array) -> Array:
    return scale * np.abs(rng.standard_cauchy(size))


def _half_student_t(rng: np.random.Generator, size: Any, df: Array, scale: Array) -> Array:
    return scale * np.abs(rng.standard_t(df, size))


def _exponential(rng: np.random.Generator, size: Any, rate: Array) -> Array:
    return rng.standard_exponential(size) / rate


def _gamma(rng: np.random.Generator, size: Any, shape: Array, rate: Array) -> Array:
    return rng.standard_gamma(shape, size) / rate


def _inverse_gamma(rng: np.random.Generator, size: Any, shape: Array, scale: Array) -> Array:
    return scale / rng.standard_gamma(shape, size)


def _log_normal(rng: np.random.Generator, size: Any, mean: Array, sd: Array) -> Array:
    return np.exp(_normal(rng, size, mean, sd))


def _weibull(rng: np.random.Generator, size: Any, shape: Array, scale: Array) -> Array:
    return scale * rng.weibull(shape, size)


def _beta(rng: np.random.Generator, size: Any, a: Array, b: Array) -> Array:
    return rng.beta(a, b, size)


def _uniform(rng: np.random.Generator, size: Any, low: Array, high: Array) -> Array:
    return low + (high - low) * rng.random(size)


def _poisson(rng: np.random.Generator, size: Any, rate: Array) -> Array:
    return rng.poisson(rate, size)


def _binomial(rng: np.random.Generator, size: Any, n: Array, p: Array) -> Array:
    return rng.binomial(np.asarray(n, dtype=np.int64), p, size)


def _binomial_logit(rng: np.random.Generator, size: Any, n: Array, logit: Array) -> Array:
    return _binomial(rng, size, n, _expit(logit))


def _negative_binomial(
    rng: np.random.Generator, size: Any, mean: Array, concentration: Array
) -> Array:
    return rng.poisson(rng.standard_gamma(concentration, size) * mean / concentration)


def _bernoulli(rng: np.random.Generator, size: Any, p: Array) -> Array:
    return (rng.random(size) < p).astype(float)


def _bernoulli_logit(rng: np.random.Generator, size: Any, logit: Array) -> Array:
    return _bernoulli(rng, size, _expit(logit))


def _categorical(rng: np.random.Generator, size: Any, p: Array) -> Array:
    """Labels; the probabilities lie along the last axis of p."""
    below = np.cumsum(p, axis=-1)[..., :-1]
    return (rng.random(size)[..., None] >= below).sum(axis=-1)


def _categorical_logit(rng: np.random.Generator, size: Any, logits: Array) -> Array:
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return _categorical(rng, size, weights / weights.sum(axis=-1, keepdims=True))


def _ordered_logistic(
    rng: np.random.Generator, size: Any, location: Array, cutpoints: Array
) -> Array:
    """Labels: how many cutpoints lie below a logistic number around the location."""
    at = _logistic(rng, size, location, np.ones(()))
    return (at[..., None] > cutpoints).sum(axis=-1)


def _expit(x: Array) -> Array:
    return 0.5 * (1.0 + np.tanh(0.5 * x))


DRAWN: dict[str, Draw] = {
    "normal": _normal,
    "student_t": _student_t,
    "cauchy": _cauchy,
    "laplace": _laplace,
    "logistic": _logistic,
    "half_normal": _half_normal,
    "half_cauchy": _half_cauchy,
    "half_student_t": _half_student_t,
    "exponential": _exponential,
    "gamma": _gamma,
    "inverse_gamma": _inverse_gamma,
    "log_normal": _log_normal,
    "weibull": _weibull,
    "beta": _beta,
    "uniform": _uniform,
    "poisson": _poisson,
    "binomial": _binomial,
    "binomial_logit": _binomial_logit,
    "negative_binomial": _negative_binomial,
    "bernoulli": _bernoulli,
    "bernoulli_logit": _bernoulli_logit,
    "categorical": _categorical,
    "categorical_logit": _categorical_logit,
    "ordered_logistic": _ordered_logistic,
}
