"""Expressions as the Python of a generated module, which Numba compiles."""

from __future__ import annotations

import sympy

from codegen.device.elementary import exp, expm1, log, tanh
from codegen.device.folds import (
    fold_above,
    fold_below,
    fold_between,
    turn_above,
    turn_below,
    turn_between,
)
from codegen.device.special import digamma, ein_exp, loggamma, phi_1
from codegen.device.stable import logaddexp, sigmoid, softplus
from codegen.lowering.fold_forms import (
    FoldAbove,
    FoldBelow,
    FoldBetween,
    TurnAbove,
    TurnBelow,
    TurnBetween,
)
from codegen.lowering.special_forms import Digamma
from codegen.lowering.stable_forms import (
    EinExp,
    Expm1,
    Largest,
    LogAddExp,
    ScaledSum,
    Sigmoid,
    Softplus,
)
from codegen.printing.expression import Dialect, function
from recipe.language.phi import Phi

# Device functions of this project: the same bits on every machine.
OURS = {
    sympy.exp: exp,
    sympy.log: log,
    sympy.tanh: tanh,
    Expm1: expm1,
    Softplus: softplus,
    Sigmoid: sigmoid,
    LogAddExp: logaddexp,
    ScaledSum: exp,
    Digamma: digamma,
    sympy.loggamma: loggamma,
    Phi: phi_1,
    EinExp: ein_exp,
    FoldAbove: fold_above,
    FoldBelow: fold_below,
    FoldBetween: fold_between,
    TurnAbove: turn_above,
    TurnBelow: turn_below,
    TurnBetween: turn_between,
}
# The C library's, which may differ in the last bits from machine to machine, and keep a loop from
# being vectorised (as does a power with an exponent that is neither an integer nor a half).
LIBRARY = {
    sympy.sin: "math.sin", sympy.cos: "math.cos", sympy.tan: "math.tan", sympy.sinh: "math.sinh",
    sympy.cosh: "math.cosh", sympy.atan: "math.atan", sympy.erf: "math.erf",
}  # fmt: skip
NUMBA = Dialect(
    {kind: function(f.__name__) for kind, f in OURS.items()}
    | {kind: function(name) for kind, name in LIBRARY.items()}
    | {Largest: function("max"), sympy.Abs: function("abs")}
    | {sympy.sign: "math.copysign(1.0, {})".format}
)
