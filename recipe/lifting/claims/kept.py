"""What a function keeps from one call to the next: counters, caches, and generators of its own."""

from __future__ import annotations

import itertools
import sys
from collections import deque
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from recipe.lifting.claims.claim import Claim
from recipe.lifting.claims.wrapped import innermost
from recipe.lifting.tree.place import is_users

DEPTH = 8  # of containers in containers
PLAIN = (bool, int, float, complex, str, bytes, type(None))


def kept(claim: Claim) -> dict[str, Hashable]:
    """Return what a function keeps, as values that can be compared, by where it stands.

    The variables that it closes over, its defaults and attributes, the object it is a method of,
    arguments that are passed as they are, and the global variables it names; and the same of the
    functions among them.
    """
    walk = _Walk()
    walk.function(claim.function, "")
    for name, value in claim.fixed.items():
        walk.found[name] = walk.value(value, DEPTH)
    return walk.found


def changed(before: Mapping[str, Hashable], after: Mapping[str, Hashable]) -> str | None:
    """The name of something kept that differs; None if nothing does."""
    return next((n for n, v in after.items() if n in before and before[n] != v), None)


@dataclass
class _Walk:
    """A walk through what a function can reach."""

    found: dict[str, Hashable] = field(default_factory=dict)
    met: set[int] = field(default_factory=set)

    def function(self, f: Any, prefix: str) -> None:
        """Note what a function keeps."""
        if isinstance(f, MethodType):
            self.found[f"{prefix}self"] = self.value(f.__self__, DEPTH)
            f = f.__func__
        f = innermost(f)
        if not isinstance(f, FunctionType) or id(f) in self.met:
            return
        self.met.add(id(f))
        for name, value in _reached(f):
            if isinstance(value, FunctionType | MethodType):
                if is_users(getattr(value, "__code__", f.__code__).co_filename):
                    self.function(value, f"{value.__name__}.")
            else:
                self.found[f"{prefix}{name}"] = self.value(value, DEPTH)

    def value(self, x: Any, depth: int) -> Hashable:
        """A value that can be compared; one that is none for what is not looked into."""
        if isinstance(x, PLAIN):
            return type(x).__name__, repr(x)
        if isinstance(x, itertools.count | itertools.cycle):
            return repr(x)
        if isinstance(x, np.ndarray) and x.dtype.kind in "biufc":
            return x.shape, x.tobytes()
        if isinstance(x, np.random.Generator):
            return repr(x.bit_generator.state)
        if depth == 0:
            return type(x).__name__
        if isinstance(x, Mapping):
            items = list(x.items())
            return tuple((repr(k), self.value(v, depth - 1)) for k, v in items)
        if isinstance(x, list | tuple | deque):
            return tuple(self.value(v, depth - 1) for v in x)
        if isinstance(x, set | frozenset):
            return frozenset(map(repr, x))
        if _is_of_users(x):
            return self.value(dict(vars(x)), depth - 1)
        return type(x).__name__


def _reached(f: FunctionType) -> Iterator[tuple[str, Any]]:
    code = f.__code__
    for name, cell in zip(code.co_freevars, f.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # it is not bound yet
            continue
    for k, value in enumerate(f.__defaults__ or ()):
        names = code.co_varnames[: code.co_argcount]
        yield names[len(names) - len(f.__defaults__ or ()) + k], value
    yield from (f.__kwdefaults__ or {}).items()
    yield from ((f"{f.__name__}.{name}", value) for name, value in vars(f).items())
    for name in code.co_names:
        if name in f.__globals__:
            yield name, f.__globals__[name]


def _is_of_users(x: Any) -> bool:
    """Whether an object is of a class in code that is read."""
    module = sys.modules.get(type(x).__module__)
    file = getattr(module, "__file__", None)
    if isinstance(x, type) or type(getattr(x, "__dict__", None)) is not dict:
        return False
    here = type(x).__module__ == "__main__"
    return here or (isinstance(file, str) and is_users(file))
