"""SGMCMCJax: the rules of ``sgmcmcjax/diffusions.py``, and the kernel that ``sgmcmcjax/kernels.py``
builds from one of them.

Coullon & Nemeth (2022), "SGMCMCJax: a lightweight JAX library for stochastic gradient Markov chain
Monte Carlo algorithms", Journal of Open Source Software 7(72); the source of version 0.2 (of
``kernels.py`` 0.2.13). In the library ``dt`` is the step of ``sgld``. For momentum methods it is
the squared step h^2, here ``eta``; their v is h times a momentum, and ``alpha`` is A h.

* ``sgld``: right.
* ``psgld``: V is an average of past g^2, so that G becomes a function of the position as the step
  vanishes; the correction Gamma is left out. Where G_i depends on theta_i alone, the law is U +
  total(log G). ``psgld_of_all``: in general there is no such law.
* ``sghmc_flow``: right, with position and momentum updated at once.
* ``sghmc``: v is redrawn in full before every L of these steps. The first of the L does not see the
  gradient, and in the limit the law of the positions is (L - 1) U / L, here K U / (K + 1) with L =
  K + 1 steps, at a friction A per unit of time.
* ``sgnht``: right; the thermostat moves by the new momentum.
* ``badodab``: the thermostat is driven by the norm of v, which must be the squared norm.
  ``badodab_squared``: right.
* ``baoab``: ``tau``, called the temperature, multiplies the noise, so that the temperature is its
  square, ``baoab_of_the_square``.
* ``build_baoab_kernel``, and ``build_badodab_kernel`` likewise, unpack two updates into one name.
  The last one, half a kick, is used for both, and positions never move.
"""

from sympy import Expr, Function, S, Symbol, exp, sqrt

from recipe import (
    Field,
    Noise,
    Potential,
    Scalar,
    Update,
    Vector,
    averaged,
    grad,
    repeat,
    step,
    total,
)

source = (
    "Coullon & Nemeth (2022), SGMCMCJax, Journal of Open Source Software 7(72),"
    " sgmcmcjax/diffusions.py"
)

theta = Vector("theta")
v = Vector("v", like=theta)
xi = Scalar("xi")
U = Potential("U", theta)
n = theta.dim
A = Symbol("A", positive=True)
K = Symbol("K", integer=True, positive=True)  # L - 1
h = Symbol("h", positive=True)
eta, a = h**2, A * h
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
    """``psgld`` with the limit of G as the step vanishes."""
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
    target=U + total(v**2) / (2 * eta),
    units={v: h},
    rule={theta: theta + v, v: v + eta * g - a * v + sqrt(2 * a * eta) * w},
    source=f"{source}, sghmc without the redrawing",
    expect="proved",
)

_redrawn = Update(
    step=h, target=U + total(v**2) / (2 * eta), units={v: h}, rule={theta: theta, v: sqrt(eta) * w}
)
sghmc = averaged(
    step(_redrawn),
    step(sghmc_flow),
    repeat(step(sghmc_flow), K),
    source=f"{source}, sghmc with the momentum redrawn every L steps",
    expect="refuted",
)

sgnht = Update(
    step=h,
    target=U + total(v**2) / (2 * eta) + n * (xi / h - A) ** 2 / 2,
    units={v: h, xi: h},
    rule=[
        (v, v - xi * v + eta * g + sqrt(2 * a * eta) * w),
        (theta, theta + v),
        (xi, xi + total(v**2) / n - eta),
    ],
    source=f"{source}, sgnht",
    expect="proved",
)


def thermostat(kinetic: Expr, of: str, expect: str) -> Update:
    """``badodab`` with a given kinetic energy, which drives the thermostat."""
    c = exp(-xi * h)
    drive = h / 2 * (kinetic - n)
    return Update(
        step=h,
        target=U + total(v**2) / 2 + (xi - S.Half) ** 2 / 2,
        rule=[
            (v, v + h / 2 * g),
            (theta, theta + h / 2 * v),
            (xi, xi + drive),
            (v, c * v + sqrt((1 - c**2) / (2 * xi)) * w),
            (xi, xi + drive),
            (theta, theta + h / 2 * v),
            (v, v + h / 2 * g),
        ],
        source=f"{source}, badodab{of}",
        expect=expect,
    )


badodab = thermostat(sqrt(total(v**2)), "", "refuted")
badodab_squared = thermostat(total(v**2), " with the square of the norm", "proved")

gamma = Symbol("gamma", positive=True)
tau = Symbol("tau", positive=True)


def langevin(temperature: Expr, of: str, expect: str) -> Update:
    """``baoab`` with a claimed temperature."""
    c1 = exp(-gamma * h)
    return Update(
        step=h,
        target=(U + total(v**2) / 2) / temperature,
        rule=[
            (v, v + h / 2 * g),
            (theta, theta + h / 2 * v),
            (v, c1 * v + tau * sqrt(1 - c1**2) * w),
            (theta, theta + h / 2 * v),
            (v, v + h / 2 * g),
        ],
        source=f"{source}, baoab at the temperature {of}",
        expect=expect,
    )


baoab = langevin(tau, "tau", "refuted")
baoab_of_the_square = langevin(tau**2, "tau^2", "proved")

_half_a_kick = (v, v + h / 2 * g)
build_baoab_kernel = Update(
    step=h,
    target=U + total(v**2) / 2,
    rule=[_half_a_kick, _half_a_kick, (theta, theta)],
    source=source.replace("diffusions.py", "kernels.py, build_baoab_kernel"),
    expect="refuted",
)
