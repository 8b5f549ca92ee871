"""Absolute values of a coordinate that stands for another: what may be written, what is proved
across them, what is not said.
"""

import itertools

import pytest
import sympy
from cases.compiled_steps import compare
from helpers.outcomes import outcome_of
from oracles.slow_step import FUNCTIONS
from sympy import Abs, Interval, Matrix, Rational, Symbol, diff, exp, log, sign, simplify, sqrt

from recipe import (
    Noise,
    OutsideLanguageError,
    Potential,
    Preimage,
    Recipe,
    RecipeError,
    Scalar,
    Update,
    Vector,
    corv,
    derive,
    discretised,
    grad,
    ito,
    maps,
    total,
)
from recipe.language.calculus import partial
from recipe.language.symbols import OTHER
from recipe.signs.sign import possible_signs
from verify import Verdict, verify
from verify.certificate import certificate_of
from verify.decide.points.balls import NoValueError
from verify.decide.points.point import Point
from verify.decide.psd.nowhere_dense import has_nowhere_dense_zeros
from verify.decide.zero.canonical import normalised
from verify.decide.zero.decide import decide_zero, vanishes
from verify.decide.zero.second_decider import second_opinion
from verify.engine import subjects_of
from verify.obligations import OBLIGATIONS

PROVED, REFUTED, UNDECIDED = Verdict
AROUND = Interval.open(-1, 1)
theta = Vector("theta", domain=AROUND)
phi = Preimage("phi", theta, maps.softsign)
r, U = Vector("r", like=theta), Potential("U", theta)
C, eps = Symbol("C", positive=True), Symbol("epsilon", positive=True)
w, n = Noise("w", like=theta), Noise("n", like=theta)
H = U + 2 * total(log(1 + Abs(phi)))

LANGEVIN = Recipe((theta,), U, 1, 0)
HAMILTONIAN = Recipe(
    (theta, r), U + total(r**2) / 2, Matrix([[0, 0], [0, C]]), Matrix([[0, -1], [1, 0]])
)
JACOBI = Recipe((theta,), -total(log(1 - theta**2)) / 2, 1 - theta**2, 0)
RECIPES = {
    f"{name} {transform.__name__}": transform(recipe, theta, maps.softsign)
    for name, recipe in {"langevin": LANGEVIN, "hamiltonian": HAMILTONIAN, "jacobi": JACOBI}.items()
    for transform in (ito, corv)
}


def rule(more=0, turned=1) -> Update:
    """Equation (25) of Yokoi et al. for softsign, with mistakes."""
    drift = grad(U, theta) / (1 + Abs(phi)) ** 2 + 2 * turned * sign(phi) / (1 + Abs(phi)) + more
    return Update(eps, {phi: phi - eps * drift + sqrt(2 * eps) * w}, H)


# -- what may be written
# --------------------------------------------------------------------------------------------------


def test_only_a_coordinate_that_stands_for_another_has_an_absolute_value():
    plain = Vector("plain")
    Recipe((phi,), U + total(Abs(phi)), 1 + Abs(phi), 0)
    for e in (Abs(plain), Abs(phi + 1), Abs(phi * r), Abs(Symbol("b", real=True) * phi)):
        with pytest.raises(OutsideLanguageError, match="not smooth"):
            Recipe((phi, r, plain), U + total(e), Matrix.zeros(3), Matrix.zeros(3))


@pytest.mark.parametrize("place", ["H", "D", "Q"])
def test_what_jumps_has_no_place_in_a_recipe(place):
    entries = {"H": U, "D": 1, "Q": 0}
    entries[place] = entries[place] + (total(sign(phi)) if place == "H" else sign(phi))
    with pytest.raises(OutsideLanguageError, match="sign"):
        Recipe((phi,), **entries)
    assert rule().rule[0][1].has(sign)


# -- the calculus and the zero test
# --------------------------------------------------------------------------------------------


def test_derivatives_are_those_of_each_side():
    p = Symbol("p", positive=True)
    for e in (
        log(1 + Abs(phi)),
        phi / (1 + Abs(phi)),
        phi * sign(phi) * Abs(phi),
        exp(-Abs(phi)) * phi,
    ):
        for side in (1, -1):
            on_side = {Abs(phi): p, sign(phi): sympy.Integer(side), phi: side * p}
            expected = diff(e.xreplace(on_side), p) * side
            assert simplify(partial(e, phi).xreplace(on_side) - expected) == 0
    assert partial(Abs(phi), phi.at(OTHER)) == 0


IDENTITIES = [
    sign(phi) ** 2 - 1,
    phi * sign(phi) - Abs(phi),
    1 / (1 + Abs(phi)) - (1 - Abs(phi)) / (1 - phi**2),
    total(r * sign(phi) * (1 + Abs(phi)) ** 2 / (1 + Abs(phi)))
    - total(r * sign(phi))
    - total(r * phi),
    (Abs(phi) - phi) * (Abs(phi) + phi),
    Abs(phi) * sign(phi.at(OTHER)) * phi.at(OTHER) - phi * sign(phi) * Abs(phi.at(OTHER)),
]
NOT_ZERO = [
    Abs(phi) - phi,
    sign(phi) - 1,
    sign(phi) + 1,
    total(sign(phi)) ** 2 - theta.dim**2,
    total(Abs(phi)) - total(phi),
    sign(phi) * sign(phi.at(OTHER)) - 1,
    1 / (1 + Abs(phi)) - 1 / (1 + phi**2),
]


@pytest.mark.parametrize("e", IDENTITIES, ids=str)
def test_identities_are_proved_and_not_contradicted(e):
    assert decide_zero(e).verdict is PROVED
    assert second_opinion(e).kind != "nonzero"


def test_the_second_decider_contradicts_what_is_wrong_on_a_side():
    for e in (Abs(phi) - phi, sign(phi) + 1, 1 / (1 + Abs(phi)) - 1 / (1 + phi)):
        assert second_opinion(e).kind == "nonzero"
        assert second_opinion(e).certain


@pytest.mark.parametrize("e", NOT_ZERO, ids=str)
def test_what_is_zero_on_one_side_only_is_refuted(e):
    assert not vanishes(e)
    assert decide_zero(e).verdict is REFUTED


def test_a_denominator_that_vanishes_on_one_side_proves_nothing():
    e = 1 / (phi + Abs(phi)) - 1 / (2 * phi)
    assert decide_zero(e).verdict is not PROVED
    assert normalised(total(e)) == total(e)


def test_a_sign_has_no_value_at_its_kink():
    point = Point({theta.dim: 1}, seed=0)
    point.put(phi, 0, Rational(0))
    assert point.evaluate(Abs(phi), {0: 0}) == 0
    with pytest.raises(NoValueError, match="jumps"):
        point.evaluate(sign(phi), {0: 0})


@pytest.mark.parametrize(
    ("e", "signs"),
    [
        (1 + Abs(phi), {1}),
        (Abs(phi), {0, 1}),
        (1 - phi / (1 + Abs(phi)), {1}),
        (1 - phi**2 / (1 + Abs(phi)) ** 2, {1}),
        (Abs(phi) - phi, {0, 1}),
        (Abs(phi) - phi - 1, {-1, 0, 1}),
        (Abs(phi) - 2 * phi, {-1, 0, 1}),
    ],
)
def test_signs_are_those_of_both_sides(e, signs):
    assert possible_signs(e) == signs


# -- what is proved
# --------------------------------------------------------------------------------------------------


@pytest.mark.by_default(2)
@pytest.mark.parametrize("name", RECIPES)
def test_the_transforms_of_softsign_are_proved(name):
    report = verify(RECIPES[name])
    assert report.verdict is PROVED
    assert any("no jump at phi = 0" in fact for fact in outcome_of(report, "stationarity").facts)
    steps = outcome_of(report, "boundary-step").verdict
    assert (
        steps is (REFUTED if name.endswith("ito") and not name.startswith("jacobi") else PROVED)
        or name == "jacobi ito"
    )


@pytest.mark.by_default(1)
@pytest.mark.parametrize("name", ["langevin ito", "langevin corv", "jacobi ito", "jacobi corv"])
def test_the_law_is_stationary_on_each_side_by_plain_sympy(name):
    """The second-order Fokker-Planck equation for one coordinate on each side, and equal limits of
    the current at 0.
    """
    p = Symbol("p", positive=True)
    derivation = derive(RECIPES[name])
    (block,) = RECIPES[name].state
    currents = []
    for side in (1, -1):
        at = {Abs(block): p, sign(block): sympy.Integer(side), block: side * p}
        law = lambda t: t**4 + t / 3  # noqa: E731
        image = side * p / (1 + p)
        known = {grad(U, theta): diff(law(Symbol("t")), Symbol("t")).subs("t", image)}
        f = derivation.dynamics.drift[block].xreplace(known).xreplace(at)
        D = derivation.dynamics.diffusion[block, block].diagonal.xreplace(at)
        h = (law(image) if name.startswith("langevin") else -log(1 - image**2) / 2) + 2 * log(1 + p)
        density = exp(-h)
        current = side * f * density - diff(D * density, p)
        assert simplify(diff(current, p)) == 0
        currents.append(side * current.subs(p, 0))
    assert simplify(currents[0] - currents[1]) == 0


def test_the_published_rule_is_proved_and_its_mutants_are_not():
    assert verify(rule()).verdict is PROVED
    assert verify(rule(turned=-1)).verdict is REFUTED
    assert verify(rule(more=sign(phi))).verdict is REFUTED
    assert verify(corv(LANGEVIN, theta, maps.softsign, update=rule())).verdict is PROVED
    assert (
        verify(corv(LANGEVIN, theta, maps.softsign, update=rule(turned=Rational(1, 2)))).verdict
        is REFUTED
    )


def test_a_source_at_the_kink_is_not_proved():
    """v exp(-H) = sign(phi): its divergence is zero on both sides of 0, and at 0 probability comes
    out of nowhere.
    """
    uniform = 2 * total(log(1 + Abs(phi)))
    drift = 2 * sign(phi) / (1 + Abs(phi)) - sign(phi) * (1 + Abs(phi)) ** 2
    report = verify(Update(eps, {phi: phi - eps * drift + sqrt(2 * eps) * w}, uniform))
    outcome = outcome_of(report, "stationarity")
    assert outcome.verdict is UNDECIDED
    assert "the current through phi = 0" in outcome.by
    constant = drift + (sign(phi) - 1) * (1 + Abs(phi)) ** 2  # v exp(-H) = 1 flows through
    through = verify(Update(eps, {phi: phi - eps * constant + sqrt(2 * eps) * w}, uniform))
    assert outcome_of(through, "stationarity").verdict is PROVED


def test_a_source_inside_a_sum_is_not_followed():
    a, b = (Preimage(name, Scalar(f"t{name}", domain=AROUND), maps.softsign) for name in "ab")
    uniform = 2 * log(1 + Abs(a)) + 2 * log(1 + Abs(b))
    noise = {x: Noise(f"w_{x}", like=x) for x in (a, b)}
    drifts = {x: -2 * sign(x) / (1 + Abs(x)) for x in (a, b)}
    # A jump across b = 0 of what flows along b is none through it: v_a may depend on sign(b).
    along = drifts | {a: drifts[a] + sign(b) * (1 + Abs(a)) ** 2}
    across = drifts | {b: drifts[b] + sign(b) * (1 + Abs(b)) ** 2}
    for drift, verdict in ((along, PROVED), (across, UNDECIDED)):
        claim = Update(
            eps, {x: x + eps * drift[x] + sqrt(2 * eps) * noise[x] for x in (a, b)}, uniform
        )
        assert outcome_of(verify(claim), "stationarity").verdict is verdict


def test_no_rule_is_proposed_that_jumps_at_its_kink():
    y = Preimage("y", Scalar("x", domain=AROUND), maps.softsign)
    v = Noise("v", like=y)

    def repair_of(drift, noise):
        claim = Update(eps, {y: y - eps * drift + sqrt(2 * eps) * noise * v}, y**2 / 2)
        outcome = outcome_of(verify(claim), "stationarity")
        assert outcome.verdict is REFUTED
        return outcome.repair

    assert repair_of(y / 2, 1) == "the noise sqrt(2*epsilon)*v of y must be sqrt(epsilon)*v"
    assert repair_of(3 * (Rational(5, 4) + sign(y)) * y, 1 + sign(y) / 2) is None


@pytest.mark.slow
def test_what_needs_smoothness_says_so():
    declared = [
        RECIPES["hamiltonian corv"],
        discretised(RECIPES["hamiltonian corv"], "euler"),
        rule(),
    ]
    met = set()
    for what in declared:
        for subject, obligation in itertools.product(subjects_of(what), OBLIGATIONS):
            if (
                obligation.applies(subject)
                and not obligation.handles_kinks
                and obligation.given is None
            ):
                outcome = outcome_of(verify(what), obligation.name)
                assert outcome.verdict is UNDECIDED
                assert "there is a kink at phi = 0" in outcome.by
                met.add(obligation.name)
    assert met >= {"non-explosion", "uniqueness", "invariant-order", "stable-step", "noise-budget"}


def test_what_goes_across_kinks_is_a_short_list():
    assert {o.name for o in OBLIGATIONS if o.handles_kinks} == {
        "well-defined",
        "diffusion-symmetric",
        "curl-skew",
        "diffusion-psd",
        "noise-factor",
        "stationarity",
        "agrees-with-update",
        "marginal",
        "normalisable",
        "consistency",
        "monotone",
        "onto",
        "lipschitz",
        "lipschitz-drift",
        "smooth",
        "boundary-step",
    }


def test_the_mass_is_that_of_the_image_and_nothing_is_said_of_other_tails():
    assert outcome_of(verify(RECIPES["langevin corv"]), "normalisable").verdict is PROVED
    plain = Recipe((phi,), total(phi**2) + total(Abs(phi)), 1, 0)
    assert outcome_of(verify(plain), "normalisable").verdict is UNDECIDED


def test_a_marginal_is_proved_of_what_has_a_kink_and_not_over_it():
    assert outcome_of(verify(RECIPES["hamiltonian ito"]), "marginal").verdict is PROVED
    over = Recipe(
        (phi, r),
        total(phi**2 + Abs(phi) + r**2),
        Matrix.eye(2),
        Matrix.zeros(2),
        marginal={r: total(r**2)},
    )
    assert outcome_of(verify(over), "marginal").verdict is UNDECIDED


def test_a_diffusion_that_is_negative_on_one_side_is_refuted():
    report = verify(Recipe((phi,), H, 1 + Abs(phi) + 2 * phi, 0))
    assert outcome_of(report, "diffusion-psd").verdict is REFUTED
    report = verify(Recipe((phi,), H, Abs(phi) + phi, 0))
    assert outcome_of(report, "diffusion-psd").verdict is PROVED


UNWRITTEN = Recipe(
    (phi, r), U + total(r**2) / 2, Matrix([[0, 0], [0, C]]), Matrix([[0, -1], [1, 0]])
)


def test_no_kink_is_seen_where_the_map_is_smooth_or_nothing_depends_on_its_image():
    smooth = Preimage("phi", theta, maps.tanh)
    for block, law in ((smooth, U), (phi, total(phi**2) / 2)):
        recipe = Recipe(
            (block, r), law + total(r**2) / 2, Matrix([[0, 0], [0, C]]), Matrix([[0, -1], [1, 0]])
        )
        assert outcome_of(verify(recipe), "uniqueness").verdict is PROVED


@pytest.mark.parametrize(
    "e", [1 + sign(phi), total(1 + sign(phi)), Abs(phi) - phi, sign(phi) * phi + phi]
)
def test_what_vanishes_on_one_side_is_not_seen_to_be_different_from_zero_almost_everywhere(e):
    assert not has_nowhere_dense_zeros(e)
    assert has_nowhere_dense_zeros(phi + phi**2)


@pytest.mark.parametrize(
    "what", [RECIPES["langevin corv"], UNWRITTEN], ids=["written", "unwritten"]
)
def test_there_is_no_certificate(what):
    with pytest.raises(RecipeError, match="of smooth samplers alone, and there is a kink"):
        certificate_of(what, verify(what))


# -- what is compiled
# --------------------------------------------------------------------------------------------------


def test_a_step_with_a_kink_is_compiled_as_it_is_written(monkeypatch):
    monkeypatch.setitem(FUNCTIONS, sympy.Abs, abs)
    monkeypatch.setitem(FUNCTIONS, sympy.sign, lambda x: 1 if x > 0 else -1)
    compare(RECIPES["jacobi corv"], 4, "euler")
    compare(RECIPES["jacobi ito"], 4, "euler")
