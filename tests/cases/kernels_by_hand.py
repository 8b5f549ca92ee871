"""Kernels written by hand beside the rules that they carry out."""

import numpy as np
from oracles import numpy_kernels as by_hand

from catalog.scir import scir
from catalog.sghmc import sghmc
from catalog.sgld import sgld
from catalog.sgnht import sgnht
from catalog.sgrhmc import sgrhmc_bounded
from recipe import (
    compose,
    discretised,
    refresh,
    step,
)
from verify.statistics import battery

HEAVY, QUARTIC = {"U": by_hand.heavy}, {"U": by_hand.quartic}
A = np.array([0.3, 1.0, 2.5])
CASES = {
    "sgld": (
        lambda wrong=None: by_hand.sgld(0.3, wrong=wrong),
        sgld.update,
        {"step_size": 0.3, "gradients": HEAVY},
    ),
    "sghmc": (
        lambda wrong=None: by_hand.sghmc(0.4, 1.3, by_hand.quartic, wrong),
        discretised(sghmc, "euler"),
        {"step_size": 0.4, "params": {"C": 1.3}, "gradients": QUARTIC},
    ),
    "sgnht": (
        lambda wrong=None: by_hand.sgnht(0.2, 0.7, wrong=wrong),
        sgnht.update,
        {"step_size": 0.2, "params": {"A": 0.7}, "gradients": HEAVY},
    ),
    "obabo": (
        lambda wrong=None: by_hand.obabo(0.5, 1.3, by_hand.quartic, wrong),
        discretised(sghmc, "obabo"),
        {"step_size": 0.5, "params": {"C": 1.3}, "gradients": QUARTIC},
    ),
    "baoab": (
        lambda wrong=None: by_hand.baoab(0.5, 1.3, wrong=wrong),
        discretised(sghmc, "baoab"),
        {"step_size": 0.5, "params": {"C": 1.3}, "gradients": HEAVY},
    ),
    "sgrhmc": (
        lambda wrong=None: by_hand.sgrhmc(40.0, wrong=wrong),
        sgrhmc_bounded.update,
        {"step_size": 40.0, "gradients": HEAVY},
    ),
    "scir": (
        lambda wrong=None: by_hand.scir(0.5, A, wrong),
        scir.update,
        {"step_size": 0.5, "params": {"a": A}},
    ),
    "refreshed": (
        lambda wrong=None: by_hand.refreshed_euler(3.0, 1.3, wrong=wrong),
        compose(refresh(sghmc, sghmc.state[1]), step(sghmc, "euler")),
        {"step_size": 3.0, "params": {"C": 1.3}, "gradients": HEAVY},
    ),
}
_BATTERIES = {}


def battery_of(name):
    """One battery a rule, batched and not coupled."""
    if name not in _BATTERIES:
        _, rule, how = CASES[name]
        _BATTERIES[name] = battery(rule, seed=11, batched=True, **how)
    return _BATTERIES[name]
