"""ZhuSuan: the preconditioned Langevin rule of ``zhusuan/sgmcmc.py``.

Shi, Chen, Zhu, Sun, Luo, Gu & Zhou (2017), "ZhuSuan: a library for Bayesian deep learning", arXiv 1709.05870; the source of
2018. V is an average of past squared gradients and G = 1/(sqrt(V) + e), so that G becomes a function of the position as the
step vanishes.

* ``psgld``: the correction Gamma = div G is left out. Where G_i depends on theta_i alone, the law is U + total(log G).
* ``psgld_of_all``: in general G_i depends on all of theta, as the gradient does, and the rule is wrong as well.
"""

from sympy import Function, Symbol, sqrt

from recipe import Field, Noise, Potential, Update, Vector, grad

source = "Shi et al. (2017), ZhuSuan: a library for Bayesian deep learning, arXiv 1709.05870, zhusuan/sgmcmc.py, PSGLD"

theta = Vector("theta")
U = Potential("U", theta)
h = Symbol("h", positive=True)
w = Noise("w", like=theta)

G = Function("G", positive=True)(theta)
psgld = Update(
    step=h,
    target=U,
    rule={theta: theta - h / 2 * G * grad(U, theta) + sqrt(h * G) * w},
    source=source,
    expect="refuted",
)

G_of_all = Field("G", theta, positive=True)
psgld_of_all = Update(
    step=h,
    target=U,
    rule={theta: theta - h / 2 * G_of_all * grad(U, theta) + sqrt(h * G_of_all) * w},
    source=source,
    expect="refuted",
)
