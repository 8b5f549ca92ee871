"""Pyro: the integrator of its HMC and NUTS."""

from letters import H, U, h, p, theta
from pyro.ops.integrator import velocity_verlet

from recipe import lift


def _verlet(x, v, step_size, potential):
    z, r, _, _ = velocity_verlet(
        {"x": x}, {"x": v}, lambda z: potential(z["x"]), lambda r: r, step_size
    )
    return z["x"], r["x"]


verlet = lift(
    _verlet,
    state={"x": theta, "v": p},
    step=h,
    arguments={"step_size": h},
    gradient={"potential": U},
    target=H,
    library="torch",
    expect="proved",
)
