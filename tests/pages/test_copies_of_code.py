"""The rules of ``catalog/audits``, which people copied, against the code that they were copied from
in numbers at every coordinate, where the libraries are installed.
"""

import importlib
import sys
from pathlib import Path

import pytest
from oracles.code_by_sympy import differ, stepped_by
from oracles.explicit import world_of

from recipe import lift

sys.path.append(str(Path(__file__).parents[2] / "examples/lifted"))


def blackjax(c, claims):
    cold = {"logdensity_grad": c.g, "step_size": c.h, "temperature": c.T}
    key = {"step": c.h, "noise": "rng_key", "library": "jax", "target": c.U}
    friction = {**cold, "alpha": c.a, "beta": c.b}
    one, two = {"position": c.x}, {"position": c.x, "momentum": c.p}
    return {
        "overdamped_langevin": lift(
            claims.diffusions.overdamped_langevin(), **key, state=one, arguments=cold
        ),
        "sghmc_integrator": lift(claims._sghmc, **key, state=two, arguments=friction),
        "sgnht": lift(claims._sgnht, **key, state={**two, "xi": c.xi}, arguments=friction),
    }


def sgmcmcjax(c, claims):
    key = {"step": c.h, "noise": "key", "library": "jax", "target": c.U}
    key["gradient"] = {"grad": c.g}
    return {"sgld": lift(claims._sgld, **key, state={"x": c.theta}, arguments={"dt": c.h})}


def posteriors(c, claims):
    found = {}
    for name, module in (("sgld", claims.sgld), ("sghmc", claims.sghmc), ("baoa", claims.baoa)):
        form, names = claims.STATES[module]
        arguments = {"lr": c.h, "temperature": c.T}
        friction = c.a * c.s**2 if name == "baoa" else c.a  # the copy calls alpha/sigma**2 a
        arguments |= {} if name == "sgld" else {"alpha": friction, "sigma": c.s}
        arguments |= {} if name == "baoa" else {"beta": c.b}
        found[name] = lift(
            claims.function_of(module, form, names, arguments, False),
            state=dict(zip(names, (c.theta, c.m), strict=False)),
            step=c.h,
            arguments=arguments,
            gradient={"log_posterior": -c.U},
            target=c.U,
            library="torch",
        )
    return found


@pytest.mark.slow
@pytest.mark.parametrize("library", [blackjax, sgmcmcjax, posteriors], ids=lambda f: f.__name__)
def test_copies_are_right(library):
    name = library.__name__
    pytest.importorskip(name, reason=f"{name} is not installed: its code is not compared")
    copies = importlib.import_module(f"catalog.audits.{name}")
    for rule, lifted in library(copies, importlib.import_module(f"{name}_claims")).items():
        copy = getattr(copies, rule)
        symbols = {s: s for s in (*copy.parameters, copy.step)}
        world = world_of(tuple(lifted.state), 3, symbols)
        ours, theirs = stepped_by(copy, world), stepped_by(lifted, world)
        assert all(
            not differ(u, v) for b in ours for u, v in zip(ours[b], theirs[b], strict=True)
        ), rule
