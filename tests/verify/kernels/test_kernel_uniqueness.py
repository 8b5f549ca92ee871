"""Which kernels are proved to have one invariant law: those that reach everything, against explicit
coordinates.
"""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from helpers.outcomes import outcome_of
from sympy import Interval, Matrix, Symbol, exp, oo, sqrt

from recipe import (
    Dense,
    Kernel,
    Noise,
    Potential,
    Recipe,
    Scalar,
    Update,
    Vector,
    compose,
    grad,
    metropolis,
    refresh,
    step,
    total,
)
from verify import Verdict, verify

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED
h = Symbol("h", positive=True)
a = Symbol("a", real=True)
theta = Vector("theta")
phi, r, s = (Vector(name, like=theta) for name in ("phi", "r", "s"))
U = Potential("U", theta)
w = Noise("w", like=theta)


def at_rest(H, *state) -> Recipe:
    """A recipe for the sake of its law."""
    return Recipe(state, H, Matrix.zeros(len(state)), Matrix.zeros(len(state)))


ONE = at_rest(U + total(r**2) / 2, theta, r)
KICK = (r, r - h / 2 * grad(U, theta))


def hmc(drift, redraw=None) -> Kernel:
    """One to three leapfrog steps with another drift than ``h r``, after a refresh."""
    leap = Update(h, [KICK, (theta, theta + drift), KICK], ONE.H)
    return compose(redraw or refresh(ONE, r), metropolis(leap, flip=r, times=(1, 3)))


def uniqueness(kernel: Kernel) -> Verdict:
    return outcome_of(verify(kernel), "uniqueness").verdict


# -- one step of a map after a refresh
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rounds", [2, 3, 7])
def test_a_fixed_number_of_steps_comes_back_at_some_step_size(rounds):
    """The step of the witness, in numbers: so many leapfrog steps turn every sign."""
    kick = (r, r - h / 2 * grad(U, theta))
    leap = Update(h, [kick, (theta, theta + h * r), kick], ONE.H)
    kernel = compose(refresh(ONE, r), metropolis(leap, flip=r, times=rounds))
    found = outcome_of(verify(kernel), "uniqueness")
    assert found.verdict is REFUTED
    assert f"2 - h**2 = 2*cos(pi/{rounds})" in found.witness.point["h"]
    size = math.sqrt(2 - 2 * math.cos(math.pi / rounds))
    half, whole = np.array([[1, 0], [-size / 2, 1]]), np.array([[1, size], [0, 1]])
    assert np.allclose(np.linalg.matrix_power(half @ whole @ half, rounds), -np.eye(2))


def test_what_may_not_come_back_is_left_open():
    def of(H, *parts, times=3):
        law = at_rest(H + total(r**2) / 2, theta, r)
        kick = (r, r - h / 2 * grad(H, theta))
        leap = Update(h, [kick, (theta, theta + h * r), kick], law.H)
        redraw = parts or (refresh(law, r),)
        return uniqueness(compose(*redraw, metropolis(leap, flip=r, times=times)))

    square = total(theta**2) / 2
    assert of(square) is REFUTED
    assert of(square + total(theta**4)) is UNDECIDED  # not linear
    assert of(square, times=(2, 3)) is UNDECIDED  # a number that is drawn
    law = at_rest(square + total(r**2) / 2, theta, r)
    assert of(square, refresh(law, r, keep=exp(-h))) is UNDECIDED  # r is not drawn afresh
    assert of(square, refresh(law, r), refresh(law, theta)) is not REFUTED  # theta is


def test_a_vector_does_not_drive_a_number_as_if_it_had_as_many_coordinates():
    z = Scalar("z")
    law = at_rest(z**2 / 2 + total(r**2) / 2, z, r)
    kick = (r, r - h / 2 * z)
    leap = Update(h, [kick, (z, z + h * total(r)), kick], law.H)
    assert uniqueness(compose(refresh(law, r), metropolis(leap, flip=r, times=(1, 3)))) is UNDECIDED


def test_a_number_drives_a_number():
    z, p = Scalar("z"), Scalar("p")
    V = Potential("V", z)
    law = at_rest(V + p**2 / 2, z, p)
    kick = (p, p - h / 2 * grad(V, z))
    leap = Update(h, [kick, (z, z + h * p), kick], law.H)
    assert uniqueness(compose(refresh(law, p), metropolis(leap, flip=p, times=(1, 3)))) is PROVED


def test_a_momentum_of_another_length_drives_nothing():
    q = Vector("q")
    law = at_rest(total(theta**2) / 2 + total(q**2) / 2, theta, q)
    kick = (q, q - h / 2 * total(theta))
    leap = Update(h, [kick, (theta, theta + h * total(q)), kick], law.H)
    assert uniqueness(compose(refresh(law, q), metropolis(leap, flip=q, times=(1, 3)))) is UNDECIDED


@pytest.mark.parametrize(
    ("drift", "wanted"),
    [
        (h * r, PROVED),
        (h * r * (1 + a**2), PROVED),
        (h * r * a, UNDECIDED),  # at a = 0 nothing moves
        (h * total(r), UNDECIDED),  # along (1, ..., 1) only
        (h * (r - total(r) / theta.dim), UNDECIDED),  # and all but that
        (h * r + total(r), UNDECIDED),  # everywhere, which is not seen
        (h * r**3, UNDECIDED),  # everywhere, with a density that is infinite somewhere
    ],
)
def test_the_factor_of_the_momentum_must_vanish_nowhere_and_be_elementwise(drift, wanted):
    report = verify(hmc(drift))
    assert outcome_of(report, "invariance").verdict is PROVED
    assert outcome_of(report, "uniqueness").verdict is wanted


def test_a_factor_that_vanishes_at_a_position_keeps_it_there():
    """``phi`` moves by ``h theta s``: not at all from where theta is 0."""
    law = at_rest(total(theta**2 + phi**2 + r**2 + s**2) / 2, theta, phi, r, s)
    word = [
        (r, r - h / 2 * theta),
        (s, s - h / 2 * phi),
        (theta, theta + h / 2 * r),
        (phi, phi + h * theta * s),
    ]
    leap = Update(h, [*word, *reversed(word[:3])], law.H)
    report = verify(compose(refresh(law, r, s), metropolis(leap, flip=(r, s), times=(1, 2))))
    assert outcome_of(report, "invariance").verdict is PROVED
    assert outcome_of(report, "uniqueness").verdict is UNDECIDED


def test_a_momentum_that_is_not_redrawn_in_full_is_not_enough():
    assert uniqueness(hmc(h * r, refresh(ONE, r, keep=exp(-h)))) is UNDECIDED
    n = Noise("n", like=r)
    within = step(
        Update(h, {theta: theta, r: n - total(n) / theta.dim}, ONE.H)
    )  # never along (1, ..., 1)
    assert uniqueness(hmc(h * r, within)) is UNDECIDED
    law = at_rest(total(theta**2 + phi**2 + r**2 + s**2) / 2, theta, phi, r, s)
    kicks = [(r, r - h / 2 * theta), (s, s - h / 2 * phi)]
    half = (theta, theta + h / 2 * r)
    leap = Update(h, [*kicks, half, (phi, phi + h * s), half, *reversed(kicks)], law.H)
    test = metropolis(leap, flip=(r, s), times=(1, 2))
    assert uniqueness(compose(refresh(law, r, s), test)) is PROVED
    assert uniqueness(compose(refresh(law, r), test)) is UNDECIDED


def test_two_positions_need_two_momenta():
    """Random drifts of two positions by two momenta; one step must have full rank in the momenta,
    in explicit coordinates.
    """
    draw = random.Random(7)
    law = at_rest(total(theta**2 + phi**2 + r**2 + s**2) / 2, theta, phi, r, s)
    seen = []
    for _ in range(40):
        first, second = (
            [draw.choice((0, 0, 1, 2)), draw.choice((0, 0, 1)), draw.choice((0, 0, 0, 1))]
            for _ in range(2)
        )
        of_theta, of_phi = (c[0] * r + c[1] * s + c[2] * total(r) for c in (first, second))
        if of_theta == 0 or of_phi == 0:
            continue
        word = [
            (r, r - h / 2 * theta),
            (s, s - h / 2 * phi),
            (theta, theta + h / 2 * of_theta),
            (phi, phi + h * of_phi),
        ]
        leap = Update(h, [*word, *reversed(word[:3])], law.H)
        report = verify(compose(refresh(law, r, s), metropolis(leap, flip=(r, s), times=(1, 2))))
        assert outcome_of(report, "invariance").verdict is PROVED
        everywhere = all(full_rank(first, second, d) for d in (1, 2, 3))
        verdict = outcome_of(report, "uniqueness").verdict
        assert verdict is not PROVED or everywhere, (first, second)
        seen.append((verdict, everywhere))
    assert seen.count((PROVED, True)) > 2
    assert seen.count((UNDECIDED, False)) > 5


def full_rank(first, second, d: int) -> bool:
    """Whether the step of the two positions has an inverse as a linear map of the two momenta, at h
    = 1.
    """
    rows = [
        [c[0] * (i == j) + c[2] for j in range(d)] + [c[1] * (i == j) for j in range(d)]
        for c in (first, second)
        for i in range(d)
    ]
    return Matrix(rows).det() != 0


def test_a_map_beside_an_edge_is_left_open():
    x = Vector("x", domain=Interval.open(0, oo))
    p = Vector("p", like=x)
    V = Potential("V", x)
    law = at_rest(V + total(p**2) / 2, x, p)
    kick = (p, p - h / 2 * grad(V, x))
    leap = Update(h, [kick, (x, x + h * p), kick], law.H)
    report = verify(compose(refresh(law, p), metropolis(leap, flip=p, times=(1, 3))))
    assert outcome_of(report, "invariance").verdict is UNDECIDED
    assert outcome_of(report, "uniqueness").verdict is UNDECIDED


# -- proposals with a density
# --------------------------------------------------------------------------------------------------


@pytest.mark.by_default(2)
@pytest.mark.parametrize(
    ("rule", "wanted"),
    [
        (theta + h * w, PROVED),
        (theta + h * (1 + theta**2) * w, PROVED),
        (theta + a * w, UNDECIDED),  # a may be 0
        (theta + h * theta * w, UNDECIDED),  # from 0 nothing moves
        (theta + h * w / (1 + theta), UNDECIDED),  # no value at -1
    ],
)
def test_a_proposal_must_have_a_density_that_vanishes_nowhere(rule, wanted):
    assert uniqueness(compose(metropolis(Update(h, {theta: rule}, U)))) is wanted


M = Dense("M", theta, positive=True)
z = Scalar("z")
JOINT = Potential("J", theta, z)
EACH = {theta: theta + h * w, z: z + h * Noise("o", like=z)}


@pytest.mark.parametrize(
    "rule",
    [
        {theta: theta + h * (w - total(w) / theta.dim), z: EACH[z]},  # never along (1, ..., 1)
        {theta: theta + h * total(w), z: EACH[z]},  # only along it
        {theta: theta + h * Noise("o", like=z), z: EACH[z]},  # one number for all
        {theta: theta + h * w, z: z + total(w)},  # z follows theta
    ],
)
def test_a_covariance_that_may_be_singular_proves_nothing(rule):
    """Such rules are refused when they are written, so they are put into a kernel by hand."""
    right = metropolis(Update(h, EACH, JOINT))
    assert uniqueness(compose(right)) is PROVED
    by_hand = compose(replace(right, proposal=Update(h, rule, JOINT)))
    assert verify(by_hand).verdict is not PROVED
    assert uniqueness(by_hand) is UNDECIDED


def test_a_correlated_proposal_has_one_invariant_law():
    assert (
        uniqueness(
            compose(metropolis(Update(h, {theta: theta + h * Noise("n", theta, covariance=M)}, U)))
        )
        is PROVED
    )


def test_blocks_that_a_proposal_does_not_move_stay_where_they_are():
    for rule in ({theta: EACH[theta], z: z}, {theta: theta, z: EACH[z]}):
        assert uniqueness(compose(metropolis(Update(h, rule, JOINT)))) is UNDECIDED


def test_a_proposal_on_a_half_line_is_balanced_there_and_reaches_all_of_it():
    """What falls outside is rejected, and within there is a density, unless the noise vanishes at
    an edge that belongs to it.
    """
    x = Vector("x", domain=Interval.open(0, oo))
    closed = Vector("x", domain=Interval(0, oo))
    for block, root, wanted in (
        (x, sqrt(h), PROVED),
        (x, sqrt(h * x), PROVED),
        (closed, sqrt(h * closed), UNDECIDED),
    ):
        V = Potential("V", block)
        mala = Update(h, {block: block - h * grad(V, block) / 2 + root * Noise("n", like=block)}, V)
        report = verify(compose(metropolis(mala)))
        assert outcome_of(report, "detailed-balance").verdict is wanted
        assert outcome_of(report, "uniqueness").verdict is wanted
        if wanted is PROVED:
            assert "a proposal outside the domain of x is rejected" in str(report)
