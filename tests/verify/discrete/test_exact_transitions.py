"""Exact transitions: what the scheme makes, what it refuses, that its laws are proved and mutants
are not, its moments.
"""

import re
from dataclasses import replace

import mpmath
import numpy as np
import pytest
import sympy
from generators.mutated_splittings import mutated
from helpers.command import command
from sympy import Function, Interval, Matrix, Symbol, cancel, exp, log, oo, sqrt

from catalog.lognormal_exp_ou import lognormal, lognormal_exp_ou
from catalog.scir import scir, scir_posterior
from catalog.sghmc import sghmc
from recipe import (
    Data,
    Discretisation,
    Noise,
    NoncentralChiSquared,
    Parameter,
    Posterior,
    Potential,
    Recipe,
    RecipeError,
    Scalar,
    Update,
    Vector,
    bind,
    discretise,
    discretised,
    total,
)
from recipe.language.phi import Phi
from recipe.rebuild.map_expressions import rewritten
from verify import Verdict, verify
from verify.discrete.exact.law import law_of
from verify.discrete.exact.moments import moments_of
from verify.discrete.exact.transition import judged
from verify.obligations.step.consistency import CONSISTENCY
from verify.obligations.step.exact_transition import EXACT_TRANSITION
from verify.subject import subject_of

h = Symbol("step_size", positive=True)
theta = Vector("theta", domain=Interval.open(0, oo))
half, x, y = (
    Scalar("half", domain=Interval.open(0, oo)),
    Vector("x"),
    Vector("y", domain=Interval.open(0, 1)),
)
a = Parameter("a", like=theta, positive=True)
b, c, s, k = (Symbol(name, positive=True) for name in ("b", "c", "s", "k"))
rate, m = Symbol("l", real=True), Symbol("m", real=True)
w = Noise("w", like=theta)


def overdamped(H, D, block=theta):
    return Recipe((block,), H, Matrix([[D]]), Matrix([[0]]))


def logit(p):
    return log(p / (1 - p))


COUNTS = np.eye(4)[np.repeat([0, 1, 2], [8, 1, 1])]
z, alpha = Data("z", like=theta), Symbol("alpha", positive=True)


def counts(prior=None):
    prior = (alpha - 1) * log(theta) - theta if prior is None else prior
    return Posterior(theta, total(z * log(theta)), total(prior), {z: COUNTS})


(U,) = scir_posterior.H.atoms(Potential)
X = scir_posterior.state[0]


def of_counts():
    x = X
    data = Data("z", like=x)
    return Posterior(x, total(data * log(x)), total((alpha - 1) * log(x) - x), {data: COUNTS})


KNOWN = {
    "Ornstein-Uhlenbeck": overdamped(total((x - m) ** 2) / (2 * s**2), b, x),
    "one number": overdamped((Scalar("u") - m) ** 2 * k / 2, b, Scalar("u")),
    "square root": overdamped(total(b * theta / c - (a - 1) * log(theta)), c * theta),
    "of one number": overdamped(b * half / c - (k - 1) * log(half), c * half, half),
    "of any rate": overdamped(total(rate * theta / c - (a - 1) * log(theta)), c * theta),
    "exponential": lognormal_exp_ou,
    "logit-normal": overdamped(
        total(log(y) + log(1 - y) + (logit(y) - m) ** 2 / (2 * s**2)), b * y**2 * (1 - y) ** 2, y
    ),
    "two blocks": Recipe(
        (x, half),
        total(x**2) / 2 + half - (k - 1) * log(half),
        Matrix([[1, 0], [0, half]]),
        Matrix.zeros(2),
    ),
}


def line(step, obligation=EXACT_TRANSITION):
    return obligation.discharge(subject_of(step))


@pytest.mark.slow_for("logit-normal")
@pytest.mark.parametrize("name", KNOWN)
def test_what_is_known_is_proved(name):
    step = discretised(KNOWN[name], "exact")
    assert line(step).verdict is Verdict.PROVED
    assert line(step, CONSISTENCY).verdict is Verdict.PROVED


def test_the_rules_as_they_are_printed():
    _, rule = discretise(scir, "exact").rule[0]
    x, shape = scir.state[0], scir.parameters[0]
    (draw,) = rule.atoms(NoncentralChiSquared)
    assert cancel(rule / draw - (1 - exp(-h)) / 2) == 0
    assert draw.df == 2 * shape
    assert cancel(draw.nonc - 2 * x * exp(-h) / (1 - exp(-h))) == 0
    _, rule = discretise(KNOWN["of any rate"], "exact").rule[0]
    assert rule.has(Phi)  # a rate that may be zero leaves no hole
    _, rule = discretise(lognormal_exp_ou, "exact").rule[0]
    assert isinstance(rule, exp)


@pytest.mark.parametrize(
    ("recipe", "sentence"),
    [
        (
            scir_posterior,
            "the drift of theta has the term -theta*grad(U, theta), which is not affine in theta",
        ),
        (
            overdamped(total(x**4), 1, x),
            "the drift of x has the term -4*x**3, which is not affine in x",
        ),
        (overdamped(total(theta**2) / 2, 1), "D[theta, theta] = 1 on Interval.open(0, oo)"),
        (overdamped(total(x**2) / 2, 1 + x**2, x), "which is not affine in x"),
        (sghmc, "the drift of theta has the term r, which is moved by r as well"),
        (overdamped(total(x) ** 2 / 2 + total(x**2), 1, x), "which is not affine in x"),
        (overdamped(total(Function("g")(theta)), theta), "is not affine in theta"),
    ],
)
def test_what_is_not_known_is_refused_with_the_guilty_term(recipe, sentence):
    with pytest.raises(RecipeError) as refused:
        discretise(recipe, "exact")
    assert sentence in str(refused.value)


# -- mutants
# --------------------------------------------------------------------------------------------------


def changed(recipe, change):
    step = discretised(recipe, "exact")
    block, rule = step.update.rule[0]
    return replace(step, update=Update(step.update.step, {block: change(rule)}, step.update.target))


def drawing(df=lambda e: e, nonc=lambda e: e):
    def change(rule):
        (x,) = rule.atoms(NoncentralChiSquared)
        return rule.xreplace({x: NoncentralChiSquared(x.noise, df(x.df), nonc(x.nonc))})

    return change


WRONG = {
    "df": drawing(df=lambda e: e / 2),
    "df plus one": drawing(df=lambda e: e + 1),
    "df of the state": drawing(df=lambda e: e + theta),
    "df of the step": drawing(df=lambda e: e * exp(h)),
    "nonc": drawing(nonc=lambda e: 2 * e),
    "nonc shifted": drawing(nonc=lambda e: e + 1),
    "scale": lambda e: 2 * e,
    "scale that grows": lambda e: e * exp(h),
    "rate": lambda e: e.xreplace({h: 2 * h}),
    "both factors": lambda e: 2 * drawing(nonc=lambda n: n / 2)(e),
}


@pytest.mark.parametrize("name", WRONG)
def test_mutants_of_a_square_root_process_are_refuted(name):
    outcome = line(changed(KNOWN["square root"], WRONG[name]))
    assert outcome.verdict is Verdict.REFUTED
    assert outcome.witness is not None


NORMAL = {
    "noise twice": lambda e: e.xreplace({n: 2 * n for n in e.atoms(Noise)}),
    "rate": lambda e: e.xreplace({h: 2 * h}),
    "mean": lambda e: e.xreplace({m: m + 1}),
}


@pytest.mark.parametrize("name", NORMAL)
@pytest.mark.parametrize("recipe", ["Ornstein-Uhlenbeck", "exponential"])
def test_mutants_of_normal_laws_are_refuted(recipe, name):
    change = NORMAL[name] if recipe != "exponential" or name != "mean" else lambda e: e * exp(1)
    outcome = line(changed(KNOWN[recipe], change))
    assert outcome.verdict is Verdict.REFUTED


@pytest.mark.parametrize("recipe", ["Ornstein-Uhlenbeck", "exponential"])
def test_the_sign_of_the_noise_is_no_mistake(recipe):
    assert (
        line(changed(KNOWN[recipe], lambda e: e.xreplace({n: -n for n in e.atoms(Noise)}))).verdict
        is Verdict.PROVED
    )


def test_a_mutant_of_a_map_that_is_not_read_is_left_open():
    outcome = line(changed(KNOWN["logit-normal"], lambda e: e**2))
    assert outcome.verdict is Verdict.UNDECIDED


def test_a_law_that_there_is_not_for_every_parameter():
    shape = Parameter("shape", like=theta)
    outcome = line(discretised(overdamped(total(theta - (shape - 1) * log(theta)), theta), "exact"))
    assert outcome.verdict is Verdict.REFUTED
    assert "2*shape > 0 fails" in outcome.by


def test_a_normal_law_does_not_live_on_a_half_line():
    step = discretised(overdamped(total(x**2) / 2, 1, x), "exact")
    on_half = overdamped(total(theta**2) / 2, 1)
    rule = dict(step.update.rule)[x].xreplace({x: theta, Noise("w_x", like=x): w})
    moved = replace(step.exact.transitions[0], block=theta, variable=theta, value=rule, base=rule)
    claimed = Discretisation(
        on_half,
        "exact",
        Update(h, {theta: rule}, on_half.H),
        exact=replace(step.exact, transitions=(moved,)),
    )
    assert line(claimed).verdict is Verdict.UNDECIDED


def test_blocks_that_share_a_draw_are_not_proved():
    step = discretised(
        Recipe(
            (Scalar("u"), Scalar("v")),
            Scalar("u") ** 2 / 2 + Scalar("v") ** 2 / 2,
            Matrix.eye(2),
            Matrix.zeros(2),
        ),
        "exact",
    )
    (u, first), (v, second) = step.update.rule
    (one,), (other,) = (e.atoms(type(Noise("n", like=u))) for e in (first, second))
    shared = replace(
        step, update=Update(h, {u: first, v: second.xreplace({other: one})}, step.update.target)
    )
    assert line(step).verdict is Verdict.PROVED
    assert line(shared).verdict is Verdict.UNDECIDED


def test_motions_of_one_letter_that_move_by_one_another_are_seen():
    """The flow of each by itself is not that of both, however the splitting came about."""
    step = discretised(sghmc, "baoab")
    flows = list(step.splitting.flows)
    kick, move = flows[0], flows[1]
    together = tuple(
        replace(f, letter="A") if f.motion in (kick.motion, move.motion) else f for f in flows
    )
    splitting = replace(step.splitting, flows=together)
    outcome = line(replace(step, splitting=splitting))
    assert outcome.verdict is Verdict.UNDECIDED
    assert "moves in the same piece" in outcome.by
    assert line(mutated(step, 0)).verdict is Verdict.PROVED


@pytest.mark.parametrize("name", ["square root", "exponential"])
def test_a_step_is_rewritten_with_its_transitions(name):
    """With one number for the mean and another for the rate it is the step of the recipe with these
    numbers.
    """

    def put(e):
        return e.xreplace({m: sympy.Integer(2), b: sympy.Rational(1, 3)})

    moved = rewritten(discretised(KNOWN[name], "exact"), put)
    again = discretised(rewritten(KNOWN[name], put), "exact")
    assert [t.block for t in moved.exact.transitions] == [t.block for t in again.exact.transitions]
    for ours, theirs in zip(moved.exact.transitions, again.exact.transitions, strict=True):
        assert sympy.simplify(ours.base - theirs.base) == 0
    assert moved.exact.update.rule == moved.update.rule
    assert moved.exact.recipe.H == again.of.H
    assert line(moved).verdict is Verdict.PROVED


# -- a second look: the transform by the textbook density
# -----------------------------------------------------------------------


@pytest.mark.slow
def test_the_transform_of_the_draw_against_its_density():
    """``E exp(s X)`` of the law by its density, a Bessel function, in 30 digits."""
    x = NoncentralChiSquared(w, sympy.Rational(7, 5), sympy.Rational(9, 4))
    from recipe.language.chi_squared import log_laplace, moment

    with mpmath.workdps(30):
        df, nonc = mpmath.mpf(7) / 5, mpmath.mpf(9) / 4

        def density(t):
            root = mpmath.sqrt(nonc * t)
            return (
                mpmath.exp(-(t + nonc) / 2)
                / 2
                * (t / nonc) ** (df / 4 - mpmath.mpf(1) / 2)
                * mpmath.besseli(df / 2 - 1, root)
            )

        def mean(f):
            return mpmath.quad(lambda t: f(t) * density(t), [0, 1e-6, 1e-2, 1, 5, 20, 80, 300])

        assert (
            abs(
                mean(lambda t: mpmath.exp(-t / 3))
                - mpmath.mpf(str(sympy.exp(log_laplace(x, -sympy.Rational(1, 3))).evalf(30)))
            )
            < 1e-9
        )
        for n in (1, 2, 3, 4):
            assert abs(
                mean(lambda t, n=n: t**n) - mpmath.mpf(str(moment(x, n).evalf(30)))
            ) < 1e-6 * abs(float(moment(x, n)))


def test_euler_steps_come_to_the_same_moments():
    """Mean and variance at time 1 by their differential equations, solved by hand: m' = a - m, v' =
    2 m - 2 v.
    """
    law = law_of(dict(discretise(scir, "exact").rule)[scir.state[0]], scir.state[0])
    at = {scir.state[0]: 3, scir.parameters[0]: sympy.Rational(1, 2), h: 1}
    mean, variance = (float(e.subs(at)) for e in (law.mean, law.variance))
    n = 20_000
    slow_mean, slow_variance = 3.0, 0.0
    for _ in range(n):
        slow_mean, slow_variance = (
            slow_mean + (0.5 - slow_mean) / n,
            slow_variance + (2 * slow_mean - 2 * slow_variance) / n,
        )
    assert mean == pytest.approx(slow_mean, rel=1e-3)
    assert variance == pytest.approx(slow_variance, rel=1e-3)


# -- moments
# --------------------------------------------------------------------------------------------------


def moments(recipe):
    step = discretised(recipe, "exact")
    ((_, process),) = judged(subject_of(step), step.update, step.exact)
    return moments_of(process.law, process.variable, step.update.step)


def test_the_moments_of_scir_are_those_of_corollary_3_2():
    found = moments(scir)
    x, shape, M = found.start, found.a, found.M
    r, R = exp(-h), exp(-M * h)
    for ours, theirs in (
        (found.mean, x * R + shape * (1 - R)),
        (found.variance, 2 * x * (R - R**2) + shape * (1 - R) ** 2),
        (found.gain, (1 - R**2) * (1 - r) / (1 + r)),
    ):
        assert sympy.simplify(ours - theirs) == 0


def test_moments_by_carrying_out_the_steps():
    """M steps of mean and variance one after another in exact numbers, with an estimate of a that
    has variance 7/3.
    """
    found = moments(scir)
    law = law_of(dict(discretise(scir, "exact").rule)[found.start], found.start)
    at = {found.a: sympy.Rational(1, 5), h: sympy.Rational(1, 3)}
    mean, variance = sympy.Integer(2), sympy.Integer(0)
    weight = 1 - exp(-at[h])
    for _ in range(4):
        own = law.variance.subs(at).subs(
            found.start, mean
        )  # affine in the state, so its mean is its value at the mean
        mean, variance = (
            law.mean.subs(at).subs(found.start, mean),
            own + exp(-2 * at[h]) * variance + weight**2 * sympy.Rational(7, 3),
        )
    wanted = (
        (found.variance + found.gain * sympy.Rational(7, 3))
        .subs(at)
        .subs({found.start: 2, found.M: 4})
    )
    assert abs(float((variance - wanted).evalf(30))) < 1e-20
    assert (
        abs(float((mean - found.mean.subs(at).subs({found.start: 2, found.M: 4})).evalf(30)))
        < 1e-20
    )


def test_the_moments_are_printed():
    said = command("verify", "scir", "--scheme", "exact")
    assert said.returncode == 0
    assert (
        "after M steps from theta the mean is theta*exp(-M*step_size) + a*(1 - exp(-M*step_size))"
        in said.stdout
    )
    assert (
        "the variance gains (1 - exp(-step_size))*(1 - exp(-M*step_size))*(1 +"
        " exp(-M*step_size))/(1 + exp(-step_size))" in said.stdout
    )


# -- data
# --------------------------------------------------------------------------------------------------


def test_counts_make_any_law_a_square_root_process():
    step = discretised(bind(scir_posterior, {U: of_counts()}), "exact")
    assert str(dict(step.update.rule)[X]).startswith(
        "(1/2 - exp(-step_size)/2)*NoncentralChiSquared(w_theta, -2*theta*grad(U, theta) + 2*theta"
        " + 2,"
    )
    outcome = line(step)
    assert outcome.verdict is Verdict.PROVED
    assert outcome.assumptions == (
        (
            "the data are such that 2*alpha - 2*data_theta > 0, with data_theta the sum over the"
            " data of -z"
        ),
    )
    assert any("a = -theta*grad(U, theta) + theta + 1" in fact for fact in outcome.facts)
    assert line(step, CONSISTENCY).verdict is Verdict.PROVED


def test_a_prior_that_bends_the_drift_is_refused():
    data = Data("z", like=X)
    bent = Posterior(X, total(data * log(X)), total(-(X**2)), {data: COUNTS})
    with pytest.raises(
        RecipeError, match=r"the drift of theta has the term -2\*theta\*\*2, which is not affine"
    ):
        discretise(bind(scir_posterior, {U: bent}), "exact")
    normal = Posterior(X, total(-((data - X) ** 2)), total(-X), {data: COUNTS})
    with pytest.raises(
        RecipeError, match=r"the drift of theta has the term -theta\*grad\(U, theta\)"
    ):
        discretise(bind(scir_posterior, {U: normal}), "exact")


# -- geometric Brownian motion
# ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_geometric_brownian_motion_has_no_stationary_law():
    """Baker et al. (2018), section 2.3, say that it has a log-normal one."""
    theta = lognormal_exp_ou.state[0]
    w, sigma, mu = Noise("w", like=theta), Symbol("sigma", positive=True), Symbol("nu", real=True)
    claim = Update(h, {theta: theta + h * mu * theta + sqrt(h) * sigma * theta * w}, lognormal)
    assert verify(claim).verdict is Verdict.REFUTED
    exactly = Update(
        h, {theta: theta * exp((mu - sigma**2 / 2) * h + sqrt(h) * sigma * w)}, lognormal
    )
    assert verify(exactly).verdict is Verdict.REFUTED
    # The density that its current leaves alone is a power of theta, which is not normalisable for
    # any mu and sigma.
    power = overdamped(total((2 - 2 * mu / sigma**2) * log(theta)), sigma**2 * theta**2 / 2, theta)
    lines = {entry.name: entry.outcome.verdict for entry in verify(power).lines}
    assert lines["stationarity"] is Verdict.PROVED
    assert lines["normalisable"] is Verdict.REFUTED
    assert verify(power).verdict is Verdict.REFUTED


def test_the_schemes_of_the_command():
    said = command("schemes", "scir")
    assert re.search(r"^    exact +the law after a step in closed form", said.stdout, re.MULTILINE)
    said = command("schemes", "sghmc")
    assert "exact                does not fit: the drift of theta has the term r" in said.stdout
