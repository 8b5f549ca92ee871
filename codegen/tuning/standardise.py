"""Where nothing can be tuned: which columns of the data are to be standardised first, as unscaled
columns are behind most failures of a pilot run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sympy import Mul, Symbol

from codegen.bias.column_scales import unstandardised
from codegen.tuning.law.target import Target
from codegen.tuning.law.untunable import UntunableError
from recipe.declare.posterior import Posterior
from recipe.language.symbols import generic


def with_columns(reason: UntunableError, target: Target, posterior: Any) -> UntunableError:
    """Return a reason with the columns that are to be standardised, where there are any.

    Args:
        reason: why nothing can be tuned.
        target: the law.
        posterior: the posterior, or an expression.
    """
    found = list(_columns(target, posterior))
    if not found:
        return reason
    them = "them" if len(found) > 1 else "it"
    return UntunableError(f"{' and '.join(found)}: standardise {them} first; {reason}")


def _columns(target: Target, posterior: Any) -> Iterator[str]:
    if not isinstance(posterior, Posterior):
        return
    factors = _factors_of_parameters(posterior)
    for symbol, array in target.density.data.items():
        if symbol in factors and array.dtype.kind in "fiu":
            found = unstandardised(symbol, array)
            if found is not None:
                yield found


def _factors_of_parameters(posterior: Posterior) -> set[Any]:
    """Return the data that are multiplied by a parameter: columns of a regression, and not what is
    observed.
    """
    blocks, data = set(posterior.blocks), {symbol for symbol, _ in posterior.data}
    found: set[Any] = set()
    products = set() if posterior.log_likelihood is None else posterior.log_likelihood.atoms(Mul)
    for product in products:
        factors = {generic(f) for f in product.args if isinstance(f, Symbol)}
        if factors & blocks:
            found |= factors & data
    return found
