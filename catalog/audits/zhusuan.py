"""ZhuSuan: the rules of ``zhusuan/sgmcmc.py``.

Shi, Chen, Zhu, Sun, Luo, Gu & Zhou (2017), "ZhuSuan: a library for Bayesian deep learning", arXiv
1709.05870; the source of 2018. V is an average of past squared gradients and G = 1/(sqrt(V) + e),
so that G becomes a function of the position as the step vanishes.

* ``psgld``: the correction Gamma = div G is left out. Where G_i depends on theta_i alone, the law
  is U + total(log G).
* ``psgld_of_all``: in general G_i depends on all of theta, as the gradient does, and the rule is
  wrong as well.
* ``sghmc``: the momentum is redrawn every L steps, and each step is symmetric ("second order"):
  right. lr = h^2, alpha = A h.
* ``sghmc_of_first_order``: with ``second_order=False`` the position moves by the new momentum, so
  that the first step has a whole kick and not a half: in the limit the law of the positions is (L +
  1) U / L.
"""

from sympy import Function, Symbol, exp, sqrt

from recipe import Field, Noise, Potential, Update, Vector, averaged, grad, repeat, step, total

source = (
    "Shi et al. (2017), ZhuSuan: a library for Bayesian deep learning, arXiv 1709.05870,"
    " zhusuan/sgmcmc.py"
)

theta = Vector("theta")
U = Potential("U", theta)
h = Symbol("h", positive=True)
w = Noise("w", like=theta)

G = Function("G", positive=True)(theta)
psgld = Update(
    step=h,
    target=U,
    rule={theta: theta - h / 2 * G * grad(U, theta) + sqrt(h * G) * w},
    source=f"{source}, PSGLD",
    expect="refuted",
)

G_of_all = Field("G", theta, positive=True)
psgld_of_all = Update(
    step=h,
    target=U,
    rule={theta: theta - h / 2 * G_of_all * grad(U, theta) + sqrt(h * G_of_all) * w},
    source=f"{source}, PSGLD",
    expect="refuted",
)

v = Vector("v", like=theta)
A = Symbol("A", positive=True)
L = Symbol("L", integer=True, positive=True)
lr, alpha = h**2, A * h
energy = U + total(v**2) / (2 * lr)

_redrawn = Update(step=h, target=energy, units={v: h}, rule={theta: theta, v: sqrt(lr) * w})
_second_order = Update(
    step=h,
    target=energy,
    units={v: h},
    rule=[
        (theta, theta + v / 2),
        (
            v,
            exp(-alpha / 2)
            * (exp(-alpha / 2) * v - lr * grad(U, theta) + sqrt(2 * alpha * lr) * w),
        ),
        (theta, theta + v / 2),
    ],
)
_first_order = Update(
    step=h,
    target=energy,
    units={v: h},
    rule=[
        (v, (1 - alpha) * v - lr * grad(U, theta) + sqrt(2 * alpha * lr) * w),
        (theta, theta + v),
    ],
)

sghmc = averaged(
    step(_redrawn),
    repeat(step(_second_order), L),
    source=f"{source}, SGHMC",
    expect="proved",
)
sghmc_of_first_order = averaged(
    step(_redrawn),
    repeat(step(_first_order), L),
    source=f"{source}, SGHMC with second_order=False",
    expect="refuted",
)
