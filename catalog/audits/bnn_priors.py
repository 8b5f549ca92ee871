"""bnn_priors: the kernel of ``bnn_priors/mcmc/verlet_sgld.py``.

Fortuin, Garriga-Alonso, Ober, Wenzel, Ratsch, Turner, van der Wilk & Aitchison (2022), "Bayesian
neural network priors revisited", ICLR; the source of 2021. A step is half of a partial refresh, a
leapfrog step, and another half. The energy change of the leapfrog step decides whether all three
are accepted.

* ``verlet``: on rejection ``maybe_reject`` restores the momentum from before the first half with
  its sign, which must be turned (Horowitz 1991; Garriga-Alonso & Fortuin 2021): wrong at every step
  size.
* ``verlet_turned``: right; the same step with the sign turned.
"""

from sympy import Matrix, Symbol, exp

from recipe import (
    Kernel,
    Potential,
    Recipe,
    Update,
    Vector,
    compose,
    grad,
    metropolis,
    refresh,
    total,
)

source = (
    "Fortuin et al. (2022), Bayesian neural network priors revisited, ICLR,"
    " bnn_priors/mcmc/verlet_sgld.py"
)

theta = Vector("theta")
m = Vector("m", like=theta)
U = Potential("U", theta)
h, gamma = Symbol("h", positive=True), Symbol("gamma", positive=True)

_hmc = Recipe(
    state=(theta, m),
    H=U + total(m**2) / 2,
    D=Matrix([[0, 0], [0, 0]]),
    Q=Matrix([[0, -1], [1, 0]]),
)
_leapfrog = Update(
    step=h,
    target=_hmc.H,
    rule=[(m, m - h / 2 * grad(U, theta)), (theta, theta + h * m), (m, m - h / 2 * grad(U, theta))],
)


def guided(flip_on_rejection: bool, of: str, expect: str) -> Kernel:
    """One step, which turns or keeps the sign of the momentum on rejection."""
    half = refresh(_hmc, m, keep=exp(-gamma * h / 2))
    whole = metropolis(_leapfrog, flip=m, flip_on_rejection=flip_on_rejection, around=half)
    return compose(whole, source=source + of, expect=expect)


verlet = guided(False, "", "refuted")
verlet_turned = guided(True, ", with the momentum turned on rejection", "proved")
