"""Baker, Fearnhead, Fox & Nemeth (2018), "Large-scale stochastic sampling from the probability
simplex", NeurIPS.

* ``geometric_brownian_motion``: section 2.3 gives it a log-normal stationary law. It has none: log
  theta is a Brownian motion with drift.
* ``exponential_ornstein_uhlenbeck``: this process has the log-normal law.

(Their Theorem 3.1 is conditional on the estimates a_hat, in the reverse order: it is about moments,
not about a stationary law.)
"""

from sympy import Interval, Symbol, exp, log, oo, sqrt

from recipe import Noise, Scalar, Update

source = (
    "Baker, Fearnhead, Fox & Nemeth (2018), Large-scale stochastic sampling from the probability"
    " simplex, NeurIPS"
)

theta = Scalar("theta", domain=Interval.open(0, oo))
w = Noise("w", like=theta)
h = Symbol("h", positive=True)
mu, m = Symbol("mu", real=True), Symbol("m", real=True)
sigma, s, b = Symbol("sigma", positive=True), Symbol("s", positive=True), Symbol("b", positive=True)

lognormal = log(theta) + (log(theta) - m) ** 2 / (2 * s**2)

geometric_brownian_motion = Update(
    step=h,
    target=lognormal,
    rule={theta: theta + h * mu * theta + sqrt(h) * sigma * theta * w},
    source=f"{source}, section 2.3",
    expect="refuted",
)

exponential_ornstein_uhlenbeck = Update(
    step=h,
    target=lognormal,
    rule={theta: theta * exp(-b * h * (log(theta) - m) + s * sqrt(2 * b * h) * w)},
    source=(
        "Uhlenbeck & Ornstein (1930), On the theory of the Brownian motion, Physical Review 36, in"
        " the logarithm of theta"
    ),
    expect="proved",
)
