"""The CPU seconds from a model that was changed to its first draw, and those that compile.

    python benchmarks/changed_model.py [--before CHECKOUT] [--turns 5] [--only "hmc softmax"]

A case is a sampler with fixed settings and a model of benchmarks/plain_models.py, which every
version can read. Each run is a process of its own with one chain and one step, called as users of
the version call it; its clock starts when libraries are imported and the model is declared. The
store holds what a user's store holds after another model of the same release: the functions that
depend on no model, and modules that do not fit; the bytecode of Python is kept, too. A cold run
finds no more than that: the seconds from the changed model to its first draw. A warm one finds what
the cold one left; the difference is the price of compiling. CHECKOUT is the root of another
version, such as `git worktree add CHECKOUT REVISION` makes it, and is run in alternation by the
same interpreter; medians are taken. Children of the process are counted.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CASES = ("sghmc hierarchical", "hmc mixture", "hmc logistic", "hmc softmax")
SAMPLERS = ("sghmc", "hmc")
MODELS = ROOT / "benchmarks" / "plain_models.py"
OTHER = "regression"  # the model that was compiled before
# threads of a linear algebra library that wait for each other are processor seconds, too
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
RUN = """
import inspect, json, os, runpy, sys, warnings
models, sampler, model = sys.argv[1:]
posterior = runpy.run_path(models)[model]()
from catalog import hmc, sghmc
from codegen import sample
from recipe import bind
warnings.simplefilter("ignore")
more = {"hmc": {}, "sghmc": {"params": {"C": 3.0}}}[sampler]
if sampler == "sghmc":
    more["batch_size"] = 10
before = sum(os.times()[:4])
what, U = {"hmc": (hmc.hmc_kernel, hmc.U), "sghmc": (sghmc.sghmc, sghmc.U)}[sampler]
if "posterior" in inspect.signature(sample).parameters:
    more["posterior"] = posterior
else:
    what = bind(what, {U: posterior})
draws = sample(what, **more, step_size=1e-4, steps=1, chains=1, threads=1, seed=1, progress=False)
assert all(draws[b.name].size for b in posterior.blocks)
print(json.dumps(sum(os.times()[:4]) - before))
"""


def seconds(root: Path, store: Path, bytecode: Path, case: str) -> float:
    """The CPU seconds of one run.

    Args:
        root: the version.
        store: the folder of its compiled modules.
        bytecode: the folder of the bytecode of Python, which a user's Python keeps as well.
        case: sampler and model.

    Raises:
        SystemExit: with its last words, where it fails.
    """
    environment = {**os.environ, **ONE_THREAD, "RECIPE_CACHE": str(store), "PYTHONPATH": str(root)}
    environment["PYTHONPYCACHEPREFIX"] = str(bytecode)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-c", RUN, str(MODELS), *case.split()]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=root, check=False
    )
    if done.returncode:
        raise SystemExit(f"{root}, {case}: {done.stderr[-2000:]}")
    return float(json.loads(done.stdout.splitlines()[-1]))


def turn(root: Path, used: Path, bytecode: Path, case: str) -> tuple[float, float]:
    """The seconds of a cold and of a warm run, in a copy of a store that another model has used."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "store")
        shutil.copytree(used, store)
        return seconds(root, store, bytecode, case), seconds(root, store, bytecode, case)


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--before", type=Path, help="the root of another version")
    parser.add_argument("--only", default=",".join(CASES), help="cases, separated by commas")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="for machines")
    options = parser.parse_args(arguments)
    cases = options.only.split(",")
    if any(len(c.split()) != 2 or c.split()[0] not in SAMPLERS for c in cases):
        parser.error(f'a case is a sampler ({", ".join(SAMPLERS)}) and a model: "{CASES[0]}"')
    return options


def measured(options: argparse.Namespace) -> list[dict[str, object]]:
    """For every case and version, the medians of the cold runs, the warm ones and differences."""
    roots = {"now": ROOT} | ({"before": options.before.resolve()} if options.before else {})
    cases = options.only.split(",")
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        bytecode = Path(folder, "bytecode")
        for name, root in roots.items():
            for sampler in sorted({c.split()[0] for c in cases}):
                seconds(root, Path(folder, name), bytecode, f"{sampler} {OTHER}")
        for k in range(options.turns):
            for case in cases:
                for name, root in roots.items():
                    pair = turn(root, Path(folder, name), bytecode, case)
                    found.setdefault((case, name), []).append(pair)
                    cold, warm = pair
                    print(f"turn {k}, {case}, {name}: {cold:.2f} {warm:.2f}", file=sys.stderr)
    return [
        {
            "case": case,
            "version": name,
            "cold": statistics.median(c for c, _ in pairs),
            "warm": statistics.median(w for _, w in pairs),
            "difference": statistics.median(c - w for c, w in pairs),
        }
        for (case, name), pairs in found.items()
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    options = parsed(arguments)
    rows = measured(options)
    if options.json:
        print(json.dumps(rows, indent=2))
        return 0
    print("| case | version | cold | warm | cold less warm |\n| --- | --- | --- | --- | --- |")
    for r in rows:
        print("| {case} | {version} | {cold:.2f} | {warm:.2f} | {difference:.2f} |".format(**r))
    return 0


if __name__ == "__main__":
    sys.exit(main())
