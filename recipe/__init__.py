"""Declare a sampler ``H(z), D(z), Q(z)`` as the complete recipe of Ma, Chen & Fox (2015) writes it,
and derive its dynamics.

Everything in ``__all__`` is the public language:

* blocks and symbols: ``Vector``, ``Scalar``, ``Simplex``, ``Ordered``, ``Parameter``, ``Noise``,
  ``Data``;
* abstract functions: ``Potential``, ``Field``, ``Dense``;
* operators: ``total``, ``grad``, ``div``, ``dot``, ``outer``;
* declarations: ``Recipe``, ``Update``, ``Posterior``, ``Reflection``, ``Preimage``;
* data with labels: ``Labels``, ``LabelledPosterior``;
* changes of a sampler: ``bind``, ``spread``, ``preconditioned``, ``ito``, ``corv`` (with ``maps``),
  ``mirror``;
* dynamics and discrete steps: ``derive``, ``limit_of``, ``discretise``, ``discretised``;
* Markov kernels: ``compose``, ``step``, ``refresh``, ``flip``, ``metropolis``, ``repeat``,
  ``averaged``;
* rules that are read out of code: ``lift``, which returns a ``Lifted``;
* errors: ``RecipeError``, ``OutsideLanguageError``, ``CannotLiftError`` and the warning
  ``DecimalWarning``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import recipe_sampler.one_distribution  # noqa: F401 - it refuses packages that hide ours
from recipe_sampler.version import __version__ as __version__

if TYPE_CHECKING:
    from recipe.change.mirror import mirror
    from recipe.change.transform import corv, ito
    from recipe.declare import maps
    from recipe.declare.dynamics import Derivation, Dynamics, derive
    from recipe.declare.limit import limit_of
    from recipe.declare.posterior import Posterior
    from recipe.declare.recipe import Recipe
    from recipe.declare.reflection import Reflection
    from recipe.declare.transformations.ordered import Ordered
    from recipe.declare.transformations.preimage import Preimage
    from recipe.declare.update import Update
    from recipe.kernel import Kernel, averaged, compose, flip, metropolis, refresh, repeat, step
    from recipe.language.abstract import Dense, Field, Potential
    from recipe.language.blocks import Scalar, Simplex, Vector
    from recipe.language.checks.operators import div, dot, grad
    from recipe.language.checks.validate import DecimalWarning
    from recipe.language.chi_squared import NoncentralChiSquared
    from recipe.language.data import Data, Parameter
    from recipe.language.entry import outer
    from recipe.language.errors import OutsideLanguageError, RecipeError
    from recipe.language.fold import Fold, FoldSign
    from recipe.language.noise import Noise
    from recipe.language.total import total
    from recipe.latent.labels import Labels
    from recipe.latent.posterior import LabelledPosterior
    from recipe.lifting.lift import lift
    from recipe.lifting.reading import Lifted
    from recipe.lifting.tree.place import CannotLiftError
    from recipe.rebuild.bind import bind
    from recipe.rebuild.preconditioned import preconditioned
    from recipe.rebuild.spread import spread
    from recipe.scheme import Discretisation, discretise, discretised

# A name is imported on first use: sympy takes half a second, which `recipe --help` does not wait
# for.
NAMES_BY_MODULE = {
    "recipe.change.mirror": "mirror",
    "recipe.change.transform": "corv ito",
    "recipe.declare": "maps",
    "recipe.declare.dynamics": "Derivation Dynamics derive",
    "recipe.declare.limit": "limit_of",
    "recipe.declare.posterior": "Posterior",
    "recipe.declare.recipe": "Recipe",
    "recipe.declare.reflection": "Reflection",
    "recipe.declare.transformations.ordered": "Ordered",
    "recipe.declare.transformations.preimage": "Preimage",
    "recipe.declare.update": "Update",
    "recipe.kernel": "Kernel averaged compose flip metropolis refresh repeat step",
    "recipe.language.abstract": "Dense Field Potential",
    "recipe.language.checks.operators": "div dot grad",
    "recipe.language.checks.validate": "DecimalWarning",
    "recipe.language.blocks": "Scalar Simplex Vector",
    "recipe.language.chi_squared": "NoncentralChiSquared",
    "recipe.language.data": "Data Parameter",
    "recipe.language.entry": "outer",
    "recipe.language.errors": "OutsideLanguageError RecipeError",
    "recipe.language.fold": "Fold FoldSign",
    "recipe.language.noise": "Noise",
    "recipe.language.total": "total",
    "recipe.latent.labels": "Labels",
    "recipe.latent.posterior": "LabelledPosterior",
    "recipe.lifting.lift": "lift",
    "recipe.lifting.reading": "Lifted",
    "recipe.lifting.tree.place": "CannotLiftError",
    "recipe.rebuild.bind": "bind",
    "recipe.rebuild.preconditioned": "preconditioned",
    "recipe.rebuild.spread": "spread",
    "recipe.scheme": "Discretisation discretise discretised",
}
HOME = {name: module for module, names in NAMES_BY_MODULE.items() for name in names.split()}

__all__ = [
    "CannotLiftError",
    "Data",
    "DecimalWarning",
    "Dense",
    "Derivation",
    "Discretisation",
    "Dynamics",
    "Field",
    "Fold",
    "FoldSign",
    "Kernel",
    "LabelledPosterior",
    "Labels",
    "Lifted",
    "Noise",
    "NoncentralChiSquared",
    "Ordered",
    "OutsideLanguageError",
    "Parameter",
    "Posterior",
    "Potential",
    "Preimage",
    "Recipe",
    "RecipeError",
    "Reflection",
    "Scalar",
    "Simplex",
    "Update",
    "Vector",
    "averaged",
    "bind",
    "compose",
    "corv",
    "derive",
    "discretise",
    "discretised",
    "div",
    "dot",
    "flip",
    "grad",
    "ito",
    "lift",
    "limit_of",
    "maps",
    "metropolis",
    "mirror",
    "outer",
    "preconditioned",
    "refresh",
    "repeat",
    "spread",
    "step",
    "total",
]


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in HOME:
        raise AttributeError(f"module 'recipe' has no attribute {name!r}")
    home = HOME[name]
    value = (
        import_module(f"{home}.{name}") if name == "maps" else getattr(import_module(home), name)
    )
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names, for completion at a prompt."""
    return sorted(__all__)
