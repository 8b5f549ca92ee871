"""Mutants of the sources of libraries are refuted, refused, or right in the limit; none is proved
wrongly.

They are judged in a child process, which is killed and made anew when one takes too long: some
mutants of ``baoa`` keep a proof busy without end. Such a one counts as out of time.
"""

import contextlib
import inspect
import itertools
from collections import Counter

import numpy as np
import pytest
from mutation.of_libraries import Mutant, judged, loaded, mutants, original, turned_noise
from mutation.restarted import NOT_IN_TIME, answers
from sympy import Symbol

from recipe import Potential, Scalar, Vector, grad, lift, total

theta = Vector("theta")
p = Vector("p", like=theta)
xi = Scalar("xi")
U = Potential("U", theta)
h, T, a, s, k = (Symbol(name, positive=True) for name in "hTask")
b = Symbol("b", nonnegative=True)
slope = grad(U, theta)
H = U + total(p**2) / 2
KEY = {"step": h, "noise": "key", "library": "jax"}
SECONDS = 60  # for one mutant: its lift, its proof, and a step of it in numbers


def blackjax_one(m):
    def step(key, x, g, h, T):
        return m.overdamped_langevin()(key, x, g, h, T)

    return step, {
        **KEY, "state": {"x": theta}, "arguments": {"g": -slope, "T": T}, "target": U / T,
    }  # fmt: skip


def blackjax_two(m):
    def step(key, x, v, g, h, T, a, b):
        return m.sghmc(a, b)(key, x, v, g, h, T)

    arguments = {"g": -slope, "T": T, "a": a, "b": b}
    return step, {
        **KEY, "state": {"x": theta, "v": p}, "arguments": arguments, "target": H / T,
    }  # fmt: skip


def blackjax_three(m):
    def step(key, x, v, z, g, h, T, a, b):
        return m.sgnht(a, b)(key, x, v, z, g, h, T)

    return step, {
        **KEY,
        "state": {"x": theta, "v": p, "z": xi},
        "arguments": {"g": -slope, "T": T, "a": a, "b": b},
        "target": (H + theta.dim * (xi - a) ** 2 / 2) / T,
    }


def sgmcmcjax_one(m):
    def step(key, x, h, g):
        return m.sgld.__wrapped__(h)[1](1, key, g, x)

    return step, {**KEY, "state": {"x": theta}, "arguments": {"g": -slope}, "target": U}


def sgmcmcjax_baoab(m):
    def step(key, x, v, h, a, g):
        _, (first, second), _ = m.baoab.__wrapped__(h, a, 1.0)
        x, v = first(1, key, g(x), (x, v))
        return second(1, key, g(x), (x, v))

    return step, {
        **KEY, "state": {"x": theta, "v": p}, "arguments": {"a": a}, "target": H,
        "gradient": {"g": -slope},
    }  # fmt: skip


def posteriors_of(form, names, target):
    def make(m):
        import torch

        def step(logp, **values):
            def with_aux(x, _):
                return logp(x), torch.tensor([])

            state = getattr(m, form)(*(values[n] for n in names))
            rest = {n: values[n] for n in values if n not in names}
            new, _ = m.update(state, None, with_aux, **rest)
            return tuple(getattr(new, n) for n in names)

        arguments = {"lr": h, "temperature": T}
        arguments |= {"alpha": a, "sigma": s} if "momenta" in names else {}
        kind = inspect.Parameter.KEYWORD_ONLY
        step.__signature__ = inspect.Signature(
            [inspect.Parameter(n, kind) for n in ["logp", *names, *arguments]]
        )
        return step, {
            "step": h,
            "library": "torch",
            "state": {n: {"params": theta, "momenta": p, "xi": xi}[n] for n in names},
            "arguments": arguments,
            "gradient": {"logp": -U},
            "target": target,
        }

    return make


def torch_sgld_sghmc(m):
    def step(x, v, g, h, T, a, k):
        x, v = x.clone(), h * v
        settings = {"lr": h**2, "momentum": a * h, "weight_decay": k, "temperature": T}
        m.sgld([x], [g.clone()], [v], noise=True, **settings)
        return x, v / h

    return step, {
        "step": h,
        "library": "torch",
        "state": {"x": theta, "v": p},
        "arguments": {"g": slope, "T": T, "a": a, "k": k},
        "target": (H + k * total(theta**2) / 2) / T,
    }


COLD = (U + total(p**2) / (2 * s**2)) / T
THERMOSTAT = COLD + theta.dim * (xi - a) ** 2 / (2 * T * s**2)
BLACKJAX, SGMCMCJAX = "blackjax.sgmcmc.diffusions", "sgmcmcjax.diffusions"
FUNCTIONS = {
    "blackjax-langevin": (BLACKJAX, "overdamped_langevin", blackjax_one),
    "blackjax-sghmc": (BLACKJAX, "sghmc", blackjax_two),
    "blackjax-sgnht": (BLACKJAX, "sgnht", blackjax_three),
    "sgmcmcjax-sgld": (SGMCMCJAX, "sgld", sgmcmcjax_one),
    "sgmcmcjax-baoab": (SGMCMCJAX, "baoab", sgmcmcjax_baoab),
    "posteriors-sgld": (
        "posteriors.sgmcmc.sgld", "update", posteriors_of("SGLDState", ["params"], U / T),
    ),
    "posteriors-sghmc": (
        "posteriors.sgmcmc.sghmc", "update",
        posteriors_of("SGHMCState", ["params", "momenta"], COLD),
    ),
    "posteriors-baoa": (
        "posteriors.sgmcmc.baoa", "update",
        posteriors_of("BAOAState", ["params", "momenta"], COLD),
    ),
    "posteriors-sgnht": (
        "posteriors.sgmcmc.sgnht", "update",
        posteriors_of("SGNHTState", ["params", "momenta", "xi"], THERMOSTAT),
    ),
    "torch-sgld-sghmc": ("torch_sgld.sgld", "sgld", torch_sgld_sghmc),
}  # fmt: skip


def in_numbers(make, module, size, friction=0.8):
    """One step of a module in numbers, with a fixed state, seed and small step."""
    from recipe.lifting.claims.claim import read_claim
    from recipe.lifting.compare import _arguments, _gradient
    from recipe.lifting.fronts import front_of

    function, claim = make(module)
    said = {n: claim.get(n) for n in ("noise", "gradient")}
    read = read_claim(
        function, claim["state"], h, claim["arguments"], said["noise"], said["gradient"] or {}, None
    )
    random = np.random.default_rng(3)
    values = {theta: random.normal(size=4), p: random.normal(size=4), xi: 0.7, h: size}
    values |= {T: 0.6, a: friction, s: 1.3, b: 0.4, k: 0.9}
    shapes, sizes = {str(theta.dim): (4,)}, {str(theta.dim): 4}
    values[U] = 0.0
    arguments = _arguments(read, values, sizes, shapes)
    gradients = {n: _gradient(read, n, values, sizes, shapes) for n in read.gradient}
    out = front_of(function, claim["library"]).run(read, arguments, gradients, 5)
    return np.concatenate([np.ravel(x) for x in out.values()])


def right_in_the_limit(make, mutant, module):
    """Whether a mutant differs from its original by less than the step, as the step vanishes, for
    the same noise or for its negative, which has the same law.

    Where the law does not depend on the friction, the original may have the friction that the
    mutants of ``gamma = alpha * sigma**-2`` have: it is proved for all of them.
    """
    _, claim = make(module)
    frictions = [0.8] if a in claim["target"].free_symbols else [0.8, 0.8 * 1.3**2, 0.8 * 1.3**4]
    for sign, friction in itertools.product((contextlib.nullcontext, turned_noise), frictions):
        off = []
        for size in (1e-4, 1e-6):
            changed = in_numbers(make, mutant, size)
            with sign():
                meant = in_numbers(make, module, size, friction)
            off.append(np.max(np.abs(changed - meant)) / size)
        if off[1] < 1e-2 or off[1] < off[0] / 5:
            return True
    return False


def cases(name):
    """The source as it is, and its mutants."""
    where, function, _ = FUNCTIONS[name]
    module = original(where)
    return [Mutant("nothing is changed", inspect.getsource(module)), *mutants(module, function)]


def fate(case):
    """What becomes of the source of this number: ``broken``, ``wrong``, or its verdict."""
    name, number = case
    where, _, make = FUNCTIONS[name]
    module = original(where)
    try:
        changed = loaded(cases(name)[number], module)
    except Exception:  # a module that cannot be run is noticed by anybody
        return "broken"

    def lifted_of(m):
        step, claim = make(m)
        return lift(step, **claim)

    verdict, _ = judged(lifted_of, changed)
    if verdict == "proved" and not right_in_the_limit(make, changed, module):
        return "wrong"
    return verdict


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_mutant_is_proved_wrongly(name):
    library = FUNCTIONS[name][0].partition(".")[0]
    pytest.importorskip(library, reason=f"{library} is not installed")
    sources = cases(name)
    fates = list(answers(fate, [(name, i) for i in range(len(sources))], SECONDS))
    assert fates.pop(0) == "proved"
    shown = [f"{verdict}, {m.what}" for verdict, m in zip(fates, sources[1:], strict=True)]
    counts = Counter(fates)
    print(name, len(fates), dict(counts))
    known = {"refuted", "refused", "proved", "undecided", "broken", NOT_IN_TIME}
    assert not [words for words in shown if words.partition(",")[0] not in known]
    assert counts["refuted"] + counts["refused"] >= counts["proved"]
    assert counts["undecided"] <= 2
    assert counts[NOT_IN_TIME] <= 6
