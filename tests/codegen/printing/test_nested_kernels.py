"""Kernels of parts within parts, drawn at random: the text of generated code against a plain
interpreter of the parts.

The interpreter knows nothing of symbols, versions or saved gradients: it walks a word of kicks and
drifts with numpy, and evaluates a gradient wherever one is written. Of the code it knows only which
random numbers belong to which test and to which loop.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from cases.compiled_kernels import STEPS, Scope
from cases.compiled_kernels import run as carried_out
from helpers.plain_python import plainly
from sympy import Symbol, sin, sqrt

from codegen import generate
from recipe import (
    Data,
    Kernel,
    Noise,
    Posterior,
    Potential,
    Update,
    Vector,
    grad,
    metropolis,
    repeat,
    step,
    total,
)

theta = Vector("theta")
r = Vector("r", like=theta)
n = Noise("n", like=theta)
U, V = Potential("U", theta), Potential("V", r)
h = Symbol("h", positive=True)
H = U + V
X, y, S, s = Data("X", like=theta), Data("y"), Data("S", like=r), Data("s")
rng = np.random.default_rng(3)
ROWS = {
    X: rng.normal(size=(3, 2)) / 2,
    y: rng.normal(size=3),
    S: rng.normal(size=(2, 2)) / 2,
    s: rng.normal(size=2),
}
POSTERIORS = {
    U: Posterior(
        theta,
        -((y - total(X * theta)) ** 2) / 2,
        -total(theta**2) / 2 - total(sin(theta)),
        {X: ROWS[X], y: ROWS[y]},
    ),
    V: Posterior(r, -((s - total(S * r)) ** 2) / 2, -total(r**2) / 2, {S: ROWS[S], s: ROWS[s]}),
}
SIZE = 0.1


def U_of(t):
    return np.sum((ROWS[y] - ROWS[X] @ t) ** 2) / 2 + np.sum(t**2) / 2 + np.sum(np.sin(t))


def V_of(p):
    return np.sum((ROWS[s] - ROWS[S] @ p) ** 2) / 2 + np.sum(p**2) / 2


def slope_U(t):
    return ROWS[X].T @ (ROWS[X] @ t - ROWS[y]) + t + np.cos(t)


def slope_V(p):
    return ROWS[S].T @ (ROWS[S] @ p - ROWS[s]) + p


RULES = {"B": (r, r - h / 2 * grad(U, theta)), "A": (theta, theta + h / 2 * grad(V, r))}
PROPOSAL = Update(h, {theta: theta - h / 4 * grad(U, theta) + sqrt(h / 2) * n, r: r}, H)


def moved(word, t, p):
    for letter in word:
        t, p = (t, p - SIZE / 2 * slope_U(t)) if letter == "B" else (t + SIZE / 2 * slope_V(p), p)
    return t, p


def updated(word):
    rest = [(b, b) for letter, b in (("B", r), ("A", theta)) if letter not in word]
    return Update(h, [*(RULES[letter] for letter in word), *rest], H)


def built(part):
    match part:
        case ("move", word):
            return step(updated(word))
        case ("flip",):
            return step(Update(h, {theta: -theta, r: r}, H))
        case ("test", word, times, keeping):
            return metropolis(updated(word), times=times, flip=(r,), flip_on_rejection=not keeping)
        case ("propose",):
            return metropolis(PROPOSAL)
        case ("repeat", parts, times):
            return repeat(Kernel([built(p) for p in parts]), times)


def played(part, t, p, scope):
    match part:
        case ("move", word):
            return moved(word, t, p)
        case ("flip",):
            return -t, p
        case ("test", word, times, keeping):
            new = t, p
            for _ in [scope] if times == 1 else scope.repetitions(times):
                new = moved(word, *new)
            accepted = scope.log_uniform() < U_of(t) + V_of(p) - U_of(new[0]) - V_of(new[1])
            return new if accepted else (t, p if keeping else -p)
        case ("propose",):
            new = t - SIZE / 4 * slope_U(t) + np.sqrt(SIZE / 2) * scope.normal("n", 2)
            there, back = new - t + SIZE / 4 * slope_U(t), t - new + SIZE / 4 * slope_U(new)
            ratio = U_of(t) - U_of(new) + (there @ there - back @ back) / SIZE
            return (new, p) if scope.log_uniform() < ratio else (t, p)
        case ("repeat", parts, times):
            for inner in scope.repetitions(times):
                for one in parts:
                    t, p = played(one, t, p, inner)
            return t, p


def drawn(chance, depth=0):
    kind = chance.choice(
        ["move"] * 4 + ["test", "propose", "flip"] + ["repeat"] * (8 if depth < 3 else 0)
    )
    if kind == "move":
        return ("move", chance.choice(["A", "B", "B", "AB", "BA", "BAB"]))
    if kind == "test":
        return (
            "test",
            chance.choice(["BAAB", "ABBA"]),
            chance.choice([1, 2, (1, 3)]),
            chance.random() < 0.3,
        )
    if kind == "repeat":
        return (
            "repeat",
            [drawn(chance, depth + 1) for _ in range(chance.randint(1, 3))],
            chance.choice([1, 2, (1, 3)]),
        )
    return (kind,)


# A kick in a loop that does not move what it reads is one evaluation before that loop, and it may
# be the first of the outer loop.
KICKS, DRIFT = ("repeat", [("move", "B")], 2), ("move", "A")
FOUND = {
    "kicks, then a drift and a kick": [("repeat", [KICKS, ("move", "AB")], 3)],
    "kicks on both sides of a drift": [("repeat", [KICKS, DRIFT, KICKS], 3)],
    "a step, then kicks in loops": [("move", "AB"), ("repeat", [KICKS, ("move", "AB")], 3)],
    "loops in loops of kicks": [
        ("repeat", [("repeat", [KICKS], 2), DRIFT, ("repeat", [KICKS], 2)], 2),
        KICKS,
    ],
}
RANDOM = {
    seed: [drawn(random.Random(f"{seed} {part}")) for part in range(2)] for seed in range(160, 184)
}


@pytest.mark.by_default(3)
@pytest.mark.parametrize(
    "parts", [*FOUND.values(), *RANDOM.values()], ids=[*FOUND, *map(str, RANDOM)]
)
def test_nested_parts_are_what_a_plain_interpreter_makes_of_them(parts):
    """Every sweep starts from the generated code's state, so that what is compared is one sweep."""
    module = generate(Kernel([built(p) for p in parts], posteriors=POSTERIORS))
    loaded = plainly(module.source)
    arrays = {symbol.name: rows for symbol, rows in ROWS.items()}
    data = loaded.Data(**{f: arrays[f] for f in loaded.Data._fields}) if module.estimators else ()
    t, p = np.array([0.4, -0.7]), np.array([0.2, 0.5])
    with np.errstate(over="ignore"):  # words of random bits
        draws = carried_out(
            loaded, data, (), [{theta: t, r: p}[b] for b in module.plan.state], SIZE
        )
    for k in range(STEPS):
        scope = Scope(module.source, module.plan.statements, module.plan.noises, k)
        for part in parts:
            t, p = played(part, t, p, scope)
        there, t, p = np.concatenate([t, p]), draws.theta[k], draws.r[k]
        assert np.abs(there - np.concatenate([t, p])).max() < 1e-11 * (1 + np.abs(there).max())
