"""Keys of JAX's random numbers, by where they come from.

Two keys are one where they were derived in the same way. What a key is used for is noted: one that
is used for two different things gives numbers that depend on each other, and is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from recipe.lifting.tracing.draws import Draw, Draws
from recipe.lifting.tracing.nodes_of import NodeArray
from recipe.lifting.tree.place import Place, here, refuse

Path = tuple[tuple[Any, ...], ...]  # the steps from the key of the function: splits and folds


_apart: ContextVar[bool] = ContextVar("_apart", default=False)


@contextmanager
def apart() -> Iterator[None]:
    """Within this context a key that is drawn from again gives other numbers, as a new key
    would.
    """
    token = _apart.set(True)
    try:
        yield
    finally:
        _apart.reset(token)


@dataclass(frozen=True)
class Key:
    """A key.

    Attributes:
        path: how it was derived from the key that the function was given.
    """

    path: Path


@dataclass(frozen=True)
class Half:
    """One of the words that a key consists of.

    Attributes:
        key: the key.
        word: which word it is.
    """

    key: Key
    word: int


@dataclass
class Keys:
    """What each key of a trace is used for."""

    draws: Draws
    uses: dict[Path, tuple[str, Any, Place | None]] = field(default_factory=dict)

    def split(self, key: Key, shape: tuple[int, ...]) -> np.ndarray:
        """The keys that a key is split into."""
        self._use(key, "split", tuple(shape))
        out = np.empty(shape, dtype=object)
        for i, at in enumerate(np.ndindex(*shape)):
            out[at] = Key((*key.path, ("split", tuple(shape), i)))
        return out

    def fold(self, key: Key, number: int) -> Key:
        """The key that a number is folded into."""
        self._use(key, "fold_in", None)
        return Key((*key.path, ("fold_in", int(number))))

    def normal(self, key: Key, shape: tuple[int, ...], kind: str) -> NodeArray:
        """The standard normal numbers that a key draws as floats of a kind; the same each time."""
        self._use(key, "normal", (tuple(shape), kind))
        found: Draw | None = self.draws.by_key.get(key.path)
        if found is not None:
            self.draws.repeated.append((shown(key), found, here()))
        if found is None or _apart.get():
            first = self.draws.count
            self.draws.draw(
                tuple(shape), lambda source: drawn(source, key.path, tuple(shape), kind)
            )
            found = self.draws.by_key[key.path] = self.draws.all[-1]
            assert found.first == first
        return self.draws.nodes(found)

    def other(self, key: Key, what: str) -> None:
        """Note that a key draws what is not normal."""
        self._use(key, what, None)

    def _use(self, key: Key, kind: str, detail: Any) -> None:
        before = self.uses.setdefault(key.path, (kind, detail, here()))
        if before[:2] != (kind, detail):
            refuse(
                f"{shown(key)} is used for {_said(kind, detail)} here and for"
                f" {_said(*before[:2])}"
                + (f" in {before[2]}" if before[2] is not None else "")
                + ": the numbers depend on each other; split it first"
            )


def _said(kind: str, detail: Any) -> str:
    if kind == "normal":
        return f"a draw of the shape {detail[0]}" + _kind_said(detail[1])
    return f"{kind} of the shape {detail}" if kind == "split" else kind


def shown(key: Key) -> str:
    """A key as a person would write it."""
    text = "key"
    for step in key.path:
        if step[0] == "split":
            text = f"split({text}, {step[1][0] if len(step[1]) == 1 else step[1]})[{step[2]}]"
        elif step[0] == "fold_in":
            text = f"fold_in({text}, {step[1]})"
        else:
            text = str(step[1])
    return text


def _kind_said(kind: str) -> str:
    return "" if kind == "float64" else f" in {kind}"


def drawn(source: Any, path: Path, shape: tuple[int, ...], kind: str) -> Any:
    """Draw the numbers of a key again, from the key that the function was given."""
    import jax

    key = source
    for step in path:
        if step[0] == "split":
            key = jax.random.split(key, step[1]).reshape(-1, *key.shape)[step[2]]
        elif step[0] == "fold_in":
            key = jax.random.fold_in(key, step[1])
    return jax.random.normal(key, shape, dtype=kind)
