"""Edward: the rule of ``edward/inferences/sghmc.py``.

Tran, Kucukelbir, Dieng, Rudolph, Liang & Blei (2016), "Edward: a library for probabilistic
modeling, inference, and criticism", arXiv 1610.09787; the source of version 1.3. ``x += v; v = (1 -
f/2) v + lr g(x_old) + sqrt(lr f) N``. With lr = h^2, v = h r and f = 2 A h:

* ``sghmc``: right in the limit, with the friction A = f / (2 h). Explicit Euler, as both see the
  old state.
"""

from sympy import Symbol, sqrt

from recipe import Noise, Potential, Update, Vector, grad, total

theta = Vector("theta")
v = Vector("v", like=theta)
U = Potential("U", theta)
h, A = Symbol("h", positive=True), Symbol("A", positive=True)
lr, f = h**2, 2 * A * h
w = Noise("w", like=theta)

sghmc = Update(
    step=h,
    target=U + total(v**2) / (2 * lr),
    units={v: h},
    rule={theta: theta + v, v: (1 - f / 2) * v - lr * grad(U, theta) + sqrt(lr * f) * w},
    source="Tran et al. (2016), Edward, arXiv 1610.09787, edward/inferences/sghmc.py",
    expect="proved",
)
