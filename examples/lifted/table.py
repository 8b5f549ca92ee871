"""Make docs/lifted.md: ``python table.py PYTHON [PYTHON...]``, with the interpreters that
``environments.py`` has made.

Each file of claims is audited with the first interpreter that has its library.
"""

import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "lifted.md"
# By file: what is imported, the name of the package.
LIBRARIES = {
    "blackjax": ("blackjax", "blackjax"),
    "posteriors": ("posteriors", "posteriors"),
    "sgmcmcjax": ("sgmcmcjax", "SGMCMCJax"),
    "jax_sgmc": ("jax_sgmc.integrator", "jax-sgmc"),
    "torch_sgld": ("torch_sgld", "torch-sgld"),
    "langevin_sampling": ("langevin_sampling.SGLD", "langevin-sampling"),
    "fortuna": ("fortuna.prob_model.posterior.sgmcmc.sghmc.sghmc_integrator", "aws-fortuna"),
    "optax": ("optax", "optax"),
    "numpyro": ("numpyro", "numpyro"),
    "pyro": ("pyro", "pyro-ppl"),
    "mici": ("mici", "mici"),
}
FULL_GRADIENT = {
    "velocity_verlet", "mclachlan", "yoshida", "langevin_of_mala_proposal", "verlet", "leapfrog",
}  # fmt: skip
PAGES = {
    ("posteriors", "sgnht"): "posteriors-sgnht",
    ("sgmcmcjax", "baoab"): "sgmcmcjax-baoab",
    ("jax_sgmc", "friction_leapfrog"): "jax-sgmc-friction-leapfrog",
    ("optax", "nois"): "optax-noisy-sgd",
}
HEAD = """# Samplers of libraries, read out of their code

Made by `python examples/lifted/table.py PYTHON...`; the claims are in `examples/lifted`, one file a library, and `python
examples/lifted/environments.py FOLDER` makes the environments with these versions. Each rule was read out of the installed code
([lifting.md](lifting.md)), compared with it in numbers, and judged for every length and every smooth potential. *full* are steps that are meant
for full gradients; all others are meant for minibatches.

{seconds}

| library | function | claimed: minus log density | verdict | law that it has | code |
| --- | --- | --- | --- | --- | --- |
"""
TAIL = """
## What is not judged

* BlackJAX `sgmcmc.sghmc`: one key is used for two draws, [what and why](lifted/blackjax-sghmc.md).
* posteriors `sglrw`, SGMCMCJax `badodab`: branches on values. BlackJAX `csgld`: no claim is written yet.
* BlackJAX `omelyan`, Mici `BCSSTwoStageIntegrator` and its like: coefficients are floats that sum up to 1 but for rounding; as decimals they are refuted for that.
* `psgld` with averages that move (SGMCMCJax, langevin-sampling): no law of the averages is claimed. As a metric that leaves out its divergence it is refuted
  in `catalog/audits`.
* SGMCMCJax `sgldAdam`: no law of its averages is claimed either.
* TensorFlow Probability 0.25: its JAX substrate cannot be imported with a JAX that is read here.
* pysgmcmc, Edward, ZhuSuan, bnn_priors, the R package sgmcmc: not tried here (the first is in no registry that we know, others need TensorFlow 1 or R);
  `catalog/audits` has their rules as they were copied.

## Where code and copy disagree

Copies of `catalog/audits` that are right, in numbers (`tests/pages/test_copies_of_code.py`): BlackJAX `overdamped_langevin`, `sghmc_integrator` and `sgnht`,
posteriors `sgld`, `sghmc` and `baoa` (whose friction the copy calls a where the code has `alpha/sigma**2`), SGMCMCJax `sgld`. SGMCMCJax `baoab`
is refuted in both. What nobody had copied: posteriors `sgnht` and jax-sgmc `friction_leapfrog`, both refuted, and the keys of BlackJAX `sghmc`.
"""


def version(python, package):
    """The installed version of a package; None if it is not there."""
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def has(python, module):
    """Whether an interpreter can import a module."""
    call = [python, "-W", "ignore", "-c", f"import {module}"]
    return subprocess.run(call, capture_output=True, check=False).returncode == 0


def audited(python, name):
    """The rows of a file of claims, and the seconds that they took."""
    call = [python, "-W", "ignore", "-m", "recipe_cli", "audit", f"{name}_claims.py"]
    call += ["--format", "json", "--timeout", "120"]
    began = time.monotonic()
    done = subprocess.run(call, cwd=HERE, capture_output=True, text=True, check=False)
    rows = json.loads(done.stdout) if done.returncode in (0, 1, 3) else []
    return rows, time.monotonic() - began


def measured(python, name):
    """The processor seconds of the lift and the proof of each claim of a file."""
    call = [python, "-W", "ignore", "seconds.py", f"{name}_claims.py"]
    done = subprocess.run(call, cwd=HERE, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def sentence(seconds):
    """The sentence of the page about the seconds of all functions."""
    slowest = max(seconds, key=seconds.get)
    return (
        f"A lift and its proof took at most {seconds[slowest]:.1f} s of processor time"
        f" ({' '.join(slowest)}), half of them at most {median(seconds.values()):.1f} s. The import"
        " of the\nlibrary is not in it; the first calls of the library are, in the first function"
        " of each (`python examples/lifted/seconds.py FILE`)."
    )


def page_of(name, function):
    """The page about a refuted rule; empty for one that has none."""
    found = [p for (n, start), p in PAGES.items() if n == name and function.startswith(start)]
    return found[0] if found else ""


def row(name, label, entry):
    """A line of the table."""
    verdict = entry["verdict"]
    if verdict == "refuted" and page_of(name, entry["name"]):
        verdict = f"[refuted](lifted/{page_of(name, entry['name'])}.md)"
    law = entry["law"] if entry["verdict"] == "refuted" else ""
    full = ", full" if entry["name"] in FULL_GRADIENT else ""
    place = f"{entry['code_file']}:{entry['code_line']}" if entry["code_file"] else ""
    cells = [label, entry["name"] + full, f"`{entry['claimed']}`", verdict]
    cells += [f"`{law}`" if law and "(" in law else law or "", place]
    return f"| {' | '.join(cells)} |"


def main():
    """Audit every file of claims and write the page."""
    pythons = sys.argv[1:]
    if not pythons:
        sys.exit("usage: python table.py PYTHON [PYTHON...]")
    lines, absent, rows, taken = [], [], 0, {}
    for name, (module, package) in LIBRARIES.items():
        for python in (p for p in pythons if has(p, module)):
            entries, seconds = audited(python, name)
            if entries:
                break
        else:
            absent.append(f"* {package}: in none of the environments.")
            continue
        label = f"{package} {version(python, package)}"
        lines += [row(name, label, e) for e in entries]
        rows += len(entries)
        taken |= {(package, f"`{n}`"): x for n, x in measured(python, name).items()}
        print(f"{label}: {len(entries)} rules, {seconds:.0f} s with the import of the library")
    head = HEAD.replace("{seconds}", sentence(taken) if taken else "")
    PAGE.write_text(head + "\n".join(lines) + "\n" + TAIL + "".join(f"{a}\n" for a in absent))
    print(f"{rows} rules; wrote {PAGE.name}")


if __name__ == "__main__":
    main()
