"""``Ordered``: a block of increasing numbers, such as the cutpoints of ordinal regression."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, overload

from sympy import Add, Basic, Expr, Integer, Interval, Tuple, oo
from sympy.core.symbol import Str

from recipe.language.blocks import Block, Scalar, scalar_with
from recipe.language.checks.validate import check_state
from recipe.language.errors import RecipeError
from recipe.language.log_density import Prior, check_prior


@dataclass(frozen=True)
class OrderedPrior:
    """What a scalar of an ordered block carries: the block, which has a prior.

    Attributes:
        name, length, prior: those of the ordered block.
    """

    name: str
    length: int
    prior: Prior

    @property
    def identity(self) -> Basic:
        """What a scalar with this is compared by."""
        return Tuple(Str(self.name), Integer(self.length), self.prior.identity)

    @property
    def block(self) -> Ordered:
        """The ordered block."""
        return Ordered(self.name, self.length, prior=self.prior)

    def __str__(self) -> str:
        return f"{self.prior} of the ordered block {self.name}"


class Ordered(Sequence[Expr]):
    """A fixed number of real numbers that increase, ``c[0] < c[1] < ...``.

    It is one block of a ``Posterior``. Each number is the one before it plus a positive gap; the
    map from gaps to numbers has the determinant 1, so that laws of the numbers are written as they
    are: ``normal(c, 0, 5)`` is the law of each of them. Draws are of the numbers.

    Args:
        name: an identifier.
        length: how many numbers, at least 2.
        prior: the law of each of the numbers, without its variable, for a ``Posterior``: that they
            increase changes its density by a constant. An ordered block without it has to be in
            ``blocks=`` of the posterior, so that draws are of its numbers.

    Attributes:
        name: as given.
        prior: the law; None where it is not given.
        blocks: the scalar blocks that it is made of: the first number, ``<name>_0``, and the gaps
            ``<name>_gap_1``, ... ; ``initial=`` takes these, or the increasing numbers.

    Raises:
        RecipeError: for an unusable name, a length below 2, or a prior that is no law of real
            numbers.

    Example:
        >>> from recipe import Ordered
        >>> c = Ordered("c", 3)
        >>> list(c)
        [c_0, c_0 + c_gap_1, c_0 + c_gap_1 + c_gap_2]
    """

    def __init__(self, name: str, length: int, *, prior: Prior | None = None) -> None:
        if type(length) is not int or length < 2:
            raise RecipeError(f"Ordered({name!r}, {length!r}): the length must be 2 or more")
        first = Scalar(f"{name}_0")
        positive = Interval.open(0, oo)
        gaps = [Scalar(f"{name}_gap_{k}", domain=positive) for k in range(1, length)]
        self.name, self.blocks = name, (first, *gaps)
        self._values = tuple(Add(*self.blocks[: k + 1]) for k in range(length))
        self.prior = None
        if prior is not None:
            check_prior(name, prior)
            self.prior = prior.on(self)
            carried = OrderedPrior(name, length, prior)
            self.blocks = tuple(scalar_with(b.name, b.domain, carried) for b in self.blocks)
            self._values = tuple(Add(*self.blocks[: k + 1]) for k in range(length))

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Ordered):
            return NotImplemented
        return self.blocks == other.blocks

    def __hash__(self) -> int:
        return hash(self.blocks)

    @overload
    def __getitem__(self, at: int) -> Expr: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Expr, ...]: ...

    def __getitem__(self, at: Any) -> Any:
        if not isinstance(at, int | slice):
            raise RecipeError(
                f"{self.name}[{at}]: an ordered block is indexed by a number, {self.name}[0]; what"
                " data name by their labels is a Vector"
            )
        return self._values[at]

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Expr]:
        return iter(self._values)

    def _no_expression(self, *_: Any) -> NoReturn:
        c = self.name
        raise RecipeError(
            f"{c} is {len(self)} numbers, and an expression needs one; name it, {c}[0], or add over"
            f" all of them, as in sum(exp(k) for k in {c})"
        )

    _sympy_ = _no_expression  # sympy calls it wherever an expression must be
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _no_expression
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __neg__ = _no_expression

    def __repr__(self) -> str:
        prior = "" if self.prior is None else f", prior={self.prior}"
        return f"Ordered({self.name!r}, {len(self)}{prior})"


def unfolded(blocks: Any) -> tuple[tuple[Block, ...], tuple[Ordered, ...]]:
    """Return the blocks of a posterior with the scalars of its ordered blocks in their places, and
    these ordered blocks.

    Raises:
        RecipeError: for what is no block, and for a name that two of them have.
    """
    given = blocks if isinstance(blocks, tuple | list) else (blocks,)
    ordered = tuple(b for b in given if isinstance(b, Ordered))
    if not ordered:
        return check_state(blocks, "blocks"), ()
    plain = [s for b in given for s in (b.blocks if isinstance(b, Ordered) else (b,))]
    checked = check_state(tuple(plain), "blocks")
    names = [b.name for b in (*checked, *ordered)]
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice is not None:
        raise RecipeError(f"two blocks are called {twice}; give each a name of its own")
    return checked, ordered
