"""Mici: its leapfrog integrator for a Euclidean metric.

The coefficients of its other integrators are floats that sum up to 1 but for rounding.
"""

from letters import H, U, h, p, slope, theta
from mici import integrators
from mici.states import ChainState
from mici.systems import EuclideanMetricSystem

from recipe import lift


def _claim(integrator):
    def one_step(x, v, step_size, potential, slope):
        system = EuclideanMetricSystem(neg_log_dens=potential, grad_neg_log_dens=slope)
        state = ChainState(pos=x.reshape(-1), mom=v.reshape(-1), dir=1)
        new = integrator(system, step_size).step(state)
        return new.pos.reshape(x.shape), new.mom.reshape(x.shape)

    return lift(
        one_step,
        state={"x": theta, "v": p},
        step=h,
        arguments={"step_size": h},
        gradient={"potential": U, "slope": slope},
        target=H,
        library="numpy",
        expect="proved",
    )


leapfrog = _claim(integrators.LeapfrogIntegrator)
