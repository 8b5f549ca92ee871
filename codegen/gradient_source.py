"""The text of the minibatch gradient of a posterior."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from codegen.driver import Context, statement_lines
from codegen.functions import arguments, function_text
from codegen.loops import GradientCall, Statement, Sweep
from codegen.minibatch import PosteriorGradient
from codegen.names import Namer
from recipe.symbols import Length, Vector


def gradient_texts(gradient: PosteriorGradient, counts: Mapping[Length, str], namer: Namer) -> list[str]:
    """The loop functions of the gradient, and the function that calls them."""
    outer = [*gradient.results, *gradient.blocks, "data", "params"]
    fixed = [*outer, "row", "scale"]
    texts = [function_text(s, fixed, (), namer) for s in (*gradient.each_datum, *gradient.after)]
    return [*(t for t in texts if t), _driver(gradient, counts, outer, fixed)]


def _driver(gradient: PosteriorGradient, counts: Mapping[Length, str], outer: list[str], fixed: list[str]) -> str:
    context = Context(fixed, fixed, counts, (), _no_gradient, lambda sweep, count: _plain_loop(sweep, count, fixed))

    def lines(statements: Iterable[Statement], indent: str) -> list[str]:
        return [indent + line for s in statements for line in statement_lines(s, context)]

    return "\n".join(
        [
            "@kernel",
            f"def {gradient.function}({', '.join(outer)}, seed, lane, t, batch_size):",
            f'    """The gradient of {gradient.potential} over the rows of step t, all rows in order if batch_size is 0."""',
            *(f"    {line}" for line in _size_lines(gradient, counts)),
            *lines(gradient.before, "    "),
            *(f"    {g}[:] = 0.0" for g in gradient.results),
            "    for n in range(np.uint64(used)):",
            "        row = n if batch_size == 0 else random_row(seed, lane, t, n, rows)",
            *lines(gradient.each_datum, "        "),
            "    row = np.uint64(0)",
            *lines(gradient.after, "    "),
        ]
    )


def _size_lines(gradient: PosteriorGradient, counts: Mapping[Length, str]) -> list[str]:
    """The number of coordinates of each length, of rows, and of rows that are used."""
    blocks = zip(gradient.potential.blocks, gradient.blocks, strict=True)
    vectors = {b.length: name for b, name in blocks if isinstance(b, Vector)}
    first = next(iter(gradient.fields.values()), None)
    return [
        *(f"{counts[n]} = np.uint64({name}.size)" for n, name in vectors.items()),
        *(f"{s.name} = float({counts[n]})" for n, s in gradient.sizes.items()),
        f"rows = data.{first}.shape[0]" if first else "rows = 1",
        "used = rows if batch_size == 0 else batch_size",
        "scale = rows / used",
    ]


def _plain_loop(sweep: Sweep, count: str, fixed: list[str]) -> list[str]:
    return [f"for i in range({count}):", f"    {sweep.function}({', '.join(['i', *fixed, *arguments(sweep, fixed)])})"]


def _no_gradient(call: GradientCall) -> str:
    raise TypeError(f"{call} inside a gradient")
