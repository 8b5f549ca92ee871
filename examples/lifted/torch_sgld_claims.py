"""torch-sgld: the optimizer ``SGLD``, which with ``momentum`` is SGHMC."""

from letters import T, U, a, h, k, p, slope, theta
from torch_sgld import SGLD

from recipe import lift, total

ONE = {"step": h, "gradient": {"params": slope}}

sgld = lift(
    SGLD,
    **ONE,
    state={"params": theta},
    arguments={"lr": h, "temperature": T},
    target=U / T,
    expect="proved",
)
sgld_with_weight_decay = lift(
    SGLD,
    **ONE,
    state={"params": theta},
    arguments={"lr": h, "temperature": T, "weight_decay": k},
    target=(U + k * total(theta**2) / 2) / T,
    expect="proved",
)
sghmc = lift(
    SGLD,
    **ONE,
    state={"params": theta, "momentum_buffer": p},
    arguments={"lr": h**2, "momentum": a * h, "temperature": T},
    units={p: h},
    target=(U + total(p**2) / (2 * h**2)) / T,
    expect="proved",
)
sghmc_with_weight_decay = lift(
    SGLD,
    **ONE,
    state={"params": theta, "momentum_buffer": p},
    arguments={"lr": h**2, "momentum": a * h, "temperature": T, "weight_decay": k},
    units={p: h},
    target=(U + k * total(theta**2) / 2 + total(p**2) / (2 * h**2)) / T,
    expect="proved",
)
