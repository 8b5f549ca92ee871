"""Runs whose draws are pinned to the last bit, as hashes in ``golden.json``.

``python tests/cases/golden.py`` prints the hashes of this machine (of some runs: ``python
tests/cases/golden.py sgld mala``), and ``python tests/cases/golden.py --write`` keeps them: where
modules are changed on purpose so that their draws are others.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import json
import math
import platform
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite.binding import get_host_cpu_features
from sympy import cos, exp, log

from codegen import Polynomial, generate, sample
from recipe import Data, Posterior, Potential, bind, total

FILE = Path(__file__).with_name("golden.json")
EXACT = {
    "sqrt",
    "fabs",
    "floor",
    "ceil",
    "copysign",
}  # IEEE 754 says what they are, to the last bit
D = 133  # more than a round of the widest vectors, and no multiple of one
COLUMNS = 37


@dataclass(frozen=True)
class Run:
    """A sampler with what it is run with."""

    what: Callable[[], Any]
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def generated(self) -> dict[str, Any]:
        """The options that decide the text."""
        same = ("scheme", "compensate")
        return {key: value for key, value in self.options.items() if key in same} | {
            key: True for key in ("control_variates", "svrg", "saga") if key in self.options
        }


def entry(file: str, name: str | None = None) -> Any:
    return getattr(importlib.import_module(f"catalog.{file}"), name or file)


def joined(theta: Any) -> Any:
    """A law whose gradient has a sum over all coordinates, and no elementary function."""
    return total(theta**2) / 2 + total(theta**4) / 40 + total(theta) ** 2 / 20


def positive(theta: Any) -> Any:
    return total(theta**2) / 2 + total(theta) - total(2 * log(theta))


def of(
    file: str, name: str | None = None, law: Callable[[Any], Any] = joined, **options: Any
) -> Run:
    def made() -> Any:
        sampler = entry(file, name)
        (U,) = (a for a in sampler.abstract if isinstance(a, Potential))
        return bind(sampler, {U: law(U.blocks[0])})

    return Run(made, options)


def grid(rows: int, columns: int) -> np.ndarray:
    """Numbers that look drawn and are the same everywhere."""
    n = np.arange(rows * columns).reshape(rows, columns)
    return ((n * 7919 + n // 7 * 104729) % 1009) / 504.5 - 1.0


def regression(theta: Any) -> Posterior:
    """A linear regression, whose rows need no elementary function."""
    x, y = Data("x", like=theta), Data("y")
    rows = grid(97, COLUMNS)
    return Posterior(
        theta,
        -((y - total(x * theta)) ** 2) / 2,
        -total(theta**2) / 2,
        {x: rows, y: rows @ grid(1, COLUMNS)[0]},
    )


def logistic(theta: Any) -> Posterior:
    x, y = Data("x", like=theta), Data("y")
    eta, rows = total(x * theta), grid(97, COLUMNS)
    return Posterior(
        theta,
        y * eta - log(1 + exp(eta)),
        -total(theta**2) / 2,
        {x: rows, y: (rows[:, 0] > 0.2).astype(float)},
    )


MODE = {"theta": grid(1, COLUMNS)[0] * 0.9}
ONES = {"theta": np.ones(D)}
NO_DATA = {"lengths": {"theta": D}}
RUNS = {
    "sgld": of("sgld", **NO_DATA),
    "sgld, schedule": of("sgld", **NO_DATA, step_size=Polynomial(0.05, 10.0, 0.5)),
    "sghmc": of("sghmc", params={"C": 1.5}, **NO_DATA),
    "sghmc, baoab": of("sghmc", params={"C": 1.5}, scheme="baoab", **NO_DATA),
    "sgnht": of("sgnht", params={"A": 1.5}, **NO_DATA),
    "third-order": of(
        "third_order_langevin", **NO_DATA, params={"gamma": 2.0, "xi": 3.0, "L": 4.0}
    ),
    "mirror_sgld": of(
        "mirror_sgld", law=lambda theta: total(theta**2) / 2 + total(theta) ** 2 / 20, **NO_DATA
    ),
    "corv_sgld": of("corv_sgld", law=positive, **NO_DATA),
    "sgld, sines": of("sgld", law=lambda theta: joined(theta) + total(cos(3 * theta)), **NO_DATA),
    "hmc_kernel": of("hmc", "hmc_kernel", **NO_DATA),
    "mala": of("mala", **NO_DATA),
    "scir": Run(
        lambda: entry("scir"),
        {"scheme": "exact", "params": {"a": np.linspace(0.2, 3.0, D)}, "initial": ONES},
    ),
    "sgld, minibatch": of("sgld", law=regression, batch_size=11, step_size=0.002),
    "sgld, minibatch without replacement": of(
        "sgld", law=regression, batch_size=11, replace=False, step_size=0.002
    ),
    "sghmc, minibatch, control variates": of(
        "sghmc",
        law=regression,
        params={"C": 5.0},
        batch_size=11,
        control_variates=MODE,
        step_size=0.02,
    ),
    "sghmc, minibatch, svrg": of(
        "sghmc", law=regression, params={"C": 5.0}, batch_size=11, svrg=7, step_size=0.02
    ),
    "sgld, minibatch, saga": of(
        "sgld", law=regression, batch_size=11, replace=False, saga=True, step_size=0.002
    ),
    "sgld, logistic minibatch": of("sgld", law=logistic, batch_size=11, step_size=0.01),
}


def drawn(run: Run, **more: Any) -> str:
    """The hash of all draws."""
    options = {
        "steps": 60,
        "chains": 2,
        "seed": 1,
        "step_size": 0.05,
        "keep": "all",
        "progress": False,
        **run.options,
        **more,
    }
    draws = sample(run.what(), **options)
    assert not draws.divergences
    content = hashlib.sha256()
    for name, values in sorted(draws.values.items()):
        assert np.all(np.isfinite(values)), name
        content.update(
            f"{name} {values.shape} ".encode() + np.ascontiguousarray(values, dtype="<f8").tobytes()
        )
    return content.hexdigest()


def from_the_c_library(run: Run) -> list[str]:
    """The functions that a module calls and whose last bits no standard promises."""
    tree = ast.parse(generate(run.what(), **run.generated).source)
    called = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("math", "np")
        if callable(getattr(math, node.attr, None))
    }
    powers = (
        node.right
        for node in ast.walk(tree)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)
    )
    if not all(
        isinstance(power, ast.Constant) and isinstance(power.value, int) for power in powers
    ):
        called.add("pow")
    return sorted(called - EXACT)


def library() -> str:
    """The C library, and whether it finds the fused operation that its functions then use."""
    return (
        f"{' '.join(platform.libc_ver())}"
        f" {platform.machine()}{' fma' if get_host_cpu_features().get('fma') else ''}"
    )


def table(names: Iterable[str] = RUNS) -> dict[str, Any]:
    """Runs, with their hash on this machine and what they take from the C library."""
    runs = {
        name: {"sha256": drawn(RUNS[name]), "libm": from_the_c_library(RUNS[name])}
        for name in names
    }
    return {"library": library(), "runs": runs}


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        FILE.write_text(json.dumps(table(), indent=2) + "\n")
    else:
        print(json.dumps(table(sys.argv[1:] or RUNS), indent=2))
