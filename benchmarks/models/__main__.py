"""The models of examples/models: seconds to draws one can report, beside NumPyro's NUTS.

    python benchmarks/models --jax-python FOLDER/bin/python [--only mixture,...] [--json]

FOLDER is an environment (python -m venv FOLDER) after FOLDER/bin/pip install numpyro. For every
model, one chain of each on one core, in turns, in processes of their own:

* the clock starts when libraries are imported and data are read, and stops when the effective
  sample size of every reported quantity is 1/0.05^2 = 400, so that the Monte Carlo error of its
  mean is at most 0.05 posterior standard deviations; tuning, compilation and warm-up are in it;
* our settings are tuned by ``codegen.tune`` in these seconds, but for models without a density
  (settings.py); NUTS adapts its own in --nuts-warmup steps;
* distances are those of means and standard deviations, over all turns, in standard deviations of
  NUTS; the largest of a model. That of means is given in Monte Carlo errors of the difference as
  well: of 30 quantities chance alone makes one differ by 2 to 3.

With --into FOLDER every run is kept there as soon as it ends, and those that are there are not
repeated: so the table can be made run by run. It is the median over the turns that are there.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from lines import ROOT
from page import table
from settings import MODELS

from codegen.results.diagnostics.convergence import ess_of_mean

HERE = Path(__file__).parent
ESS = 400.0  # 1/0.05^2
EXPORT = """
import importlib, sys
import numpy as np
posterior = importlib.import_module(sys.argv[1]).posterior
np.savez(sys.argv[2], **{str(s): np.asarray(a) for s, a in posterior.given.items()})
"""
ONE_THREAD = {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python benchmarks/models", description=__doc__, formatter_class=raw
    )
    parser.add_argument("--jax-python", required=True, help="an interpreter that has numpyro")
    parser.add_argument("--only", default=",".join(MODELS), help=f"some of: {', '.join(MODELS)}")
    parser.add_argument("--turns", type=int, default=3, help="runs of each; medians are taken")
    parser.add_argument("--nuts-warmup", type=int, default=1000, help="steps in which NUTS adapts")
    parser.add_argument("--core", type=int, help="the core of everything; by default the last one")
    parser.add_argument("--into", type=Path, help="a folder that collects runs")
    parser.add_argument("--json", action="store_true", help="for machines")
    options = parser.parse_args(arguments)
    unknown = set(options.only.split(",")) - set(MODELS)
    if unknown:
        parser.error(f"--only knows no {', '.join(sorted(unknown))}")
    return options


def answer(python: str, script: str, task: dict[str, Any]) -> dict[str, Any]:
    """What a script says of a task, in a process with an empty cache of its own.

    Raises:
        SystemExit: with its last words, where it fails.
    """
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": str(ROOT)}
    with tempfile.TemporaryDirectory() as cache:
        environment["RECIPE_CACHE"] = cache
        done = subprocess.run(
            [python, str(HERE / script), json.dumps(task)],
            capture_output=True,
            text=True,
            env=environment,
            check=False,
        )
    if done.returncode:
        raise SystemExit(f"{script}, {task['model']}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def export(model: str, folder: Path, libraries: str) -> None:
    """Write the data of a model for the other interpreter."""
    target = folder / f"{model}.npz"
    if not target.exists():
        paths = f"{ROOT}:{ROOT}/examples/models:{libraries}"
        command = [sys.executable, "-c", EXPORT, model, str(target)]
        subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, check=True)


def run(model: str, seed: int, options: argparse.Namespace, folder: Path, libraries: str) -> None:
    """One turn of both, as far as their files are not there yet: the draws of what is reported, and
    then what is said of them.
    """
    task = {"model": model, "seed": seed, "ess": ESS, "warmup": options.nuts_warmup}
    for who, python, script in (
        ("ours", sys.executable, "ours.py"),
        ("nuts", options.jax_python, "nuts.py"),
    ):
        said = folder / f"{model}.{who}.{seed}.json"
        if said.exists():
            continue
        files = {"out": str(said.with_suffix(".npz")), "data": str(folder / f"{model}.npz")}
        found = answer(python, script, {**task, **files, "libraries": [libraries]})
        said.write_text(json.dumps(found) + "\n")
        print(f"{model}, turn {seed}, {who}: {found['cpu']:.1f} s of CPU time", file=sys.stderr)


def row(model: str, folder: Path) -> dict[str, Any] | None:
    """What the files of a model say; None where there is no turn of both."""
    ours, nuts = (sorted(folder.glob(f"{model}.{who}.*.json")) for who in ("ours", "nuts"))
    if not ours or not nuts:
        return None
    said = [json.loads(f.read_text()) for f in ours]
    return {
        "model": model,
        "setting": said[0]["setting"],
        "exact": said[0]["exact"],
        "bias": said[0]["bias"],
        "turns": min(len(ours), len(nuts)),
        "ours": medians(said),
        "nuts": medians([json.loads(f.read_text()) for f in nuts]),
        **distance(*([dict(np.load(f.with_suffix(".npz"))) for f in who] for who in (ours, nuts))),
        "said": sorted({w for run in said for w in run["warnings"]}),
    }


def medians(runs: list[dict[str, Any]]) -> dict[str, float]:
    """The median of every number."""
    keys = [k for k, v in runs[0].items() if isinstance(v, int | float) and not isinstance(v, bool)]
    return {k: statistics.median(run[k] for run in runs) for k in keys}


def distance(
    ours: list[dict[str, np.ndarray]], nuts: list[dict[str, np.ndarray]]
) -> dict[str, Any]:
    """The largest distance of a mean, in standard deviations of NUTS and in Monte Carlo errors of
    the difference, and the largest relative one of a standard deviation, with the quantities that
    have them; and the least effective sample size of a turn, by the same estimator for both.
    """
    means, errors, spreads, least = {}, {}, {}, [np.inf, np.inf]
    for name in ours[0]:
        a, b = (np.concatenate([run[name] for run in runs], axis=None) for runs in (ours, nuts))
        sizes = [[size_of(run[name]) for run in runs] for runs in (ours, nuts)]
        means[name] = abs(a.mean() - b.mean()) / b.std()
        errors[name] = means[name] / np.sqrt(sum(1 / sum(s) for s in sizes))
        spreads[name] = abs(a.std() / b.std() - 1)
        least = [min(before, *s) for before, s in zip(least, sizes, strict=True)]
    worst_mean, worst_sd = max(means, key=means.__getitem__), max(spreads, key=spreads.__getitem__)
    return {
        "quantities": len(means),
        "mean_distance": means[worst_mean],
        "worst_mean": worst_mean,
        "mean_errors": max(errors.values()),
        "sd_distance": spreads[worst_sd],
        "worst_sd": worst_sd,
        "least_ess": least[0],
        "nuts_least_ess": least[1],
    }


def size_of(draws: np.ndarray) -> float:
    """The effective sample size of one quantity, of the shape (chains, draws)."""
    return float(ess_of_mean(draws[:, :, None])[0])


def main(arguments: Sequence[str] | None = None) -> int:
    options = parsed(arguments)
    core = max(os.sched_getaffinity(0)) if options.core is None else options.core
    os.sched_setaffinity(0, {core})
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    libraries = subprocess.run(
        [options.jax_python, "-c", where], capture_output=True, text=True, check=True
    ).stdout.strip()
    models = options.only.split(",")
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.into or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for model in models:
            export(model, folder, libraries)
        for seed in range(options.turns):
            for model in models:
                run(model, seed, options, folder, libraries)
        rows = [found for model in MODELS if (found := row(model, folder))]
    if options.json:
        print(json.dumps(rows, indent=2))
    else:
        print("\n".join(table(rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
