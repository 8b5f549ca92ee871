"""Hybrid Monte Carlo and its partial refresh, with the mistakes that occur in practice: at every
step size, for every potential.

Duane, Kennedy, Pendleton & Roweth (1987), "Hybrid Monte Carlo", Physics Letters B 195; Horowitz
(1991), "A generalized guided Monte Carlo algorithm", Physics Letters B 268.

* ``hybrid``: right. ``redrawn_with_half_the_variance``: wrong, as positions and momenta share their
  energy.
* ``set_to_zero_and_redrawn``: right, as no rule reads the zero. ``set_to_zero`` and not redrawn:
  wrong.
* ``guided``: a part of the momentum is kept, and all of it turned on rejection: right.
  ``guided_and_kept``: kept on rejection: wrong.
* ``kept_and_redrawn``: kept on rejection, and redrawn in full before the next step: right.
"""

from sympy import Matrix, Symbol, exp, sqrt

from recipe import (
    Noise,
    Potential,
    Recipe,
    Update,
    Vector,
    compose,
    grad,
    metropolis,
    refresh,
    step,
    total,
)

hybrid_source = (
    "Duane, Kennedy, Pendleton & Roweth (1987), Hybrid Monte Carlo, Physics Letters B 195"
)
guided_source = "Horowitz (1991), A generalized guided Monte Carlo algorithm, Physics Letters B 268"

theta = Vector("theta")
r = Vector("r", like=theta)
U = Potential("U", theta)
h, gamma = Symbol("h", positive=True), Symbol("gamma", positive=True)
w = Noise("w", like=theta)

_hmc = Recipe(
    state=(theta, r),
    H=U + total(r**2) / 2,
    D=Matrix([[0, 0], [0, 0]]),
    Q=Matrix([[0, -1], [1, 0]]),
)
_leapfrog = Update(
    step=h,
    target=_hmc.H,
    rule=[(r, r - h / 2 * grad(U, theta)), (theta, theta + h * r), (r, r - h / 2 * grad(U, theta))],
)
_moved = metropolis(_leapfrog, times=10, flip=r)
_kept = metropolis(_leapfrog, flip=r, flip_on_rejection=False)
_partly_redrawn = refresh(_hmc, r, keep=exp(-gamma * h))
_zero = step(Update(step=h, target=_hmc.H, rule={theta: theta, r: 0}))
_half_the_variance = step(Update(step=h, target=_hmc.H, rule={theta: theta, r: w / sqrt(2)}))

hybrid = compose(refresh(_hmc, r), _moved, source=hybrid_source, expect="proved")
redrawn_with_half_the_variance = compose(
    _moved,
    _half_the_variance,
    source=f"{hybrid_source}, momenta redrawn with half the variance",
    expect="refuted",
)
set_to_zero = compose(
    _moved, _zero, source=f"{hybrid_source}, momenta set to zero", expect="refuted"
)
set_to_zero_and_redrawn = compose(
    _moved,
    _zero,
    refresh(_hmc, r),
    source=f"{hybrid_source}, momenta set to zero and then redrawn",
    expect="proved",
)

guided = compose(
    _partly_redrawn, metropolis(_leapfrog, flip=r), source=guided_source, expect="proved"
)
guided_and_kept = compose(
    _partly_redrawn, _kept, source=f"{guided_source}, momenta kept on rejection", expect="refuted"
)
kept_and_redrawn = compose(
    _kept,
    refresh(_hmc, r),
    source=f"{guided_source}, momenta kept on rejection and redrawn in full",
    expect="proved",
)
