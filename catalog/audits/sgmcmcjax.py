"""SGMCMCJax: the rules of ``sgmcmcjax/diffusions.py``.

Coullon & Nemeth (2022), "SGMCMCJax: a lightweight JAX library for stochastic gradient Markov chain Monte Carlo algorithms",
Journal of Open Source Software 7(72); the source of version 0.2. In the library's letters ``dt`` is the step of ``sgld`` and
the squared step h^2 of momentum methods, whose v is h times the momentum r here, and ``alpha`` is A h.

* ``sgld``: right.
* ``psgld``: V is an average of past g^2, so that G becomes a function of the position as the step vanishes; the correction
  Gamma is left out. Where G_i depends on theta_i alone, the law is U + total(log G). ``psgld_of_all``: in general there is no
  such law.
* ``sghmc_flow``: right, with position and momentum updated at once.
* ``sghmc``: v is redrawn in full before every L of these steps. The first of the L does not see the gradient, and in the limit
  the law of the positions is (L - 1) U / L, at a friction A per unit of time.
* ``sgnht``: right; the thermostat moves by the new momentum.
* ``badodab``: what drives the thermostat is the norm of v, and must be its square; with the square the law is stationary. (The
  rule as it is written also divides by xi, which may be 0.)
"""

from sympy import Expr, Function, S, Symbol, exp, sqrt

from recipe import Field, Noise, Potential, Scalar, Update, Vector, averaged, grad, repeat, step, total

source = "Coullon & Nemeth (2022), SGMCMCJax, Journal of Open Source Software 7(72), sgmcmcjax/diffusions.py"

theta = Vector("theta")
r = Vector("r", like=theta)
xi = Scalar("xi")
U = Potential("U", theta)
n = theta.dim
A = Symbol("A", positive=True)
L = Symbol("L", integer=True, positive=True)
h = Symbol("h", positive=True)
w = Noise("w", like=theta)
g = -grad(U, theta)

sgld = Update(
    step=h,
    target=U,
    rule={theta: theta + h * g + sqrt(2 * h) * w},
    source=f"{source}, sgld",
    expect="proved",
)


def preconditioned(G: Expr, of: str) -> Update:
    """``psgld`` with what G becomes in the limit."""
    return Update(
        step=h,
        target=U,
        rule={theta: theta + h / 2 * G * g + sqrt(h * G) * w},
        source=f"{source}, psgld, {of}",
        expect="refuted",
    )


psgld = preconditioned(Function("G", positive=True)(theta), "where G_i depends on theta_i alone")
psgld_of_all = preconditioned(Field("G", theta, positive=True), "in general")

sghmc_flow = Update(
    step=h,
    target=U + total(r**2) / 2,
    rule={theta: theta + h * r, r: r + h * g - A * h * r + sqrt(2 * A * h) * w},
    source=f"{source}, sghmc without the redrawing",
    expect="proved",
)

sghmc = averaged(
    step(Update(step=h, target=sghmc_flow.target, rule={theta: theta, r: w})),
    repeat(step(sghmc_flow), L),
    source=f"{source}, sghmc with the momentum redrawn every L steps",
    expect="refuted",
)

sgnht = Update(
    step=h,
    target=U + total(r**2) / 2 + n * (xi - A) ** 2 / 2,
    rule=[
        (r, r - h * xi * r + h * g + sqrt(2 * A * h) * w),
        (theta, theta + h * r),
        (xi, xi + h * (total(r**2) / n - 1)),
    ],
    source=f"{source}, sgnht",
    expect="proved",
)


c = exp(-xi * h)
drive = h / 2 * (sqrt(total(r**2)) - n)
badodab = Update(
    step=h,
    target=U + total(r**2) / 2 + (xi - S.Half) ** 2 / 2,
    rule=[
        (r, r + h / 2 * g),
        (theta, theta + h / 2 * r),
        (xi, xi + drive),
        (r, c * r + sqrt((1 - c**2) / (2 * xi)) * w),
        (xi, xi + drive),
        (theta, theta + h / 2 * r),
        (r, r + h / 2 * g),
    ],
    source=f"{source}, badodab",
    expect="refuted",
)
