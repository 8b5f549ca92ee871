"""Check the functions that estimate a gradient around a reference which moves with the chain: a
snapshot (SVRG), or what was last seen of every row (SAGA). Each has one text, up to its names.

That such an estimate is unbiased is an identity: given the state and the reference, the mean over
rows of ``g(theta; rows) + G(snapshot) - g(snapshot; rows)``, and of ``mean(seen) + mean over rows
of (g(theta; row) - seen[row])``, is the gradient from all rows. The second needs rows that are
equally likely and distinct within a minibatch, as ``seen`` changes while they are gone through.
"""

from __future__ import annotations

from verify.translation.parse.interface import Legend
from verify.translation.parse.module import ParsedModule
from verify.translation.parse.problems import wrong
from verify.translation.posterior.posterior_functions import (
    SHARED,
    PosteriorFunctions,
    count_of,
    names_of,
)
from verify.translation.reference.matcher import length_of


def svrg_text(module: ParsedModule, legend: Legend, density: PosteriorFunctions) -> list[str]:
    """Return the text of SVRG: a snapshot and the gradient from all rows there, at the first call
    and then at every so many.
    """
    results, blocks = names_of(module, density, density.svrg)
    every, calls, *groups = legend.snapshots[density.potential]
    _check_arrays(module, density, groups, calls, density.svrg)
    copies, known, estimates = ([f"state.{f}" for f in group] for group in groups)
    of_user = legend.all_rows.get(density.potential)
    all_rows = "rows[:0]" if of_user is None else f"data.{of_user}"
    call, count = f"{density.gradient}({{}}, data, params, gradient, {{}})", f"state.{calls}[0]"
    return [
        *_head(density.svrg, results, blocks),
        f"    if {count} % data.{every}[0] == 0.0:",
        *(f"        take({copy}, {b})" for copy, b in zip(copies, blocks, strict=True)),
        f"        {call.format(', '.join([*known, *blocks]), all_rows)}",
        f"    {count} += 1.0",
        f"    {call.format(', '.join([*results, *blocks]), 'rows')}",
        f"    {call.format(', '.join([*estimates, *copies]), 'rows')}",
        *(
            f"    add_difference({g}, {at}, {estimate})"
            for g, at, estimate in zip(results, known, estimates, strict=True)
        ),
    ]


def saga_text(module: ParsedModule, legend: Legend, density: PosteriorFunctions) -> list[str]:
    """Return the text of SAGA: at the first call every row is seen once; then each row of a
    minibatch is compared with what was seen of it, and takes its place.
    """
    results, blocks = names_of(module, density, density.saga)
    calls, *groups = legend.tables[density.potential]
    tables, means, ones = groups
    _check_arrays(module, density, [means, ones], calls, density.saga)
    for field, b in zip(tables, density.potential.blocks, strict=True):
        if module.tables.get(field, 0) != length_of(b):
            raise wrong(module.functions["allocate"], f"state.{field} has no rows as long as {b}")
    every = [f for _, fields, *_ in legend.tables.values() for f in fields]
    if len(set(every)) != len(every):
        raise wrong(module.functions["allocate"], "two tables are one")
    seen, mean, one = ([f"state.{f}" for f in group] for group in (tables, means, ones))
    count, clock = count_of(legend, density), f"state.{calls}[0]"
    call = f"{density.gradient}({', '.join([*one, *blocks])}, data, params, gradient, {{}})"

    def joined(row: str, used: str, blanks: str) -> list[str]:
        return [
            f"{blanks}join_table({g}, {m}, {t}, {o}, {row}, {used}, {count})"
            for g, m, t, o in zip(results, mean, seen, one, strict=True)
        ]

    return [
        *_head(density.saga, results, blocks),
        f"    if {clock} == 0.0:",
        "        first = rows[0]",
        f"        for n in range({count}):",
        "            rows[0] = n",
        f"            {call.format('rows[:1]')}",
        *joined("n", count, " " * 12),
        "        rows[0] = first",
        f"    {clock} += 1.0",
        *(f"    take({g}, {m})" for g, m in zip(results, mean, strict=True)),
        "    for n in range(rows.size):",
        f"        {call.format('rows[n:n + 1]')}",
        *joined("rows[n]", "rows.size", " " * 8),
    ]


def _head(name: str, results: list[str], blocks: list[str]) -> list[str]:
    return ["@kernel", f"def {name}({', '.join([*results, *blocks, *SHARED, 'state'])}):"]


def _check_arrays(
    module: ParsedModule,
    density: PosteriorFunctions,
    groups: list[tuple[str, ...]],
    calls: str,
    name: str,
) -> None:
    """Require that all arrays are different, those by block as long as the blocks, and that the
    calls are one number.
    """
    allocated = module.functions["allocate"]
    for group in groups:
        for field, b in zip(group, density.potential.blocks, strict=True):
            if module.arrays.get(field, 0) != length_of(b):
                raise wrong(allocated, f"state.{field} is not as long as {b}")
    if module.arrays.get(calls, ()) is not None:
        raise wrong(allocated, f"state.{calls} is not one number")
    used = [calls, *(f for group in groups for f in group)]
    if len(set(used)) != len(used):
        raise wrong(allocated, f"two arrays of {name} are one")
