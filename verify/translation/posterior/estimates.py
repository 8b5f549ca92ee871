"""Check the functions that estimate the gradient of a posterior: control variates, the running
variance, and SVRG and SAGA (``moving_reference``). Each has one text, up to its names, which is
compared statement by statement. Another text may mean the same: it is refuted where numbers are
found at which it gives others (``estimate_witness``), and left undecided else.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from recipe.language.abstract import Potential
from verify.translation.parse.expected import first_difference
from verify.translation.parse.interface import Legend
from verify.translation.parse.module import ParsedModule
from verify.translation.parse.problems import unread, wrong
from verify.translation.posterior.estimate_witness import witness_of_estimate
from verify.translation.posterior.moving_reference import saga_text, svrg_text
from verify.translation.posterior.posterior_functions import (
    SHARED,
    PosteriorFunctions,
    count_of,
    names_of,
)
from verify.translation.reference.matcher import length_of


def check_call_of_user(module: ParsedModule, legend: Legend, density: PosteriorFunctions) -> None:
    """Require that a gradient function of the user is called with its arguments in the documented
    order.
    """
    if density.gradient not in module.functions:
        raise unread(None, f"the module has no function {density.gradient}")
    function = module.functions[density.gradient]
    blocks, k = density.potential.blocks, len(density.potential.blocks)
    names = [a.arg for a in function.args.args]
    if names[2 * k :] != SHARED or len(set(names)) != len(names):
        raise unread(function, f"{density.gradient} takes results, blocks, {', '.join(SHARED)}")
    results, places = (
        dict(zip(blocks, names, strict=False)),
        dict(zip(blocks, names[k:], strict=False)),
    )
    own = (
        "gradient"
        if len(legend.potentials) == 1
        else f"gradient[{legend.potentials.index(density.potential)}]"
    )
    ours = density.posterior.blocks
    columns = [f"data.{legend.data[density.potential][s]}" for s, _ in density.posterior.data]
    passed = [*(places[b] for b in ours), "rows", *columns, *(results[b] for b in ours)]
    head = f"def {function.name}({', '.join(names)}):"
    text = ["@kernel", head, f"    {own}({', '.join(passed)})"]
    if (different := first_difference(module, density.gradient, text)) is not None:
        raise wrong(*different)


def _scratch(module: ParsedModule, name: str) -> list[str]:
    """Return the scratch arrays that a function names, in the order in which they appear."""
    found = [
        n
        for n in ast.walk(module.functions[name])
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == "state"
    ]
    found.sort(key=lambda n: (n.lineno, n.col_offset))
    return list(dict.fromkeys(n.attr for n in found))


def _controlled_text(
    module: ParsedModule, legend: Legend, density: PosteriorFunctions
) -> list[str]:
    """Return the text of an estimator with control variates, ``g(theta; rows) + G(mode) - g(mode;
    rows)``, which is unbiased for every mode and has no variance at the mode itself.
    """
    results, blocks = names_of(module, density, density.controlled)
    modes, at_mode = legend.modes[density.potential]
    used = _scratch(module, density.controlled)[: len(results)]
    if len(used) != len(results):
        function = module.functions[density.controlled]
        raise unread(function, f"{density.controlled} works in other arrays than it needs")
    scratch = [f"state.{s}" for s in used]
    call = f"    {density.gradient}({{}}, {', '.join(SHARED)})"
    lines = [
        "@kernel",
        f"def {density.controlled}({', '.join([*results, *blocks, *SHARED, 'state'])}):",
    ]
    lines += [
        call.format(", ".join([*results, *blocks])),
        call.format(", ".join([*scratch, *(f"data.{m}" for m in modes)])),
    ]
    lines += [
        f"    add_difference({g}, data.{known}, {estimate})"
        for g, known, estimate in zip(results, at_mode, scratch, strict=True)
    ]
    _check_lengths(module, density, used)
    return lines


def _check_lengths(module: ParsedModule, density: PosteriorFunctions, scratch: list[str]) -> None:
    """Require that scratch arrays are different and as long as the blocks."""
    for field, b in zip(scratch, density.potential.blocks, strict=True):
        if module.arrays.get(field, 0) != length_of(b):
            raise wrong(module.functions["allocate"], f"state.{field} is not as long as {b}")
    if len(set(scratch)) != len(scratch):
        raise wrong(module.functions["allocate"], "two scratch arrays are one")


def _averaged_text(module: ParsedModule, legend: Legend, density: PosteriorFunctions) -> list[str]:
    """Return the text of an estimator with a running variance: Welford's mean of the estimates from
    each row, and a running average of the variance of that mean.
    """
    name = density.averaged
    results, blocks = names_of(module, density, name)
    used = _scratch(module, name)
    variances = list(legend.variances[density.potential])
    own = [s for s in used if s not in variances and s != "table"]
    k = len(results)
    if len(own) != 2 * k + 1:
        raise unread(module.functions[name], f"{name} works in other arrays than it needs")
    squares, ones, (calls,) = own[:k], own[k : 2 * k], own[2 * k :]
    if module.arrays.get(calls, ()) is not None:
        raise wrong(module.functions["allocate"], f"state.{calls} is not one number")
    for arrays in (squares, ones, variances):
        _check_lengths(module, density, arrays)
    one_row = [*(f"state.{o}" for o in ones), *blocks, *SHARED[:-1], "rows[n:n + 1]"]
    call = (
        f"{density.controlled}({', '.join([*one_row, 'state'])})"
        if density.controlled in module.functions
        else None
    )
    lines = ["@kernel", f"def {name}({', '.join([*results, *blocks, *SHARED, 'state'])}):"]
    lines += [f"    {a}[:] = 0.0" for a in [*results, *(f"state.{s}" for s in squares)]]
    lines += [
        "    for n in range(rows.size):",
        f"        {call or density.gradient + '(' + ', '.join(one_row) + ')'}",
    ]
    lines += [
        f"        join_mean({g}, state.{square}, state.{one}, n)"
        for g, square, one in zip(results, squares, ones, strict=True)
    ]
    adapts = legend.adapting.get(density.potential)
    if adapts is not None:
        lines += [f"    if data.{adapts}[0] > 0.0:"]
    blanks = "    " if adapts is None else "        "
    lines += [f"{blanks}state.{calls}[0] += 1.0"]
    drawn = f"rows.size, {count_of(legend, density)}, state.table.size > 0, state.{calls}[0]"
    lines += [
        f"{blanks}join_variance(state.{variance}, state.{square}, {drawn})"
        for variance, square in zip(variances, squares, strict=True)
    ]
    return lines


def private_arrays(
    module: ParsedModule, legend: Legend, found: Iterable[PosteriorFunctions]
) -> frozenset[str]:
    """Return the scratch arrays of the estimators.

    Raises:
        TranslationError: where such an array is a block, or the array of another estimator.
    """
    private: set[str] = set()
    for density in found:
        for name in density.estimators:
            used = set(_scratch(module, name)) - {"table"} if name in module.functions else set()
            used -= module.tables.keys()
            own = used - set(legend.variances.get(density.potential, ()))
            if own & (
                private
                | {*legend.fields.values()}
                | {f for fields in legend.variances.values() for f in fields}
            ):
                raise wrong(module.functions[name], f"{name} works in an array that is not its own")
            if not own <= module.arrays.keys():
                raise unread(module.functions[name], f"{name} works in what is no array of numbers")
            private |= own
    return frozenset(private)


def check_estimates(module: ParsedModule, legend: Legend, density: PosteriorFunctions) -> None:
    """Require that the module has the estimators that the legend names, and no others, and that
    each has its text.
    """
    needs: tuple[tuple[Mapping[Potential, object], str], ...] = (
        (legend.modes, density.controlled),
        (legend.variances, density.averaged),
        (legend.snapshots, density.svrg),
        (legend.tables, density.saga),
    )
    for needed, name in needs:
        if (density.potential in needed) != (name in module.functions):
            raise unread(None, f"the module lacks the function {name}, or has it without need")
    texts = {
        density.controlled: _controlled_text,
        density.averaged: _averaged_text,
        density.svrg: svrg_text,
        density.saga: saga_text,
    }
    for name, text in texts.items():
        if name in module.functions:
            _require_estimator(module, legend, density, name, text(module, legend, density))


def _require_estimator(
    module: ParsedModule, legend: Legend, density: PosteriorFunctions, name: str, lines: list[str]
) -> None:
    """Require that an estimator has its text.

    Raises:
        TranslationError: where it has another one; refuted only with numbers at which the two give
            different ones.
    """
    different = first_difference(module, name, lines)
    if different is None:
        return
    at, why = different
    witness = witness_of_estimate(module, legend, density, name, lines)
    raise wrong(at, f"{why}; {witness.finding}" if witness else why, witness)
