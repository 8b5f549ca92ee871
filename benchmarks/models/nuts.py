"""NumPyro's NUTS on one model, run by its own interpreter: one chain on one core, in float64, until
every reported quantity has its effective sample size.

The clock starts when libraries are imported and data are read, so compilation and warm-up are in
it. Draws come in pieces of one compiled function, warm-up included: ``MCMC.run`` would compile
again for each piece.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from time import perf_counter, process_time
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro_models
from numpyro.diagnostics import effective_sample_size
from numpyro.infer import NUTS, init_to_median
from reported import reported

numpyro.enable_x64()
PIECE = 100
MOST = 1000  # pieces


def main() -> None:
    """Read the task from the command line, write the draws of what is reported, and print the
    seconds.
    """
    task = json.loads(sys.argv[1])
    arrays = {name: jnp.asarray(a) for name, a in np.load(task["data"]).items()}
    model = partial(getattr(numpyro_models, task["model"]), **arrays)
    warmup = PIECE * (task["warmup"] // PIECE)
    began, computed = perf_counter(), process_time()
    kernel = NUTS(model, init_strategy=init_to_median)
    state = kernel.init(jax.random.key(task["seed"]), warmup, None, (), {})
    constrained = kernel.postprocess_fn((), {})

    @jax.jit
    def advance(state: Any) -> Any:
        def one(s: Any, _: None) -> Any:
            s = kernel.sample(s, (), {})
            return s, constrained(s.z)

        return jax.lax.scan(one, state, None, length=PIECE)

    compiled = 0.0
    for _ in range(warmup // PIECE):
        state, _ = jax.block_until_ready(advance(state))
        compiled = compiled or process_time() - computed
    warm = process_time() - computed
    pieces: list[dict[str, np.ndarray]] = []
    least = 0.0
    while least < task["ess"] and len(pieces) < MOST:
        state, found = advance(state)
        pieces.append({k: np.asarray(v)[None] for k, v in found.items()})
        draws = {k: np.concatenate([p[k] for p in pieces], axis=1) for k in pieces[0]}
        quantities = reported(task["model"], draws)
        least = min(float(effective_sample_size(q)) for q in quantities.values())
    answer = {
        "wall": perf_counter() - began,
        "cpu": process_time() - computed,
        "first_cpu": compiled,
        "warmup_cpu": warm,
        "draws": PIECE * len(pieces),
        "least_ess": least,
    }
    np.savez(task["out"], **quantities)
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
