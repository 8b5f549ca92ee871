"""What stands in the place of a source of random numbers, and of functions of the standard library
that would turn what is traced into a float.
"""

from __future__ import annotations

import dis
import math
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import numpy as np

from recipe.lifting.fronts.numpy.traced import Traced, called, nodes_of
from recipe.lifting.tracing.draws import Draws
from recipe.lifting.tracing.nodes_of import constants
from recipe.lifting.tracing.precision import why_not_read
from recipe.lifting.tree.place import is_users, refuse

MATH = {
    "sqrt": "sqrt", "exp": "exp", "expm1": "expm1", "log": "log", "log1p": "log1p",
    "log2": "log2", "log10": "log10", "sin": "sin", "cos": "cos", "tan": "tan", "sinh": "sinh",
    "cosh": "cosh", "tanh": "tanh", "atan": "arctan", "erf": "erf", "fabs": "absolute",
    "pow": "power",
}  # fmt: skip
MADE = {"zeros": 0, "empty": 0, "ones": 1}
OURS = ("recipe", "recipe_cli", "verify", "codegen", "catalog", "mpmath", "flint", "pytest")
NOT_NORMAL = (
    "beta", "betavariate", "binomial", "chisquare", "choice", "exponential", "expovariate",
    "gamma", "gammavariate", "integers", "laplace", "lognormal", "multivariate_normal",
    "permutation", "poisson", "rand", "randint", "random", "random_sample", "randrange", "sample",
    "shuffle", "standard_cauchy", "standard_exponential", "standard_gamma", "standard_t",
    "uniform",
)  # fmt: skip


def _shape(size: Any) -> tuple[int, ...]:
    if size is None:
        return ()
    return (int(size),) if np.ndim(size) == 0 else tuple(int(n) for n in size)


class Source:
    """Stands for a generator of numpy, or for the functions of ``numpy.random``.

    Args:
        draws: where draws are recorded.
        which: which of the ``Numbers`` that are drawn again it stands for.
    """

    def __init__(self, draws: Draws, which: str) -> None:
        self._draws, self._which = draws, which
        self.is_given_back = False  # by default_rng: a second one is the same if it is a seed

    def standard_normal(self, size: Any = None, dtype: Any = None, out: Any = None) -> Traced:
        """Record standard normal numbers."""
        shape = _shape(size) if out is None else out.shape
        which, kind = self._which, {} if dtype is None else {"dtype": dtype}
        reason = why_not_read(dtype or float)
        if reason is not None:
            refuse(f"{reason}, when they are drawn")
        drawn = Traced(
            self._draws.draw(
                shape, lambda s: getattr(s, which).standard_normal(shape or None, **kind)
            )
        )
        if out is None:
            return drawn
        out[...] = drawn
        return out

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Record normal numbers with a mean and a standard deviation."""
        shape = size
        if size is None:
            shape = np.broadcast_shapes(np.shape(loc) or (), np.shape(scale) or ())
        drawn = self.standard_normal(shape or None)
        scaled = drawn if _is(scale, 1) else scale * drawn
        return scaled if _is(loc, 0) else loc + scaled

    def randn(self, *shape: int) -> Traced:
        """Record standard normal numbers, as the older functions of numpy do."""
        return self.standard_normal(shape or None)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _refusing(name)


class Generator(np.random.Generator):
    """A generator that also has the older name of its normal numbers."""

    def randn(self, *shape: int) -> Any:
        """Standard normal numbers."""
        return self.standard_normal(shape or None)


class Numbers:
    """The sources that random numbers are drawn from again.

    Args:
        seed: what they begin with.
    """

    def __init__(self, seed: int) -> None:
        self.generator = Generator(np.random.PCG64(seed))
        self.older = np.random.RandomState(seed)


def _is(value: Any, number: int) -> bool:
    return isinstance(value, int | float) and value == number


def _refusing(name: str) -> Callable[..., Any]:
    def function(*_: Any, **__: Any) -> Any:
        refuse(
            f"{name}(...) draws no normal numbers; noise of a rule is normal, and a minibatch"
            " belongs into the gradient that is given"
        )

    return function


@contextmanager
def stand_ins(draws: Draws, more: Iterable[tuple[Any, Any]] = ()) -> Iterator[None]:
    """Within this context functions of ``math``, ``random`` and ``numpy.random`` that code calls
    record what is done.

    Args:
        draws: where draws are recorded.
        more: further functions, each with what stands for it.
    """
    originals = dict(_replacements(draws))
    originals |= {id(original): (original, other) for original, other in more}
    places = list(_places(originals))
    try:
        for holder, name, value in places:
            setattr(holder, name, originals[id(value)][1])
        yield
    finally:
        for holder, name, value in places:
            setattr(holder, name, value)


def _replacements(draws: Draws) -> Iterator[tuple[int, tuple[Any, Any]]]:
    """Each original by its identity, with what stands for it."""
    source = Source(draws, "older")
    for name, operation in MATH.items():
        original = getattr(math, name)
        yield id(original), (original, _of_math(original, operation))
    for name in ("normal", "standard_normal", "randn", *NOT_NORMAL):
        original = getattr(np.random, name, None)
        if original is not None:
            yield id(original), (original, _for_users(original, getattr(source, name)))
        original = getattr(random, name, None)
        if original is not None:
            yield id(original), (original, _for_users(original, getattr(source, name)))
    for name in ("gauss", "normalvariate"):
        original = getattr(random, name)
        yield id(original), (original, _for_users(original, _gauss(draws, name)))
    original = np.random.default_rng
    yield id(original), (original, _for_users(original, _own_generator))
    for name, value in MADE.items():
        original = getattr(np, name)
        yield id(original), (original, _for_users(original, _full(value)))
    for name in ("array", "asarray", "asanyarray", "ascontiguousarray"):
        original = getattr(np, name)
        yield id(original), (original, _for_users(original, _array(original)))
    yield id(np.full), (np.full, _for_users(np.full, lambda shape, v, *_, **__: _filled(shape, v)))


def _own_generator(seed: Any = None) -> Any:
    if not isinstance(seed, Source):
        refuse(
            "the code makes a generator of its own in each step, which draws the same numbers again"
            " and again where it has a seed; give it one as an argument, noise='rng', in place of"
            " the seed too"
        )
    if seed.is_given_back:
        refuse("the code makes two generators of one seed, which draw the same numbers; make one")
    seed.is_given_back = True
    return seed  # numpy gives back a generator that it is given


def _of_math(original: Callable[..., Any], operation: str) -> Callable[..., Any]:
    def function(*args: Any) -> Any:
        if any(isinstance(a, Traced) for a in args):
            return called(operation, "__call__", args, {})
        if any(hasattr(a, "nodes") for a in args):  # a tensor that is traced
            return getattr(np, operation)(*args)
        return original(*args)

    return function


def _gauss(draws: Draws, name: str) -> Callable[..., Any]:
    def function(mu: Any = 0.0, sigma: Any = 1.0) -> Any:
        drawn = Traced(draws.draw((), lambda source: getattr(random, name)(0.0, 1.0)))
        return mu + sigma * drawn

    return function


def _for_users(original: Any, replacement: Any) -> Any:
    """A function that is the replacement where the user's code calls it."""

    def function(*args: Any, **kwargs: Any) -> Any:
        users = is_users(sys._getframe(1).f_code.co_filename)
        return (replacement if users else original)(*args, **kwargs)

    return function


def _full(value: float) -> Callable[..., Any]:
    return lambda shape, *_, **__: _filled(shape, value)


def _array(original: Any) -> Callable[..., Any]:
    """``numpy.array`` and its siblings, which would make numbers of what is traced."""

    def function(value: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(value, Traced):
            return value if original is not np.array else value.copy()
        if isinstance(value, list | tuple) and any(isinstance(v, Traced) for v in value):
            return Traced(nodes_of(value).copy())
        return original(value, *args, **kwargs)

    return function


def _filled(shape: Any, value: Any) -> Traced:
    out = Traced(np.full(_shape(shape), constants(0)[()]))
    out.fill(value)
    return out


def _places(originals: dict[int, Any]) -> Iterator[tuple[Any, str, Any]]:
    """Every name that holds one of them: in their own modules, and in those of code that may be
    read.
    """
    homes = {sys.modules[o.__module__] for o, _ in originals.values() if _has_home(o)}
    holders: list[Any] = [math, random, np.random, np, *homes]
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if name.partition(".")[0] in OURS or not isinstance(file, str) or module in holders:
            continue
        if is_users(file):
            holders.append(module)
    for holder in holders:
        for name, value in list(vars(holder).items()):
            if id(value) in originals and originals[id(value)][0] is value:
                yield holder, name, value


def _has_home(original: Any) -> bool:
    return getattr(original, "__module__", None) in sys.modules


def globals_written(function: Any) -> str | None:
    """The name of a global variable that a function assigns to; None if there is none."""
    if not isinstance(function, FunctionType):
        return None
    for step in dis.get_instructions(function):
        if step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            return str(step.argval)
    return None
