"""BlackJAX: the rules of ``blackjax/sgmcmc``.

Cabezas, Corenflos, Lao & Louf (2024), "BlackJAX: composable Bayesian inference in JAX", arXiv
2402.10797; the source of 2023 to 2025. T is the temperature, and b is the estimate ``beta`` of the
variance of the gradient.

* ``overdamped_langevin``: right.
* ``sghmc_integrator``: right in the limit. Position and momentum are updated at once (explicit
  Euler), so that the step is stable only where ``h k < a < 2/h + h k/2`` at the curvature k.
* ``sghmc``: the kernel redraws the momentum from N(0, 1) before every L of these steps. In the
  limit the law of the positions is (L - 1) U / L, whatever T is: wrong at every L, and for T other
  than 1 even where L is large.
* ``sghmc_of_one_step``: at L = 1 the gradient is computed and never used; the positions are a
  random walk.
* ``sgnht``: right in the limit.
"""

from sympy import Symbol, sqrt

from recipe import Noise, Potential, Scalar, Update, Vector, averaged, grad, repeat, step, total

source = (
    "Cabezas et al. (2024), BlackJAX: composable Bayesian inference in JAX, arXiv 2402.10797,"
    " blackjax/sgmcmc"
)

x = Vector("x")
p = Vector("p", like=x)
xi = Scalar("xi")
U = Potential("U", x)
d = x.dim
h, T = Symbol("h", positive=True), Symbol("T", positive=True)
a, b = Symbol("a", positive=True), Symbol("b", nonnegative=True)
K = Symbol("K", integer=True, positive=True)  # L - 1
w = Noise("w", like=x)
g = -grad(U, x)

overdamped_langevin = Update(
    step=h,
    target=U / T,
    rule={x: x + h * g + sqrt(2 * T * h) * w},
    source=f"{source}/diffusions.py, overdamped_langevin",
    expect="proved",
)

sghmc_integrator = Update(
    step=h,
    target=(U + total(p**2) / 2) / T,
    rule={x: x + h * p, p: (1 - a * h) * p + h * g + sqrt(h * T * (2 * a - h * T * b)) * w},
    source=f"{source}/diffusions.py, sghmc",
    expect="proved",
)

_redrawn = Update(step=h, target=sghmc_integrator.target, rule={x: x, p: w})
sghmc = averaged(
    step(_redrawn),
    step(sghmc_integrator),
    repeat(step(sghmc_integrator), K),
    source=f"{source}/sghmc.py",
    expect="refuted",
)
sghmc_of_one_step = averaged(
    step(_redrawn),
    step(sghmc_integrator),
    source=f"{source}/sghmc.py with num_integration_steps = 1",
    expect="refuted",
)

p_new = (1 - xi * h) * p + h * g + sqrt(h * T * (2 * a - h * T * b)) * w
sgnht = Update(
    step=h,
    target=(U + total(p**2) / 2 + d * (xi - a) ** 2 / 2) / T,
    rule={x: x + h * p, p: p_new, xi: xi + h * (total(p_new**2) / d - T)},
    source=f"{source}/diffusions.py, sgnht",
    expect="proved",
)
