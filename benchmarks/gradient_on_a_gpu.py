"""What a step costs whose gradient JAX or PyTorch computes on a GPU, beside the CPU.

    python benchmarks/gradient_on_a_gpu.py [--sizes 50,1000,4000] [--json]

The model is a network 784-hidden-10 (softmax, normal prior) for 60,000 drawn images, minibatches
of 500. Samplers are the compiled SGHMC of this project, whose state stays on the CPU while the
gradient comes from numpy, JAX on the CPU, JAX on the GPU, or PyTorch on the GPU; and the same SGHMC
as one loop of JAX on the GPU, which leaves it for no step. Images stay on the device, gradients are
in float32. Milliseconds of wall time a step, medians of turns in which all alternate. It needs JAX,
and PyTorch where it is to be seen. A row whose device or library is absent is left out.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from catalog.sghmc import sghmc
from codegen import BiasWarning, sample
from recipe import Data, Posterior, Vector

PIXELS, CLASSES, ROWS, BATCH = 784, 10, 60_000, 500
STEP, FRICTION = 1e-5, 30.0
TURNS = 5
SECONDS = 0.6  # of a turn, about

Gradient = Callable[..., Any]


def images() -> tuple[np.ndarray, np.ndarray]:
    """Standard normal pixels in float32, and labels."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((ROWS, PIXELS), dtype=np.float32)
    return x, (x @ rng.standard_normal((PIXELS, CLASSES), dtype=np.float32)).argmax(axis=1)


def by_numpy(x: np.ndarray, y: np.ndarray, hidden: int) -> Gradient:
    """The gradient in float32."""
    cut = PIXELS * hidden

    def gradient(w: np.ndarray, rows: np.ndarray) -> np.ndarray:
        w = w.astype(np.float32)
        first, second = w[:cut].reshape(-1, hidden), w[cut:].reshape(hidden, CLASSES)
        taken = x[rows]
        units = np.maximum(taken @ first, 0)
        scores = units @ second
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        p[np.arange(rows.size), y[rows]] -= 1
        p *= ROWS / rows.size
        back = (p @ second.T) * (units > 0)
        return np.concatenate([(taken.T @ back).ravel(), (units.T @ p).ravel()]) + w

    return gradient


def minus_log_posterior(x: Any, y: Any, hidden: int) -> Callable[..., Any]:
    """The estimate from some rows, by JAX, on the device of the images."""
    import jax
    import jax.numpy as jnp

    cut = PIXELS * hidden

    def potential(w: Any, rows: Any) -> Any:
        first, second = w[:cut].reshape(-1, hidden), w[cut:].reshape(hidden, CLASSES)
        with jax.default_matmul_precision("highest"):
            scores = jax.nn.relu(x[rows] @ first) @ second
        log_p = jax.nn.log_softmax(scores)[jnp.arange(rows.size), y[rows]]
        return -ROWS / rows.size * log_p.sum() + (w**2).sum() / 2

    return potential


def by_jax(x: np.ndarray, y: np.ndarray, hidden: int, device: Any) -> Gradient:
    """The gradient as ``jax.grad`` derives it."""
    import jax

    images, classes = (jax.device_put(a, device) for a in (x, y.astype(np.int32)))
    slope = jax.jit(jax.grad(minus_log_posterior(images, classes, hidden)))

    def gradient(w: np.ndarray, rows: np.ndarray) -> Any:
        return slope(*(jax.device_put(a, device) for a in (w.astype(np.float32), rows)))

    return gradient


def by_torch(x: np.ndarray, y: np.ndarray, hidden: int) -> Gradient:
    """The gradient as PyTorch derives it, on the GPU."""
    import torch

    images, labels = torch.from_numpy(x).cuda(), torch.from_numpy(y).cuda()
    cut = PIXELS * hidden

    def gradient(w: np.ndarray, rows: np.ndarray) -> Any:
        at = torch.from_numpy(w.astype(np.float32)).cuda().requires_grad_()
        taken = torch.from_numpy(rows).cuda()
        first, second = at[:cut].reshape(-1, hidden), at[cut:].reshape(hidden, CLASSES)
        scores = torch.relu(images[taken] @ first) @ second
        loss = torch.nn.functional.cross_entropy(scores, labels[taken], reduction="sum")
        potential = ROWS / rows.size * loss + (at**2).sum() / 2
        return torch.autograd.grad(potential, at)[0]

    return gradient


def compiled(gradient: Gradient, hidden: int) -> Callable[[int], None]:
    """Our kernel, with a gradient of one's own."""
    w = Vector("w")
    x, y = Data("x"), Data("y")
    rows = np.zeros(ROWS)  # the images are on the device; a posterior knows their number by these
    law = Posterior(w, data={x: rows, y: rows}, gradient=lambda w, rows, x, y: gradient(w, rows))
    size = (PIXELS + CLASSES) * hidden

    def steps(count: int) -> None:
        # Nobody predicts the bias of so many weights, and no draw is looked at.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BiasWarning)
            sample(
            sghmc, law, step_size=STEP, params={"C": FRICTION}, batch_size=BATCH, steps=count,
            thin=count, warmup=0, chains=1, seed=1, lengths={w: size}, progress=False,
            initial={w: np.full(size, 0.01)},
        )  # fmt: skip

    return steps


def loop_of_jax(x: np.ndarray, y: np.ndarray, hidden: int, device: Any) -> Callable[[int], None]:
    """SGHMC as one loop on the GPU, in float32."""
    import jax
    import jax.numpy as jnp

    images, classes = (jax.device_put(a, device) for a in (x, y.astype(np.int32)))
    slope = jax.grad(minus_log_posterior(images, classes, hidden))

    def step(k: Any, state: Any) -> Any:
        w, r, key = state
        key, of_rows, of_noise = jax.random.split(key, 3)
        rows = jax.random.randint(of_rows, (BATCH,), 0, ROWS)
        noise = jnp.sqrt(2 * FRICTION * STEP) * jax.random.normal(of_noise, w.shape)
        r = r - STEP * (slope(w, rows) + FRICTION * r) + noise
        return w + STEP * r, r, key

    run = jax.jit(lambda count, state: jax.lax.fori_loop(0, count, step, state))
    size = (PIXELS + CLASSES) * hidden
    first = [jnp.full(size, 0.01), jnp.zeros(size), jax.random.PRNGKey(1)]
    state = tuple(jax.device_put(a, device) for a in first)

    def steps(count: int) -> None:
        jax.block_until_ready(run(count, state))

    return steps


def contenders(hidden: int) -> dict[str, Callable[[int], None]]:
    """Those whose libraries and devices are here."""
    import jax

    x, y = images()
    cpu = jax.devices("cpu")[0]
    found = {
        "numpy": compiled(by_numpy(x, y, hidden), hidden),
        "JAX, CPU": compiled(by_jax(x, y, hidden, cpu), hidden),
    }
    gpu = jax.devices()[0]
    if gpu.platform == "gpu":
        found["JAX, GPU"] = compiled(by_jax(x, y, hidden, gpu), hidden)
        found["one loop of JAX, GPU"] = loop_of_jax(x, y, hidden, gpu)
    try:
        import torch
    except ImportError:
        return found
    if torch.cuda.is_available():
        found["PyTorch, GPU"] = compiled(by_torch(x, y, hidden), hidden)
    return found


def timed(steps: Callable[[int], None], count: int) -> float:
    """Milliseconds of a step: the difference of two runs, one of them of a single step."""
    began = perf_counter()
    steps(1)
    middle = perf_counter()
    steps(1 + count)
    return 1000 * (perf_counter() - middle - (middle - began)) / count


def measured(hidden: int) -> dict[str, float]:
    """Medians of all contenders."""
    found = contenders(hidden)
    counts, times = {}, {name: [] for name in found}  # type: ignore[var-annotated]
    for name, steps in found.items():
        steps(3)
        counts[name] = max(5, min(2000, int(1000 * SECONDS / max(timed(steps, 10), 1e-3))))
    for _ in range(TURNS):
        for name, steps in found.items():
            times[name].append(timed(steps, counts[name]))
    return {name: median(of) for name, of in times.items()}


def main() -> int:
    """Run what is typed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="50,1000,4000", help="numbers of hidden units")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    results = {
        (PIXELS + CLASSES) * hidden: measured(hidden)
        for hidden in map(int, options.sizes.split(","))
    }
    if options.json:
        print(json.dumps(results))
        return 0
    table = Table("weights", *next(iter(results.values())), title="milliseconds a step")
    for size, row in results.items():
        table.add_row(f"{size:,}", *(f"{value:.3g}" for value in row.values()))
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
