"""SGMCMCJax's samplers as functions ``step(state, rng)`` of many chains, with the gradient of all
data.

SGMCMCJax 0.2.13 needs an old JAX: ``pip install sgmcmcjax==0.2.13 jax==0.4.30 jaxlib==0.4.30`` in
an environment of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.tree_util import tree_flatten, tree_unflatten
from jax_chains import WEIGHTS, Potential, State, of_chains
from sgmcmcjax import diffusions, kernels

LATER = 1  # the number of the step; in step 0 ``sgnht`` draws its momentum


def step_of(
    build: Callable[..., Any], names: tuple[str, ...], U: Potential, dt: float, **numbers: Any
) -> Any:
    """A kernel of theirs; ``names`` are the blocks in the order in which its state has them, ``xi``
    a number.
    """

    def share(x: Any, y: Any) -> Any:
        return -0.75 * y * U(x)

    begin, kernel, _ = build(
        dt=dt,
        loglikelihood=share,
        logprior=lambda x: -U(x) / 4,
        data=(WEIGHTS,),
        batch_size=len(WEIGHTS),
        **numbers,
    )

    def one(key: Any, s: State) -> State:
        at = begin(key, s[names[0]])
        _, tree = tree_flatten(at.diffusion_state)
        parts = [s[name][0] if name == "xi" else s[name] for name in names]
        gradient = jax.grad(lambda x: -U(x))(
            s[names[0]]
        )  # ``begin`` estimates it by a minibatch with repetitions
        after = kernel(
            LATER,
            key,
            at._replace(diffusion_state=tree_unflatten(tree, parts), param_grad=gradient),
        )
        found, _ = tree_flatten(after.diffusion_state)
        return {name: jnp.reshape(x, s[name].shape) for name, x in zip(names, found, strict=True)}

    return of_chains(one)


def sgld(U: Potential, h: float) -> Any:
    return step_of(kernels.build_sgld_kernel, ("theta",), U, h)


def psgld(U: Potential, h: float, alpha: float, eps: float) -> Any:
    return step_of(kernels.build_psgld_kernel, ("theta", "V"), U, h, alpha=alpha, eps=eps)


def sghmc(U: Potential, h: float, A: float, L: int) -> Any:
    """Their ``dt`` is ``h^2``, and their momentum, which is drawn anew, h times one."""
    inner = step_of(
        kernels.build_sghmc_kernel,
        ("theta", "v"),
        U,
        h**2,
        alpha=A * h,
        L=L,
        compiled_leapfrog=True,
    )
    return lambda state, rng: {
        "theta": inner({**state, "v": np.zeros_like(state["theta"])}, rng)["theta"]
    }


def sgnht(U: Potential, h: float, A: float) -> Any:
    """Their ``dt`` is ``h^2``, and their v and alpha are h times those of the audit."""
    theirs = step_of(kernels.build_sgnht_kernel, ("theta", "v", "xi"), U, h**2, a=A * h)

    def step(state: State, rng: np.random.Generator) -> State:
        after = theirs({"theta": state["theta"], "v": h * state["v"], "xi": h * state["xi"]}, rng)
        return {"theta": after["theta"], "v": after["v"] / h, "xi": after["xi"] / h}

    return step


def baoab(U: Potential, h: float, gamma: float) -> Any:
    return step_of(kernels.build_baoab_kernel, ("theta", "r"), U, h, gamma=gamma)


def badodab(U: Potential, h: float) -> Any:
    return step_of(kernels.build_badodab_kernel, ("theta", "v", "xi"), U, h)


def both_updates(diffusion: Any, names: tuple[str, ...], U: Potential) -> Any:
    """The two updates of a diffusion, each with the gradient where it begins: what a kernel of it
    is meant to be.
    """
    begin, (first, second), position = diffusion
    gradient = jax.grad(lambda x: -U(x))

    def one(key: Any, s: State) -> State:
        _, tree = tree_flatten(begin(s["theta"]))
        start = tree_unflatten(tree, [s[name][0] if name == "xi" else s[name] for name in names])
        middle = first(LATER, key, gradient(s["theta"]), start)
        found, _ = tree_flatten(second(LATER, key, gradient(position(middle)), middle))
        return {name: jnp.reshape(x, s[name].shape) for name, x in zip(names, found, strict=True)}

    return of_chains(one)


def baoab_diffusion(U: Potential, h: float, gamma: float, tau: float = 1.0) -> Any:
    return both_updates(diffusions.baoab(h, gamma, tau), ("theta", "r"), U)


def badodab_diffusion(U: Potential, h: float) -> Any:
    return both_updates(diffusions.badodab(h), ("theta", "v", "xi"), U)
