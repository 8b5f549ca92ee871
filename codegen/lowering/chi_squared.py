"""Write the draw of a noncentral chi-squared variable."""

from __future__ import annotations

from sympy import Expr, Symbol

from codegen.lowering.fields import Fields
from codegen.lowering.lower import Lowering
from codegen.lowering.names import Namer
from codegen.lowering.places import Array
from codegen.lowering.statements import ChiSquared
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.symbols import name_of


def write_chi_squared(
    e: NoncentralChiSquared, lowering: Lowering, fields: Fields, namer: Namer
) -> Expr:
    """Append the statements that compute the parameters of a draw, and the draw.

    Args:
        e: the variable.
        lowering: where the statements are appended.
        fields: reserves the arrays of the parameters and of the draw.
        namer: gives names of local variables.

    Returns:
        The cell of a vector's draw, or the local variable of a number.
    """
    name, length = name_of(e.noise), e.noise.length
    df, nonc = (lowering.lower(a) for a in (e.df, e.nonc))
    arrays = [fields.reserve(f"{name}_{part}", length) for part in ("df", "nonc", "draw")]
    if length is None:
        for value, array in zip((df, nonc), arrays, strict=False):
            lowering.let(value, name, store=array["0"])
    else:
        values = [
            (Symbol(namer.fresh(part), real=True), value)
            for part, value in (("df", df), ("nonc", nonc))
        ]
        stores = {array["i"]: local for array, (local, _) in zip(arrays, values, strict=False)}
        lowering.sweep(length, values, stores, [f"the law of {e}"], f"law_{name}")
    new = namer.fresh
    df_field, nonc_field, target = arrays
    lowering.statements.append(
        ChiSquared(
            name,
            target,
            df_field,
            nonc_field,
            Array("", new(f"{name}_draws")),
            new(f"key_{name}"),
            length,
        )
    )
    lowering.forget()
    return target["i"] if length is not None else lowering.let(target["0"], name)
