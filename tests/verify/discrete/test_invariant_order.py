"""The order of the invariant law: what is known of schemes, and brute force beside it."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace

import mpmath
import pytest
import sympy
from helpers.leading_bias import leading_bias
from oracles.slow_order import SlowStep, normal, quartic
from sympy import (
    Function,
    Interval,
    Matrix,
    Rational,
    Symbol,
    cos,
    diff,
    exp,
    expand,
    oo,
    series,
    simplify,
    sqrt,
)

from catalog.hmc import hmc
from catalog.sghmc import sghmc
from catalog.sgld import sgld
from catalog.sgnht import sgnht
from recipe import (
    Field,
    Noise,
    Potential,
    Recipe,
    RecipeError,
    Scalar,
    Update,
    Vector,
    bind,
    discretised,
    div,
    grad,
    total,
)
from recipe.language.abstract import Partial
from recipe.language.expectation import NOISE
from recipe.language.phi import Phi
from recipe.scheme import discretise
from verify.discrete.weak_order import invariant_order
from verify.discrete.weak_order.anharmonic import mean_correction
from verify.discrete.weak_order.gaussian import covariance
from verify.discrete.weak_order.step import step_of
from verify.obligations.step.invariant_order import INVARIANT_ORDER
from verify.subject import subject_of
from verify.verdict import Verdict

h = Symbol("h", positive=True)
C = Symbol("C", positive=True)
k = Symbol("k", positive=True)
theta = Vector("theta")
r = Vector("r", like=theta)
U = Potential("U", theta)
w, n = Noise("w", like=theta), Noise("n", like=theta)
U1, U2, U3, U4 = (Partial(U, *[theta] * m) for m in (1, 2, 3, 4))


def sub_flow(letter: str, t, V, draw, friction=C):
    """One letter of a splitting of underdamped Langevin dynamics, written by hand."""
    return {
        "A": (theta, theta + t * r),
        "B": (r, r - t * grad(V, theta)),
        "O": (r, exp(-friction * t) * r + sqrt(1 - exp(-2 * friction * t)) * draw),
    }[letter]


def word(letters: str, V=U) -> Update:
    draws = iter((w, n))
    times = {letter: h / letters.count(letter) for letter in letters}
    rule = [sub_flow(x, times[x], V, next(draws) if x == "O" else w) for x in letters]
    return Update(h, rule, V + total(r**2) / 2)


def euler_maruyama(V=U) -> Update:
    return Update(h, {theta: theta - h * grad(V, theta) + sqrt(2 * h) * w}, V)


def semi_implicit(V=U) -> Update:
    rule = [(r, r - h * grad(V, theta) - h * C * r + sqrt(2 * C * h) * w), (theta, theta + h * r)]
    return Update(h, rule, V + total(r**2) / 2)


def leimkuhler_matthews(V=U, recorded=True) -> Update:
    rule = [(theta, theta + sqrt(h / 2) * w), (theta, theta - h * grad(V, theta) + sqrt(h / 2) * w)]
    return Update(h, rule, V, observe={theta: theta + sqrt(h / 2) * n} if recorded else None)


SECOND = ("BAOAB", "OBABO", "ABOBA", "OABAO")
FIRST = ("ABO", "BAO", "BAOA", "OAB")


# -- what is known
# --------------------------------------------------------------------------------------------------


def test_euler_maruyama_is_exactly_one_with_its_correction():
    order = invariant_order(euler_maruyama())
    assert (order.order, order.exact) == (1, True)
    assert expand(order.correction - (U1**2 / 4 - U2 / 2)) == 0
    assert expand(order.residual - (U2 * U1**2 / 2 - U1 * U3 - U2**2 / 2 + U4 / 2)) == 0
    assert order.witness is not None
    assert "not 0" in order.witness.finding
    text = str(order)
    assert "joint law: order exactly 1" in text
    assert "U''(theta)" in text
    assert "depends smoothly on the step" in text
    assert "it does not prove an order for d > 1" in text


@pytest.mark.by_default(2)
@pytest.mark.parametrize("update", [semi_implicit(), *(word(x) for x in FIRST)])
def test_order_one(update):
    order = invariant_order(update)
    assert (order.order, order.exact) == (1, True)


@pytest.mark.by_default(2)
@pytest.mark.parametrize("letters", SECOND)
def test_order_two(letters):
    order = invariant_order(word(letters))
    assert (order.order, order.exact) == (2, True)
    assert order.witness is not None


@pytest.mark.slow_for("OABAO", "OBABO", "ABOBA")
@pytest.mark.parametrize("letters", [*SECOND, "BAOA"])
def test_derived_schemes_are_as_good_as_those_written_by_hand(letters):
    derived = invariant_order(discretise(sghmc, letters.lower()))
    by_hand = invariant_order(word(letters))
    assert (derived.order, derived.exact) == (by_hand.order, by_hand.exact)
    assert str(derived.residual) == str(by_hand.residual)


@pytest.mark.slow_for("sgnht-badodab")
@pytest.mark.parametrize(
    ("recipe", "scheme", "order"),
    [
        (sghmc, "euler", 1),
        (sghmc, "semi-implicit", 1),
        (sgld, "leimkuhler-matthews", 2),
        (sgnht, "badodab", 2),
    ],
    ids=["sghmc-euler", "sghmc-semi-implicit", "sgld-leimkuhler-matthews", "sgnht-badodab"],
)
def test_schemes_of_the_catalog(recipe, scheme, order):
    found = invariant_order(discretise(recipe, scheme))
    assert (found.order, found.exact) == (order, True)


def test_what_is_recorded_may_be_better_than_the_chain():
    chain = invariant_order(leimkuhler_matthews(recorded=False))
    assert (chain.order, chain.exact) == (1, True)
    assert expand(chain.correction - (U2 / 4 - U1**2 / 4)) == 0
    recorded = invariant_order(leimkuhler_matthews())
    assert (recorded.order, recorded.exact) == (2, True)
    assert "what is recorded" in recorded.by


def test_a_missing_correction_of_the_metric_is_order_zero():
    G = Field("G", theta, positive=True)
    right = {theta: theta - h * (grad(U, theta) / G - div(1 / G, theta)) + sqrt(2 * h / G) * w}
    wrong = {theta: theta - h * grad(U, theta) / G + sqrt(2 * h / G) * w}
    assert invariant_order(Update(h, right, U)).order == 1
    order = invariant_order(Update(h, wrong, U))
    assert (order.order, order.exact) == (0, True)
    assert order.witness is not None


def test_a_scheme_that_is_exact_is_at_least_as_far_as_was_looked():
    rule = {theta: exp(-k * h) * theta + sqrt((1 - exp(-2 * k * h)) / k) * w}
    order = invariant_order(Update(h, rule, k * total(theta**2) / 2))
    assert (order.order, order.exact, order.witness) == (4, False, None)
    assert invariant_order(Update(h, rule, k * total(theta**2) / 2), highest=2).order == 2


def test_half_orders():
    rule = {theta: theta - h * grad(U, theta) + sqrt(2 * h) * w + sqrt(h) * h * theta}
    order = invariant_order(Update(h, rule, U))
    assert (order.order, order.exact) == (Rational(1, 2), True)


# -- mutants
# --------------------------------------------------------------------------------------------------


@pytest.mark.by_default(8)
@pytest.mark.parametrize("letters", SECOND)
@pytest.mark.parametrize("place", range(5))
def test_a_half_step_made_whole(letters, place):
    if letters.count(letters[place]) == 1:
        return
    rule = list(word(letters).rule)
    block, e = rule[place]
    rule[place] = (block, e.subs(h, 2 * h))
    mutant = Update(h, rule, U + total(r**2) / 2)
    if (
        letters[place] == "O"
    ):  # more friction with the noise that belongs to it is another sampler of the same law
        assert invariant_order(mutant).order >= 1
        return
    order = invariant_order(mutant)
    assert (order.order, order.exact) == (0, True)
    assert order.witness is not None


@pytest.mark.parametrize("letters", SECOND)
def test_a_noise_that_is_too_large(letters):
    rule = [
        (block, e.xreplace({w: sqrt(2) * w, n: sqrt(2) * n})) for block, e in word(letters).rule
    ]
    order = invariant_order(Update(h, rule, U + total(r**2) / 2))
    assert (order.order, order.exact) == (0, True)
    assert order.witness is not None


def test_decay_and_noise_exchanged_is_no_step_near_the_identity():
    c1, c2 = exp(-C * h), sqrt(1 - exp(-2 * C * h))
    exchanged = (r, c2 * r + c1 * w)
    rule = [
        exchanged if letter == "O" else word("BAOAB").rule[place]
        for place, letter in enumerate("BAOAB")
    ]
    with pytest.raises(RecipeError, match=r"the rule of r moves by .* however small the step is"):
        invariant_order(Update(h, rule, U + total(r**2) / 2))


@pytest.mark.parametrize("letters", SECOND)
def test_the_noise_of_half_the_decay(letters):
    """``sqrt(1 - c1)`` for ``sqrt(1 - c1^2)``."""
    t = h / letters.count("O")
    rule = [
        (block, e.xreplace({sqrt(1 - exp(-2 * C * t)): sqrt(1 - exp(-C * t))}))
        for block, e in word(letters).rule
    ]
    order = invariant_order(Update(h, rule, U + total(r**2) / 2))
    assert (order.order, order.exact) == (0, True)
    assert order.witness is not None


def test_the_obligation():
    def outcome(update):
        return INVARIANT_ORDER.discharge(subject_of(discretised(update, "printed")))

    good = outcome(word("BAOAB"))
    assert good.verdict is Verdict.PROVED
    assert "order exactly 2: A_3^dagger" in good.by
    assert any("law of theta: order exactly 2" in fact for fact in good.facts)
    assert good.scope.startswith("one dimension")
    assert any("depends smoothly on the step" in line for line in good.assumptions)
    bad = outcome(Update(h, {theta: theta - h * grad(U, theta) + sqrt(h) * w}, U))
    assert bad.verdict is Verdict.REFUTED
    assert bad.witness is not None
    assert (
        outcome(
            Update(h, {theta: theta + h * exp(-(theta**2)) + sqrt(h) * w**2 - sqrt(h)}, U)
        ).verdict
        is Verdict.REFUTED
    )
    refresh = Update(h, {theta: theta, r: w}, U + total(r**2) / 2)
    redrawn = replace(subject_of(word("BAOAB")), declared=discretised(refresh, "printed"))
    assert INVARIANT_ORDER.discharge(redrawn).verdict is Verdict.UNDECIDED


# -- brute force
# --------------------------------------------------------------------------------------------------

NUMBERS = {C: sympy.Integer(2), k: sympy.Integer(3)}
NORMAL, QUARTIC = k * total(theta**2) / 2, total(theta**4) / 4
MOMENTS = {NORMAL: normal(Rational(1, 3)), QUARTIC: quartic}


@pytest.mark.by_default("ABOBA-normal", "BAO-normal")
@pytest.mark.parametrize("V", [NORMAL, QUARTIC], ids=["normal", "quartic"])
@pytest.mark.parametrize("letters", [*SECOND, "BAO", "BAOA"])
def test_means_of_monomials_move_as_late_as_is_proved(letters, V):
    order = invariant_order(word(letters)).order
    friction = sympy.Integer(
        2 * letters.count("O")
    )  # so that the first coefficient of the noise is rational
    slow = SlowStep(word(letters, V), {**NUMBERS, C: friction}, int(2 * order) + 2)
    moments = {theta: MOMENTS[V], r: normal(Rational(1))}
    seen = set()
    for i, j in itertools.product(range(5), range(5)):
        if 0 < i + j <= 4:
            phi = slow.gen[theta] ** i * slow.gen[r] ** j
            moved = slow.step(phi)
            for power in range(1, int(2 * order) + 2):
                assert slow.under_target(moved.get(power, slow.ring.zero), moments) == 0, (
                    i,
                    j,
                    power,
                )
            seen.add(slow.under_target(moved.get(int(2 * order) + 2, slow.ring.zero), moments))
    assert seen - {0}


@pytest.mark.parametrize("V", [NORMAL, QUARTIC], ids=["normal", "quartic"])
def test_what_is_recorded_by_brute_force(V):
    """``E[(A_2 + [L, Q_1]) phi] = 0``, which for ``E[L psi] = 0`` is ``E[A_2 phi] = E[Q_1 L
    phi]``.
    """
    values = {
        **NUMBERS,
        h: 2 * Symbol("h2", positive=True),
    }  # the root of h / 2 then has no root of 2 in it
    update = leimkuhler_matthews(V)
    halved = Update(
        values[h] / 2,
        [(b, e.xreplace(values)) for b, e in update.rule],
        V,
        observe={b: e.xreplace(values) for b, e in update.observe},
    )
    slow = SlowStep(halved, NUMBERS, 4)
    moments = {theta: MOMENTS[V]}
    for i in range(1, 7):
        phi = slow.gen[theta] ** i
        moved = slow.step(phi)
        recorded = slow.record(moved[2])
        zero = slow.ring.zero
        assert slow.under_target(moved[2], moments) == 0
        assert (
            expand(
                slow.under_target(moved.get(4, zero), moments)
                - slow.under_target(recorded.get(2, zero), moments)
            )
            == 0
        )


def test_the_residual_of_euler_maruyama_by_hand():
    """``A_2 = U'^2/2 d^2 - U' d^3 + d^4/2``, from the moments of the increment."""
    x = Symbol("x", real=True)
    V = x**4 / 4 + cos(x) + x
    rho = exp(-V)
    V1 = diff(V, x)
    adjoint = diff(V1**2 / 2 * rho, x, 2) + diff(V1 * rho, x, 3) + diff(rho, x, 4) / 2
    order = invariant_order(euler_maruyama())
    jets = {Partial(U, *[theta] * m): diff(V, x, m) for m in range(1, 5)}
    assert simplify(expand(adjoint / rho) - expand(order.residual.xreplace(jets))) == 0
    f = order.correction.xreplace(jets)
    assert simplify(expand((diff(rho * diff(f, x), x) + adjoint) / rho)) == 0


# -- normal laws
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("letters", "variance"),
    [
        ("BAOAB", 1 / k),
        ("ABOBA", 1 / k),
        ("OBABO", 4 / (k * (4 - h**2 * k))),
        ("OABAO", (4 - h**2 * k) / (4 * k)),
        ("BAOA", 1 / k),
    ],
)
def test_the_variance_of_positions(letters, variance):
    found = covariance(step_of(word(letters, NORMAL)), 8)
    ours = sum(m[theta, theta] * h ** Rational(power, 2) for power, m in enumerate(found.powers))
    assert simplify(ours - series(variance, h, 0, 4).removeO()) == 0


def lyapunov(update: Update, step: mpmath.mpf) -> mpmath.matrix:
    """The stationary covariance at one step size, in 60 digits."""
    blocks, size = list(update.state), len(update.state)
    sigma = None
    M, noise = mpmath.eye(size), mpmath.zeros(size)
    for block, e in update.rule:
        value = e.xreplace({C: sympy.Integer(2), k: sympy.Integer(3)}).subs(
            h, sympy.Float(step, 60)
        )
        one = mpmath.eye(size)
        for j, b in enumerate(blocks):
            one[blocks.index(block), j] = mpmath.mpf(
                sympy.N(value.coeff(b) if value.has(b) else 0, 60)
            )
        M, noise = one * M, one * noise * one.T
        for draw in value.atoms(*NOISE):
            noise[blocks.index(block), blocks.index(block)] += (
                mpmath.mpf(sympy.N(expand(value).coeff(draw), 60)) ** 2
            )
    pairs = list(itertools.product(range(size), repeat=2))
    system = mpmath.matrix(len(pairs))
    right = mpmath.matrix(len(pairs), 1)
    for row, (i, j) in enumerate(pairs):
        for column, (p, q) in enumerate(pairs):
            system[row, column] = (row == column) - M[i, p] * M[j, q]
        right[row] = noise[i, j]
    sigma = mpmath.lu_solve(system, right)
    return mpmath.matrix([[sigma[pairs.index((i, j))] for j in range(size)] for i in range(size)])


@pytest.mark.by_default(4)
@pytest.mark.parametrize("letters", [*SECOND, *FIRST])
def test_covariances_against_a_numerical_solve(letters):
    update = word(letters, NORMAL)
    found = covariance(step_of(update), 10)
    with mpmath.workdps(60):
        step = mpmath.mpf(1) / 1000
        exact = lyapunov(update, step)
        for i, a in enumerate(update.state):
            for j, b in enumerate(update.state):
                ours = sum(
                    mpmath.mpf(sympy.N(m[a, b].xreplace(NUMBERS), 60)) * step ** (mpmath.mpf(p) / 2)
                    for p, m in enumerate(found.powers)
                )
                assert abs(ours - exact[i, j]) < mpmath.mpf(10) ** -12


# -- marginal laws and observables
# ---------------------------------------------------------------------------------------------


def marginals(update: Update) -> dict:
    return {m.kept[0]: (m.order, m.exact) for m in invariant_order(update).marginals}


@pytest.mark.by_default(2)
@pytest.mark.parametrize(
    ("letters", "of_theta", "of_r"),
    [
        ("BAOAB", (2, True), (2, True)),
        ("ABOBA", (2, True), (2, True)),
        ("OBABO", (2, True), (2, True)),
        ("OABAO", (2, True), (2, True)),
        ("BAOA", (2, False), (1, False)),
    ],
)
def test_marginal_laws_of_every_potential(letters, of_theta, of_r):
    assert marginals(word(letters)) == {theta: of_theta, r: of_r}


def test_positions_may_be_better_than_the_pair():
    """Semi-implicit Euler is off at first order in the joint law, by ``U' r`` and ``r^2``, of which
    positions see nothing.
    """
    order = invariant_order(semi_implicit())
    assert expand(order.correction - (C * r**2 / 4 + r * U1 / 2)) == 0
    assert marginals(semi_implicit()) == {theta: (2, True), r: (1, True)}


@pytest.mark.by_default(3)
@pytest.mark.parametrize("letters", SECOND)
@pytest.mark.parametrize("block", [theta, r])
def test_what_a_small_quartic_part_does_to_a_variance(letters, block):
    """Against the exact moments of the chain at one step size, to first order in delta; the
    target's are -3 and 0.
    """
    delta = Symbol("delta", positive=True)
    V = total(theta**2 / 2 + delta * theta**4 / 4)
    g = mean_correction(step_of(word(letters, V)), [block], 6, delta).xreplace(
        {C: sympy.Integer(2)}
    )
    f0 = invariant_order(word(letters, total(theta**2) / 2), marginals=()).correction.xreplace(
        {C: sympy.Integer(2)}
    )
    mean_f0 = integrate_normally(f0, theta if block == r else r)
    predicted = integrate_normally(block**2 * g, block) - integrate_normally(g, block)
    predicted += first_order(block**2, mean_f0, block)
    step = mpmath.mpf(1) / 1000
    with mpmath.workdps(50):
        off = first_order_variance(letters, step, block) - (-3 if block == theta else 0)
        assert abs(off / step**2 - mpmath.mpf(sympy.N(predicted, 50))) < mpmath.mpf(10) ** -5


def integrate_normally(e, block):
    """The mean over one standard normal coordinate."""
    moment = normal(Rational(1))
    return sum(c * moment(power[0]) for power, c in sympy.Poly(e, block).terms())


def first_order(phi, f, block):
    """What delta does to ``E[phi f] - E[phi] E[f]`` by changing the law that is averaged over."""
    if block == r:
        return 0
    quartic_part = theta**4 / 4

    def change(e):
        return integrate_normally(e, theta) * integrate_normally(
            quartic_part, theta
        ) - integrate_normally(e * quartic_part, theta)

    mean = integrate_normally
    return change(phi * f) - change(phi) * mean(f, theta) - mean(phi, theta) * change(f)


def first_order_variance(letters, step, block):
    """The derivative by delta, at 0, of a stationary variance of the chain itself, from its closed
    equations for moments.
    """
    R, d, x, p, *draws = sympy.ring(["d", "x", "p", "v", "w"], sympy.RealField(prec=160))
    number = R.domain.convert
    at, use = {"x": x, "p": p}, iter(draws)
    for letter in letters:
        t = step / letters.count(letter)
        if letter == "A":
            at["x"] += number(t) * at["p"]
        elif letter == "B":
            at["p"] -= number(t) * low(at["x"] + d * at["x"] ** 3)
        else:
            at["p"] = number(mpmath.exp(-2 * t)) * at["p"] + number(
                mpmath.sqrt(1 - mpmath.exp(-4 * t))
            ) * next(use)
        at = {name: low(value) for name, value in at.items()}
    pairs = [(2, 0), (1, 1), (0, 2)]
    rows = [over_draws(low(at["x"] ** i * at["p"] ** j)) for i, j in pairs]
    system = mpmath.matrix(3, 3)
    for i, row in enumerate(rows):
        for j, pair in enumerate(pairs):
            system[i, j] = (i == j) - row.get((0, *pair), 0)
    before = mpmath.lu_solve(system, mpmath.matrix([row.get((0, 0, 0), 0) for row in rows]))
    sigma = {(0, 0): before[0], (0, 1): before[1], (1, 0): before[1], (1, 1): before[2]}
    right = [
        sum(c * isserlis([0] * m[1] + [1] * m[2], sigma) for m, c in row.items() if m[0] == 1)
        for row in rows
    ]
    return mpmath.lu_solve(system, mpmath.matrix(right))[0 if block == theta else 2]


def low(e):
    """Without the second power of delta and higher ones."""
    return e.ring.from_dict({m: c for m, c in e.items() if m[0] <= 1})


def over_draws(e):
    found = {}
    for m, c in e.items():
        if all(power % 2 == 0 for power in m[3:]):
            weight = mpmath.mpf(sympy.prod(normal(Rational(1))(power) for power in m[3:]))
            found[m[:3]] = found.get(m[:3], 0) + c * weight
    return found


def isserlis(letters, sigma):
    if not letters:
        return mpmath.mpf(1)
    first, rest = letters[0], letters[1:]
    return sum(
        sigma[first, other] * isserlis(rest[:i] + rest[i + 1 :], sigma)
        for i, other in enumerate(rest)
    )


def test_marginal_laws_of_one_normal_target():
    found = marginals(word("BAOAB", NORMAL))
    assert found[r] == (2, True)
    order, exact = found[theta]
    assert (order >= 4, exact) == (True, False)
    assert marginals(word("OBABO", NORMAL))[theta] == (2, True)


def test_leading_bias_of_a_variance_is_that_of_the_exact_covariance():
    for letters, block in [
        ("BAOAB", r),
        ("OBABO", theta),
        ("OABAO", theta),
        ("BAO", theta),
        ("BAO", r),
    ]:
        update = word(letters, NORMAL)
        bias = leading_bias(update, block**2)
        exact = covariance(step_of(update), int(2 * bias.power) + 1).powers[-1][block, block]
        assert simplify(bias.coefficient - exact) == 0, letters


def test_leading_bias_is_left_as_an_integral_where_the_target_is_not_normal():
    bias = leading_bias(euler_maruyama(QUARTIC), theta**2)
    assert (bias.power, bias.coefficient) == (1, None)
    assert expand(bias.correction - (theta**6 / 4 - 3 * theta**2 / 2)) == 0
    assert leading_bias(word("BAOAB"), theta**2) is None


# -- explicit coordinates
# --------------------------------------------------------------------------------------------------

a, b = Scalar("a"), Scalar("b")
V = Potential("V", a, b)
wa, wb = Noise("wa", like=a), Noise("wb", like=b)


def test_two_explicit_coordinates():
    """In d dimensions the correction is ``|grad V|^2 / 4 - (Laplacian of V) / 2``."""
    rule = {a: a - h * grad(V, a) + sqrt(2 * h) * wa, b: b - h * grad(V, b) + sqrt(2 * h) * wb}
    order = invariant_order(Update(h, rule, V))
    assert (order.order, order.exact) == (1, True)
    expected = (Partial(V, a) ** 2 + Partial(V, b) ** 2) / 4 - (
        Partial(V, a, a) + Partial(V, b, b)
    ) / 2
    assert expand(order.correction - expected) == 0
    assert "dimension" not in order.scope


def test_a_noise_that_two_coordinates_share():
    """Only their sum is driven: what is drawn once must not be counted as two draws."""
    shared = {
        a: a - h * (grad(V, a) + grad(V, b)) + sqrt(2 * h) * wa,
        b: b - h * (grad(V, a) + grad(V, b)) + sqrt(2 * h) * wa,
    }
    assert invariant_order(Update(h, shared, V)).order == 1
    apart = {**shared, b: shared[b].xreplace({wa: wb})}
    assert invariant_order(Update(h, apart, V)).order == 0
    one_by_one = list(shared.items())
    assert invariant_order(Update(h, one_by_one, V)).order == 1


def test_a_splitting_of_two_coordinates_takes_less_than_two_seconds():
    p, q = Scalar("p"), Scalar("q")
    wp, wq = Noise("wp", like=p), Noise("wq", like=q)
    kick = [(p, p - h / 2 * grad(V, a)), (q, q - h / 2 * grad(V, b))]
    drift = [(a, a + h / 2 * p), (b, b + h / 2 * q)]
    c1, c2 = exp(-C * h), sqrt(1 - exp(-2 * C * h))
    rule = [*kick, *drift, (p, c1 * p + c2 * wp), (q, c1 * q + c2 * wq), *drift, *kick]
    start = time.process_time()
    order = invariant_order(Update(h, rule, V + p**2 / 2 + q**2 / 2), marginals=())
    assert (order.order, order.exact) == (2, True)
    assert time.process_time() - start < 2


def test_a_domain_with_an_edge_is_said():
    x = Vector("x", domain=Interval.open(0, oo))
    H = total(x - 2 * sympy.log(x))
    milstein = discretise(Recipe(state=(x,), H=H, D=Matrix([[x]]), Q=Matrix([[0]])), "milstein")
    order = invariant_order(milstein)
    assert (order.order, order.exact) == (1, True)
    assert any("edge" in line for line in order.assumptions)


def test_coupled_coordinates_are_not_said_to_be_refuted_for_every_d():
    order = invariant_order(discretise(sgnht, "semi-implicit"))
    assert "nothing is said of d > 1" in order.scope


# -- refusals
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({theta: w}, "however small the step is"),
        ({theta: theta + sqrt(h) * (theta + w)}, "no limit"),
        ({theta: theta + h * sympy.Abs(theta)}, "not smooth"),
        ({theta: theta + h * exp(w)}, "polynomial of its noise"),
        ({theta: theta + exp(sqrt(h) * w) - 1}, "polynomial of its noise"),
        ({theta: theta + h ** Rational(1, 3) * w}, "half power"),
        ({theta: theta + w / h}, "grows without bound"),
    ],
)
def test_what_is_refused(rule, sentence):
    with pytest.raises(RecipeError, match=sentence):
        invariant_order(Update(h, rule, U))


def test_a_flow_has_no_law_to_be_judged():
    with pytest.raises(RecipeError, match="no noise"):
        invariant_order(discretise(hmc, "leapfrog"))


def test_elementwise_functions_and_phi():
    f = Function("f", positive=True)(theta)
    order = invariant_order(
        Update(
            h, {theta: theta - h * (f * grad(U, theta) - div(f, theta)) + sqrt(2 * h * f) * w}, U
        )
    )
    assert (order.order, order.exact) == (1, True)
    rate = Symbol("rate", real=True)
    exact = {theta: exp(-h) * theta + sqrt(2 * h * Phi(1, -2 * h)) * w}
    assert invariant_order(Update(h, exact, total(theta**2) / 2)).order == 4
    inexact = {theta: theta - h * Phi(1, rate * h) * theta + sqrt(2 * h) * w}
    assert invariant_order(Update(h, inexact, total(theta**2) / 2)).order == 1


def test_bound_potentials():
    concrete = bind(sgld, {U_: total(U_.blocks[0] ** 4) / 4 for U_ in sgld.abstract})
    order = invariant_order(discretise(concrete, "euler"))
    assert (order.order, order.exact) == (1, True)
    assert order.correction is not None
