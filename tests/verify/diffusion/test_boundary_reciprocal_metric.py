"""``boundary`` of Hamiltonian dynamics with friction and the metric G = 1/theta on theta > 0.

In ``phi = 2 sqrt(theta)``, whose speed is the momentum, a gamma law of shape a has the potential
``-(2 a - 1) log(phi)``: the edge is never reached for a > 1/2, and for a < 1/2 it is reached with
an infinite momentum.
"""

import itertools

import pytest
from sympy import Interval, Matrix, Rational, log, oo, simplify, sqrt, symbols

from recipe import Parameter, Potential, Recipe, Vector, mirror, total
from verify import Verdict
from verify.engine import outcome_of

PROVED, UNDECIDED = Verdict.PROVED, Verdict.UNDECIDED
HALF = Rational(1, 2)

theta = Vector("theta", domain=Interval.open(0, oo))
r = Vector("r", like=theta)
n = Parameter("n", like=theta, nonnegative=True)
a = Parameter("a", like=theta, positive=True)
whole = total(theta)


def sampler(U, where=(), inverse_metric=theta):
    """SGRHMC of Ma, Chen & Fox (2015) with exact gradients: D = diag(0, 1/G)."""
    s = sqrt(inverse_metric)
    return Recipe(
        (theta, r),
        H=U + total(r**2) / 2,
        D=Matrix([[0, 0], [0, inverse_metric]]),
        Q=Matrix([[0, -s], [s, 0]]),
        where=where,
    )


def gamma(shape):
    return total(theta - (shape - 1) * log(theta))


def boundary(declared):
    return outcome_of(declared, "boundary")


SHAPES = [Rational(k, 4) for k in range(1, 9)]


@pytest.mark.by_default(3)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_gamma_law_stays_off_the_edge_above_one_half_only(shape):
    never = boundary(sampler(gamma(shape)))
    assert (never.verdict is PROVED) == (shape > HALF)
    assert never.verdict in (PROVED, UNDECIDED)
    reflected = boundary(mirror(sampler(gamma(shape)), theta))
    assert (reflected.verdict is PROVED) == (shape >= HALF)
    if shape == HALF:
        assert "the speed of phi turns" in reflected.by


def test_a_symbolic_shape_needs_a_condition_which_is_found_and_printed():
    found = boundary(sampler(gamma(a)))
    assert found.verdict is UNDECIDED
    assert "never reaches the edge where a - 1/2 > 0; declare" in found.by
    assert boundary(sampler(gamma(a), [a > HALF])).verdict is PROVED
    assert boundary(sampler(gamma(a), [2 * a > 1])).verdict is PROVED
    assert boundary(sampler(gamma(a), [2 * a >= 1])).verdict is UNDECIDED
    assert boundary(mirror(sampler(gamma(a), [2 * a >= 1]), theta)).verdict is UNDECIDED


EXPANDED_MEAN = -total((n + a - 1) * log(theta)) + whole + total(n) * log(whole)
FACES, CORNER = n + a > HALF, total(a) > theta.dim / 2


@pytest.mark.parametrize("reflected", [False, True])
@pytest.mark.parametrize("where", list(itertools.product([None, FACES], [None, CORNER])))
def test_expanded_mean_of_the_simplex_needs_both_conditions(where, reflected):
    declared = sampler(EXPANDED_MEAN, [c for c in where if c is not None])
    outcome = boundary(mirror(declared, theta) if reflected else declared)
    assert outcome.verdict is (PROVED if None not in where else UNDECIDED)


@pytest.mark.parametrize(
    "U",
    [
        Potential("U", theta),
        -gamma(a),
        gamma(1 + a) + whole**2 * total(theta**2),
        -total((n + a - 1) * log(theta)) - whole,
    ],
)
def test_other_laws_stay_open(U):
    assert boundary(sampler(U)).verdict is UNDECIDED


@pytest.mark.parametrize("inverse_metric", [1, theta**2 + 1])
def test_without_the_metric_a_shape_above_one_half_is_not_enough(inverse_metric):
    """With a speed that does not vanish a gamma law of shape 3/4 reaches the edge."""
    declared = sampler(gamma(Rational(3, 4)), inverse_metric=inverse_metric)
    assert boundary(declared).verdict is not PROVED


def test_the_energy_in_phi_changes_by_friction_alone():
    """``L (H - log(s))`` in one explicit coordinate with plain sympy: theta (1 - r^2)."""
    t, p, shape = symbols("t p shape", positive=True)
    H = t - (shape - 1) * log(t) + p**2 / 2
    V = H - log(t) / 2
    s = sqrt(t)
    drift = (s * p, -s * H.diff(t) + s.diff(t) - t * p)
    change = drift[0] * V.diff(t) + drift[1] * V.diff(p) + t * V.diff(p, 2)
    assert simplify(change - t * (1 - p**2)) == 0
