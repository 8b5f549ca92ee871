"""Adapters for BlackJAX, posteriors, SGMCMCJax, and optimizers of PyTorch."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from recipe.language.blocks import Block
from recipe.language.errors import RecipeError
from recipe.language.total import total
from recipe.lifting.adapters.letters import ARGUMENTS, BLOCKS, U, a, gradient, h, law, p, theta, xi
from recipe.lifting.lift import lift
from recipe.lifting.reading import Lifted

INNER_STEPS = ("num_integration_steps", "L")
# Diffusions of SGMCMCJax with momenta in units of the step: the friction, and if there is a
# thermostat.
IN_UNITS = {"sghmc": ("alpha", False), "sgnht": ("a", True)}


def blackjax_kernel(module: ModuleType, name: str) -> Lifted:
    """The kernel of a module of ``blackjax.sgmcmc``."""
    builder = inspect.signature(module.build_kernel).parameters
    kernel = inspect.signature(module.build_kernel()).parameters
    form = _state_of(module) if "state" in kernel else None
    blocks = list(form._fields) if form is not None else ["position"]
    own_blocks = _blocks(blocks)
    used = [n for n in (*builder, *kernel) if n in ARGUMENTS]
    fixed = {n: 2 for n in kernel if n in INNER_STEPS}

    def step(rng_key: Any, grad_estimator: Any, **values: Any) -> Any:
        made = module.build_kernel(**{n: values[n] for n in builder})
        own = [values[n] for n in blocks]
        state = form(*own) if form is not None else own[0]
        rest = {n: values[n] for n in kernel if n in values and n not in blocks}
        return _as_tuple(made(rng_key, state, grad_estimator, None, **rest), form)

    names = ["rng_key", "grad_estimator", *blocks, *used, *fixed]
    return lift(
        _named(step, names, module.__name__, module.build_kernel),
        state=own_blocks,
        step=h,
        arguments={**{n: ARGUMENTS[n] for n in used}, **fixed},
        noise="rng_key",
        gradient={"grad_estimator": -gradient},
        target=law(blocks, used),
        library="jax",
        name=name,
        source=module.__name__,
    )


def posteriors_update(module: ModuleType, name: str) -> Lifted:
    """The ``update`` of a module of ``posteriors.sgmcmc``."""
    import torch

    form = _state_of(module)
    parameters = inspect.signature(module.update).parameters
    blocks = [n for n in inspect.signature(form).parameters if n in BLOCKS]
    used = [n for n in parameters if n in ARGUMENTS]

    def step(log_posterior: Any, **values: Any) -> Any:
        def with_aux(x: Any, _: Any) -> Any:
            return log_posterior(x), torch.tensor([])

        state = form(*(values[n] for n in blocks))
        rest = {n: values[n] for n in used}
        new, _ = module.update(state, None, with_aux, **rest)
        return tuple(getattr(new, n) for n in blocks)

    return lift(
        _named(step, ["log_posterior", *blocks, *used], module.__name__, module.update),
        state=_blocks(blocks),
        step=h,
        arguments={n: ARGUMENTS[n] for n in used},
        gradient={"log_posterior": -U},
        target=law(blocks, used),
        library="torch",
        name=name,
        source=module.__name__,
    )


def sgmcmcjax_diffusion(builder: Callable[..., Any], name: str) -> Lifted:
    """A diffusion of ``sgmcmcjax.diffusions``, or the kernel that ``build_..._kernel`` makes of it.

    A splitting updates before and after its gradient is taken; the gradient is that of both places.
    """
    plain = inspect.unwrap(builder)
    parameters = list(inspect.signature(plain).parameters)
    used = [n for n in parameters if n in ARGUMENTS]
    made = plain(**dict.fromkeys(used, 0.1))
    count = len(_leaves(made[0](_zeros())))
    blocks = ["x", "v", "xi"][:count]
    if builder.__name__ in IN_UNITS:
        return _in_units(builder, plain, name)

    def step(rng_key: Any, grad: Any, **values: Any) -> Any:
        _, update, _, *_ = plain(**{n: values[n] for n in used})
        own = tuple(values[n] for n in blocks)
        state = own if count > 1 else own[0]
        first, second = update if isinstance(update, tuple) else (update, None)
        state = first(1, rng_key, grad(values["x"]), state)
        if second is not None:
            state = second(1, rng_key, grad(state[0]), state)
        return state if count > 1 else (state,)

    return lift(
        _named(step, ["rng_key", "grad", *blocks, *used], builder.__name__, plain),
        state=_blocks(blocks),
        step=h,
        arguments={n: ARGUMENTS[n] for n in used},
        noise="rng_key",
        gradient={"grad": -gradient},
        target=law(blocks, used),
        library="jax",
        name=name,
        source=f"{plain.__module__}.{builder.__name__}",
    )


def _in_units(builder: Any, plain: Any, name: str) -> Lifted:
    """A diffusion whose momenta, and thermostat, are in units of the step; ``dt`` is its square."""
    friction, thermostat = IN_UNITS[builder.__name__]
    blocks = ["x", "v", "xi"] if thermostat else ["x", "v"]

    def step(rng_key: Any, grad: Any, **values: Any) -> Any:
        _, update, *_ = plain(**{n: values[n] for n in ("dt", friction)})
        return update(1, rng_key, grad(values["x"]), tuple(values[n] for n in blocks))

    target = U + total(p**2) / (2 * h**2)
    if thermostat:
        target += theta.dim * (xi / h - a) ** 2 / 2
    return lift(
        _named(step, ["rng_key", "grad", *blocks, "dt", friction], builder.__name__, plain),
        state=_blocks(blocks),
        step=h,
        arguments={"dt": h**2, friction: a * h},
        noise="rng_key",
        gradient={"grad": -gradient},
        target=target,
        units={p: h, xi: h} if thermostat else {p: h},
        library="jax",
        name=name,
        source=f"{plain.__module__}.{builder.__name__}",
    )


def optimizer(cls: Any, name: str) -> Lifted:
    """An optimizer without a state of its own, claimed to sample ``exp(-U)`` with ``p.grad`` the
    gradient of U.

    Raises:
        RecipeError: for one whose state has tensors: the code does not say what they are.
    """
    parameters = {n for c in cls.__mro__[:-1] for n in inspect.signature(c.__init__).parameters}
    used: dict[str, Any] = {n: ARGUMENTS[n] for n in ("lr", "temperature") if n in parameters}
    try:
        return lift(
            cls,
            state={"params": theta},
            step=h,
            arguments=used,
            gradient={"params": gradient},
            target=law(["params"], list(used)),
            name=name,
            source=f"{cls.__module__}.{cls.__name__}",
        )
    except RecipeError as error:
        if "say in state= which block" not in str(error):
            raise
        raise RecipeError(
            f"{error}: write `{cls.__name__.lower()} = lift({cls.__name__}, state={{'params':"
            " theta, ...}, ..., target=...)` in a file, as docs/lifting.md shows"
        ) from None


def _named(step: Any, names: Iterable[str], module: str, shown: Any) -> Any:
    """A function with a signature of its own, which messages call by the name of the module."""
    step.__signature__ = inspect.Signature(
        [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in names]
    )
    step.__name__ = step.__qualname__ = module.rpartition(".")[2]
    step.shown_at = getattr(inspect.unwrap(shown), "__code__", None)
    return step


def _blocks(names: list[str]) -> dict[str, Block]:
    """The blocks of a state by the names of its fields.

    Raises:
        RecipeError: for a field that nothing is known of.
    """
    unknown = [n for n in names if n not in BLOCKS]
    if unknown:
        raise RecipeError(
            f"no claim is written for this sampler: its state has {', '.join(unknown)}, and which"
            " block that is, is not known; say so in a file, as `rule = lift(function, state=...,"
            " step=..., target=...)` (docs/lifting.md)"
        )
    return {n: BLOCKS[n] for n in names}


def _state_of(module: ModuleType) -> Any:
    """The class of the state of a module."""
    return next(
        c
        for n, c in vars(module).items()
        if n.endswith("State") and inspect.isclass(c) and c.__module__ == module.__name__
    )


def _as_tuple(state: Any, form: Any) -> Any:
    return tuple(state) if form is not None else (state,)


def _leaves(tree: Any) -> list[Any]:
    return list(tree) if isinstance(tree, tuple) else [tree]


def _zeros() -> Any:
    import numpy as np

    return np.zeros(3)
