"""Floats in the code are read as the decimals that they are printed as.

A float with so many digits that nobody typed it was computed: it is read as a short fraction or
the root of one if that is exactly this float. Each such reading is an assumption, and is noted.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from sympy import Expr, Integer, Rational, sqrt

from recipe.lifting.tree.place import Place, here, refuse

TYPED_DIGITS = 12  # a float with more significant digits was computed
DIGITS_OF_32_BITS = 7  # that every float of 32 bits keeps
SHORT = 1000  # the largest denominator of a short fraction


@dataclass(frozen=True)
class ReadFloat:
    """A float, as it was read.

    Attributes:
        shown: the float as it is printed.
        read: the number that it was read as.
        place: the line where it is met; None where that is unknown.
    """

    shown: str
    read: Expr
    place: Place | None


Notes = dict[str, ReadFloat | None]  # what was assumed, with the float that it is about

_notes: ContextVar[Notes | None] = ContextVar("_notes", default=None)
_instead: ContextVar[Mapping[str, Expr]] = ContextVar("_instead", default=MappingProxyType({}))


@contextmanager
def instead_of(shown: str, number: Expr) -> Iterator[None]:
    """Within this context a float that is printed so is read as another number."""
    token = _instead.set({shown: number})
    try:
        yield
    finally:
        _instead.reset(token)


@contextmanager
def noting(notes: Notes) -> Iterator[None]:
    """Within this context what is assumed about a number is noted."""
    token = _notes.set(notes)
    try:
        yield
    finally:
        _notes.reset(token)


def note(text: str, of: ReadFloat | None = None) -> None:
    """Note what was assumed, and of which float."""
    notes = _notes.get()
    if notes is not None:
        notes[text] = of


def exact(value: Any) -> Expr:
    """Return the exact number that a number in the code is read as.

    Args:
        value: an ``int``, a ``float``, or a number of numpy, JAX or PyTorch.

    Raises:
        CannotLiftError: for a complex number, and one that is not finite.
    """
    if isinstance(value, Fraction):
        return Rational(value.numerator, value.denominator)
    if isinstance(value, complex) or getattr(getattr(value, "dtype", None), "kind", "") == "c":
        refuse(f"the complex number {value} has no place in a rule")
    if isinstance(value, int):
        return Integer(int(value))
    if hasattr(value, "dtype") and getattr(value.dtype, "kind", "") in "iub":
        return Integer(int(value))
    number = float(value)
    if not math.isfinite(number):
        refuse(f"the number {number} is not finite")
    shown = str(value) if type(value).__name__ in ("float32", "float16") else repr(number)
    if number == int(number) and abs(number) < 2**53:
        return Integer(int(number))
    decimal = Rational(shown)
    if _digits(shown) <= TYPED_DIGITS:
        return _noted(shown, decimal, type(value))
    return _noted(shown, _recognised(value) or decimal, type(value))


def _noted(shown: str, read: Expr, kind: type) -> Expr:
    place = here()
    where = "" if place is None else f" ({place})"
    note(f"the float {shown} is read as {read}{where}", ReadFloat(shown, read, place))
    return _instead.get().get(shown, read)


def _digits(shown: str) -> int:
    return len(shown.partition("e")[0].replace(".", "").replace("-", "").strip("0"))


def _recognised(value: Any) -> Expr | None:
    """The short fraction, the root of one, or the decimal of 32 bits that rounds to this float."""
    number = float(value)
    is_short = type(value).__name__ in ("float32", "float16") or _in_32_bits(number) == number
    rounded = _in_32_bits if is_short else float
    fraction = Fraction(number).limit_denominator(SHORT)
    if rounded(fraction.numerator / fraction.denominator) == number:
        return Rational(fraction.numerator, fraction.denominator)
    square = Fraction(number * number).limit_denominator(SHORT)
    if square and rounded(math.sqrt(square.numerator / square.denominator)) == abs(number):
        return int(math.copysign(1, number)) * sqrt(Rational(square.numerator, square.denominator))
    decimal = f"{number:.{DIGITS_OF_32_BITS}g}"
    if is_short and _in_32_bits(float(decimal)) == number:
        return Rational(decimal)
    return None


def _in_32_bits(number: float) -> float:
    """The nearest float of 32 bits; infinite where there is none."""
    try:
        return struct.unpack("f", struct.pack("f", number))[0]  # type: ignore[no-any-return]
    except OverflowError:
        return math.inf
