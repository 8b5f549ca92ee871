"""Symbols that carry an index: the atoms of the language.

A block of symbolic length is written by the name of *one generic coordinate*. Inside, every such
symbol carries a label for the index that it stands at, so that two coordinates of the same block
can meet in one expression:

* ``GENERIC`` (0): the coordinate ``i`` that an elementwise expression is about;
* ``OTHER`` (-1): a second free coordinate ``j``, as in the entry ``(i, j)`` of a matrix;
* 1, 2, ...: indices bound by a ``Total``.

Two equal labels are the same coordinate, two different labels are different coordinates.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sympy import S, Symbol

from recipe.language.errors import RecipeError
from recipe.language.names import checked_name
from recipe.language.numpy_slips import NotAnArray

GENERIC = 0
OTHER = -1


class Length(Symbol):
    """The symbolic length ``d`` of a block: a positive integer."""

    __slots__ = ()

    def __new__(cls, name: str) -> Length:
        return Symbol.__xnew__(cls, name, integer=True, positive=True)  # type: ignore[no-any-return]

    @property
    def owner(self) -> str:
        """The name of the block that has this length, as its user wrote it."""
        return str(self.name).removeprefix("d_")

    def __reduce__(self) -> tuple[Any, ...]:
        return Length, (self.name,)

    def __getnewargs_ex__(self) -> Any:
        raise TypeError("lengths are pickled through __reduce__")


class Indexed(NotAnArray, Symbol):
    """A symbol with one value for each coordinate: a block, a parameter, a noise or a datum of
    symbolic length.

    Attributes:
        base: the name without an index.
        length: the symbolic number of coordinates.
        label: the index that the symbol stands at (see the head of this file).
        extra: what a subclass adds, such as the domain of a ``Vector``.
    """

    __slots__ = ("base", "content", "extra", "label", "length")

    base: str
    length: Length
    label: int
    extra: tuple[Any, ...]
    content: tuple[Any, ...]

    def __new__(
        cls,
        base: str,
        length: Length,
        label: int = GENERIC,
        extra: tuple[Any, ...] = (),
        **assumptions: bool,
    ) -> Indexed:
        shown = base if label == GENERIC else f"{base}[{index_name(label)}]"
        obj = Symbol.__xnew__(cls, shown, **assumptions)
        obj.base, obj.length, obj.label, obj.extra = base, length, label, extra
        return obj  # type: ignore[no-any-return]

    def at(self, label: int) -> Indexed:
        """The same symbol at another index."""
        return self if label == self.label else at_label(self, label)

    @property
    def dim(self) -> Length:
        """The symbolic number of coordinates, the same as ``length``."""
        return self.length

    def _hashable_content(self) -> tuple[Any, ...]:
        try:
            return self.content  # sympy asks in each comparison
        except AttributeError:
            # sympy compares these values, and cannot compare None
            extra = (S.true if x is None else getattr(x, "identity", x) for x in self.extra)
            facts = sorted(assumptions_of(self).items())
            self.content = (self.base, self.label, self.length, *extra, *facts)
            return self.content

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (
            type(self),
            (self.base, self.length, self.label, self.extra),
            assumptions_of(self),
        )

    def __getnewargs_ex__(self) -> Any:
        raise TypeError("indexed symbols are pickled through __reduce__")


@lru_cache(maxsize=65536)
def at_label(symbol: Indexed, label: int) -> Indexed:
    """The symbol at another index, made once."""
    return Indexed.__new__(
        type(symbol), symbol.base, symbol.length, label, symbol.extra, **assumptions_of(symbol)
    )


def _rebuild(cls: type[Indexed], content: tuple[Any, ...], assumptions: dict[str, bool]) -> Any:
    base, length, label, extra = content
    return Indexed.__new__(cls, base, length, label, extra, **assumptions)


class Index(Indexed):
    """A bare index, which a ``Total`` binds."""

    __slots__ = ()


def assumptions_of(symbol: Symbol) -> dict[str, bool]:
    """The assumptions that a symbol was declared with, as a dictionary."""
    return {str(k): v for k, v in symbol._assumptions_orig.items() if v is not None}


def index_name(label: int) -> str:
    """The letter of an index: ``i`` and ``j`` for the free ones, then ``k``, ``l``, ... for bound
    ones.
    """
    if label == GENERIC:
        return "i"
    if label == OTHER:
        return "j"
    letters = "klmnpq"
    # the free index of an opened sum prints like the bound index that it replaces
    depth = label if label > 0 else -1 - label
    return letters[depth - 1] if depth <= len(letters) else f"k{depth}"


def name_of(s: Any) -> str:
    """The name of a symbol without its index; the text of anything else."""
    return s.base if isinstance(s, Indexed) else str(s)


def generic(s: Any) -> Any:
    """The symbol at the generic index, or unchanged where it has no index."""
    return s.at(GENERIC) if isinstance(s, Indexed) else s


def shared_length(name: str, like: object) -> Length:
    """The length of ``like``; a new length where that is None."""
    checked_name(name)
    if like is None:
        return Length(f"d_{name}")
    if isinstance(like, Indexed):
        return like.length
    raise RecipeError(
        f"like={like!r} of {name!r} is not a vector block: only a Vector has a length to share, and"
        " the number of coordinates is learned when the sampler runs (from data, coords= or"
        " lengths=)"
    )
