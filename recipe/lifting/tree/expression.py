"""The rule of a generic coordinate as an expression of the language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy
from sympy import Expr, Pow, Rational, S

from recipe.language.errors import RecipeError
from recipe.language.symbols import GENERIC, Length
from recipe.language.total import Total, opened, sum_over
from recipe.lifting.tree.node import GIVEN, LEAF, NOISE, NUMBER, SIZE, SUM, TOTAL, Node
from recipe.lifting.tree.place import refuse

HALF = Rational(1, 2)
MEANINGS: dict[str, Callable[..., Expr]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "pow": Pow,
    "sqrt": lambda a: Pow(a, HALF),
    "cbrt": lambda a: Pow(a, Rational(1, 3)),
    "exp": sympy.exp,
    "exp2": lambda a: Pow(2, a),
    "expm1": lambda a: sympy.exp(a) - 1,
    "log": sympy.log,
    "log1p": lambda a: sympy.log(1 + a),
    "log2": lambda a: sympy.log(a) / sympy.log(2),
    "log10": lambda a: sympy.log(a) / sympy.log(10),
    "sin": sympy.sin,
    "cos": sympy.cos,
    "tan": sympy.tan,
    "sinh": sympy.sinh,
    "cosh": sympy.cosh,
    "tanh": sympy.tanh,
    "arctan": sympy.atan,
    "erf": sympy.erf,
    "expit": lambda a: 1 / (1 + sympy.exp(-a)),
    "softplus": lambda a: sympy.log(1 + sympy.exp(a)),
    "abs": sympy.Abs,
    "sign": sympy.sign,
}
# Operations that code does and the language has no word for, by what to say of them.
NO_WORDS = {
    "maximum": "a maximum", "minimum": "a minimum", "clip": "a clip", "floor": "a rounding",
    "ceil": "a rounding", "round": "a rounding",
}  # fmt: skip


def with_open_squares(e: Expr) -> Expr:
    """The expression with what its sums run over multiplied out, so that units of the step can be
    taken out of them.
    """

    def opened_up(t: Total) -> Expr:
        body, label = opened(t)
        return sum_over(sympy.expand(body), label, t.index.length)

    return e.replace(lambda x: isinstance(x, Total), opened_up)


def expression(n: Node, letters: Mapping[Any, Expr], lengths: Mapping[str, Length]) -> Expr:
    """Return the expression that a node of a generic coordinate means.

    Args:
        n: the node.
        letters: the expressions of leaves by ``("leaf", name)``, of noise by ``("noise", number)``,
            and of values that are given by ``("given", name)``. A block that holds another value
            than its own is written by the letter of ``("held", name)``.
        lengths: the symbols of lengths, by name.

    Raises:
        CannotLiftError: naming the line whose operation has no word in the language.
    """
    done: dict[Node, Expr] = {}

    def meaning(m: Node) -> Expr:
        if m not in done:
            done[m] = read(m)
        return done[m]

    def read(m: Node) -> Expr:
        if m.op in (NUMBER, SIZE):
            return m.data
        if m.op in (LEAF, NOISE, GIVEN, "held"):
            name = m.data[0] if m.op in (LEAF, GIVEN) else m.data
            return letters[m.op, name]
        args = [meaning(a) for a in m.args]
        if m.op == TOTAL:
            return sum_over(args[0], GENERIC, lengths[m.data])
        if m.op == SUM:
            return sympy.Add(*args)
        if m.op not in MEANINGS:
            refuse(f"{NO_WORDS.get(m.op, m.op)} has no word in the language of rules", m.place)
        try:
            found = MEANINGS[m.op](*args)
        except RecipeError as error:
            refuse(str(error), m.place)
        if found.has(S.ComplexInfinity, S.NaN, S.Infinity, S.NegativeInfinity):
            refuse(f"{m.op} of {', '.join(map(str, args))} has no value", m.place)
        return found

    return meaning(n)
