"""posteriors: the rules of ``posteriors/sgmcmc``.

Duffield, Donatella, Chiu, Klett & Simpson (2024), "Scalable Bayesian learning with posteriors",
arXiv 2406.00104; the source of 2025. T is the temperature, s the standard deviation of the momenta,
and b their estimate ``beta`` of the variance of the gradient.

* ``sgld``: right; the variance that b subtracts from the noise is of higher order in the step.
* ``sghmc``: right in the limit; position and momentum are updated at once, which is stable only
  where the friction exceeds the step times the curvature.
* ``baoa``: right, and exact for the positions where the potential is quadratic.
"""

from sympy import Symbol, exp, sqrt

from recipe import Noise, Potential, Update, Vector, grad, total

source = (
    "Duffield et al. (2024), Scalable Bayesian learning with posteriors, arXiv 2406.00104,"
    " posteriors/sgmcmc"
)

theta = Vector("theta")
m = Vector("m", like=theta)
U = Potential("U", theta)
h, T, s = Symbol("h", positive=True), Symbol("T", positive=True), Symbol("s", positive=True)
a, b = Symbol("a", positive=True), Symbol("b", nonnegative=True)
w = Noise("w", like=theta)
g = -grad(U, theta)

sgld = Update(
    step=h,
    target=U / T,
    rule={theta: theta + h * g + sqrt(T * h * (2 - T * h * b)) * w},
    source=f"{source}/sgld.py",
    expect="proved",
)

sghmc = Update(
    step=h,
    target=(U + total(m**2) / (2 * s**2)) / T,
    rule={
        theta: theta + h * m / s**2,
        m: m + h * g - h * a * m / s**2 + sqrt(T * h * (2 * a - T * h * b)) * w,
    },
    source=f"{source}/sghmc.py",
    expect="proved",
)

baoa = Update(
    step=h,
    target=(U + total(m**2) / (2 * s**2)) / T,
    rule=[
        (m, m + h * g),
        (theta, theta + h / 2 * m / s**2),
        (m, exp(-a * h) * m + s * sqrt(T * (1 - exp(-2 * a * h))) * w),
        (theta, theta + h / 2 * m / s**2),
    ],
    source=f"{source}/baoa.py",
    expect="proved",
)
