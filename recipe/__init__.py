"""Declare a sampler ``H(z), D(z), Q(z)`` as the complete recipe of Ma, Chen & Fox (2015) writes it, and derive its dynamics."""

from recipe import maps
from recipe.abstract import Dense, Field, Potential
from recipe.bind import bind
from recipe.chi_squared import NoncentralChiSquared
from recipe.dynamics import Derivation, Dynamics, derive
from recipe.entry import outer
from recipe.errors import OutsideLanguageError, RecipeError
from recipe.fold import Fold, FoldSign
from recipe.kernel import Kernel, averaged, compose, flip, metropolis, refresh, repeat, step
from recipe.language import DecimalWarning
from recipe.limit import limit_of
from recipe.mirror import mirror
from recipe.operators import div, dot, grad
from recipe.posterior import Posterior
from recipe.preimage import Preimage
from recipe.recipe import Recipe
from recipe.reflection import Reflection
from recipe.scheme import Discretisation, discretise, discretised
from recipe.spread import spread
from recipe.symbols import Data, Noise, Parameter, Scalar, Simplex, Vector
from recipe.total import total
from recipe.transform import corv, ito
from recipe.update import Update

__version__ = "0.1.0"

__all__ = [
    "Data", "DecimalWarning", "Dense", "Derivation", "Discretisation", "Dynamics", "Field", "Fold", "FoldSign", "Kernel", "Noise",
    "NoncentralChiSquared", "OutsideLanguageError", "Parameter", "Posterior", "Potential", "Preimage", "Recipe", "RecipeError",
    "Reflection", "Scalar", "Simplex", "Update", "Vector", "averaged", "bind", "compose", "corv", "derive", "discretise",
    "discretised", "div", "dot", "flip", "grad", "ito", "limit_of", "maps", "metropolis", "mirror", "outer", "refresh", "repeat",
    "spread", "step", "total",
]  # fmt: skip
