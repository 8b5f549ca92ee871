"""sgmcmc for R: the rules of ``R/dynamics.R``.

Baker, Fearnhead, Fox & Nemeth (2019), "sgmcmc: an R package for stochastic gradient Markov chain
Monte Carlo", Journal of Statistical Software 91(3). In SGHMC the step h is the root of the
package's ``e``, and nu is h times a momentum.

* ``sgld``: right.
* ``sghmc_flow``: right, with ``alpha`` = A h; the position moves by the new momentum.
* ``sghmc``: before every L = 5 steps the momentum is redrawn with half its variance, 0.5 sqrt(2 e)
  N. At the default alpha = 0.01 the positions have 0.434 of the variance of the target as the step
  vanishes.
"""

from sympy import Expr, Rational, Symbol, sqrt

from recipe import Noise, Potential, Update, Vector, averaged, grad, repeat, step, total

source = (
    "Baker et al. (2019), sgmcmc: an R package for stochastic gradient MCMC, Journal of Statistical"
    " Software 91(3)"
)

theta = Vector("theta")
nu = Vector("nu", like=theta)
U = Potential("U", theta)
h, A = Symbol("h", positive=True), Symbol("A", positive=True)
e = h**2
w = Noise("w", like=theta)
energy = U + total(nu**2) / (2 * e)

sgld = Update(
    step=h,
    target=U,
    rule={theta: theta - h / 2 * grad(U, theta) + sqrt(h) * w},
    source=f"{source}, sgld",
    expect="proved",
)


def flow(alpha: Expr, expect: str | None = None) -> Update:
    """One step of ``sghmc`` between two draws of the momentum."""
    return Update(
        step=h,
        target=energy,
        units={nu: h},
        rule=[
            (nu, nu - e * grad(U, theta) - alpha * nu + sqrt(2 * alpha * e) * w),
            (theta, theta + nu),
        ],
        source=f"{source}, sghmc without the redrawing",
        expect=expect,
    )


sghmc_flow = flow(A * h, "proved")

alpha, L = Rational(1, 100), 5  # the defaults of the package
_redrawn = Update(
    step=h, target=energy, units={nu: h}, rule={theta: theta, nu: sqrt(2 * e) / 2 * w}
)
sghmc = averaged(
    step(_redrawn),
    repeat(step(flow(alpha)), L),
    source=f"{source}, sghmc",
    expect="refuted",
)
