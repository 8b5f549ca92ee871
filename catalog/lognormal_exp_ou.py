"""Exponential Ornstein-Uhlenbeck: the logarithm of theta is an Ornstein-Uhlenbeck process, and the
law of theta is log-normal.

Uhlenbeck & Ornstein (1930), "On the theory of the Brownian motion", Physical Review 36, through
theta = exp(phi). Baker et al. (2018), section 2.3, use geometric Brownian motion for the log-normal
law, but that process has no stationary law. The rule is the Euler step of the logarithm; ``--scheme
exact`` draws the law itself.
"""

from sympy import Interval, Matrix, Symbol, exp, log, oo, sqrt

from recipe import Noise, Recipe, Update, Vector, total

theta = Vector("theta", domain=Interval.open(0, oo))
mu = Symbol("mu", real=True)  # mean of log(theta)
s = Symbol("s", positive=True)  # standard deviation of log(theta)
b = Symbol("b", positive=True)  # rate at which log(theta) returns to its mean

lognormal = total(log(theta) + (log(theta) - mu) ** 2 / (2 * s**2))
h = Symbol("h", positive=True)
w = Noise("w", like=theta)

lognormal_exp_ou = Recipe(
    state=(theta,),
    H=lognormal,
    D=Matrix([[b * s**2 * theta**2]]),
    Q=Matrix([[0]]),
    source=(
        "Uhlenbeck & Ornstein (1930), On the theory of the Brownian motion, Phys. Rev. 36, in the"
        " logarithm of theta"
    ),
    update=Update(
        step=h,
        target=lognormal,
        rule={theta: theta * exp(-b * h * (log(theta) - mu) + s * sqrt(2 * b * h) * w)},
    ),
)
