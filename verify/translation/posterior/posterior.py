"""Compare the functions that sum over rows of data with a posterior: its potential, its gradient,
and estimates of the gradient.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from sympy import Add, Expr

from recipe.language.abstract import Potential
from recipe.language.blocks import Block
from recipe.language.derivatives import symbols_in
from recipe.language.symbols import GENERIC
from verify.translation.loops.calls import evaluated
from verify.translation.loops.chunks import blocks, through_chunk
from verify.translation.loops.eights import EIGHTS, loop_by_eights
from verify.translation.loops.one_by_one import one_by_one
from verify.translation.loops.rows import SCALE, counted, rows
from verify.translation.parse.interface import Legend
from verify.translation.parse.module import ParsedModule
from verify.translation.parse.problems import unread, wrong
from verify.translation.posterior.estimates import check_call_of_user, check_estimates
from verify.translation.posterior.posterior_functions import SHARED, PosteriorFunctions, count_of
from verify.translation.reading.reader import Call, Reader
from verify.translation.reference.equality import EqualityProver
from verify.translation.reference.matcher import Judge, length_of
from verify.translation.state.store import Frame
from verify.translation.state.values import Array, Place, Record, Rows, Token


def check_density(module: ParsedModule, legend: Legend, density: PosteriorFunctions) -> None:
    """Require that the functions of a posterior compute its gradient and its potential, and that
    its estimators have their texts.

    Raises:
        TranslationError: where this is not proved.
    """
    if density.posterior.user_gradient is not None:
        check_call_of_user(module, legend, density)
    else:
        _check_gradient(module, legend, density)
    if density.value in module.functions:
        _check_value(module, legend, density)
    check_estimates(module, legend, density)


def _reader(module: ParsedModule, legend: Legend, density: PosteriorFunctions) -> Reader:
    """Return a reader of the functions of a posterior, which knows the columns of its data."""
    lengths = {length_of(b) for b in density.potential.blocks} | {
        length_of(s) for s, _ in density.posterior.data
    }
    judge = Judge(
        EqualityProver((n for n in lengths if n is not None), numerically=module.numerically)
    )
    reader = Reader(
        module,
        legend,
        judge,
        (counted, rows, through_chunk, loop_by_eights, blocks, one_by_one),
        EIGHTS,
    )
    reader.fields.columns = {field: s for s, field in legend.data[density.potential].items()}
    return reader


def _arrays(
    reader: Reader, names: list[str], blocks: tuple[Block, ...], owner: str
) -> dict[str, Any]:
    return {name: Array(owner, name, length_of(b)) for name, b in zip(names, blocks, strict=True)}


def _frame(values: Mapping[str, Any]) -> Frame:
    return Frame(
        {
            **values,
            "data": Record("data"),
            "params": Record("params"),
            "rows": Token("rows"),
            "gradient": Token("gradient"),
        }
    )


def _check_gradient(module: ParsedModule, legend: Legend, density: PosteriorFunctions) -> None:
    """Require that a function computes ``scale * (sum over rows) + prior``, the gradient by each
    block, and changes no block.
    """
    function = _function(module, density.gradient)
    blocks = density.potential.blocks
    names = [a.arg for a in function.args.args]
    k = len(blocks)
    if names[2 * k :] != SHARED or len(set(names)) != len(names):
        raise unread(function, f"{density.gradient} takes results, blocks, {', '.join(SHARED)}")
    reader = _reader(module, legend, density)
    for e in density.posterior.datum_gradient.values():
        reader.judge.equality.shared(e)  # so that the sums of the text become those of the rule
    results, places = (
        _arrays(reader, names[:k], blocks, "result"),
        _arrays(reader, names[k : 2 * k], blocks, "block"),
    )
    for array, b in zip(places.values(), blocks, strict=True):
        reader.memory.contents[array] = b
    reader.read(function.body, _frame({**results, **places}))
    for (name, array), b in zip(results.items(), blocks, strict=True):
        line = reader.memory.written.get(array, function.lineno)
        if array not in reader.memory.contents:
            raise wrong(function, f"{name} is not written")
        _require(
            reader,
            reader.memory.contents[array],
            density.posterior.datum_gradient[b],
            density.posterior.prior_gradient[b],
            line,
            f"the gradient by {b}",
        )
    for array, b in zip(places.values(), blocks, strict=True):
        if reader.memory.contents[array] != b:
            raise wrong(reader.memory.written[array], f"the gradient changes {b}")
    reader.judge.defined.require()


def _check_value(module: ParsedModule, legend: Legend, density: PosteriorFunctions) -> None:
    """Require that a function returns the potential, and writes into no array."""
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
    _require(
        reader,
        value,
        -posterior.log_likelihood,
        -posterior.log_prior,
        line,
        f"{density.potential} itself",
    )
    if reader.memory.writes:
        raise wrong(function, "the potential writes into an array")
    reader.judge.defined.require()


def _require(reader: Reader, held: Expr, datum: Expr, prior: Expr, line: int, what: str) -> None:
    """Require that a number is ``scale * (sum over rows of datum) + prior``.

    Args:
        reader: the reader.
        held: the number in the text.
        datum: the contribution of one row.
        prior: the part of the prior.
        line: the line of the text.
        what: the name of the number, for messages.
    """
    symbols = symbols_in(held)
    sums = [s for s in reader.sums.by_row if s in symbols]
    wanted = prior
    if sums:
        wanted = SCALE * Add(*sums) + prior
        added = Add(*(reader.sums.by_row[s] for s in sums))
        reader.judge.require(added, datum, line, f"{what}: what one row adds")
    elif datum != 0 and reader.fields.columns:
        raise wrong(line, f"{what} has no sum over the rows")
    elif datum != 0:
        wanted = SCALE * datum + prior
    reader.judge.require(held, wanted, line, what)


def _function(module: ParsedModule, name: str) -> ast.FunctionDef:
    if name not in module.functions:
        raise unread(None, f"the module has no function {name}")
    return module.functions[name]


# -- how ``run`` calls them
# --------------------------------------------------------------------------------------------------


def calls_of(module: ParsedModule, legend: Legend, density: PosteriorFunctions) -> dict[str, Call]:
    """Return the functions that read the calls of the functions of a posterior, by the name that
    ``run`` calls.
    """
    U = density.potential
    outermost = next(
        (n for n in density.estimators if n in module.functions),
        density.gradient,
    )
    made: dict[str, Call] = {
        outermost: _estimate(
            legend,
            density,
            with_state=outermost != density.gradient,
            tested=density.value in module.functions,
        )
    }
    if density.value in module.functions:
        made[density.value] = _value(U)
    return made


EXACT = ["data", "params", "gradient", "state.rows[:0]"]  # no rows stand for all of them


def _estimate(
    legend: Legend, density: PosteriorFunctions, *, with_state: bool, tested: bool
) -> Call:
    """Return the function that reads a call of the gradient or of an estimator, whose minibatch
    must be drawn just before it, at the counter of the loop around. Where tests compare values of
    the potential, a gradient may take all rows, as these do.
    """
    U, fields = density.potential, legend.data[density.potential]

    def call(reader: Reader, node: ast.Call, frame: Frame) -> None:
        k = len(U.blocks)
        arrays = [reader.value(a, frame) for a in node.args[: 2 * k]]
        rest = [ast.unparse(a) for a in node.args[2 * k :]]
        rows = ["state.rows", *(["state"] if with_state else [])]
        exact = tested and not with_state and rest == EXACT
        if not exact and rest != ["data", "params", "gradient", *rows]:
            raise wrong(
                node,
                f"{ast.unparse(node)}: data, parameters and rows are not passed in their order",
            )
        draw = reader.random.minibatch_drawn
        if exact:
            if draw is not None:
                raise wrong(node, "the rows that are drawn just before it are not used")
        elif fields and (draw is None or draw[2] != count_of(legend, density)):
            raise wrong(node, "the rows of this estimate are not drawn just before it")
        if draw is not None and draw[1] != reader.clock.name:
            raise wrong(
                node,
                f"{ast.unparse(node)}: the rows are those of another counter than that of the loop"
                " around",
            )
        reader.random.minibatch_drawn = None
        if draw is not None and not reader.around.finding_writes:
            reader.random.estimates[U] = (draw[0], draw[1])
            reader.random.potential_of_purpose.setdefault(draw[0], U)
        found = evaluated(reader, U, arrays[:k], arrays[k:], draw, node)
        for b, field, variance in zip(
            U.blocks, legend.variances.get(U, ()), found.variances, strict=False
        ):
            array = Array("state", field, length_of(b))
            reader.memory.contents[array] = variance
            reader.memory.writes.append((array, None))

    return call


def _value(U: Potential) -> Callable[..., Any]:
    """Return the function that reads a call of the potential, which must use all of the data."""

    def call(reader: Reader, node: ast.Call, frame: Frame) -> Expr:
        k = len(U.blocks)
        arrays = [reader.value(a, frame) for a in node.args[:k]]
        rest = [reader.value(a, frame) for a in node.args[k:]]
        if rest != [Record("data"), Record("params"), Rows(none=True)]:
            raise wrong(node, f"{ast.unparse(node)}: a test needs the value from all of the data")
        for array, block in zip(arrays, U.blocks, strict=True):
            if not isinstance(array, Array) or array.length != length_of(block):
                raise wrong(node, f"{ast.unparse(node)}: an argument is not an array like {block}")
        held = tuple(
            reader.fetch(a, None if a.length is None else Place(a.length, GENERIC), node)
            for a in arrays
        )
        return reader.judge.evaluate("value", U, held).atoms[0]

    return call
