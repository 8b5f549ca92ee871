"""Compare a rule with the code that it was read from, in numbers at random states.

A lift is wrong if one number differs by more than rounding, so this is part of every lift. It is
done at the largest of the lengths that were traced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from sympy import Expr, Interval, Symbol, oo

from recipe.language.blocks import Block, Simplex, Vector
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import Indexed, generic, name_of
from recipe.lifting.claims.claim import Claim
from recipe.lifting.evaluate import NoNumberError, Numbers
from recipe.lifting.tracing.given import expressions_of, point_of, shape_of
from recipe.lifting.tracing.trace import Front, Shapes, Trace
from recipe.lifting.tree.place import refuse

STATES = 3  # that are compared
TRIES = 40  # to find states where the code has values


def compare(
    front: Front,
    claim: Claim,
    pairs: Sequence[tuple[Block, Expr]],
    sequential: bool,
    trace: Trace,
    draws: Mapping[Symbol, tuple[int, ...]],
    shapes: Shapes,
    rounding: float,
) -> int:
    """Compare a rule with the function at random states.

    Args:
        front: the front end that has traced the function.
        claim: the claim.
        pairs: the assignments of the rule.
        sequential: whether they are sequential.
        trace: the trace at these shapes, which has the same draws.
        draws: the numbers of the draws that each noise of the rule is.
        shapes: the shapes of arrays.
        rounding: how much the two may differ, relative.

    Returns:
        The number of values that were compared.

    Raises:
        CannotLiftError: where one of them differs, or no state is found where the code has values.
    """
    compared = found = 0
    random = np.random.default_rng(20)
    for seed in range(TRIES):
        values = _values(claim, pairs, shapes, random)
        try:
            count = _one_state(
                front, claim, pairs, sequential, trace, draws, shapes, values, seed, rounding
            )
        except NoNumberError as error:
            refuse(f"the rule cannot be compared with {claim.name}: {error}", claim.place)
        if count:
            compared, found = compared + count, found + 1
        if found == STATES:
            return compared
    return refuse(
        f"{claim.name} has no value at {TRIES} random states, so that what was read cannot be"
        " compared with it",
        claim.place,
    )


def _one_state(
    front: Front, claim: Claim, pairs: Any, sequential: bool, trace: Trace, draws: Any,
    shapes: Shapes, values: dict[Symbol, Any], seed: int, rounding: float,
) -> int:  # fmt: skip
    sizes = {name: prod(shape) for name, shape in shapes.items()}
    arguments = _arguments(claim, values, sizes, shapes)
    noise = {n: np.random.default_rng(seed + 1000 + k).standard_normal(
        shapes[str(w.length)] if isinstance(w, Noise) else ()) for k, (n, w) in
        enumerate(claim.noise.items())}  # fmt: skip
    gradients = {n: _gradient(claim, n, values, sizes, shapes) for n in claim.gradient}
    with np.errstate(all="ignore"):
        got = front.run(claim, arguments | noise, gradients, seed)
        numbers = front.drawn(trace.draws, noise, seed)
        for symbol, which in draws.items():
            drawn = numbers[list(which)]
            values[symbol] = drawn if isinstance(symbol, Noise) else float(drawn[0])
        expected = _stepped(pairs, sequential, Numbers(values, sizes))
    flat = {name_of(b): np.ravel(got[name_of(b)]) for b in claim.blocks}
    if not all(np.all(np.isfinite(x)) for x in (*flat.values(), *expected.values())):
        _require_undefined_together(claim, flat, expected)
        return 0
    for name, value in expected.items():
        _require_equal(claim, name, flat[name], np.broadcast_to(value, flat[name].shape), rounding)
    return sum(x.size for x in flat.values())


def _require_undefined_together(claim: Claim, flat: Any, expected: Any) -> None:
    """Require that where one of the code and the rule has no value, the other one has none."""
    for name, value in expected.items():
        code = np.isfinite(flat[name])
        rule = np.broadcast_to(np.isfinite(value), code.shape)
        if np.any(code != rule):
            k = int(np.argmax(code != rule))
            refuse(
                f"what was read is not what {claim.name} computes: at a random state coordinate {k}"
                f" of {name} has a value {'in the code' if code[k] else 'by the rule'} alone; a"
                " root or a logarithm of a negative number may be the reason; where a block or a"
                " letter is positive, declare it",
                claim.place,
            )


def _require_equal(
    claim: Claim, name: str, code: np.ndarray, rule: np.ndarray, rounding: float
) -> None:
    scale = np.maximum(1.0, np.maximum(np.abs(code), np.abs(rule)))
    off = np.abs(code - rule) > rounding * scale
    if np.any(off):
        k = int(np.argmax(off))
        refuse(
            f"what was read is not what {claim.name} computes: at a random state coordinate {k} of"
            f" {name} is {code[k]:.12g}, and {rule[k]:.12g} by the rule; a value that was used"
            " twice, a branch, or random numbers that are others than they seem may be the reason",
            claim.place,
        )


def _stepped(pairs: Any, sequential: bool, numbers: Numbers) -> dict[str, Any]:
    """The new value of each block by the rule."""
    if not sequential:
        return {name_of(b): numbers.of(e) for b, e in pairs}
    values = numbers.values
    for block, e in pairs:
        values[generic(block)] = numbers.of(e)
        if isinstance(block, Vector):
            size = numbers.sizes[str(block.length)]
            values[generic(block)] = np.broadcast_to(values[generic(block)], (size,))
    return {name_of(b): values[generic(b)] for b, _ in pairs}


def _values(
    claim: Claim, pairs: Any, shapes: Shapes, random: np.random.Generator
) -> dict[Symbol, Any]:
    """A random value for each block and parameter."""
    written = [e for _, e in pairs] + list(claim.letters.values())
    written += [p for g in claim.gradient.values() for p in (g if isinstance(g, tuple) else (g,))]
    found: dict[Symbol, Any] = {claim.step: random.uniform(0.01, 0.2)}
    for b in claim.blocks:
        found[b] = _in_domain(b, shapes, random)
    for e in written:
        for s in map(generic, sorted(e.free_symbols, key=str)):
            if s in found or isinstance(s, Noise | ScalarNoise):
                continue
            shape = (prod(shapes[str(s.length)]),) if isinstance(s, Indexed) else ()
            found[s] = _parameter(s, shape, random)
    return found


def _parameter(s: Symbol, shape: tuple[int, ...], random: np.random.Generator) -> Any:
    if s.is_integer:
        return float(random.integers(2, 5))
    if s.is_positive or s.is_nonnegative:
        return random.uniform(0.2, 0.9, shape or None)
    if s.is_negative:
        return -random.uniform(0.2, 0.9, shape or None)
    return random.normal(size=shape or None)


def _in_domain(b: Block, shapes: Shapes, random: np.random.Generator) -> Any:
    size = prod(shapes[str(b.length)]) if b.length is not None else None
    if isinstance(b.domain, Simplex):
        return random.dirichlet(np.ones((size or 1) + 1))[:-1]
    if isinstance(b.domain, Interval):
        low, high = b.domain.start, b.domain.end
        if low != -oo and high != oo:
            return random.uniform(float(low), float(high), size)
        if low != -oo:
            return float(low) + random.exponential(size=size)
        if high != oo:
            return float(high) - random.exponential(size=size)
    return random.normal(size=size)


def _arguments(claim: Claim, values: Any, sizes: Any, shapes: Shapes) -> dict[str, Any]:
    found: dict[str, Any] = {}
    numbers = Numbers(dict(values), sizes)
    for name, e in {**claim.state, **claim.letters}.items():
        value = numbers.of(e)
        length = next((s.length for s in e.atoms(Indexed)), None) if np.ndim(value) else None
        found[name] = (
            np.array(value).reshape(shapes[str(length)]) if length is not None else float(value)
        )
    return found


def _gradient(claim: Claim, name: str, values: Any, sizes: Any, shapes: Shapes) -> Any:
    """The function of a part of the name and of numpy arrays that has the values of the expression.

    The part is what stands behind the name in the tree: nothing, ``.1`` or ``'0``.
    """
    gradient = claim.gradient[name]
    blocks, expressions = point_of(gradient), expressions_of(name, gradient)

    def function(part: str, *point: Any) -> Any:
        here = dict(values)
        for b, x in zip(blocks, point, strict=True):
            here[b] = np.ravel(x) if isinstance(b, Vector) else float(np.ravel(x)[0])
        e = expressions[f"{name}{part}"]
        return _shaped(Numbers(here, sizes).of(e), e, shapes)

    return function


def _shaped(value: Any, e: Expr, shapes: Shapes) -> Any:
    shape = shape_of(e, shapes)
    return np.broadcast_to(value, (prod(shape),)).reshape(shape).copy() if shape else value
