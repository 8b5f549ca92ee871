"""langevin-sampling: the optimizers ``SGLD`` and ``pSGLD``.

``pSGLD`` leaves out the divergence of its preconditioner. Here its averages are frozen, ``beta=1``,
and it is right.
"""

from langevin_sampling.precondSGLD import pSGLD
from langevin_sampling.SGLD import SGLD
from letters import U, V, h, k, slope, theta

from recipe import lift, total

ONE = {"step": h, "gradient": {"params": slope}, "state": {"params": theta}}

sgld = lift(SGLD, **ONE, arguments={"lr": h}, target=U, expect="proved")
sgld_with_weight_decay = lift(
    SGLD,
    **ONE,
    arguments={"lr": h, "weight_decay": k},
    target=U + k * total(theta**2) / 2,
    expect="proved",
)
psgld_with_frozen_averages = lift(
    pSGLD,
    step=h,
    gradient={"params": slope},
    state={"params": theta, "V": V},
    arguments={"lr": h, "beta": 1.0, "Lambda": k},
    target=U + total(V),
    expect="proved",
)
