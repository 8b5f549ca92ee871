"""For which laws and lengths the closed forms of an affine step are proved, and where there are
none.
"""

import numpy as np
import pytest
import scipy.linalg
from sympy import Symbol, lambdify, sqrt, zeros

from recipe import (
    Noise,
    Parameter,
    Potential,
    Recipe,
    Scalar,
    Update,
    Vector,
    discretised,
    grad,
    total,
)
from verify import verify
from verify.discrete.linear import affine_step, stationary_covariance

k = Symbol("k", positive=True)


def outcome(of, scheme):
    return next(
        line.outcome for line in verify(discretised(of, scheme)).lines if line.name == "stable-step"
    )


theta, phi, eps = Vector("theta"), Vector("phi"), Symbol("eps", positive=True)
w = Noise("w", like=theta)
U = Potential("U", theta)
own = Parameter("g", like=theta, positive=True)


def euler(target, noise=w, gain=1, state=theta):
    return Update(
        eps,
        {state: state - eps * gain * grad(target, state) + sqrt(2 * eps * gain) * noise},
        target,
    )


@pytest.mark.parametrize(
    ("update", "scope"),
    [
        (
            euler(U),
            (
                "every d and U = k*x^2/2 in each coordinate x, every positive k: so for every"
                " quadratic U"
            ),
        ),
        (
            euler(U, gain=Parameter("g", like=theta, positive=True)),
            "every d and U = k*x^2/2 in each coordinate x, every positive k",
        ),
        (
            euler(U, noise=Noise("w", like=Scalar("a"))),
            "one dimension and U = k*x^2/2 in each coordinate x, every positive k",
        ),
        (
            euler(U + total(theta) ** 2 / 2),
            "one dimension and U = k*x^2/2 in each coordinate x, every positive k",
        ),
        (euler(total(theta**2) / 2 + total(theta) ** 2 / 2), "one dimension, H as written"),
        (euler(total(theta**2)), "every d, H as written"),
        (
            euler(Scalar("a") ** 2, noise=Noise("w", like=Scalar("a")), state=Scalar("a")),
            "H as written",
        ),
    ],
)
def test_what_is_proved_for_every_length_and_every_quadratic_potential(update, scope):
    found = outcome(update, "printed").scope
    assert found in (scope, f"{scope}, k being an eigenvalue of its Hessian")


def test_two_potentials_have_no_common_eigenvalue():
    both = Potential("V", theta, phi)
    noise = {theta: w, phi: Noise("v", like=phi)}
    update = Update(
        eps, {b: b - eps * grad(both, b) + sqrt(2 * eps) * noise[b] for b in (theta, phi)}, both
    )
    assert "every quadratic U" not in outcome(update, "printed").scope


def test_dimension_three_with_a_dense_hessian_is_what_the_eigenvalues_say():
    """The step of quadratic U with another Hessian than a multiple of the identity, against its own
    Lyapunov equation.
    """
    root = np.random.default_rng(5).normal(size=(3, 3))
    hessian = root @ root.T / 4 + np.eye(3) / 3
    closed = lambdify(
        [k, eps], stationary_covariance(affine_step(euler(U))).of_step[theta, theta], "math"
    )
    values, vectors = np.linalg.eigh(hessian)
    ours = vectors @ np.diag([closed(value, 0.2) for value in values]) @ vectors.T
    assert ours == pytest.approx(
        scipy.linalg.solve_discrete_lyapunov(np.eye(3) - 0.2 * hessian, 0.4 * np.eye(3))
    )


def test_what_is_positive_is_not_said_to_be_other_than_zero():
    a, b = Vector("a"), Vector("b", like=theta)
    U, V = Potential("U", a), Potential("V", b)
    noise = {a: Noise("w", like=a), b: Noise("v", like=b)}
    update = Update(
        eps,
        {x: x - eps * grad(P, x) + sqrt(2 * eps) * noise[x] for x, P in ((a, U), (b, V))},
        U + V,
    )
    assert outcome(update, "printed").by == "stable iff eps < 2/k"


@pytest.mark.slow
def test_blocks_that_have_nothing_to_do_with_each_other_are_judged_one_by_one():
    a, b, p, q = (Scalar(name) for name in "abpq")
    C, G = (Symbol(name, positive=True) for name in "CG")
    U, V = Potential("U", a), Potential("V", b)
    D, Q = zeros(4), zeros(4)
    D[2, 2], D[3, 3], Q[0, 2], Q[2, 0], Q[1, 3], Q[3, 1] = C, G, -1, 1, -1, 1
    two = Recipe((a, b, p, q), U + V + p**2 / 2 + q**2 / 2, D, Q)
    assert outcome(two, "baoab").by == "stable iff step_size < 2/sqrt(k)"
