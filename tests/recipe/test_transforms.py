"""``ito`` and ``corv``: against Ito's formula done by hand on the derived drift, and against the
published steps.
"""

import mpmath
import numpy as np
import pytest
from cases.catalog_recipes import catalog_recipes
from helpers.outcomes import outcome_of
from sympy import (
    Abs,
    Function,
    Interval,
    Lambda,
    Matrix,
    Rational,
    S,
    Symbol,
    exp,
    lambdify,
    log,
    oo,
    pi,
    sign,
    sqrt,
    tanh,
)

from catalog.corv_sgld import corv_sgld
from codegen import generate, sample
from recipe import (
    Data,
    Dense,
    Kernel,
    Noise,
    Posterior,
    Potential,
    Preimage,
    Recipe,
    RecipeError,
    Scalar,
    Update,
    Vector,
    bind,
    corv,
    derive,
    discretise,
    grad,
    ito,
    maps,
    metropolis,
    mirror,
    outer,
    refresh,
    total,
)
from recipe.change.transform import log_slope
from recipe.declare.transformations.map import Map
from recipe.declare.transformations.preimage import as_functions_of_preimages
from recipe.language.abstract import Partial
from recipe.language.entry import parts
from verify import verify
from verify.decide.zero.decide import decide_zero
from verify.generator.fokker_planck import residual
from verify.subject import subject_of
from verify.verdict import Verdict

x = Symbol("x", real=True)
C = Symbol("C", positive=True)
HALF, UNIT, SYMMETRIC = Interval.open(0, oo), Interval.open(0, 1), Interval.open(-1, 1)
MAPS = {
    "exp": (maps.exp, HALF),
    "softplus": (maps.softplus, HALF),
    "sigmoid": (maps.sigmoid, UNIT),
    "arctan": (maps.arctan, SYMMETRIC),
    "tanh": (maps.tanh, SYMMETRIC),
    "log_odds": (maps.log_odds, S.Reals),
    "softsign": (maps.softsign, SYMMETRIC),
}


def langevin(domain, D=1):
    theta = Vector("theta", domain=domain)
    return theta, Recipe(
        (theta,), Potential("U", theta), Matrix([[D(theta) if callable(D) else D]]), Matrix([[0]])
    )


def hamiltonian(domain):
    theta = Vector("theta", domain=domain)
    r = Vector("r", like=theta)
    return theta, Recipe(
        (theta, r),
        Potential("U", theta) + total(r**2) / 2,
        Matrix([[0, 0], [0, C]]),
        Matrix([[0, -1], [1, 0]]),
    )


def correlated(domain):
    """A scalar and a vector whose noises are coupled, and a D that depends on both."""
    theta, b = Scalar("theta", domain=domain), Scalar("b")
    D = Matrix([[2 + b**2, theta], [theta, 1 + theta**2]])
    return theta, Recipe((theta, b), Potential("U", theta, b), D, Matrix([[0, b], [-b, 0]]))


SAMPLERS = {
    "langevin": langevin,
    "state-dependent": lambda domain: langevin(domain, lambda theta: 1 + theta**2),
    "momentum": hamiltonian,
    "correlated": correlated,
}


def derived(f, phi, order):
    """The derivative of a map at phi; with an absolute value in it, that of each side of 0."""
    (x,) = f.forward.variables
    above, below = (
        f.forward.expr.xreplace({Abs(x): side * x}).diff(x, order).xreplace({x: phi})
        for side in (1, -1)
    )
    return above if above == below else (above + below) / 2 + sign(phi) * (above - below) / 2


def by_itos_formula(recipe, theta, phi, f):
    """Drift of ``phi = g(theta)`` and of the other blocks, from the derived dynamics of theta: ``g'
    f + g'' D``.
    """
    drift = derive(recipe).dynamics.drift
    noise = parts(derive(recipe).dynamics.diffusion[theta, theta])[0]
    slope = 1 / derived(f, phi, 1)
    bend = -derived(f, phi, 2) / derived(f, phi, 1) ** 3
    moved = dict(drift)
    moved[theta] = slope * drift[theta] + bend * noise
    return {phi if b == theta else b: _at_preimage(e, theta, phi) for b, e in moved.items()}


def _at_preimage(e, theta, phi):
    """theta written as f(phi), outside of gradients: done by hand, with a stand-in for each
    gradient.
    """
    stand_ins = {
        p: Symbol(f"p{n}", real=True) for n, p in enumerate(sorted(e.atoms(Partial), key=str))
    }
    return (
        e.xreplace(stand_ins)
        .xreplace({theta: phi.forward(phi)})
        .xreplace({s: p for p, s in stand_ins.items()})
    )


@pytest.mark.by_default(14)
@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("name", MAPS)
def test_transforming_what_was_derived_is_deriving_what_was_transformed(name, sampler):
    f, domain = MAPS[name]
    theta, recipe = SAMPLERS[sampler](domain)
    transformed = ito(recipe, theta, f)
    phi = transformed.transform.preimage
    drift = derive(transformed).dynamics.drift
    for block, e in by_itos_formula(recipe, theta, phi, f).items():
        difference = as_functions_of_preimages(e - drift[block], transformed.state)
        assert decide_zero(difference).verdict is Verdict.PROVED, (block, difference)


@pytest.mark.by_default(4)
@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("transform", [ito, corv])
def test_both_transforms_leave_the_law_of_phi_stationary(transform, name, sampler):
    f, domain = MAPS[name]
    theta, recipe = SAMPLERS[sampler](domain)
    report = verify(transform(recipe, theta, f))
    assert outcome_of(report, "stationarity").verdict is Verdict.PROVED
    assert (
        outcome_of(report, "diffusion-psd").verdict
        is outcome_of(verify(recipe), "diffusion-psd").verdict
    )


@pytest.mark.parametrize("name", MAPS)
def test_the_law_is_the_pushforward(name):
    f, domain = MAPS[name]
    theta = Scalar("theta", domain=domain)
    recipe = Recipe((theta,), theta**2 / 2, Matrix([[1]]), Matrix([[0]]))
    for transform in (ito, corv):
        made = transform(recipe, theta, f)
        (phi,) = made.state
        expected = f.forward(phi) * derived(f, phi, 1) - derived(f, phi, 2) / derived(f, phi, 1)
        assert (
            decide_zero(grad(made.H, phi) - expected).verdict is Verdict.PROVED
        )  # so H is right up to a constant


@pytest.mark.parametrize("name", MAPS)
def test_the_corv_drift_of_langevin_dynamics_is_the_published_one(name):
    """Yokoi, Otsuka & Sato (2020), equation (25)."""
    f, domain = MAPS[name]
    theta, recipe = langevin(domain)
    made = corv(recipe, theta, f)
    (phi,) = made.state
    first, second = derived(f, phi, 1), derived(f, phi, 2)
    published = -(first * grad(recipe.H, theta) - second / first)
    difference = as_functions_of_preimages(derive(made).dynamics.drift[phi] - published, made.state)
    assert decide_zero(difference).verdict is Verdict.PROVED


def test_corv_and_ito_are_one_process_only_where_the_slope_is_one():
    theta, recipe = langevin(S.Reals)
    for f, same in ((lambda p: 3 - p, True), (lambda p: p + 2, True), (lambda p: 2 * p, False)):
        drifts = [derive(t(recipe, theta, f)).dynamics.drift for t in (ito, corv)]
        (phi,) = corv(recipe, theta, f).state
        difference = as_functions_of_preimages(drifts[0][phi] - drifts[1][phi], (phi,))
        assert decide_zero(difference).verdict is (Verdict.PROVED if same else Verdict.REFUTED)


def test_for_every_smooth_map():
    """The map itself may be abstract: nothing is tabulated. The residual is zero wherever it has a
    slope; that its slope vanishes nowhere is not said, so no more is proved.
    """
    theta, recipe = langevin(S.Reals)
    f, g = Function("f"), Function("g")
    for transform in (ito, corv):
        made = transform(recipe, theta, Lambda(x, f(x)), inverse=Lambda(x, g(x)))
        subject = subject_of(made)
        left_over = residual(subject.dynamics, subject.gradient)
        assert decide_zero(left_over).verdict is Verdict.PROVED
        outcome = outcome_of(verify(made), "stationarity")
        assert outcome.verdict is Verdict.UNDECIDED
        assert "unless f'(phi[k])**2 > 0" in outcome.by


@pytest.mark.parametrize("name", ["corv_sgld", "ito_sgld", "corv_sghmc", "corv_sgnht"])
def test_the_catalog_has_the_published_rules(name):
    report = verify(catalog_recipes()[name])
    assert outcome_of(report, "agrees-with-update").verdict is Verdict.PROVED
    assert outcome_of(report, "stationarity").verdict is Verdict.PROVED


def test_a_correction_of_the_wrong_sign_is_refuted():
    theta, recipe = langevin(HALF)
    phi = Preimage("phi", theta, maps.exp)
    U, h, w = recipe.H, Symbol("h", positive=True), Noise("w", like=phi)
    for factor, verdict in ((1, Verdict.PROVED), (-1, Verdict.REFUTED), (0, Verdict.REFUTED)):
        claim = Update(
            h,
            {phi: phi - h * (exp(phi) * grad(U, theta) - factor) + sqrt(2 * h) * w},
            U - total(phi),
        )
        assert outcome_of(verify(claim), "stationarity").verdict is verdict


def test_an_outer_product_gets_a_factor_for_each_leg():
    theta = Vector("theta", domain=HALF)
    recipe = Recipe(
        (theta,), Potential("U", theta), Matrix([[1 + outer(theta, theta)]]), Matrix([[0]])
    )
    made = ito(recipe, theta, maps.exp)
    (phi,) = made.state
    diagonal, kernel = parts(made.D.entry(phi, phi))
    assert decide_zero(diagonal - exp(-2 * phi)).verdict is Verdict.PROVED
    assert decide_zero(kernel - 1).verdict is Verdict.PROVED
    assert outcome_of(verify(made), "stationarity").verdict is Verdict.PROVED


def test_a_dense_matrix_keeps_its_place_under_corv_only():
    theta = Vector("theta", domain=HALF)
    M = Dense("M", theta, positive=True)
    recipe = Recipe((theta,), Potential("U", theta), Matrix([[M]]), Matrix([[0]]))
    assert corv(recipe, theta, maps.exp).D.written[0, 0] == M
    with pytest.raises(RecipeError, match="the rows of M would be scaled by exp"):
        ito(recipe, theta, maps.exp)


def test_binding_before_and_after_is_the_same():
    theta, recipe = langevin(HALF)
    value = total(theta - log(theta) / 2)
    U = recipe.H
    for transform in (ito, corv):
        late, early = (
            bind(transform(recipe, theta, maps.softplus), {U: value}),
            transform(bind(recipe, {U: value}), theta, maps.softplus),
        )
        assert (late.H, late.D, late.transform) == (early.H, early.D, early.transform)


def gamma_posterior(theta):
    """Ten exponential waiting times of mean 0.1 under a gamma prior: gamma(3, 2) in each of three
    coordinates.
    """
    z = Data("z", like=theta)
    return Posterior(
        (theta,), -total(z * theta), total(2 * log(theta) - theta), {z: np.full((10, 3), 0.1)}
    )


@pytest.mark.slow
def test_draws_are_of_theta_and_never_leave_the_domain():
    theta, recipe = langevin(HALF)
    made = corv(bind(recipe, {recipe.H: gamma_posterior(theta)}), theta, maps.softplus)
    draws = sample(
        made,
        step_size=0.02,
        steps=60_000,
        warmup=1000,
        chains=2,
        seed=1,
        batch_size=5,
        initial={"theta": np.full(3, 1e-9)},
    )
    assert list(draws.values) == ["theta"]
    assert not draws.divergences
    assert draws["theta"].min() > 0
    assert draws["theta"].mean() == pytest.approx(1.5, abs=0.06)


@pytest.mark.slow
def test_a_splitting_of_a_transformed_sampler():
    theta, recipe = hamiltonian(HALF)
    made = corv(bind(recipe, {Potential("U", theta): gamma_posterior(theta)}), theta, maps.exp)
    draws = sample(
        made,
        scheme="baoab",
        step_size=0.1,
        steps=40_000,
        chains=2,
        seed=1,
        params={C: 1.0},
        keep=["theta"],
    )
    assert list(draws.values) == ["theta"]
    assert draws["theta"].mean() == pytest.approx(1.5, abs=0.05)
    assert draws["theta"].var() == pytest.approx(0.75, abs=0.05)


@pytest.mark.slow
def test_a_hamiltonian_kernel_in_the_other_coordinates():
    theta, recipe = hamiltonian(HALF)
    made = corv(bind(recipe, {Potential("U", theta): gamma_posterior(theta)}), theta, maps.exp)
    phi, r = made.state
    frictionless = Recipe(
        (phi, r), made.H, Matrix([[0, 0], [0, 0]]), made.Q.written, posteriors=dict(made.posteriors)
    )
    kernel = Kernel(
        [refresh(made, r), metropolis(discretise(frictionless, "leapfrog"), times=5, flip=r)],
        posteriors=dict(made.posteriors),
        name="hmc",
    )
    assert outcome_of(verify(kernel), "invariance").verdict is Verdict.PROVED
    draws = sample(kernel, step_size=0.3, steps=4000, chains=2, seed=2, keep="all")
    assert set(draws.values) == {"theta", "r"}
    assert draws["theta"].mean() == pytest.approx(1.5, abs=0.05)


@pytest.mark.by_default(2)
@pytest.mark.parametrize("name", ["exp", "softplus", "sigmoid", "arctan", "tanh"])
def test_a_corv_step_is_finite_wherever_it_starts(name):
    f, domain = MAPS[name]
    theta, recipe = langevin(domain)
    made = corv(bind(recipe, {recipe.H: total(0, over=theta)}), theta, f)
    loaded = generate(made).load()
    for start in (-700.0, -40.0, -1e-300, 0.0, 1.0, 40.0, 700.0):
        state, out = loaded.allocate(np.array([start])), loaded.allocate(np.array([start]))
        loaded.step(out, state, (), 0.01, (), (np.zeros(1),))
        assert abs(out.phi[0] - start) <= 0.021


NEGATIVE = {
    "-1/phi": (lambda p: -1 / p, lambda t: -1 / t),
    "phi^2": (lambda p: p**2, lambda t: -sqrt(t)),
    "1/phi^2": (lambda p: 1 / p**2, lambda t: -1 / sqrt(t)),
    "-phi^3/(1 - phi)": (lambda p: -(p**3) / (1 - p), None),
}


@pytest.mark.parametrize("name", NEGATIVE)
def test_the_slope_at_a_negative_coordinate_has_a_logarithm(name):
    f, inverse = NEGATIVE[name]
    theta = Vector("theta", domain=HALF)
    given = Map(
        name,
        Lambda(x, f(x)),
        None if inverse is None else Lambda(x, inverse(x)),
        Interval.open(-oo, 0),
    )
    phi = Preimage("phi", theta, given)
    for at in (Rational(-1, 3), S(-1), S(-7)):
        slope = f(x).diff(x).subs(x, at)
        assert abs(float(log_slope(phi).xreplace({phi: at}) - log(abs(slope)))) < 1e-12
    if inverse is not None:
        recipe = Recipe((theta,), total(theta - 2 * log(theta) + 1 / theta), 1, 0)
        for transform in (ito, corv):
            report = verify(transform(recipe, theta, given))
            assert report.verdict is Verdict.PROVED, report


def test_what_is_wrong_is_said():
    theta, recipe = langevin(HALF)
    with pytest.raises(RecipeError, match="3 is no Recipe"):
        corv(3, theta, exp)
    with pytest.raises(RecipeError, match="must be a Recipe"):
        mirror("hello", theta)
    position, pushed = hamiltonian(HALF)
    with pytest.raises(RecipeError, match="r changes its sign where theta is reflected"):
        corv(mirror(pushed, position), pushed.state[1], maps.tanh)
    with pytest.raises(RecipeError, match="no block of the recipe"):
        ito(recipe, Vector("other"), maps.exp)
    with pytest.raises(RecipeError, match="inverse"):
        corv(recipe, theta, lambda p: p + exp(p) + tanh(p) / 3)
    with pytest.raises(RecipeError, match="something called U"):
        corv(recipe, theta, maps.exp, phi="U")
    (phi,) = corv_sgld.state
    with pytest.raises(RecipeError, match="phi stands for theta itself"):
        Preimage("psi", phi, maps.exp)
    with pytest.raises(
        RecipeError, match=r"theta is a function of phi here; write log\(exp\(phi\) \+ 1\)"
    ):
        Recipe((phi,), total(phi.image**2), Matrix([[1]]), Matrix([[0]]))
    with pytest.raises(RecipeError, match="compensate= is not for transforms"):
        discretise(corv_sgld, "euler", compensate=True)


@pytest.mark.slow
def test_a_posterior_of_other_blocks_gets_the_map_for_each_of_them():
    a, b, z = Vector("a", domain=HALF), Scalar("b", domain=HALF), Data("z")
    of_two = Posterior((a, b), total(log(a)) - z * total(a) + log(b) - z * b, -b, {z: np.ones(4)})
    made = bind(corv_sgld, {corv_sgld.abstract[0]: of_two})
    assert [str(s) for s in made.state] == ["phi_a", "phi_b"]
    assert verify(made).verdict is Verdict.PROVED
    draws = sample(made, step_size=0.01, steps=20_000, chains=2, seed=1, lengths={a: 2})
    assert draws["a"].shape[2] == 2
    assert draws["a"].mean() == pytest.approx(5 / 4, abs=0.08)
    assert draws["b"].mean() == pytest.approx(1, abs=0.08)
    x = Vector("x", domain=UNIT)
    elsewhere = Posterior((x,), total(log(x)), total(log(x)), {})
    with pytest.raises(RecipeError, match=r"x \(on Interval.open\(0, 1\)\)"):
        bind(corv_sgld, {corv_sgld.abstract[0]: elsewhere})


@pytest.mark.slow
@pytest.mark.parametrize(
    "scheme", ["baoab", "euler", "semi-implicit", "aboba"]
)  # two noises of a number share a pair
def test_a_number_is_drawn_like_a_vector_of_length_one(scheme):
    """Gradients that are carried from step to step see the image of the state as it is then."""
    drawn = []
    for theta in (Scalar("theta", domain=HALF), Vector("theta", domain=HALF)):
        r = Scalar("r") if isinstance(theta, Scalar) else Vector("r", like=theta)
        z, sum_of = Data("z"), (lambda e: e) if isinstance(theta, Scalar) else total
        U = Potential("U", theta)
        law = Posterior(theta, -z * sum_of(theta), sum_of(2 * log(theta) - theta), {z: np.ones(3)})
        recipe = Recipe(
            (theta, r), U + sum_of(r**2) / 2, Matrix([[0, 0], [0, C]]), Matrix([[0, -1], [1, 0]])
        )
        made = corv(bind(recipe, {U: law}), theta, maps.exp)
        start = (
            {"theta": 2.0, "r": 0.5} if isinstance(theta, Scalar) else {"theta": [2.0], "r": [0.5]}
        )
        draws = sample(
            made, scheme=scheme, step_size=0.1, steps=50, seed=3, params={C: 1.0}, initial=start
        )
        drawn.append(draws["theta"].reshape(-1))
    assert drawn[0] == pytest.approx(drawn[1], rel=1e-12)


EXTREMES = [
    (UNIT, lambda t: Rational(19, 20) * (log(t) + log(1 - t)), maps.sigmoid),
    (HALF, lambda t: 2 * t + Rational(19, 20) * log(t), maps.softplus),
    (SYMMETRIC, lambda t: Rational(19, 20) * log(1 - t**2), maps.tanh),
]


@pytest.mark.by_default(1)
@pytest.mark.parametrize(("domain", "H", "f"), EXTREMES)
def test_corv_steps_keep_their_digits_far_out(domain, H, f):
    """Beta(1/20, 1/20) has a twelfth of its mass where theta is 1 in floating point; against 800
    digits.
    """
    theta = Scalar("theta", domain=domain)
    made = corv(Recipe((theta,), H(theta), Matrix([[1]]), Matrix([[0]])), theta, f)
    (x,) = f.forward.variables
    slope = -(H(f.forward.expr) - log(f.forward.expr.diff(x) ** 2) / 2).diff(x)
    exact, loaded = lambdify(x, slope, "mpmath"), generate(made).load()
    for start in (-700, -40, -5, 0, 1, 5, 36, 37, 40, 300):
        state, out = (
            loaded.allocate(np.array([float(start)])),
            loaded.allocate(np.array([float(start)])),
        )
        loaded.step(out, state, (), 1.0, (), np.zeros((1, 1)))
        with mpmath.workdps(800):
            assert out.phi[0] - start == pytest.approx(float(exact(mpmath.mpf(start))), abs=1e-11)


@pytest.mark.slow
def test_an_image_that_overflows_stops_the_chain():
    theta, recipe = langevin(HALF)
    law = bind(
        ito(recipe, theta, maps.exp), {recipe.H: total(2 * theta - Rational(3, 2) * log(theta))}
    )
    draws = sample(law, step_size=0.0005, steps=40_000, seed=3, lengths={theta: 8})
    assert np.all(np.isfinite(draws["theta"]) | np.isnan(draws["theta"]))
    assert any("theta is not finite" in str(d) for d in draws.divergences) or np.all(
        np.isfinite(draws["theta"])
    )


def test_a_wrong_map_is_found_before_anything_runs():
    theta, recipe = langevin(UNIT)
    law = {recipe.H: total(0, over=theta)}
    not_onto = bind(corv(recipe, theta, maps.arctan), law)
    with pytest.raises(RecipeError, match=r"is refuted \(onto\)"):
        sample(not_onto, step_size=0.1, steps=10, lengths={theta: 1})
    with pytest.raises(
        RecipeError, match=r"is -0.795167 at phi = -3, outside of Interval.open\(0, 1\)"
    ):
        sample(not_onto, step_size=0.1, steps=10, lengths={theta: 1}, unproved=True)
    half, positive = langevin(HALF)
    wrong = bind(corv(positive, half, exp, inverse=lambda y: 2 * log(y)), {positive.H: total(half)})
    with pytest.raises(RecipeError, match="the inverse of theta = exp"):
        sample(wrong, step_size=0.1, steps=10, lengths={half: 1}, unproved=True)
    right = bind(corv(positive, half, exp), {positive.H: total(half)})
    with pytest.raises(RecipeError, match="initial= has both theta and phi"):
        sample(
            right,
            step_size=0.1,
            steps=10,
            lengths={half: 1},
            initial={"theta": [3.0], "phi": [-2.0]},
        )


def exponential_law():
    theta = Scalar("theta", domain=HALF)
    return theta, Recipe((theta,), theta, Matrix([[1]]), Matrix([[0]]))


def test_ito_keeps_a_process_that_leaves_its_domain_and_corv_does_not():
    """Langevin dynamics of exp(-theta) reach 0 in finite time, and so log(theta) goes to -oo."""
    theta, recipe = exponential_law()
    assert outcome_of(verify(recipe), "boundary").verdict is Verdict.REFUTED
    for f in (maps.exp, maps.softplus):
        report = verify(ito(recipe, theta, f))
        assert outcome_of(report, "non-explosion").verdict is Verdict.REFUTED
        assert (
            "phi goes to infinity where theta reaches its edge"
            in outcome_of(report, "non-explosion").by
        )
        assert report.verdict is Verdict.REFUTED
        assert verify(corv(recipe, theta, f)).verdict is Verdict.PROVED


def test_ito_of_a_process_that_stays_inside_does_not_explode():
    theta = Scalar("theta", domain=HALF)
    a = Symbol("a", positive=True)
    square_root = Recipe(
        (theta,), theta - a * log(theta), Matrix([[theta]]), Matrix([[0]])
    )  # shape 1 + a: never at 0
    assert (
        outcome_of(verify(ito(square_root, theta, maps.exp)), "non-explosion").verdict
        is Verdict.PROVED
    )


def test_one_block_stands_for_one_block():
    theta = Vector("theta", domain=HALF)
    phi, psi, U = (
        Preimage("phi", theta, maps.exp),
        Preimage("psi", theta, maps.softplus),
        Potential("U", theta),
    )
    for state in ((phi, psi), (phi, theta)):
        with pytest.raises(
            RecipeError,
            match=r"theta would be moved by .*: only one block of the state may stand for it",
        ):
            Recipe(state, U, Matrix([[1, 0], [0, 1]]), Matrix([[0, 0], [0, 0]]))


def test_what_is_taken_of_a_potential_at_another_point_says_in_which_coordinates():
    """Without the logarithm of the slope, exp(-U(f(phi))) must be normalisable as a function of
    phi, which is another matter.
    """
    theta = Vector("theta", domain=HALF)
    phi = Preimage("phi", theta, maps.softplus)
    report = verify(Recipe((phi,), Potential("U", theta), Matrix([[1]]), Matrix([[0]])))
    (assumed,) = outcome_of(report, "normalisable").assumptions
    assert assumed == "exp(-U) is normalisable, as a function of phi with theta = log(exp(phi) + 1)"


def test_nobody_else_says_what_a_recipe_was_made_from():
    theta, recipe = exponential_law()
    with pytest.raises(TypeError, match="transform"):
        Recipe(
            recipe.state,
            recipe.H,
            Matrix([[1]]),
            Matrix([[0]]),
            transform=ito(recipe, theta, maps.exp).transform,
        )


def test_a_decreasing_map_and_constants_in_a_map():
    theta, recipe = langevin(Interval.open(-oo, 0))
    made = corv(recipe, theta, lambda p: -pi * exp(Rational(1, 2) * p))
    assert outcome_of(verify(made), "stationarity").verdict is Verdict.PROVED
