"""Generated code of every scheme against 50 digits; the functions that exact flows are made of;
what an update records.
"""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from cases.catalog_recipes import catalog_recipes
from cases.compiled_steps import COUPLED, FACTORED, SGHMC, SGLD, SGNHT, compare
from cases.observed_step import LM, a, h, theta, w
from cases.stopped_runs import POSTERIOR, stopped_run
from cases.stopped_runs import run as sampled
from helpers.module_noise import normals
from oracles.slow_step import slow_values
from sympy import Interval, Matrix, Symbol, exp, sqrt

from codegen import generate
from codegen.device.special import phi_1
from recipe import (
    Potential,
    Recipe,
    RecipeError,
    Update,
    Vector,
    bind,
    discretise,
    grad,
    mirror,
    total,
)
from recipe.language.phi import Phi
from recipe.scheme import SCHEME_NAMES

r = Vector("r", like=theta)
U = Potential("U", theta)
A, C = Symbol("A", positive=True), Symbol("C", positive=True)
U64 = np.uint64


def fitting():
    for recipe in (SGLD, SGHMC, SGNHT, COUPLED, FACTORED):
        for scheme in SCHEME_NAMES:
            try:
                discretise(recipe, scheme)
            except RecipeError:
                continue
            if scheme not in ("euler", "semi-implicit"):
                yield pytest.param(recipe, scheme, id=f"{recipe.name}-{scheme}")


@pytest.mark.by_default(2)
@pytest.mark.parametrize(("recipe", "scheme"), list(fitting()))
def test_every_scheme_is_compiled_as_it_is_written(recipe, scheme):
    for size in (1, 4):
        compare(recipe, size, scheme)


UNBOUND = ("sgrhmc", "sgrld")  # their metric G is abstract
LEAVING = (  # the steps of every scheme but the exact transition may leave their domain
    "jacobi_beta",
    "lognormal_exp_ou",
    "scir",
    "scir_posterior",
    "sgrld_reciprocal",
    "sgrld_simplex_expanded_mean",
    "sgrld_simplex_reduced_mean",
    "wright_fisher_dirichlet",
)


def refusal(recipe, scheme):
    """Why no code is generated; the empty text where there is some."""
    try:
        source = generate(recipe, scheme=scheme).source
    except RecipeError as error:
        return str(error)
    assert "def run(" in source
    return ""


@pytest.mark.slow
def test_every_scheme_of_the_catalog_compiles():
    compiled = []
    for name, recipe in catalog_recipes().items():
        for scheme in SCHEME_NAMES:
            try:
                discretise(recipe, scheme)
            except RecipeError:
                continue
            said = refusal(recipe, scheme)
            if name in UNBOUND:
                assert said.startswith("G has no values: bind it first"), (name, scheme)
            elif name in LEAVING and scheme != "exact":
                assert said.startswith("a step can take theta out of its domain"), (name, scheme)
            else:
                assert said == "", (name, scheme)
                compiled.append((name, scheme))
    assert len(compiled) > 55
    assert {name for name, _ in compiled} == catalog_recipes().keys() - {*UNBOUND, *LEAVING} | {
        "scir",
        "lognormal_exp_ou",
    }


@pytest.mark.parametrize(
    "name", [n for n in LEAVING if isinstance(catalog_recipes()[n].state[0].domain, Interval)]
)
def test_a_step_of_the_catalog_that_may_leave_its_domain_compiles_with_its_reflection(name):
    recipe = catalog_recipes()[name]
    assert refusal(mirror(recipe, *recipe.state), "euler") == ""


@pytest.mark.parametrize(
    "z", [0.0, 5e-324, -1e-300, 1e-17, -3e-9, 1e-3, -0.7, 1.0, -40.0, 300.0, -1e6]
)
def test_phi_1_has_all_its_digits(z):
    with mpmath.workdps(400):
        expected = float(mpmath.expm1(mpmath.mpf(z)) / mpmath.mpf(z)) if z else 1.0
    assert phi_1(z) == pytest.approx(expected, rel=1e-15)


@pytest.mark.slow
def test_phi_in_a_rule():
    rate = Update(
        h,
        {
            theta: theta * exp(-h * a) + h * Phi(1, -h * a) * total(theta),
            a: a + h * Phi(1, theta.dim * h),
        },
        total(theta**2),
    )
    compare(rate, 3)
    loaded = generate(rate).load()
    state, out = (loaded.allocate(np.array([1.0, 2.0]), np.array([0.0])) for _ in range(2))
    loaded.step(out, state, (), 0.5, (), ())
    np.testing.assert_array_equal(out.theta, [2.5, 3.5])  # at the rate 0 there is no hole
    with pytest.raises(
        RecipeError, match=r"Phi\(2, ...\) has no compiled form, only Phi\(1, ...\) has"
    ):
        generate(Update(h, {theta: theta + Phi(2, -h * a), a: a}, total(theta**2)))


def test_the_noise_of_a_short_exact_flow_keeps_its_digits():
    flow = Update(
        h, {theta: exp(-C * h) * theta + sqrt(A - A * exp(-2 * C * h)) * w}, total(theta**2)
    )
    loaded = generate(flow).load()
    params = loaded.Params(
        **{f: {A: 3.0, C: 1e-9}[s] for s, f in generate(flow).plan.settings.items()}
    )
    state, out = (loaded.allocate(np.zeros(2)) for _ in range(2))
    loaded.step(out, state, (), 1e-3, params, (np.array([1.0, -1.0]),))
    with mpmath.workdps(50):
        expected = float(
            mpmath.sqrt(-3 * mpmath.expm1(mpmath.mpf(-2) * mpmath.mpf(1e-9) * mpmath.mpf(1e-3)))
        )
    np.testing.assert_allclose(out.theta, [expected, -expected], rtol=1e-14)


STEPS, SEED, CHAIN = 11, 4, 1
START = [np.array([0.3, -0.9, 1.4]), np.array([0.4])]


def run(loaded, splits, warmup=0, thin=1):
    state = loaded.allocate(*START)
    count = (STEPS - warmup) // thin
    draws, begin = loaded.Draws(np.zeros((count, 3)), np.zeros((count, 1))), 0
    for steps in splits:
        loaded.run(state, draws, (), (), 0.1, (), U64(SEED), CHAIN, begin, steps, warmup, thin)
        begin += steps
    return state, draws


def drawn(module, loaded, name, t, size):
    body = next(
        n
        for n in (module.plan.noises, module.plan.recorded.noises)
        if any(d.name == name for d in n)
    )
    return normals(
        module.source, body, next(d for d in body if d.name == name), size, SEED, CHAIN, t
    )


@pytest.mark.slow
def test_what_is_recorded_is_drawn_and_the_chain_is_not_touched():
    module, plain = generate(LM), generate(Update(h, dict(LM.rule), LM.target))
    loaded = module.load()
    state, draws = run(loaded, [STEPS])
    silent, states = run(plain.load(), [STEPS])
    np.testing.assert_array_equal(state.theta, silent.theta)
    for t in range(STEPS):
        at = {"theta": states.theta[t], "a": states.a[t], "h": 0.1}
        noise = {"n": drawn(module, loaded, "n", t, 3), "m": drawn(module, loaded, "m", t, 1)}
        slow = slow_values(LM.observe, {**at, **noise}, LM.state)
        np.testing.assert_allclose(draws.theta[t], slow["theta"], rtol=1e-12)
        np.testing.assert_allclose(draws.a[t], slow["a"], rtol=1e-12)


@pytest.mark.slow
def test_what_is_recorded_does_not_depend_on_splits_warmup_or_thinning():
    loaded = generate(LM).load()
    _, whole = run(loaded, [STEPS])
    _, split = run(loaded, [1, 4, 0, 6])
    _, thinned = run(loaded, [5, 6], warmup=2, thin=3)
    for one, two, few in zip(whole, split, thinned, strict=True):
        np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(one[4::3], few)


@pytest.mark.slow
def test_a_block_that_is_not_named_is_recorded_as_it_is():
    some = generate(Update(h, dict(LM.rule), LM.target, observe={a: a**2})).load()
    plain = generate(Update(h, dict(LM.rule), LM.target)).load()
    (_, draws), (_, states) = run(some, [STEPS]), run(plain, [STEPS])
    np.testing.assert_array_equal(draws.theta, states.theta)
    np.testing.assert_allclose(draws.a, states.a**2, rtol=1e-14)


def test_a_gradient_in_what_is_recorded_is_refused():
    with pytest.raises(
        RecipeError, match=r"grad\(U, theta\) in observe\[theta\] needs another gradient evaluation"
    ):
        generate(Update(h, {theta: theta + w}, U, observe={theta: theta - h * grad(U, theta)}))


OVERDAMPED = Recipe(theta, U, Matrix([[1]]), Matrix([[0]]), name="overdamped")


@pytest.mark.slow
def test_the_variance_of_leimkuhler_and_matthews_is_exact_on_a_normal_target():
    """Theirs (2013): on U = theta^2/2 the recorded positions have variance 1 for every step size,
    here 1.2; 4 standard errors of independent draws, which thinning by 20 makes them.
    """
    from codegen import sample

    normal = bind(OVERDAMPED, {U: total(theta**2) / 2})
    draws = sample(
        normal,
        scheme="leimkuhler-matthews",
        step_size=1.2,
        steps=20_400,
        warmup=400,
        thin=20,
        chains=2,
        lengths={theta: 200},
        progress=False,
    )["theta"]
    assert abs((draws**2).mean() - 1) < 4 * np.sqrt(2 / draws.size)


@pytest.mark.slow
def test_a_stopped_run_with_something_recorded_goes_on_bit_for_bit(tmp_path, monkeypatch):
    options = {
        "target": bind(OVERDAMPED, {U: POSTERIOR}),
        "scheme": "leimkuhler-matthews",
        "params": {},
    }
    whole = sampled(**options)
    for after in (4, 9):
        stopped_run(tmp_path / "c", monkeypatch, after, **options)
    np.testing.assert_array_equal(
        whole["theta"], sampled(checkpoint=tmp_path / "c", **options)["theta"]
    )


def test_a_whole_gradient_is_evaluated_once_a_step_in_each_splitting():
    for scheme, evaluations in (
        ("baoab", 1),
        ("obabo", 1),
        ("leapfrog", 1),
        ("aboba", 1),
        ("oabao", 1),
        ("baoabaoab", 2),
    ):
        recipe = (
            SGHMC
            if scheme != "leapfrog"
            else Recipe((theta, r), SGHMC.H, Matrix.zeros(2), SGHMC.Q.written, name="hmc")
        )
        source = generate(recipe, scheme=scheme).source
        loop = source[source.index("for done in range(start") : source.index("def run_schedule")]
        assert loop.count("gradient(state.") == evaluations, scheme
