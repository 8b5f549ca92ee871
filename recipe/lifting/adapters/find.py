"""Find the adapter for a dotted name."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from recipe.language.did_you_mean import did_you_mean
from recipe.language.errors import RecipeError
from recipe.lifting.reading import Lifted


def lifted_by_name(dotted: str) -> dict[str, Lifted]:
    """Return the rules of a function, a class or a module of a library, by name.

    Args:
        dotted: such as ``blackjax.sgmcmc.sgld``, ``sgmcmcjax.kernels.build_sgld_kernel``,
            ``posteriors.sgmcmc.baoa``, or a class of optimizers of PyTorch.

    Raises:
        RecipeError: if there is no such name, its library is not installed, or no adapter knows its
            form.
    """
    found = _named(dotted)
    if isinstance(found, dict) or any(isinstance(v, Lifted) for v in _values(found)):
        return {n: v for n, v in vars(found).items() if isinstance(v, Lifted)}
    name = dotted.rpartition(".")[2]
    found = _module_of(found)
    adapter = _adapter(found, dotted)
    if adapter is None:
        members = _members(found, dotted)
        if members:
            raise RecipeError(
                f"{dotted} holds several samplers; name one or more of {', '.join(members)}"
            )
        raise RecipeError(
            f"what {dotted} computes is code, and which argument is what is not known of it; say so"
            " in a file, as `rule = lift(function, state=..., step=..., target=...)`"
            " (docs/lifting.md)"
        )
    return {name: adapter(found, name)}


def _values(found: Any) -> list[Any]:
    return list(vars(found).values()) if isinstance(found, ModuleType) else []


def _named(dotted: str) -> Any:
    """The module, or what is in it, with a dotted name."""
    parts = dotted.split(".")
    for k in range(len(parts), 0, -1):
        module_name = ".".join(parts[:k])
        try:
            module = importlib.import_module(module_name)
        except ModuleNotFoundError as error:
            if error.name is not None and not module_name.startswith(error.name):
                raise RecipeError(
                    f"{module_name} needs {error.name}, which is not installed: pip install"
                    f" {error.name}"
                ) from None
            continue
        except Exception as error:  # whatever a library raises when it is imported
            raise RecipeError(
                f"{module_name} cannot be imported: {type(error).__name__}:"
                f" {' '.join(str(error).split())[:200]}"
            ) from None
        return _inside(module, parts[k:], dotted)
    if any(Path(here).exists() for here in (parts[0], f"{parts[0]}.py")):
        raise RecipeError(
            f"{parts[0]} is in the working directory, where Python does not look for code; pip"
            " install it, or set PYTHONPATH=."
        )
    raise RecipeError(f"{parts[0]} is not installed: pip install {parts[0]}")


def _inside(module: ModuleType, names: list[str], dotted: str) -> Any:
    found: Any = module
    for name in names:
        if not hasattr(found, name):
            there = [n for n in dir(found) if not n.startswith("_")]
            if isinstance(found, ModuleType) and hasattr(found, "__path__"):
                there += [m.name for m in pkgutil.iter_modules(found.__path__)]
            meant = did_you_mean(name, there)
            raise RecipeError(
                f"there is no {dotted}: {getattr(found, '__name__', found)} has no {name}"
                f"{'; ' if meant else ''}{meant.rstrip()}"
            )
        found = getattr(found, name)
    return found


def _module_of(found: Any) -> Any:
    """The module behind a public name of BlackJAX, such as ``blackjax.sgld``; else the thing."""
    build = getattr(found, "build_kernel", None)
    if isinstance(found, ModuleType) or not inspect.isfunction(build):
        return found
    return sys.modules.get(build.__module__, found)


def _members(found: Any, dotted: str) -> list[str]:
    """The dotted names in a package that an adapter knows the form of."""
    if not isinstance(found, ModuleType):
        return []
    return [
        f"{dotted}.{name}"
        for name, value in sorted(vars(found).items())
        if not name.startswith("_") and _adapter(value, dotted) is not None
    ]


def _adapter(found: Any, dotted: str) -> Any:
    from recipe.lifting.adapters import samplers
    from recipe.lifting.fronts.torch.optimizer import is_optimizer

    library = dotted.partition(".")[0]
    if is_optimizer(found):
        return samplers.optimizer
    if isinstance(found, ModuleType):
        if library == "blackjax" and hasattr(found, "build_kernel"):
            return samplers.blackjax_kernel
        if library == "posteriors" and hasattr(found, "update"):
            return samplers.posteriors_update
    if library == "sgmcmcjax" and inspect.isfunction(found):
        return _sgmcmcjax
    return None


def _sgmcmcjax(function: Any, name: str) -> Lifted:
    """A diffusion, or a kernel by the diffusion that it is built of."""
    from recipe.lifting.adapters.samplers import sgmcmcjax_diffusion

    diffusions = importlib.import_module("sgmcmcjax.diffusions")
    kind = name.removeprefix("build_").removesuffix("_kernel")
    for ending in ("", "CV", "_SVRG", "SVRG", "_CV"):
        diffusion = getattr(diffusions, kind.removesuffix(ending) if ending else kind, None)
        if inspect.isfunction(diffusion):
            return sgmcmcjax_diffusion(diffusion, name)
    raise RecipeError(f"{name} is built of no diffusion of sgmcmcjax.diffusions")
