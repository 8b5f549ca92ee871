"""Baker, Fearnhead, Fox & Nemeth (2018), "Large-scale stochastic sampling from the probability
simplex", NeurIPS.

* ``geometric_brownian_motion``: section 2.3 gives it a log-normal stationary law. It has none: log
  theta is a Brownian motion with drift.
* ``exponential_ornstein_uhlenbeck``: this process has the log-normal law.
* ``released_stick``: in the code that its authors published for the Dirichlet process mixture, the
  SGRLD step of a stick ``v = g/(g + k)``, two positive numbers with shapes alpha + m_g and beta +
  m_k, subtracts ``v (m_g + m_k)`` from both; from the second ``(1 - v) (m_g + m_k)`` must go, as in
  ``catalog/sgrld_simplex_expanded_mean.py``, which is proved.

(Their Theorem 3.1 is conditional on the estimates a_hat, in the reverse order: it is about the law
of a chain and not about a stationary law, and stands in ``verify/discrete/exact/many_steps.py``.)
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

g, k = (Scalar(name, domain=Interval.open(0, oo)) for name in ("g", "k"))
w_g, w_k = Noise("w_g", like=g), Noise("w_k", like=k)
alpha, beta = Symbol("alpha", positive=True), Symbol("beta", positive=True)
m_g, m_k = Symbol("m_g", nonnegative=True), Symbol("m_k", nonnegative=True)
_v, _all = g / (g + k), m_g + m_k

released_stick = Update(
    step=h,
    target=-(alpha + m_g - 1) * log(g) - (beta + m_k - 1) * log(k) + g + k + _all * log(g + k),
    rule={
        g: g + h * (alpha - g + m_g - _v * _all) + sqrt(2 * h * g) * w_g,
        k: k + h * (beta - k + m_k - _v * _all) + sqrt(2 * h * k) * w_k,
    },
    source=f"{source}, released code, sticks of the Dirichlet process mixture",
    expect="refuted",
)
