"""Composed kernels that are compiled, and how one is carried out."""

from __future__ import annotations

import numpy as np
from helpers.module_noise import normals, stream
from sympy import Matrix, Symbol, exp

from codegen.device.random import log_uniform, random_row
from codegen.lowering.statements import Loop
from codegen.lowering.statements import Test as Decision
from recipe import (
    Kernel,
    Noise,
    Potential,
    Recipe,
    Scalar,
    Update,
    Vector,
    bind,
    flip,
    metropolis,
    refresh,
    repeat,
    step,
    total,
)

theta = Vector("theta")
r = Vector("r", like=theta)
U = Potential("U", theta)
C, k = Symbol("C", positive=True), Symbol("k", positive=True)
h = Symbol("h", positive=True)
ROTATION = Matrix([[0, -1], [1, 0]])
HMC = Recipe((theta, r), U + k * total(r**2) / 2, Matrix.zeros(2), ROTATION, name="hmc")
SGHMC = Recipe(
    (theta, r), U + k * total(r**2) / 2, Matrix([[0, 0], [0, C]]), ROTATION, name="sghmc"
)
SGLD = Recipe(theta, U, Matrix([[1]]), Matrix([[0]]), name="sgld")
METRIC = Recipe(theta, U, Matrix([[1 / (1 + theta**2)]]), Matrix([[0]]), name="metric")
QUARTIC = {U: total(theta**4) / 4 + total(theta) ** 2 / 8}
v = Noise("v", like=theta)
U64 = np.uint64
SEED, CHAIN, STEPS = 7, 3, 25


def kernels(of, langevin):
    hmc, sghmc = of(HMC), of(SGHMC)
    overdamped = of(langevin)
    leapfrog = metropolis(hmc, "leapfrog", times=4, flip=r)
    return {
        "hmc": [refresh(hmc, r), leapfrog],
        "random times": [
            refresh(hmc, r),
            metropolis(hmc, "leapfrog", times=(1, 5), flip=r, flip_on_rejection=False),
        ],
        "generalised": [
            refresh(hmc, r, keep=exp(-C)),
            metropolis(hmc, "leapfrog", flip=r),
            flip(hmc, r),
        ],
        "mala": [metropolis(overdamped, "euler")],
        "position": [metropolis(of(METRIC), "euler")],
        "walk": [metropolis(Update(h, {theta: theta + h * v, r: r}, hmc.H)), refresh(hmc, r)],
        "repeated": [repeat(refresh(sghmc, r), 2), repeat(step(sghmc, "baoab"), (2, 3))],
        "nested": [repeat(Kernel([refresh(hmc, r), repeat(leapfrog, 2)]), 2)],
        "mixed": [
            step(sghmc, "baoab"),
            repeat(step(sghmc, "obabo"), 2),
            flip(sghmc, r),
            step(sghmc, "baoab"),
        ],
    }


x, p = Scalar("x"), Scalar("p")
NUMBERS = Recipe((x, p), x**2 / 2 + x**4 / 40 + p**2 / 2, Matrix([[0, 0], [0, C]]), ROTATION)
FROZEN = Recipe((x, p), NUMBERS.H, Matrix.zeros(2), ROTATION)
BOUND = kernels(lambda recipe: bind(recipe, QUARTIC), SGLD)
BOUND["numbers"] = [
    refresh(FROZEN, p),
    metropolis(FROZEN, "leapfrog", times=3, flip=p),
    repeat(step(NUMBERS, "baoab"), 2),
]


class Scope:
    """Which random numbers the parts of a plan have, read off the text of the module."""

    def __init__(self, source, statements, noises, clock):
        self.source, self.clock, self.all, self.noises = source, clock, noises, list(noises)
        self.loops = [s for s in statements if isinstance(s, Loop)]
        self.tests = [s for s in statements if isinstance(s, Decision)]

    def key(self, name):
        return stream(self.source, name, SEED, CHAIN)

    def normal(self, name, size):
        draw = next(d for d in self.noises if d.name == name)
        self.noises.remove(draw)
        return normals(self.source, self.all, draw, size, SEED, CHAIN, self.clock)

    def log_uniform(self):
        return log_uniform(self.key(self.tests.pop(0).key), U64(self.clock))

    def repetitions(self, times):
        loop = self.loops.pop(0)
        low, high = times if isinstance(times, tuple) else (times, times)
        number = low
        if low < high:
            number += int(random_row(self.key(loop.key), U64(self.clock), U64(0), high - low + 1))
        for n in range(number):
            yield Scope(self.source, loop.statements, loop.noises, self.clock * high + n)


def run(loaded, data, params, start, size, splits=(STEPS,)):
    state = loaded.allocate(*start)
    tested = len(loaded.Draws._fields) - len(start)
    draws, begin = (
        loaded.Draws(
            *(np.zeros((STEPS, b.size)) for b in start), *([np.zeros((STEPS, 1))] * tested)
        ),
        0,
    )
    for steps in splits:
        assert loaded.run(
            state, draws, (), data, size, params, U64(SEED), CHAIN, begin, steps, 0, 1
        ) == (begin + steps, -1)
        begin += steps
    return draws
