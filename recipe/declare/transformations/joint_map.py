"""``JointMap``: a function of all coordinates of a block together, one value a coordinate."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Lambda

from recipe.language.symbols import GENERIC, Indexed, generic
from recipe.language.total import relabel, substitute


class JointMap(Lambda):
    """A ``Lambda`` of a whole vector: its expression is the generic coordinate of the value,
    written with the generic coordinate of the variable and with sums over all of them.
    """

    def __call__(self, x: Any) -> Expr:  # type: ignore[override]
        """The value at the coordinate that x stands at.

        Args:
            x: a vector at any index, or an expression of one generic coordinate.
        """
        (variable,) = self.variables
        value = substitute(self.expr, {variable: generic(x)})
        return relabel(value, GENERIC, x.label) if isinstance(x, Indexed) else value

    @property
    def free_symbols(self) -> set[Any]:
        """The symbols of the expression without the variable, at whatever index it stands."""
        (variable,) = self.variables
        return {s for s in self.expr.free_symbols if generic(s) != variable}
