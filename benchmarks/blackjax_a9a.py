"""How long an iteration of BlackJAX's SGLD and SGHMC takes on the a9a posterior, one minibatch
gradient an iteration.

    python benchmarks/blackjax_a9a.py [--json]

needs ``pip install '.[jax]'``; for the data see examples/a9a_data.py.

Written the fast way: the data are one device array (rows y x, default float32), the iterations one
jitted scan, a minibatch is drawn in it uniformly with replacement (the indices of a hundred
iterations at once, which is faster than one by one), everything is compiled before the clock
starts, and nothing but the last state comes back.  JAX uses all the cores that the process has: for
one core say `taskset -c 0`.

    sgld          blackjax.sgld.
    sghmc         BlackJAX's SGHMC integrator with the momentum carried on and a new minibatch for
                  each step.
    sghmc-kernel  blackjax.sghmc with its default of ten integration steps on one minibatch; the
                  time is that of one of the ten.

blackjax.sghmc with num_integration_steps=1 is not here, because it does no gradient: the kernel
draws a new momentum, moves the position by it, then updates the momentum and drops it.  XLA removes
the gradient, and what is left is a random walk that never sees the data.  (For the same reason the
last of the ten gradients of sghmc-kernel is computed in vain.)

--rows int8 stores the rows in a byte an entry, which is exact for a9a (all entries are -1, 0 or 1)
and saves memory traffic.
"""

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import blackjax
import jax
import jax.numpy as jnp
from blackjax.sgmcmc.diffusions import sghmc as sghmc_integrator
from blackjax.sgmcmc.gradients import grad_estimator

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
import a9a_data

SAMPLERS = ("sgld", "sghmc", "sghmc-kernel")
BLOCK = 100  # iterations whose minibatches are drawn together
SGLD_STEP = 1e-5  # theta += SGLD_STEP * gradient + sqrt(2 * SGLD_STEP) * noise; stable below 9e-5
SGHMC_STEP, FRICTION = (
    1e-3,
    100.0,
)  # SGHMC_STEP / FRICTION is the step of the SGLD that this one resembles
KERNEL_STEP = 1e-3
INTEGRATION_STEPS = 10  # BlackJAX's default


@cache
def signed_rows(rows: str) -> jax.Array:
    """Return the data, each row times its label; float32 is JAX's default."""
    data = a9a_data.load()
    return jnp.asarray(data.x * data.y[:, None], dtype=rows)


def log_prior(theta: jax.Array) -> jax.Array:
    return -jnp.sum(theta**2) / 2


def log_likelihood(theta: jax.Array, row: jax.Array) -> jax.Array:
    return -jax.nn.softplus(-jnp.dot(row, theta))


def transition(sampler: str, size: int) -> Callable[[jax.Array, Any, jax.Array], Any]:
    """Return (key, state, minibatch) -> state; a state is the position and the momentum."""
    gradient = grad_estimator(log_prior, log_likelihood, size)
    sgld = blackjax.sgld(gradient)
    kernel = blackjax.sghmc(gradient, num_integration_steps=INTEGRATION_STEPS)
    integrator = sghmc_integrator(alpha=FRICTION)
    return {
        "sgld": lambda key, s, batch: (sgld.step(key, s[0], batch, SGLD_STEP), s[1]),
        "sghmc": lambda key, s, batch: integrator(
            key, s[0], s[1], gradient(s[0], batch), SGHMC_STEP
        ),
        "sghmc-kernel": lambda key, s, batch: (kernel.step(key, s[0], batch, KERNEL_STEP), s[1]),
    }[sampler]


@cache
def compiled(batch_size: int, sampler: str, blocks: int, rows: str) -> Callable[[int], jax.Array]:
    """Return a compiled function: seed -> the position after so many blocks of iterations from
    zero.
    """
    data = signed_rows(rows)
    step = transition(sampler, len(data))

    def iteration(state: Any, given: Any) -> Any:
        key, index = given
        return step(key, state, data[index].astype(jnp.float32)), None

    def block(state: Any, key: jax.Array) -> Any:
        for_noise, for_rows = jax.random.split(key)
        indices = jax.random.randint(for_rows, (BLOCK, batch_size), 0, len(data))
        return jax.lax.scan(iteration, state, (jax.random.split(for_noise, BLOCK), indices))

    @jax.jit
    def run(seed: int) -> jax.Array:
        zero = jnp.zeros(data.shape[1])
        return jax.lax.scan(block, (zero, zero), jax.random.split(jax.random.key(seed), blocks))[0][
            0
        ]

    check(run(0).block_until_ready(), sampler)
    return run


def check(theta: jax.Array, sampler: str) -> None:
    """Stop unless the chain is finite and has learnt from the data: the mean log loss is log 2 at
    the start, 0.324 at the mode.
    """
    loss = float(jnp.mean(jax.nn.softplus(-(signed_rows("float32") @ theta))))
    if not loss < 0.9 * math.log(2):
        raise RuntimeError(
            f"{sampler}: the mean log loss after the run is {loss:.3f}: the chain diverged or did"
            " not move"
        )


def measure(batch_size: int, sampler: str, iterations: int, rows: str = "float32") -> float:
    """Return the seconds that an iteration, one gradient of a minibatch, takes; the first call
    compiles before the clock starts.

    The iterations are rounded up to whole blocks; the same arguments find the compiled program
    again.
    """
    gradients = INTEGRATION_STEPS if sampler == "sghmc-kernel" else 1
    blocks = math.ceil(iterations / (BLOCK * gradients))
    run = compiled(batch_size, sampler, blocks, rows)
    began = time.perf_counter()
    run(1).block_until_ready()
    return (time.perf_counter() - began) / (blocks * BLOCK * gradients)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch-sizes", type=int, nargs="+", default=[100, 1000])
    parser.add_argument(
        "--rounds",
        type=int,
        default=7,
        help="runs of which the median is taken; the rows take turns",
    )
    parser.add_argument(
        "--work",
        type=int,
        default=3_000_000,
        help="data that a run looks at: iterations times batch size",
    )
    parser.add_argument(
        "--rows", choices=("float32", "int8"), default="float32", help="how the data are stored"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines")
    options = parser.parse_args(arguments)
    try:
        signed_rows(options.rows)
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 1
    cases = [(size, sampler) for size in options.batch_sizes for sampler in SAMPLERS]
    times: dict[tuple[int, str], list[float]] = {case: [] for case in cases}
    for _ in range(options.rounds):
        for size, sampler in cases:
            times[size, sampler].append(measure(size, sampler, options.work // size, options.rows))
    results = [
        {
            "batch_size": size,
            "sampler": sampler,
            "microseconds": statistics.median(seconds) * 1e6,
            "fastest": min(seconds) * 1e6,
        }
        for (size, sampler), seconds in times.items()
    ]
    if options.json:
        versions = {"blackjax": blackjax.__version__, "jax": jax.__version__}
        json.dump(
            {"versions": versions, "rows": options.rows, "results": results}, sys.stdout, indent=2
        )
        print()
        return 0
    for row in results:
        print(
            f"batch {row['batch_size']:5d}  {row['sampler']:12s}  {row['microseconds']:7.1f} us an"
            f" iteration (fastest {row['fastest']:.1f}), {1e6 / row['microseconds']:8.0f}"
            " iterations a second"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
