"""The parameterisations of Patterson & Teh (2013), Table 1, for every K; and once more in explicit
coordinates, for small K.
"""

import mpmath
import numpy as np
import pytest
import sympy
from helpers.outcomes import outcome_of
from oracles.explicit import evaluate, world_of
from oracles.explicit_kernels import log_ratio
from sympy import Matrix, Rational, Symbol, exp, log, sqrt

from catalog import (
    sgrld_simplex_expanded_mean,
    sgrld_simplex_expanded_natural,
    sgrld_simplex_reduced_mean,
    sgrld_simplex_reduced_natural,
)
from catalog.wright_fisher_dirichlet import mutation, wright_fisher_dirichlet
from codegen import sample
from recipe import (
    Noise,
    Recipe,
    RecipeError,
    Simplex,
    Update,
    Vector,
    compose,
    derive,
    metropolis,
    mirror,
    outer,
    total,
)
from verify import Verdict, verify
from verify.decide.zero.decide import vanishes
from verify.engine import outcome_of as outcome_about
from verify.kernels.hastings import decide_hastings

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED
NAMES = ("reduced_mean", "reduced_natural", "expanded_mean", "expanded_natural")
MODULES = dict(
    zip(
        NAMES,
        (
            sgrld_simplex_reduced_mean,
            sgrld_simplex_reduced_natural,
            sgrld_simplex_expanded_mean,
            sgrld_simplex_expanded_natural,
        ),
        strict=True,
    )
)
every_parameterisation = pytest.mark.parametrize("name", NAMES)


def recipe_of(name: str) -> Recipe:
    return getattr(MODULES[name], f"sgrld_simplex_{name}")


# -- for every K
# --------------------------------------------------------------------------------------------------


@every_parameterisation
def test_the_published_gradient_is_the_derivative_of_the_log_posterior(name):
    assert vanishes(MODULES[name].gradient + derive(recipe_of(name)).gradient[MODULES[name].theta])


@every_parameterisation
def test_the_published_curvature_terms_make_the_correction(name):
    module = MODULES[name]
    gamma = derive(recipe_of(name)).gamma[module.theta]
    assert vanishes(gamma + 2 * module.first_curvature_term - module.second_curvature_term)
    assert vanishes(
        gamma + module.first_curvature_term
    )  # minus the derivative of G^-1 is the first term itself


@pytest.mark.by_default(2)
@every_parameterisation
def test_everything_but_the_edge_is_proved(name):
    report = verify(recipe_of(name))
    wanted = {
        "well-defined",
        "diffusion-symmetric",
        "diffusion-psd",
        "stationarity",
        "agrees-with-update",
        "normalisable",
    }
    wanted |= {"noise-factor"} if name.startswith("reduced") else set()
    assert {line.name for line in report.lines if line.outcome.verdict is PROVED} >= wanted
    assert not [line.name for line in report.lines if line.outcome.verdict is REFUTED]


@pytest.mark.slow
def test_the_gradient_as_printed_is_refuted_at_a_point():
    printed = sgrld_simplex_reduced_mean.sgrld_simplex_reduced_mean_as_printed
    report = verify(printed)
    assert report.verdict is REFUTED
    assert printed.expect == "refuted"
    assert outcome_of(report, "stationarity").witness is not None
    assert outcome_of(report, "diffusion-psd").verdict is PROVED


@pytest.mark.by_default("expanded_mean-left out")
@pytest.mark.parametrize("wrong", [1, -1, -2], ids=["doubled", "left out", "of the other sign"])
@pytest.mark.parametrize("name", ["expanded_mean", "reduced_mean"])
def test_a_wrong_correction_is_refuted(name, wrong):
    module, recipe = MODULES[name], recipe_of(name)
    gamma = derive(recipe).gamma[module.theta]
    rule = {module.theta: recipe.update.rule[0][1] + wrong * module.epsilon * gamma}
    outcome = outcome_about(Update(module.epsilon, rule, recipe.H), "stationarity")
    assert outcome.verdict is REFUTED


def test_the_metrics_are_positive_semidefinite_without_being_told_a_root():
    for name in NAMES:
        recipe = recipe_of(name)
        bare = Recipe(recipe.state, recipe.H, recipe.D.written, recipe.Q.written)
        assert outcome_of(verify(bare), "diffusion-psd").verdict is PROVED, name
    p = Vector("p", domain=Simplex())
    assert (
        outcome_of(
            verify(Recipe((p,), 0, p - Rational(3, 2) * outer(p, p), 0)), "diffusion-psd"
        ).verdict
        is REFUTED
    )


def test_wright_fisher_moves_by_mutation_at_twice_its_time():
    assert vanishes(
        derive(wright_fisher_dirichlet).dynamics.drift[wright_fisher_dirichlet.state[0]]
        - 2 * mutation
    )


# -- in explicit coordinates
# --------------------------------------------------------------------------------------------------


class Typed:
    """Law and metric of one parameterisation, typed anew in K or K - 1 explicit coordinates, with
    numbers for n and alpha.
    """

    def __init__(self, name: str, d: int) -> None:
        self.module, self.recipe, self.world = (
            MODULES[name],
            recipe_of(name),
            world_of(recipe_of(name).state, d),
        )
        self.t = self.world.coordinates(self.module.theta)
        self.reduced, natural = name.startswith("reduced"), name.endswith("natural")
        self.u = [exp(s) for s in self.t] if natural else list(self.t)
        rest = [] if not self.reduced else [1] if natural else [1 - sum(self.u)]
        self.pi = [s / sum([*self.u, *rest]) for s in (*self.u, *rest)]
        self.n, self.alpha = (self.numbers(letter, d) for letter in ("n", "alpha"))
        self.point = {s: Rational(2 * k + 3, 5 * d + 7) for k, s in enumerate(self.t)}

    def numbers(self, letter: str, d: int) -> list[sympy.Expr]:
        own = [self.world.read(getattr(self.module, letter), {0: k}) for k in range(d)]
        return own + (
            [self.world.read(getattr(self.module, f"{letter}_K"), {})] if self.reduced else []
        )

    def minus_log_density(self) -> sympy.Expr:
        """Dirichlet's law of K - 1 probabilities, or gamma laws and the probability of the counts;
        and the Jacobian.
        """
        likelihood = -sum((k * log(p) for k, p in zip(self.n, self.pi, strict=True)), sympy.S.Zero)
        if self.reduced:
            prior, images = (
                -sum((a - 1) * log(p) for a, p in zip(self.alpha, self.pi, strict=True)),
                self.pi[:-1],
            )
        else:
            prior, images = (
                -sum((a - 1) * log(u) - u for a, u in zip(self.alpha, self.u, strict=True)),
                self.u,
            )
        return likelihood + prior - log(Matrix(images).jacobian(self.t).det())

    def metric(self) -> Matrix:
        """Fisher's information of all observations about the probabilities, or that of Poisson
        counts with means u.
        """
        d = len(self.t)
        if self.reduced:
            slopes = [[sympy.diff(log(p), s) for s in self.t] for p in self.pi]
            pairs = list(zip(self.pi, slopes, strict=True))
            return sum(self.n) * Matrix(
                d, d, lambda i, j: sum(p * row[i] * row[j] for p, row in pairs)
            )
        return Matrix(
            d,
            d,
            lambda i, j: sum(
                sympy.diff(log(u), self.t[i]) * sympy.diff(u, self.t[j]) for u in self.u
            ),
        )

    def number(self, e: sympy.Expr) -> mpmath.mpf:
        return evaluate(e, self.point)

    def numeric(self, M: Matrix) -> mpmath.matrix:
        return mpmath.matrix([[self.number(e) for e in row] for row in M.tolist()])


@pytest.mark.slow_for("reduced_natural-3")
@pytest.mark.parametrize("d", [1, 2, 3])
@every_parameterisation
def test_the_drift_is_that_of_girolami_and_calderhead_in_explicit_coordinates(name, d):
    """``G^-1 grad log p - 2 G^-1 dG G^-1 + G^-1 tr(G^-1 dG)``, with the metric and the posterior
    typed anew.
    """
    typed = Typed(name, d)
    theta, G, H = typed.module.theta, typed.metric(), typed.minus_log_density()
    drift = typed.world.vector(derive(typed.recipe).dynamics.drift[theta], theta)
    D = typed.recipe.D.entry(theta, theta)
    with mpmath.workdps(40):
        inverse = mpmath.inverse(typed.numeric(G))
        slopes = [typed.numeric(G.diff(s)) for s in typed.t]
        gradient = mpmath.matrix([-typed.number(H.diff(s)) for s in typed.t])
        firsts = [inverse * S * inverse for S in slopes]
        traces = [sum((inverse * S)[k, k] for k in range(d)) for S in slopes]
        for j in range(d):
            first = sum(firsts[k][j, k] for k in range(d))
            second = sum(inverse[j, k] * traces[k] for k in range(d))
            assert (
                abs((inverse * gradient)[j] - 2 * first + second - typed.number(drift[j])) < 1e-30
            )
            assert all(
                abs(inverse[j, k] - typed.number(typed.world.derived_entry(D, j, k))) < 1e-30
                for k in range(d)
            )


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("name", ["reduced_mean", "reduced_natural"])
def test_the_acceptance_of_a_correlated_proposal_is_that_of_its_covariance_matrix(name, d):
    recipe = recipe_of(name)
    part = metropolis(recipe, "euler")
    world = world_of([*recipe.state, *(b for _, b in part.partners)], d)
    old, new = (world.coordinates(b) for b in part.partners[0])
    x = {s: Rational(k + 1, 7) for k, s in enumerate(old)}
    y = {s: Rational(k + 2, 9) for k, s in enumerate(new)}
    forward = world.read(part.cost, {})
    swapped = forward.xreplace(dict(zip([*old, *new], [*new, *old], strict=True)))
    with mpmath.workdps(40):
        ours = evaluate(forward, x | y) - evaluate(swapped, x | y)
        theirs = log_ratio(world, part.proposal, x, dict(zip(old, y.values(), strict=True)))
        assert abs(ours - theirs) < 1e-30


# -- Metropolis tests
# --------------------------------------------------------------------------------------------------


@pytest.mark.slow_for("reduced_natural")
@every_parameterisation
def test_a_metropolis_test_makes_the_euler_step_exact_for_every_K(name):
    assert decide_hastings(metropolis(recipe_of(name), "euler")).verdict is PROVED


@pytest.mark.parametrize(
    "recipe",
    [wright_fisher_dirichlet, recipe_of("expanded_mean")],
    ids=["wright_fisher", "expanded_mean"],
)
def test_what_is_said_of_a_tested_step(recipe):
    report = verify(compose(metropolis(recipe, "euler")))
    assert report.verdict is PROVED
    assert {line.outcome.verdict for line in report.lines} == {PROVED}
    assert "a proposal outside the domain of theta is rejected" in str(report)


def test_a_wrong_density_of_a_correlated_proposal_is_not_proved():
    part = metropolis(wright_fisher_dirichlet, "euler")
    for e in (part.cost + log(1 - total(part.proposal.state[0])), part.cost * 2):
        assert decide_hastings(type(part)(part.proposal, part.partners, e)).verdict is not PROVED


def test_noise_along_two_directions_is_refused():
    theta = Vector("theta")
    w, h = Noise("w", like=theta), Symbol("h", positive=True)
    rule = {theta: theta + sqrt(h) * (w + theta * total(w) + total(theta * w))}
    with pytest.raises(RecipeError, match="couples coordinates"):
        metropolis(Update(h, rule, total(theta**2) / 2))


# -- draws
# --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_draws_have_the_mean_of_the_dirichlet_law():
    n, alpha = np.array([3.0, 1.0, 0.0]), np.array([2.0, 1.0, 2.0])
    for name, params, step in (
        ("reduced_mean", {"n": n[:-1], "n_K": 2, "alpha": alpha[:-1], "alpha_K": 2}, 0.3),
        ("expanded_natural", {"n": [3, 1, 2], "alpha": [2, 1, 2]}, 0.1),
    ):
        drawn = sample(
            compose(metropolis(recipe_of(name), "euler")),
            steps=40_000,
            warmup=2_000,
            thin=4,
            step_size=step,
            params=params,
            chains=2,
            seed=5,
            progress=False,
        )["theta"]
        u = (
            np.exp(drawn)
            if name.endswith("natural")
            else np.concatenate([drawn, 1 - drawn.sum(-1, keepdims=True)], -1)
        )
        pi = u / u.sum(-1, keepdims=True)
        a = np.array([5.0, 2.0, 4.0])
        assert np.abs(pi.mean((0, 1)) - a / a.sum()).max() < 0.01
        assert np.abs(pi.var((0, 1)) - a * (11 - a) / (11**2 * 12)).max() < 0.002


def test_a_step_that_may_leave_the_simplex_is_refused_before_it_runs():
    with pytest.raises(
        RecipeError, match="a step can take theta out of its domain, the open simplex"
    ) as refused:
        sample(recipe_of("reduced_mean"), steps=10, step_size=0.1, scheme="euler", progress=False)
    assert "a Metropolis test rejects such a step" in str(refused.value)


@pytest.mark.slow
def test_a_test_that_is_reflected_samples_the_expanded_mean():
    recipe = recipe_of("expanded_mean")
    kernel = compose(metropolis(mirror(recipe, *recipe.state), "euler"))
    drawn = sample(
        kernel,
        steps=60_000,
        warmup=2_000,
        thin=4,
        step_size=0.2,
        params={"n": [1, 0, 2], "alpha": [1, 2, 1]},
        chains=2,
        seed=1,
        progress=False,
    )["theta"]
    pi = drawn / drawn.sum(-1, keepdims=True)
    assert np.abs(pi.mean((0, 1)) - np.array([2, 2, 3]) / 7).max() < 0.01
    assert abs(drawn.sum(-1).mean() - 4) < 0.1  # of the gamma laws before the data
