"""Ma, Chen & Fox (2015), "A complete recipe for stochastic gradient MCMC", NIPS: equations of the
paper as they are printed.

* ``eq_6``, ``eq_14``: ``-eps [(D + Q) grad H + Gamma]``, where Gamma must be subtracted inside of
  the bracket, as in their equation (3). Equations (6) and (9) are printed so for every D and Q; the
  one here is for SGRHMC, where Gamma is div G^-1/2 in the momenta. Equation (14) is for SGRLD,
  where Gamma is div G^-1. ``eq_14_corrected`` is proved.
* ``eq_17``: SGRHMC, ``-eps [G^-1/2 grad U + div G^-1/2 - G^-1 r]``: the signs of the correction and
  of the friction are both wrong; ``algorithm_1`` of the same paper has them right.
* ``eq_15_with_its_hamiltonian``: SGNHT with the term ``(xi - A)^2 / (2 d)`` of the printed
  Hamiltonian: right at d = 1 only. The term is ``d (xi - A)^2 / 2``, as in ``eq_15``.
* ``eq_11``: naive SGHMC, noise of covariance ``eps^2 V``. With V fixed the limit is HMC without
  noise, which keeps exp(-H) and many other laws, while the steps heat, by order eps: so the limit
  does not say which law they keep, and it is undecided. ``eq_11_with_b_fixed`` has B =
  eps V / 2 fixed, as where V is estimated from a minibatch that shrinks: it is not stationary,
  which is the point of the paper. They say that ``2 D - eps B_hat >= 0`` holds for small eps. It
  does not hold here, where D = 0: such noise can be compensated only where range B_hat lies in
  range D.
* ``eq_16``: naive SGRHMC: not stationary, as Gamma is left out. Where G_i depends on theta_i alone,
  as in one dimension, its limit keeps ``exp(-U - r^2/2)`` times the product of the G_i^(1/2), among
  others: ``eq_16_with_its_own_law``, which is undecided as ``eq_11`` is.
* ``resampling``: "optionally, periodically resample momentum" of algorithm 1. The draw itself keeps
  the law. But where the number of steps after each draw stays, K + 1, smaller steps do not tend to
  the process: ``algorithm_1_resampled`` is refuted, and ``algorithm_1_resampled_each_step`` forgets
  U, as theta moves before r has seen a gradient. Where G = 1 the law is ``exp(-K U / (K + 1))``:
  ``sghmc_resampled_with_its_own_law``. So the time between draws has to stay, and not the number of
  steps: then a sweep tends to the process of algorithm 1 and a draw, which both keep the law.
"""

from sympy import Expr, Function, Symbol, log, sqrt

from catalog.sgrhmc import sgrhmc as _sgrhmc
from recipe import (
    Noise,
    Potential,
    Scalar,
    Update,
    Vector,
    averaged,
    compose,
    div,
    grad,
    refresh,
    repeat,
    step,
    total,
)

source = "Ma, Chen & Fox (2015), A complete recipe for stochastic gradient MCMC, NIPS"

theta = Vector("theta")
r = Vector("r", like=theta)
xi = Scalar("xi")
U = Potential("U", theta)
G = Function("G", positive=True)(theta)
d = theta.dim
A, B, V = Symbol("A", positive=True), Symbol("B", positive=True), Symbol("V", positive=True)
eps = Symbol("epsilon", positive=True)
w = Noise("w", like=theta)
kinetic = total(r**2) / 2

eq_6 = Update(
    step=eps,
    target=U + kinetic,
    rule={
        theta: theta - eps * (-r / sqrt(G)),
        r: r
        - eps * (grad(U, theta) / sqrt(G) + r / G + div(1 / sqrt(G), theta))
        + sqrt(2 * eps / G) * w,
    },
    source=f"{source}, equations (6) and (9), with the D and Q of SGRHMC",
    expect="refuted",
)


def riemannian(gamma: Expr, of: str, expect: str) -> Update:
    """SGRLD with a given term in the place of Gamma inside of the bracket."""
    return Update(
        step=eps,
        target=U,
        rule={theta: theta - eps * (grad(U, theta) / G + gamma) + sqrt(2 * eps / G) * w},
        source=f"{source}, equation (14){of}",
        expect=expect,
    )


eq_14 = riemannian(div(1 / G, theta), "", "refuted")
eq_14_corrected = riemannian(-div(1 / G, theta), " with Gamma subtracted", "proved")

eq_17 = Update(
    step=eps,
    target=U + kinetic,
    rule={
        theta: theta + eps * r / sqrt(G),
        r: r
        - eps * (grad(U, theta) / sqrt(G) + div(1 / sqrt(G), theta) - r / G)
        + sqrt(2 * eps / G) * w,
    },
    source=f"{source}, equation (17)",
    expect="refuted",
)

algorithm_1 = Update(
    step=eps,
    target=U + kinetic,
    rule={
        theta: theta + eps * r / sqrt(G),
        r: r
        - eps * grad(U, theta) / sqrt(G)
        + eps * div(1 / sqrt(G), theta)
        - eps * r / G
        + sqrt(2 * eps / G) * w,
    },
    source=f"{source}, algorithm 1",
    expect="proved",
)


def thermostat(energy: Expr, of: str, expect: str) -> Update:
    """SGNHT with a given energy of the thermostat xi."""
    return Update(
        step=eps,
        target=U + kinetic + energy,
        rule={
            theta: theta + eps * r,
            r: r - eps * grad(U, theta) - eps * xi * r + sqrt(2 * A * eps) * w,
            xi: xi + eps * (total(r**2) / d - 1),
        },
        source=f"{source}, equation (15){of}",
        expect=expect,
    )


eq_15 = thermostat(d * (xi - A) ** 2 / 2, "", "proved")
eq_15_with_its_hamiltonian = thermostat((xi - A) ** 2 / (2 * d), " and its Hamiltonian", "refuted")


def naive(noise: Expr, of: str, expect: str) -> Update:
    """Naive SGHMC with the given noise of the estimated gradient."""
    return Update(
        step=eps,
        target=U + kinetic,
        rule={theta: theta + eps * r, r: r - eps * grad(U, theta) + noise},
        source=f"{source}, equation (11){of}",
        expect=expect,
    )


eq_11 = naive(sqrt(eps**2 * V) * w, ", V fixed", "undecided")
eq_11_with_b_fixed = naive(sqrt(2 * eps * B) * w, ", B = eps V / 2 fixed", "refuted")


def naive_riemannian(energy: Expr, of: str, expect: str) -> Update:
    """Naive SGRHMC with a claimed law: the given energy plus the kinetic energy."""
    return Update(
        step=eps,
        target=energy + kinetic,
        rule={
            theta: theta + eps * r / sqrt(G),
            r: r - eps * grad(U, theta) / sqrt(G) + sqrt(eps**2 * V) * w,
        },
        source=f"{source}, equation (16){of}",
        expect=expect,
    )


eq_16 = naive_riemannian(U, ", V fixed", "refuted")
eq_16_with_its_own_law = naive_riemannian(
    U - total(log(G)) / 2, ", V fixed, against the law of its limit", "undecided"
)

_drawn = Update(step=eps, target=U + kinetic, rule={theta: theta, r: w})
K = Symbol("K", integer=True, positive=True)  # K + 1 steps after each draw of the momenta

resampling = compose(
    refresh(_sgrhmc, _sgrhmc.state[1]),
    source=f"{source}, algorithm 1: the momenta drawn anew",
    expect="proved",
)
algorithm_1_resampled = averaged(
    step(_drawn),
    step(algorithm_1),
    repeat(step(algorithm_1), K),
    source=f"{source}, algorithm 1, K + 1 steps after each draw of the momenta",
    expect="refuted",
)
algorithm_1_resampled_each_step = averaged(
    step(_drawn),
    step(algorithm_1),
    source=f"{source}, algorithm 1, momenta drawn anew before each step",
    expect="refuted",
)
_sghmc = Update(
    step=eps,
    target=U + kinetic,
    rule={
        theta: theta + eps * r,
        r: r - eps * grad(U, theta) - eps * r + sqrt(2 * eps) * w,
    },
)
sghmc_resampled_with_its_own_law = averaged(
    step(_drawn),
    step(_sghmc),
    repeat(step(_sghmc), K),
    target=K * U / (K + 1),
    source=f"{source}, algorithm 1 with G = 1, K + 1 steps after each draw, against its own law",
    expect="proved",
)
