"""pysgmcmc: relativistic SGHMC, ``pysgmcmc/samplers/relativistic_sghmc.py``.

Freidank (2017), pysgmcmc; the sampler is that of Lu, Perrone, Hasenclever, Teh & Vollmer (2017),
"Relativistic Monte Carlo", AISTATS. Momenta have the energy m c^2 sqrt(r^2/(m^2 c^2) + 1),
coordinate by coordinate, so that no position moves faster than c.

* ``relativistic_sghmc``: right; the variance that B subtracts from the noise is of higher order in
  the step.
"""

from sympy import Symbol, sqrt

from recipe import Noise, Potential, Update, Vector, grad, total

theta = Vector("theta")
r = Vector("r", like=theta)
U = Potential("U", theta)
epsilon, m, c = (
    Symbol("epsilon", positive=True),
    Symbol("m", positive=True),
    Symbol("c", positive=True),
)
D, B = Symbol("D", positive=True), Symbol("B", nonnegative=True)
w = Noise("w", like=theta)

s = sqrt(r**2 / (m**2 * c**2) + 1)

relativistic_sghmc = Update(
    step=epsilon,
    target=U + m * c**2 * total(s),
    rule=[
        (
            r,
            r
            - epsilon * grad(U, theta)
            - D * epsilon * r / (m * s)
            + sqrt(epsilon * (2 * D - epsilon * B)) * w,
        ),
        (theta, theta + epsilon * r / (m * s)),
    ],
    source=(
        "Freidank (2017), pysgmcmc, samplers/relativistic_sghmc.py, after Lu et al. (2017),"
        " Relativistic Monte Carlo, AISTATS"
    ),
    expect="proved",
)
