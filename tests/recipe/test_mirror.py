"""Reflections: the folds of a step against a loop of reflections, what a scheme makes of them, and
rules that fold wrongly.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from helpers.outcomes import outcome_of
from oracles.slow_step import slow_step
from sympy import Interval, Matrix, Rational, S, Symbol, exp, log, oo, pi, sqrt

from catalog.mirror_sghmc import mirror_sghmc
from catalog.mirror_sgld import mirror_sgld
from codegen import generate, sample
from codegen.device import folds
from codegen.lowering import fold_forms
from recipe import (
    Dense,
    Fold,
    FoldSign,
    Kernel,
    Noise,
    NoncentralChiSquared,
    Potential,
    Recipe,
    RecipeError,
    Reflection,
    Scalar,
    Simplex,
    Update,
    Vector,
    bind,
    derive,
    discretise,
    discretised,
    grad,
    limit_of,
    metropolis,
    mirror,
    outer,
    spread,
    step,
    total,
)
from recipe.declare.reflect_update import unfolded
from recipe_cli.program.translation import translation_of
from verify import Verdict, verify

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED

theta = Vector("theta", domain=Interval(0, oo))
r, z = Vector("r", like=theta), Vector("z", like=theta)
U, C, eps = Potential("U", theta), Symbol("C", positive=True), Symbol("epsilon", positive=True)
w = Noise("w", like=theta)
FRICTION, CANONICAL = Matrix([[0, 0], [0, C]]), Matrix([[0, -1], [1, 0]])
HALF, UPPER, BOTH = Interval.open(0, oo), Interval.open(-oo, 3), Interval.open(-1, 2)

inside = Vector("theta", domain=HALF)
shape, rate = Symbol("shape", positive=True), Symbol("rate", positive=True)
GAMMA = mirror(Recipe((inside,), total(rate * inside - (shape - 1) * log(inside)), 1, 0), inside)


def pair(domain, force):
    q = Vector("q", domain=domain)
    p = Vector("p", like=q)
    return mirror(Recipe((q, p), total(force(q) + p**2 / 2), FRICTION, CANONICAL), q)


# -- the folds themselves
# --------------------------------------------------------------------------------------------------

POINTS = [Fraction(k, 8) for k in range(-200, 201)] + [
    Fraction(10**6 * k + 3, 8) for k in range(-3, 4)
]


def one_after_another(x, lower, upper):
    """Reflect at the end that was passed, until the point lies inside."""
    sign = 1
    while (lower is not None and x < lower) or (upper is not None and x > upper):
        x, sign = 2 * (lower if lower is not None and x < lower else upper) - x, -sign
    return x, sign


CASES = {
    "half line": ((0, None), folds.fold_above, folds.turn_above, fold_forms.FoldAbove),
    "half line from 5/2": (
        (Fraction(5, 2), None),
        folds.fold_above,
        folds.turn_above,
        fold_forms.FoldAbove,
    ),
    "below 3": ((None, 3), folds.fold_below, folds.turn_below, fold_forms.FoldBelow),
    "between -1 and 2": (
        (-1, 2),
        folds.fold_between,
        folds.turn_between,
        fold_forms.FoldBetween,
    ),
    "between 0 and 1/4": (
        (0, Fraction(1, 4)),
        folds.fold_between,
        folds.turn_between,
        fold_forms.FoldBetween,
    ),
}


@pytest.mark.slow_for("between -1 and 2")
@pytest.mark.parametrize("name", CASES)
def test_a_fold_is_one_reflection_after_another(name):
    (lower, upper), fold, turn, atom = CASES[name]
    ends = [Rational(e.numerator, e.denominator) for e in (lower, upper) if e is not None]
    limits = [float(end) for end in fold_forms.limits_of(atom(Symbol("x"), *ends))]
    for x in (x for x in POINTS if abs(x) < 1000 or name != "between 0 and 1/4"):
        exact, sign = one_after_another(x, lower, upper)
        found = fold(float(x), *limits)
        on_an_end = exact in (lower, upper)
        assert found == pytest.approx(
            float(exact), abs=1e-300 if on_an_end and exact == 0 else 1e-9
        )
        assert lower is None or found > lower
        assert upper is None or found < upper
        if not on_an_end:  # there the parity is that of either side
            assert turn(float(x), *map(float, ends)) == sign
            assert x != exact or found == float(x)  # what is inside keeps its bits


@pytest.mark.parametrize("name", CASES)
def test_what_is_no_number_stays_none(name):
    (lower, upper), fold, _, atom = CASES[name]
    ends = (Rational(e.numerator, e.denominator) for e in (lower, upper) if e is not None)
    limits = [float(end) for end in fold_forms.limits_of(atom(Symbol("x"), *ends))]
    assert math.isnan(fold(math.nan, *limits))
    for end in (math.inf, -math.inf):
        assert not math.isfinite(fold(end, *limits))


def test_an_edge_itself_is_left_by_the_smallest_amount_whose_inverse_is_finite():
    assert (
        float(fold_forms.limits_of(fold_forms.FoldAbove(Symbol("x"), S.Zero))[1])
        == np.finfo(float).tiny
    )
    limits = fold_forms.limits_of(fold_forms.FoldBetween(Symbol("x"), S.One, S(2)))
    assert [float(end) for end in limits[2:]] == [np.nextafter(1, 2), np.nextafter(2, 1)]


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (Rational(1, 10), oo, "1.0 / 10.0, 0.10000000000000002)"),
        (-oo, -Rational(1, 3), "-1.0 / 3.0, -0.33333333333333337)"),
        (0, pi, "0.0, math.pi, 2.2250738585072014e-308, 3.1415926535897927)"),
    ],
)
def test_an_end_that_is_no_binary_number_is_written_as_what_it_is(low, high, text):
    """Read without rounding it is the end that was declared, so that the text is seen to be the
    rule.
    """
    block = Vector("theta", domain=Interval.open(low, high))
    recipe = mirror(Recipe(block, total(block**2), Matrix([[1]]), Matrix([[0]])), block)
    module = generate(recipe)
    assert text in module.source
    assert translation_of(module).verdict is PROVED


# -- schemes
# --------------------------------------------------------------------------------------------------


@pytest.mark.by_default(f"{HALF}-euler", f"{BOTH}-milstein")
@pytest.mark.parametrize("scheme", ["euler", "semi-implicit", "milstein", "daoad"])
@pytest.mark.parametrize("domain", [HALF, UPPER, BOTH], ids=str)
def test_the_compiled_step_is_the_slow_one(domain, scheme):
    recipe = pair(
        domain, force=(lambda q: q) if scheme == "daoad" else (lambda q: q**2 / 2 + q)
    )  # a splitting has a linear kick
    rng = np.random.default_rng(3)
    inside = np.array([0.01, 0.3, 1.0, 1.9, 0.5])
    state = {"q": inside, "p": 30.0 * rng.standard_normal(5)}
    update = discretise(recipe, scheme)
    module = generate(recipe, scheme=scheme).load()
    noises = sorted({s.name for _, e in update.rule for s in e.atoms(Noise)})
    noise = [rng.standard_normal(5) for _ in noises]
    before = module.allocate(state["q"], state["p"])
    after = module.allocate(state["q"], state["p"])
    module.step(after, before, None, 0.3, module.Params(1.5), tuple(noise))
    slow = slow_step(
        update, state | dict(zip(noises, noise, strict=True)) | {"C": 1.5, "step_size": 0.3}
    )
    np.testing.assert_allclose(after.q, slow["q"], rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(after.p, slow["p"], rtol=1e-11, atol=1e-12)
    assert not np.array_equal(np.sign(after.p), np.sign(state["p"]))  # something turned


@pytest.mark.parametrize(
    "scheme", ["euler", "semi-implicit", "milstein", "baoab", "obabo", "aboba", "oabao"]
)
def test_every_scheme_folds_after_the_position_and_keeps_its_limit(scheme):
    update, ours = discretise(mirror_sghmc, scheme), derive(mirror_sghmc).dynamics
    assert unfolded(update).reflections == mirror_sghmc.reflections
    assert limit_of(update).drift == ours.drift
    assert outcome_of(verify(discretised(mirror_sghmc, scheme)), "consistency").verdict is PROVED


def test_a_rule_without_its_folds_is_the_rule_of_the_free_recipe():
    free = Recipe(
        mirror_sghmc.state, mirror_sghmc.H, mirror_sghmc.D.written, mirror_sghmc.Q.written
    )
    for scheme in ("euler", "semi-implicit", "baoab"):
        assert (
            unfolded(discretise(mirror_sghmc, scheme)).update.rule == discretise(free, scheme).rule
        )


def test_a_scheme_that_does_not_know_reflections_is_refused():
    with pytest.raises(
        RecipeError, match="theta is reflected at 0, and leimkuhler-matthews does not know how"
    ):
        discretise(mirror_sgld, "leimkuhler-matthews")


# -- what mirror finds, and refuses
# -----------------------------------------------------------------------------------------------

x, y, v, h = Scalar("x", domain=HALF), Scalar("y"), Scalar("v"), Scalar("h", domain=HALF)
REFUSED = {
    "no block": (lambda: mirror(mirror_sgld), "names no block"),
    "a block of another recipe": (lambda: mirror(mirror_sgld, z), "z is not part of the state"),
    "the line": (
        lambda: mirror(Recipe((x, y), x + y**2, Matrix.eye(2), 0 * Matrix.eye(2)), y),
        "which has no edge to reflect at",
    ),
    "the simplex": (
        lambda: mirror(
            Recipe((Vector("s", domain=Simplex()),), 0 * theta, 1, 0), Vector("s", domain=Simplex())
        ),
        "expanded mean",
    ),
    "twice": (lambda: mirror(mirror_sgld, mirror_sgld.state[0]), "stands in two reflections"),
    "noise shared with another block": (
        lambda: mirror(Recipe((x, y), x + y**2, Matrix([[2, 1], [1, 1]]), 0 * FRICTION), x),
        r"D\[x, y\] = 1 couples the noise",
    ),
    "noise shared by the coordinates": (
        lambda: mirror(Recipe((theta,), U, 1 + outer(theta, theta), 0), theta),
        "D n is oblique at the edge",
    ),
    "neither noise nor momentum": (
        lambda: mirror(Recipe((theta, r), U + total(r**2), FRICTION, 0 * FRICTION), theta),
        "no block",
    ),
    "two momenta": (
        lambda: mirror(
            Recipe(
                (x, y, v),
                x + y**2 + v**2,
                0 * Matrix.eye(3),
                Matrix([[0, 1, 1], [-1, 0, 0], [-1, 0, 0]]),
            ),
            x,
        ),
        "Q couples it to y and v",
    ),
    "a speed that is not odd": (
        lambda: mirror(Recipe((x, y), x + y**2 + y, 0 * Matrix.eye(2), CANONICAL), x),
        r"the speed 2\*y \+ 1 of x is not y times",
    ),
    "momenta that share a mass": (
        lambda: mirror(
            Recipe((theta, r), U + total(r**2) / 2, 0 * FRICTION, Matrix([[0, -M], [M.T, 0]])),
            theta,
        ),
        "coordinate by coordinate",
    ),
    "a momentum on a half line": (
        lambda: Recipe((x, h), x + h, FRICTION, CANONICAL, reflections=[Reflection(x, (h,))]),
        "which a change of its sign would leave",
    ),
    "no reflection": (lambda: Recipe((x,), x, 1, 0, reflections=[x]), "is no Reflection"),
    "a fold in H": (
        lambda: Recipe((x,), Fold(x, 0, oo), 1, 0),
        "has its place in the rule of an Update only",
    ),
    "a fold of the line": (lambda: Fold(x, -oo, oo), "one may be infinite"),
    "ends in the wrong order": (lambda: Fold(x, 1, 0), "the lower one first"),
    "an end without a number": (lambda: Fold(x, 0, C), "must be two numbers"),
    "a derivative": (
        lambda: grad(total(Fold(theta, 0, oo)), theta),
        "in the rule of an Update only",
    ),
}
M = Dense("M", theta, r)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_and_why(name):
    make, reason = REFUSED[name]
    with pytest.raises(RecipeError, match=reason):
        make()


def test_what_it_finds():
    assert mirror_sgld.reflections == (Reflection(theta),)
    assert mirror_sghmc.reflections == (Reflection(theta, (r,)),)
    assert str(mirror_sghmc.reflections[0]) == "theta is reflected at 0, where r changes its sign"
    assert "reflections=[Reflection(theta, (r,))]" in str(mirror_sghmc)
    assert (
        str(pair(BOTH, lambda q: q).reflections[0])
        == "q is reflected at -1 and 2, where p changes its sign"
    )
    assert "theta is reflected at 0" in verify(mirror_sgld).scope
    assert "FoldSign}{\\left(\\theta_{i},0,\\infty" in mirror_sghmc.update._repr_latex_()


def test_bind_keeps_it():
    assert bind(mirror_sghmc, {U: total(theta**2)}).reflections == mirror_sghmc.reflections


def test_spread_cuts_it_into_pieces():
    a, b = Scalar("a", domain=Interval(0, oo)), Vector("b", domain=Interval(0, oo))
    cut = spread(mirror_sghmc, U, (a, b))
    assert [(str(f.block), *map(str, f.flips)) for f in cut.reflections] == [
        ("a", "r_a"),
        ("b", "r_b"),
    ]
    assert verify(cut).verdict is PROVED


def test_the_published_rule_of_a_mirrored_recipe_is_folded_with_it():
    w_r = Noise("w", like=r)
    rule = {
        theta: theta + eps * r,
        r: r - eps * grad(U, theta) - eps * C * r + sqrt(2 * C * eps) * w_r,
    }
    free = Recipe(
        (theta, r),
        U + total(r**2) / 2,
        FRICTION,
        CANONICAL,
        update=Update(eps, rule, U + total(r**2) / 2),
    )
    assert verify(mirror(free, theta)).verdict is PROVED


# -- mutants
# --------------------------------------------------------------------------------------------------

KICK = (r, r - eps * grad(U, theta) - eps * C * r + sqrt(2 * C * eps) * w)
DRIFT, FLIP, FOLD = (
    (theta, theta + eps * r),
    (r, r * FoldSign(theta, 0, oo)),
    (theta, Fold(theta, 0, oo)),
)


def claim(rule):
    return Update(eps, rule, U + total(r**2) / 2)


def test_the_right_rule_is_proved_and_the_absolute_value_alone_is_refuted():
    assert verify(claim([DRIFT, FLIP, FOLD, KICK])).verdict is PROVED
    wrong = outcome_of(verify(claim([DRIFT, FOLD, KICK])), "boundary")
    assert wrong.verdict is REFUTED
    assert "its momentum is not turned" in wrong.by
    assert verify(claim([(theta, Fold(theta + eps * r, 0, oo)), KICK])).verdict is REFUTED


WRONG = {
    "the momentum turns and the position is not put back": [DRIFT, FLIP, KICK],
    "the sign is the wrong one": [DRIFT, (r, -r * FoldSign(theta, 0, oo)), FOLD, KICK],
    "the sign is of the folded position": [DRIFT, FOLD, FLIP, KICK],
    "the sign is squared": [DRIFT, (r, r * FoldSign(theta, 0, oo) ** 2), FOLD, KICK],
    "folded onto another half line": [
        DRIFT,
        (r, r * FoldSign(theta, 1, oo)),
        (theta, Fold(theta, 1, oo)),
        KICK,
    ],
    "folded once of two times": [DRIFT, FLIP, FOLD, KICK, DRIFT],
    "the gradient is taken outside": [DRIFT, KICK, FLIP, FOLD],
    "with and without a flip": [DRIFT, FLIP, FOLD, KICK, DRIFT, FOLD],
    "the fold adds something": [DRIFT, FLIP, (theta, Fold(theta, 0, oo) + eps), KICK],
}


@pytest.mark.parametrize("name", WRONG)
def test_a_rule_that_folds_wrongly_is_not_read(name):
    with pytest.raises(RecipeError, match="fold"):
        verify(claim(WRONG[name]))


def test_a_published_rule_that_reflects_otherwise_does_not_agree():
    def published(rule):
        return Recipe(
            (theta, r),
            U + total(r**2) / 2,
            FRICTION,
            CANONICAL,
            update=claim(rule),
            reflections=mirror_sghmc.reflections,
        )

    assert (
        outcome_of(verify(published([DRIFT, FLIP, FOLD, KICK])), "agrees-with-update").verdict
        is PROVED
    )
    for rule in ([DRIFT, KICK], [DRIFT, FOLD, KICK]):
        outcome = outcome_of(verify(published(rule)), "agrees-with-update")
        assert outcome.verdict is UNDECIDED
        assert (
            "of the recipe theta is reflected at 0, where r changes its sign; of the rule"
            in outcome.by
        )


# -- what does not know reflections says so
# ---------------------------------------------------------------------------------------

KNOWING = {
    "well-defined", "diffusion-symmetric", "curl-skew", "diffusion-psd", "stationarity",
    "agrees-with-update", "marginal", "boundary", "normalisable", "consistency",
}  # fmt: skip


@pytest.mark.parametrize(
    "declared",
    [mirror_sghmc, mirror_sgld, discretised(mirror_sghmc, "baoab")],
    ids=["sghmc", "sgld", "step"],
)
def test_an_obligation_that_does_not_know_reflections_is_undecided(declared):
    for line in verify(declared).lines:
        if line.name not in KNOWING:
            assert line.outcome.verdict is UNDECIDED
            assert "reflected at an edge" in line.outcome.by


def test_a_kernel_that_folds_is_undecided():
    report = verify(Kernel([step(GAMMA, "euler")]))
    assert report.verdict is UNDECIDED
    assert "reflected at an edge" in outcome_of(report, "invariance").by


def test_there_is_no_certificate_yet():
    from verify.certificate.write import certificate_of

    with pytest.raises(RecipeError, match="no certificates of reflected samplers yet"):
        certificate_of(GAMMA, verify(GAMMA))


# -- steps that may leave the domain
# ----------------------------------------------------------------------------------------------


def test_what_is_left_of_one_after_a_decay_keeps_the_sign_and_what_is_added_to_it_may_not():
    """1 - e^-h is positive for every step h, as in the exact transition of a square-root process;
    e^-h - 1/2 is not.
    """
    q = Scalar("q", domain=HALF)
    n = Noise("n", like=q)
    for factor in (
        1 - exp(-eps),
        2 - exp(-eps),
        (1 - exp(-eps)) * exp(-2 * eps),
        (1 - exp(-eps)) * (2 - exp(-3 * eps)),
    ):
        generate(Update(eps, {q: factor * NoncentralChiSquared(n, 2, q)}, q))
    for factor in (exp(-eps) - 1, Rational(1, 2) - exp(-eps), exp(-eps) - Rational(1, 2)):
        with pytest.raises(RecipeError, match="out of its domain"):
            generate(Update(eps, {q: factor * NoncentralChiSquared(n, 2, q)}, q))


def test_a_step_that_may_leave_is_refused_unless_it_is_folded_or_keeps_its_sign():
    q = Scalar("q", domain=HALF)
    free = Recipe((q,), q, q, 0)
    for scheme in ("euler", "semi-implicit", "milstein"):
        with pytest.raises(
            RecipeError,
            match=r"a step can take q out of its domain, .*; mirror\(recipe, q\) reflects it",
        ):
            generate(free, scheme=scheme)
        generate(mirror(free, q), scheme=scheme)
    generate(Update(eps, {q: q * exp(eps * Noise("n", like=q))}, q))
    with pytest.raises(RecipeError, match="out of its domain"):
        generate(Kernel([step(free, "euler")]))
    generate(Kernel([metropolis(free, "euler")]))


# -- the law
# --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_reflected_sampler_has_the_law_and_the_absolute_value_has_another():
    """exp(-q^2/2 - q) on q > 0; without the flip the position rests on the edge until the momentum
    has turned by noise.
    """
    recipe = pair(HALF, lambda q: q**2 / 2 + q)
    q, p = recipe.state
    grid = np.linspace(0, 12, 200_001)
    density = np.exp(-(grid**2) / 2 - grid)
    exact = (grid * density).sum() / density.sum()
    good = sample(
        recipe,
        step_size=0.05,
        steps=50_000,
        params={"C": 1},
        lengths={q: 32},
        progress=False,
        seed=5,
    )["q"]
    assert abs(good.mean() - exact) < 0.02
    assert good.min() > 0
    kick = p - eps * (1 + q) - eps * C * p + sqrt(2 * C * eps) * Noise("n", like=p)
    wrong = Update(eps, [(q, Fold(q + eps * p, 0, oo)), (p, kick)], recipe.H)
    bad = sample(
        wrong,
        step_size=0.05,
        steps=50_000,
        params={"C": 1},
        lengths={q: 32},
        progress=False,
        seed=5,
    )["q"]
    assert abs(bad.mean() - exact) > 0.1


@pytest.mark.slow
def test_a_drift_that_is_infinite_at_the_edge_stops_no_chain():
    """After a short time: the longer it runs, the more of it the infinite drift has thrown far out
    (docs/boundaries.md).
    """
    start = np.random.default_rng(1).gamma(3, 0.5, 20_000)
    draws = sample(
        GAMMA,
        step_size=0.003,
        steps=300,
        warmup=299,
        params={"shape": 3, "rate": 2},
        lengths={inside: 20_000},
        initial={"theta": start},
        chains=1,
        progress=False,
        seed=1,
    )
    assert not draws.divergences
    assert draws["theta"].min() > 0
    assert abs(np.median(draws["theta"]) - 1.337) < 0.06
