"""One model of examples/models, sampled here: one chain on one core until every reported quantity
has its effective sample size.

The clock starts when libraries are imported and data are read; the cache of compiled modules is
empty, so that tuning, compilation and warm-up are in it. A run that was too short goes on where it
stopped, from its checkpoint.
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
import warnings
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from reported import reported
from settings import run_of

from codegen import sample
from codegen.bias.prediction import Prediction
from codegen.results.diagnostics.convergence import ess_of_mean

FIRST = 600  # draws
MOST = 400_000
MODELS = Path(__file__).resolve().parents[2] / "examples" / "models"


def least_of(values: np.ndarray) -> float:
    """The least effective sample size; 0 where a chain never moved."""
    return float(ess_of_mean(values).min()) if (np.ptp(values, axis=1) > 0).all() else 0.0


def said_of(bias: Prediction | None) -> str:
    """What is predicted of the bias of a run without a Metropolis test."""
    if bias is None or bias.total is None:
        return "none predicted" + (f": {bias.unknown}" if bias and bias.unknown else "")
    shift = bias.total.mean_shift
    moved = "" if shift is None else f", means moved by {shift:.3f} sd"
    return f"sds by a factor {bias.total.sd_factor:.3f}{moved}"


def run(task: dict[str, Any], posterior: Any, folder: str) -> dict[str, Any]:
    """The seconds, and what the draws are like; the draws of what is reported go into a file."""
    draws_wanted, least = FIRST, 0.0
    began, computed = perf_counter(), process_time()
    chosen = run_of(task["model"], posterior, task["seed"])
    options = chosen.arguments | {"chains": 1, "progress": False}
    if chosen.way:
        small = options | {"step_size": options["step_size"] / 8}
        way = sample(**small, steps=chosen.way, thin=chosen.way)
        options["initial"] = {b.name: way[b.name][0, -1] for b in posterior.blocks}
    first = process_time() - computed
    while True:
        draws = sample(
            **options,
            steps=chosen.warmup + draws_wanted * chosen.thin,
            warmup=chosen.warmup,
            thin=chosen.thin,
            seed=task["seed"],
            checkpoint=folder,
        )
        blocks = {b.name: np.asarray(draws[b.name]) for b in posterior.blocks}
        quantities = reported(task["model"], blocks)
        least = least_of(np.stack(list(quantities.values()), axis=2))
        if not least < task["ess"] or draws_wanted >= MOST:
            break
        growth = 1.1 * task["ess"] / max(least, task["ess"] / 20)
        draws_wanted = min(MOST, int(draws_wanted * max(growth, 1.2)))
    answer = {
        "wall": perf_counter() - began,
        "cpu": process_time() - computed,
        "first_cpu": first,
        "draws": draws_wanted,
        "least_ess": least,
        "acceptance": None if draws.acceptance is None else float(np.mean(draws.acceptance)),
        "setting": chosen.name,
        "exact": chosen.exact,
        "bias": None if chosen.exact else said_of(draws.bias),
        "warnings": list(draws.warnings),
    }
    np.savez(task["out"], **quantities)
    return answer


def main() -> None:
    """Read the task from the command line, and print the answer."""
    task = json.loads(sys.argv[1])
    sys.path += [str(MODELS), *task.get("libraries", [])]
    posterior = importlib.import_module(task["model"]).posterior
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(run(task, posterior, folder)))


if __name__ == "__main__":
    main()
