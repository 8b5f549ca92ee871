"""posteriors: ``posteriors/sgmcmc``, both as functions and in place.

``sgnht`` documents the law ``d/2 (xi - alpha)^2`` of its thermostat; it has ``d/(2 sigma^2) (xi -
alpha)^2``. ``sglrw`` draws no normal numbers, and is refused.
"""

import inspect
import warnings

import torch
from letters import T, U, a, b, h, p, s, theta, xi

from recipe import lift, total

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from posteriors.sgmcmc import baoa, sghmc, sgld, sgnht

ONE = {"lr": h, "beta": b, "temperature": T}
TWO = {"lr": h, "alpha": a, "beta": b, "sigma": s, "temperature": T}
THREE = {"lr": h, "alpha": a, "sigma": s, "temperature": T}
COLD = (U + total(p**2) / (2 * s**2)) / T
STATES = {
    sgld: (sgld.SGLDState, ["params"]),
    sghmc: (sghmc.SGHMCState, ["params", "momenta"]),
    baoa: (baoa.BAOAState, ["params", "momenta"]),
    sgnht: (sgnht.SGNHTState, ["params", "momenta", "xi"]),
}
BLOCKS = {"params": theta, "momenta": p, "xi": xi}


def function_of(module, form, names, arguments, inplace):
    """``update`` of a module as a function of arrays."""

    def update(log_posterior, **values):
        def with_aux(x, _):
            return log_posterior(x), torch.tensor([])

        state = form(*(values[n].clone() for n in names))
        if inplace:  # what it keeps of the log posterior and the step must be its own
            state = form(*(values[n].clone() for n in names), torch.tensor(0.0), torch.tensor(0))
        settings = {n: values[n] for n in arguments}
        new, _ = module.update(state, None, with_aux, **settings, inplace=inplace)
        return tuple(getattr(new, n) for n in names)

    kind = inspect.Parameter.KEYWORD_ONLY
    update.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(n, kind) for n in ["log_posterior", *names, *arguments]]
    )
    return update


def _lifted(module, arguments, target, expect, inplace):
    form, names = STATES[module]
    return lift(
        function_of(module, form, names, arguments, inplace),
        state={n: BLOCKS[n] for n in names},
        step=h,
        arguments=arguments,
        gradient={"log_posterior": -U},
        target=target,
        library="torch",
        expect=expect,
    )


THERMOSTAT = COLD + theta.dim * (xi - a) ** 2 / (2 * T)

sgld_update = _lifted(sgld, ONE, U / T, "proved", False)
sghmc_update = _lifted(sghmc, TWO, COLD, "proved", False)
baoa_update = _lifted(baoa, THREE, COLD, "proved", False)
sgnht_update = _lifted(sgnht, TWO, THERMOSTAT, "refuted", False)
sgld_in_place = _lifted(sgld, ONE, U / T, "proved", True)
sghmc_in_place = _lifted(sghmc, TWO, COLD, "proved", True)
baoa_in_place = _lifted(baoa, THREE, COLD, "proved", True)
sgnht_in_place = _lifted(sgnht, TWO, THERMOSTAT, "refuted", True)
sgnht_of_unit_momenta = _lifted(
    sgnht, {**TWO, "sigma": 1.0}, THERMOSTAT.subs(s, 1), "proved", False
)
