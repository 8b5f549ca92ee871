"""bnn_priors: the kernel of ``bnn_priors/mcmc/verlet_sgld.py``.

Fortuin, Garriga-Alonso, Ober, Wenzel, Ratsch, Turner, van der Wilk & Aitchison (2022), "Bayesian
neural network priors revisited", ICLR; the source of 2021. Half of a partial refresh, a leapfrog
step, another half; the energy change of the leapfrog step decides on all three.

* ``verlet``: ``maybe_reject`` brings the momentum back that was there before the first half, as it
  was, and it must be turned (Horowitz 1991; Garriga-Alonso & Fortuin 2021): wrong at every step
  size.
* ``verlet_turned``: the same with the turn.
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
    """One step, with the momentum turned or kept on rejection."""
    half = refresh(_hmc, m, keep=exp(-gamma * h / 2))
    whole = metropolis(_leapfrog, flip=m, flip_on_rejection=flip_on_rejection, around=half)
    return compose(whole, source=source + of, expect=expect)


verlet = guided(False, "", "refuted")
verlet_turned = guided(True, ", with the momentum turned on rejection", "proved")
