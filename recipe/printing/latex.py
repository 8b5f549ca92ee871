"""Print expressions as LaTeX, in index notation."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Pow, Symbol
from sympy.printing.latex import LatexPrinter

from recipe.language.abstract import Dense, DenseEntry, Field, Jet, Partial, TransposedDense
from recipe.language.entry import Outer
from recipe.language.symbols import Indexed, Length, generic, index_name
from recipe.language.total import Total


class _IndexPrinter(LatexPrinter):
    """Print vectors with their index, sums with their bound index, and derivatives as partial
    derivatives.
    """

    printmethod = "_recipe_latex"

    def _print_Indexed(self, e: Indexed) -> str:
        return f"{self._name(e.base)}_{{{index_name(e.label)}}}"

    def _print_Infinity(self, e: Expr) -> str:
        return "\\infty"

    def _print_NegativeInfinity(self, e: Expr) -> str:
        return "-\\infty"

    def _print_Length(self, e: Length) -> str:
        return f"d_{{{self._name(e.owner)}}}"

    def _print_Dense(self, e: Dense) -> str:
        return self._name(e.name)

    def _print_TransposedDense(self, e: TransposedDense) -> str:
        return f"{self._name(e.matrix.name)}^{{\\top}}"

    def _print_Field(self, e: Field) -> str:
        return f"{self._name(e.base)}_{{{index_name(e.label)}}}({self._name(e.block.base)})"

    def _print_DenseEntry(self, e: DenseEntry) -> str:
        i, j = (index_name(label) for label in e.labels)
        return f"{self._name(e.matrix.name)}_{{{i}{j}}}"

    def _print_Outer(self, e: Outer) -> str:
        u, v = (self.parenthesize(a, 50) for a in e.args)
        return f"{u} \\otimes {v}"

    def _print_Partial(self, e: Partial) -> str:
        powers = ((s, e.wrt.count(s)) for s in dict.fromkeys(e.wrt))
        derivatives = " ".join(
            f"\\partial_{{{self._print(s)}}}" + (f"^{{{n}}}" if n > 1 else "") for s, n in powers
        )
        return f"{derivatives} {self._print(e.head)}"

    def _print_Pow(self, e: Pow) -> str:
        if isinstance(e.base, Partial) and e.exp.is_Integer and e.exp > 0:
            return f"\\left({self._print(e.base)}\\right)^{{{e.exp}}}"
        return super()._print_Pow(e)  # type: ignore[no-any-return]

    def _print_Jet(self, e: Jet) -> str:
        arguments = ", ".join(self._print(a) for a in e.applied.args)
        orders = (
            "'" * e.orders[0]
            if len(e.orders) == 1 and e.orders[0] <= 3
            else f"^{{({','.join(map(str, e.orders))})}}"
        )
        return f"{self._name(e.applied.func.__name__)}{orders}\\left({arguments}\\right)"

    def _print_Total(self, e: Total) -> str:
        return f"\\sum_{{{index_name(e.index.label)}}} {self.parenthesize(e.body, 40)}"

    def _name(self, name: str) -> str:
        return super()._print_Symbol(Symbol(name))  # type: ignore[no-any-return]


def latex(e: Expr) -> str:
    """The expression as LaTeX in index notation: the generic coordinate of a block is
    ``theta_i``.
    """
    return _IndexPrinter({"mul_symbol": None}).doprint(e)  # type: ignore[no-any-return]


def latex_of_name(block: Any) -> str:
    """The name of a block as LaTeX, with its generic index; a scalar has none."""
    return latex(generic(block))
