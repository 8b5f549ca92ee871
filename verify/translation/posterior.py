"""The functions that sum over rows of data, against the posterior: its potential, its gradient, and estimates around them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Expr, Symbol

from recipe.abstract import Potential
from recipe.kernel import Kernel
from recipe.posterior import Posterior
from recipe.symbols import GENERIC, Block
from recipe.update import Update
from verify.translation.equal import Looks
from verify.translation.forms.calls import evaluated
from verify.translation.forms.one_by_one import one_by_one
from verify.translation.forms.rows import SCALE, counted, rows
from verify.translation.judge import Judge, length_of
from verify.translation.legend import Legend
from verify.translation.module import Module, same_text
from verify.translation.problems import unread, wrong
from verify.translation.reader import Call, Frame, Reader
from verify.translation.values import Array, Place, Record, Rows, Size, Token

SHARED = ["data", "params", "gradient", "rows"]


@dataclass(frozen=True)
class Density:
    """A posterior of a module: which functions of the text are about it."""

    potential: Potential
    posterior: Posterior
    gradient: str
    value: str
    controlled: str
    averaged: str


def densities(posteriors: Mapping[Potential, Posterior]) -> list[Density]:
    """The functions by their names, which every module has in this form."""
    return [Density(U, p, *(f"{kind}_{U}" for kind in ("gradient", "potential", "controlled", "averaged"))) for U, p in posteriors.items()]


def check_density(module: Module, legend: Legend, density: Density) -> None:
    """Require that the functions of a posterior are its gradient, its potential, and estimates of them."""
    if density.posterior.user_gradient is not None:
        _check_call_of_user(module, legend, density)
    else:
        _check_gradient(module, legend, density)
    if density.value in module.functions:
        _check_value(module, legend, density)
    if density.controlled in module.functions:
        _check_text(module, density.controlled, _controlled_text(module, legend, density))
    if density.averaged in module.functions:
        _check_text(module, density.averaged, _averaged_text(module, legend, density))


def _reader(module: Module, legend: Legend, density: Density) -> Reader:
    lengths = {length_of(b) for b in density.potential.blocks} | {length_of(s) for s, _ in density.posterior.data}
    judge = Judge(Looks(n for n in lengths if n is not None))
    reader = Reader(module, legend, judge, (counted, rows, one_by_one), {})
    reader.columns = {field: s for s, field in legend.data[density.potential].items()}
    return reader


def _arrays(reader: Reader, names: list[str], blocks: tuple[Block, ...], owner: str) -> dict[str, Any]:
    return {name: Array(owner, name, length_of(b)) for name, b in zip(names, blocks, strict=True)}


def _frame(values: Mapping[str, Any]) -> Frame:
    return Frame({**values, "data": Record("data"), "params": Record("params"), "rows": Token("rows"), "gradient": Token("gradient")})


def _check_gradient(module: Module, legend: Legend, density: Density) -> None:
    function = _function(module, density.gradient)
    blocks = density.potential.blocks
    names = [a.arg for a in function.args.args]
    k = len(blocks)
    if names[2 * k :] != SHARED or len(set(names)) != len(names):
        raise unread(function, f"{density.gradient} takes results, blocks, {', '.join(SHARED)}")
    reader = _reader(module, legend, density)
    results, places = _arrays(reader, names[:k], blocks, "result"), _arrays(reader, names[k : 2 * k], blocks, "block")
    for array, b in zip(places.values(), blocks, strict=True):
        reader.memory.contents[array] = b
    reader.read(function.body, _frame({**results, **places}))
    for (name, array), b in zip(results.items(), blocks, strict=True):
        line = reader.memory.written.get(array, function.lineno)
        if array not in reader.memory.contents:
            raise wrong(function, f"{name} is not written")
        _require(reader, reader.memory.contents[array], density.posterior.datum_gradient[b],
                 density.posterior.prior_gradient[b], line, f"the gradient by {b}")  # fmt: skip
    for array, b in zip(places.values(), blocks, strict=True):
        if reader.memory.contents[array] != b:
            raise wrong(reader.memory.written[array], f"the gradient changes {b}")


def _check_value(module: Module, legend: Legend, density: Density) -> None:
    function = _function(module, density.value)
    blocks = density.potential.blocks
    names = [a.arg for a in function.args.args]
    if names[len(blocks) :] != ["data", "params", "rows"] or len(set(names)) != len(names):
        raise unread(function, f"{density.value} takes the blocks, data, params, rows")
    reader = _reader(module, legend, density)
    places = _arrays(reader, names[: len(blocks)], blocks, "block")
    for array, b in zip(places.values(), blocks, strict=True):
        reader.memory.contents[array] = b
    frame = _frame(places)
    value = reader.returned(function, frame)
    if not isinstance(value, Expr):
        raise wrong(function, f"{density.value} returns no number")
    posterior = density.posterior
    if posterior.log_likelihood is None:
        raise unread(function, f"the posterior of {density.potential} has no log likelihood")
    line = frame.lines.get("value", function.lineno)
    _require(reader, value, -posterior.log_likelihood, -posterior.log_prior, line, f"{density.potential} itself")
    if reader.memory.writes:
        raise wrong(function, "the potential writes into an array")


def _require(reader: Reader, held: Expr, datum: Expr, prior: Expr, line: int, what: str) -> None:
    """Require ``scale * (sum over rows of datum) + prior``."""
    sums = [s for s in reader.row_sums if s in held.atoms(Symbol)]
    wanted = prior
    if sums:
        (found,) = sums if len(sums) == 1 else (sums[0],)
        wanted = SCALE * found + prior
        if len(sums) > 1:
            raise unread(line, f"{what} is made of {len(sums)} sums over rows")
        reader.judge.require(reader.row_sums[found], datum, line, f"{what}: what one row adds")
    elif datum != 0:
        reader.judge.require(held, SCALE * datum + prior, line, what)
    reader.judge.require(held, wanted, line, what)


def _function(module: Module, name: str) -> ast.FunctionDef:
    if name not in module.functions:
        raise unread(None, f"the module has no function {name}")
    return module.functions[name]


# -- estimates around the gradient, which have one text each ------------------------------------------------------------------


def _check_call_of_user(module: Module, legend: Legend, density: Density) -> None:
    function = _function(module, density.gradient)
    blocks, k = density.potential.blocks, len(density.potential.blocks)
    names = [a.arg for a in function.args.args]
    if names[2 * k :] != SHARED or len(set(names)) != len(names):
        raise unread(function, f"{density.gradient} takes results, blocks, {', '.join(SHARED)}")
    results, places = dict(zip(blocks, names, strict=False)), dict(zip(blocks, names[k:], strict=False))
    own = "gradient" if len(legend.potentials) == 1 else f"gradient[{legend.potentials.index(density.potential)}]"
    ours = density.posterior.blocks
    columns = [f"data.{legend.data[density.potential][s]}" for s, _ in density.posterior.data]
    passed = [*(places[b] for b in ours), "rows", *columns, *(results[b] for b in ours)]
    expected = f"@kernel\ndef {function.name}({', '.join(names)}):\n    {own}({', '.join(passed)})"
    _check_text(module, density.gradient, expected)


def _check_text(module: Module, name: str, expected: str) -> None:
    function = module.functions[name]
    bare = ast.FunctionDef(**{f: getattr(function, f) for f in function._fields})
    bare.body = [s for s in function.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    if same_text(bare, expected):
        return
    (other,) = ast.parse(expected).body
    assert isinstance(other, ast.FunctionDef)
    for ours, theirs in zip(other.body, bare.body, strict=False):
        if ast.dump(ours) != ast.dump(theirs):
            raise wrong(theirs, f"{name} must say here: {ast.unparse(ours).splitlines()[0]}")
    raise wrong(function, f"{name} is not what it must be")


def _names(module: Module, density: Density, name: str) -> tuple[list[str], list[str]]:
    names = [a.arg for a in module.functions[name].args.args]
    k = len(density.potential.blocks)
    if len(set(names)) != len(names) or names[2 * k :] != [*SHARED, "state"]:
        raise unread(module.functions[name], f"{name} takes results, blocks, {', '.join(SHARED)}, state")
    return names[:k], names[k : 2 * k]


def _scratch(module: Module, name: str) -> list[str]:
    """The scratch arrays that a function names, in the order in which they appear."""
    found = [n.attr for n in ast.walk(module.functions[name])
             if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == "state"]  # fmt: skip
    return list(dict.fromkeys(found))


def _controlled_text(module: Module, legend: Legend, density: Density) -> str:
    """``g(theta; rows) + G(mode) - g(mode; rows)``: unbiased for every mode, and without variance at the mode itself."""
    results, blocks = _names(module, density, density.controlled)
    modes, at_mode = legend.modes[density.potential]
    scratch = [f"state.{s}" for s in _of_first_call(module, density)]
    call = f"    {density.gradient}({{}}, {', '.join(SHARED)})"
    lines = ["@kernel", f"def {density.controlled}({', '.join([*results, *blocks, *SHARED, 'state'])}):"]
    lines += [call.format(", ".join([*results, *blocks])), call.format(", ".join([*scratch, *(f"data.{m}" for m in modes)]))]
    for g, known, estimate in zip(results, at_mode, scratch, strict=True):
        lines += [f"    for i in range(np.uint64({g}.size)):", f"        {g}[i] += data.{known}[i] - {estimate}[i]"]
    _check_lengths(module, density, [s.removeprefix("state.") for s in scratch])
    return "\n".join(lines)


def _of_first_call(module: Module, density: Density) -> list[str]:
    return sorted(_scratch(module, density.controlled), key=lambda s: _first_use(module, density.controlled, s))[
        : len(density.potential.blocks)
    ]


def _first_use(module: Module, name: str, scratch: str) -> tuple[int, int]:
    places = [(n.lineno, n.col_offset) for n in ast.walk(module.functions[name]) if isinstance(n, ast.Attribute) and n.attr == scratch]
    return min(places)


def _check_lengths(module: Module, density: Density, scratch: list[str]) -> None:
    for field, b in zip(scratch, density.potential.blocks, strict=True):
        if module.arrays.get(field, 0) != length_of(b):
            raise wrong(module.functions["allocate"], f"state.{field} is not as long as {b}")
    if len(set(scratch)) != len(scratch):
        raise wrong(module.functions["allocate"], "two scratch arrays are one")


def _averaged_text(module: Module, legend: Legend, density: Density) -> str:
    """Welford's mean of the estimates from each row, and the variance of that mean in a running average."""
    name = density.averaged
    results, blocks = _names(module, density, name)
    used = sorted(_scratch(module, name), key=lambda s: _first_use(module, name, s))
    variances = list(legend.variances[density.potential])
    own = [s for s in used if s not in variances and s != "table"]
    k = len(results)
    if len(own) != 2 * k + 1:
        raise unread(module.functions[name], f"{name} works in other arrays than it needs")
    squares, ones, (calls,) = own[:k], own[k : 2 * k], own[2 * k :]
    for arrays in (squares, ones, variances):
        _check_lengths(module, density, arrays)
    one_row = [*(f"state.{o}" for o in ones), *blocks, *SHARED[:-1], "rows[n:n + 1]"]
    call = f"{density.controlled}({', '.join([*one_row, 'state'])})" if density.controlled in module.functions else None
    lines = ["@kernel", f"def {name}({', '.join([*results, *blocks, *SHARED, 'state'])}):"]
    lines += [f"    {a}[:] = 0.0" for a in [*results, *(f"state.{s}" for s in squares)]]
    lines += ["    for n in range(rows.size):", f"        {call or density.gradient + '(' + ', '.join(one_row) + ')'}"]
    for g, one, square in zip(results, ones, squares, strict=True):
        lines += [
            f"        for i in range(np.uint64({g}.size)):", f"            change = state.{one}[i] - {g}[i]",
            f"            {g}[i] += change / (n + 1)", f"            state.{square}[i] += change * (state.{one}[i] - {g}[i])",
        ]  # fmt: skip
    lines += [
        f"    count = {_count(legend, density)}", "    distinct = 1.0 - rows.size / count if state.table.size > 0 else 1.0",
        "    scale = distinct / (rows.size * (rows.size - 1))", f"    state.{calls}[0] += 1.0",
        f"    weight = 1.0 / min(state.{calls}[0], 1000.0)",
    ]  # fmt: skip
    for g, square, variance in zip(results, squares, variances, strict=True):
        lines += [
            f"    for i in range(np.uint64({g}.size)):",
            f"        state.{variance}[i] += weight * (scale * state.{square}[i] - state.{variance}[i])",
        ]
    return "\n".join(lines)


def _count(legend: Legend, density: Density) -> str:
    first = next(iter(legend.data[density.potential].values()), None)
    return f"data.{first}.shape[0]" if first else "1"


# -- how ``run`` calls them -----------------------------------------------------------------------------------------------------


def calls_of(module: Module, legend: Legend, density: Density) -> dict[str, Call]:
    """The calls of the functions of a posterior, by name, as far as the module has them."""
    U = density.potential
    outermost = next(
        (n for n in (density.averaged, density.controlled) if n in module.functions), density.gradient
    )  # fmt: skip
    made: dict[str, Call] = {outermost: _estimate(legend, density, with_state=outermost != density.gradient)}
    if density.value in module.functions:
        made[density.value] = _value(U)
    return made


def _estimate(legend: Legend, density: Density, *, with_state: bool) -> Call:
    U, fields = density.potential, legend.data[density.potential]

    def call(reader: Reader, node: ast.Call, frame: Frame) -> None:
        k = len(U.blocks)
        arrays = [reader.value(a, frame) for a in node.args[: 2 * k]]
        rest = [ast.unparse(a) for a in node.args[2 * k :]]
        if rest != ["data", "params", "gradient", "state.rows", *(["state"] if with_state else [])]:
            raise wrong(node, f"{ast.unparse(node)}: data, parameters and rows are not passed in their order")
        draw = reader.drawn
        if fields and (draw is None or draw[2] != _count(legend, density)):
            raise wrong(node, "the rows of this estimate are not drawn just before it")
        reader.drawn = None
        if draw is not None and not reader.trying:
            reader.estimates[U] = (draw[0], draw[1])
        found = evaluated(reader, U, arrays[:k], arrays[k:], draw, node)
        for b, field, variance in zip(U.blocks, legend.variances.get(U, ()), found.variances, strict=False):
            array = Array("state", field, length_of(b))
            reader.memory.contents[array] = variance
            reader.memory.writes.append((array, None))

    return call


def _value(U: Potential) -> Callable[..., Any]:
    def call(reader: Reader, node: ast.Call, frame: Frame) -> Expr:
        k = len(U.blocks)
        arrays = [reader.value(a, frame) for a in node.args[:k]]
        rest = [reader.value(a, frame) for a in node.args[k:]]
        if rest != [Record("data"), Record("params"), Rows(none=True)]:
            raise wrong(node, f"{ast.unparse(node)}: a test needs the value from all of the data")
        for array, block in zip(arrays, U.blocks, strict=True):
            if not isinstance(array, Array) or array.length != length_of(block):
                raise wrong(node, f"{ast.unparse(node)}: an argument is not an array like {block}")
        held = tuple(reader.fetch(a, None if a.length is None else Place(a.length, GENERIC), node) for a in arrays)
        return reader.judge.evaluate("value", U, held).atoms[0]

    return call


__all__ = ["Kernel", "Size", "Update", "calls_of", "check_density", "densities"]
