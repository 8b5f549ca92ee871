"""jax-sgmc: ``rms_prop`` with Langevin diffusion, ``obabo``, and the kernel of ``sggmc``.

Thaler, Fuchs, Cukarska & Zavadlav (2024), "JaxSGMC: modular stochastic gradient MCMC in JAX",
SoftwareX 26; the source of version 0.1.4 (``jax_sgmc/adaption.py``, ``integrator.py``,
``solver.py``). T is the temperature and M the mass.

* ``rms_prop``: wrong, as the correction Gamma is left out: G = 1/(l + sqrt(v)) becomes a function
  of the position as the step vanishes. Where G_i depends on theta_i alone, the law is U/T +
  total(log G).
* ``obabo``: right.
* ``sggmc``: half of a partial refresh, a leapfrog step, another half; the energy change of the
  leapfrog step decides whether all three are accepted. On rejection the momentum from before the
  first half is restored with its sign, which must be turned (Horowitz 1991; Garriga-Alonso &
  Fortuin 2021, "Exact Langevin dynamics with stochastic gradients", arXiv 2102.01691): wrong at
  every step size. ``sggmc_turned`` turns it; ``sggmc_of_ten_steps_turned`` takes ten steps before a
  test, the default of ``obabo``.
"""

from sympy import Function, Matrix, Symbol, exp, sqrt

from recipe import (
    Field,
    Kernel,
    Noise,
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

source = "Thaler et al. (2024), JaxSGMC: modular stochastic gradient MCMC in JAX, SoftwareX 26"

theta = Vector("theta")
p = Vector("p", like=theta)
U = Potential("U", theta)
h, T, M = Symbol("h", positive=True), Symbol("T", positive=True), Symbol("M", positive=True)
c = Symbol("c", positive=True)
w, w2 = Noise("w", like=theta), Noise("w2", like=theta)

G = Function("G", positive=True)(theta)
rms_prop = Update(
    step=h,
    target=U / T,
    rule={theta: theta - h * G * grad(U, theta) + sqrt(2 * T * h * G) * w},
    source=f"{source}, rms_prop and langevin_diffusion, where G_i depends on theta_i alone",
    expect="refuted",
)

G_of_all = Field("G", theta, positive=True)
rms_prop_of_all = Update(
    step=h,
    target=U / T,
    rule={theta: theta - h * G_of_all * grad(U, theta) + sqrt(2 * T * h * G_of_all) * w},
    source=f"{source}, rms_prop and langevin_diffusion, in general",
    expect="refuted",
)

half = exp(-c * h / 2)
obabo = Update(
    step=h,
    target=(U + total(p**2) / (2 * M)) / T,
    rule=[
        (p, half * p + sqrt((1 - half**2) * M * T) * w),
        (p, p - h / 2 * grad(U, theta)),
        (theta, theta + h * p / M),
        (p, p - h / 2 * grad(U, theta)),
        (p, half * p + sqrt((1 - half**2) * M * T) * w2),
    ],
    source=f"{source}, obabo",
    expect="proved",
)

_hmc = Recipe(
    state=(theta, p),
    H=U + total(p**2) / 2,
    D=Matrix([[0, 0], [0, 0]]),
    Q=Matrix([[0, -1], [1, 0]]),
)
_leapfrog = Update(
    step=h,
    target=_hmc.H,
    rule=[(p, p - h / 2 * grad(U, theta)), (theta, theta + h * p), (p, p - h / 2 * grad(U, theta))],
)


def guided(flip_on_rejection: bool, steps: int, of: str, expect: str) -> Kernel:
    """``sggmc``, which turns or keeps the sign of the momentum on rejection."""
    whole = metropolis(
        _leapfrog,
        times=steps,
        flip=p,
        flip_on_rejection=flip_on_rejection,
        around=refresh(_hmc, p, keep=half),
    )
    return compose(whole, source=f"{source}, sggmc{of}", expect=expect)


sggmc = guided(False, 1, "", "refuted")
sggmc_turned = guided(True, 1, ", with the momentum turned on rejection", "proved")
sggmc_of_ten_steps_turned = guided(
    True, 10, " of ten steps, with the momentum turned on rejection", "proved"
)
