"""The models of gradient_cost.py in JAX, run by its own interpreter (see limits/child.py)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.nn import log_softmax, softplus
from jax.scipy.special import gammaln, logsumexp

sys.path.insert(0, str(Path(__file__).parent / "limits"))
from served import serve

jax.config.update("jax_enable_x64", True)


def normal(x: Any, mean: Any, sd: Any) -> Any:
    return -0.5 * ((x - mean) / sd) ** 2 - jnp.log(sd)


def coefficients(*blocks: Any) -> Any:
    return sum(jnp.sum(b**2) for b in blocks) / 2


def logistic(at: Any, x: Any, y: Any) -> Any:
    eta = x @ at["beta"]
    return jnp.sum(softplus(eta) - y * eta) + coefficients(at["beta"])


def poisson(at: Any, x: Any, y: Any) -> Any:
    eta = x @ at["beta"]
    return jnp.sum(jnp.exp(eta) - y * eta) + coefficients(at["beta"])


def negative_binomial(at: Any, x: Any, y: Any) -> Any:
    eta, c = x @ at["beta"], at["c"]
    both = jnp.log(c + jnp.exp(eta))
    terms = gammaln(y + c) - gammaln(c) + c * (jnp.log(c) - both) + y * (eta - both)
    return -jnp.sum(terms) + coefficients(at["beta"]) + (c / 5) ** 2 / 2


def hierarchical(at: Any, group: Any, y: Any) -> Any:
    likelihood = jnp.sum(normal(y, at["mu"] + at["tau"] * at["eta"][group], at["sigma"]))
    prior = normal(at["mu"], 0, 5.0) - jnp.log1p(at["tau"] ** 2) - (at["sigma"] / 2) ** 2 / 2
    return -likelihood - prior + coefficients(at["eta"])


def softmax(at: Any, x: Any, y: Any) -> Any:
    scores = x @ jnp.stack([jnp.zeros_like(at["b1"]), at["b1"], at["b2"], at["b3"]]).T
    chosen = jnp.take_along_axis(log_softmax(scores), y[:, None], axis=1)
    return -jnp.sum(chosen) + coefficients(at["b1"], at["b2"], at["b3"])


def ordinal(at: Any, x: Any, y: Any) -> Any:
    eta = x @ at["beta"]
    cuts = at["c"] + jnp.array([0.0, at["gap1"], at["gap1"] + at["gap2"]])
    below = jnp.pad(softplus(eta[:, None] - cuts), ((0, 0), (0, 1)))
    above = jnp.pad(softplus(cuts - eta[:, None]), ((0, 0), (1, 0)))
    both = jnp.pad(jnp.log(-jnp.expm1(cuts[:-1] - cuts[1:])), (1, 1))
    chosen = jnp.take_along_axis(both - below - above, y[:, None], axis=1)
    widths = (at["c"] / 5) ** 2 + (at["gap1"] / 5) ** 2 + (at["gap2"] / 5) ** 2
    return -jnp.sum(chosen) + coefficients(at["beta"]) + widths / 2


def mixture(at: Any, y: Any) -> Any:
    means = jnp.stack([at["m1"], at["m2"], at["m3"]])
    parts = jnp.log(jnp.array([0.2, 0.3, 0.5])) + normal(y[:, None], means, at["sigma"])
    return -jnp.sum(logsumexp(parts, axis=1)) + jnp.sum(means**2) / 50 + (at["sigma"] / 2) ** 2 / 2


MODELS = {
    f.__name__.replace("_", " "): f
    for f in (
        logistic,
        poisson,
        negative_binomial,
        hierarchical,
        softmax,
        ordinal,
        mixture,
    )
}


def gradient_of(case: dict[str, Any]) -> Callable[[int], Callable[[], None]]:
    """Evaluates the gradient so many times; it must be the one that the file expects."""
    arrays = dict(np.load(case["data"]))
    data = {n: jnp.asarray(a) for n, a in arrays.items() if not n.startswith(("at_", "g_"))}
    at = {n[3:]: jnp.asarray(a) for n, a in arrays.items() if n.startswith("at_")}
    gradient = jax.jit(jax.grad(lambda point, given: MODELS[case["model"]](point, **given)))

    def run(count: int) -> Callable[[], None]:
        for _ in range(count):
            found = jax.block_until_ready(gradient(at, data))

        def same() -> None:
            for name, value in found.items():
                expected = arrays[f"g_{name}"].reshape(value.shape)
                if not np.allclose(value, expected, rtol=1e-8, atol=1e-6):
                    raise SystemExit(f"the gradients by {name} are {value} and {expected}")

        return same

    return run


if __name__ == "__main__":
    serve(gradient_of)
