"""sgmcmc for R: the rules of ``R/dynamics.R``.

Baker, Fearnhead, Fox & Nemeth (2019), "sgmcmc: an R package for stochastic gradient Markov chain Monte Carlo", Journal of
Statistical Software 91(3). Here the step h is the root of the package's ``e`` in SGHMC, whose nu is h times the momentum r.

* ``sgld``: right.
* ``sghmc_flow``: right, with ``alpha`` = A h; the position moves by the new momentum.
* ``sghmc``: before every L = 5 steps the momentum is redrawn with half its variance, 0.5 sqrt(2 e) N. At the default alpha =
  0.01 the positions have 0.434 of the variance of the target as the step vanishes.
"""

from sympy import Rational, Symbol, sqrt

from recipe import Noise, Potential, Update, Vector, averaged, grad, repeat, step, total

source = "Baker et al. (2019), sgmcmc: an R package for stochastic gradient MCMC, Journal of Statistical Software 91(3)"

theta = Vector("theta")
r = Vector("r", like=theta)
U = Potential("U", theta)
h, A = Symbol("h", positive=True), Symbol("A", positive=True)
w = Noise("w", like=theta)

sgld = Update(
    step=h,
    target=U,
    rule={theta: theta - h / 2 * grad(U, theta) + sqrt(h) * w},
    source=f"{source}, sgld",
    expect="proved",
)

sghmc_flow = Update(
    step=h,
    target=U + total(r**2) / 2,
    rule=[
        (r, r - h * grad(U, theta) - A * h * r + sqrt(2 * A * h) * w),
        (theta, theta + h * r),
    ],
    source=f"{source}, sghmc without the redrawing",
    expect="proved",
)

alpha, L = Rational(1, 100), 5  # the defaults of the package
sghmc = averaged(
    step(Update(step=h, target=sghmc_flow.target, rule={theta: theta, r: sqrt(2) / 2 * w})),
    repeat(
        step(
            Update(
                step=h,
                target=sghmc_flow.target,
                rule=[
                    (r, r - h * grad(U, theta) - alpha * r + sqrt(2 * alpha) * w),
                    (theta, theta + h * r),
                ],
            )
        ),
        L,
    ),
    source=f"{source}, sghmc",
    expect="refuted",
)
