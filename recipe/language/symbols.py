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

import hashlib
import keyword
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from sympy import Basic, Expr, Float, Integer, Interval, Lambda, Rational, S, Set, Symbol, Tuple, oo
from sympy.core.symbol import Str

from recipe.language.errors import RecipeError
from recipe.language.numpy_slips import NotAnArray

if TYPE_CHECKING:
    from recipe.language.log_density import Prior

GENERIC = 0
OTHER = -1
MAX_NAME_CHARS = 100
MADE_NAME_CHARS = 90  # of a name that is cut, so that there is room for a number behind it


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


class Simplex(Set):
    """The domain of a ``Vector`` of K - 1 probabilities: every coordinate is positive and their sum
    is below one.

    The K-th probability is one minus their sum. It is the domain of a ``Vector`` only:
    ``Vector("theta", domain=Simplex())``.
    """


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


class Vector(Indexed):
    """A block of the state with a symbolic number of coordinates; its name stands for one generic
    coordinate.

    Args:
        name: an identifier, at most 100 characters.
        like: a block (or any symbol with coordinates) whose length this one shares. Without it the
            block has a length of its own.
        domain: the set that each coordinate lies in, a sympy ``Interval`` between numbers, or
            ``Simplex()`` for all coordinates together; by default the support of ``prior``, or the
            real line. It sets the sign that sympy assumes of the symbol.
        prior: the law of each coordinate, or of all together on a simplex, for a ``Posterior``: a
            law of ``recipe.laws`` without its variable, such as ``normal(0, 1)``. Its arguments
            may be other blocks. Blocks of a sampler have none.

    Attributes:
        dim: the number of coordinates, a positive integer symbol called ``d_`` and the name.
        domain: the domain.
        prior: the law; None where it is not given. Blocks that differ in it are not equal.

    Raises:
        RecipeError: for an unusable name, a ``like`` without coordinates, another kind of
            domain, or a prior that is no law of such a block.

    Example:
        >>> from recipe import Vector, total
        >>> from recipe.laws import half_normal
        >>> theta = Vector("theta")
        >>> r = Vector("r", like=theta)
        >>> total(r**2) / 2
        total(r**2)/2
        >>> Vector("scale", prior=half_normal(2)).domain
        Interval.open(0, oo)
    """

    __slots__ = ()

    def __new__(
        cls,
        name: str,
        like: Indexed | None = None,
        domain: Set | None = None,
        *,
        prior: Prior | None = None,
    ) -> Vector:
        length, lives = _shared_length(name, like), _domain_with(name, domain, prior)
        plain = Indexed.__new__(
            cls, name, length, GENERIC, (_checked_domain(name, lives),), **_signs(lives)
        )
        if prior is None:
            return plain  # type: ignore[return-value]
        extra = (*plain.extra, None, None, None, None, prior.on(plain))  # it stands for no block
        return Indexed.__new__(cls, name, length, GENERIC, extra, **_signs(lives))  # type: ignore[return-value]

    def __getitem__(self, labels: ScalarData | int) -> Expr:
        """The coordinate of this block that a datum names by its label, as in ``theta[group]``, or
        that a number names, as in ``theta[0]``.

        It is ``total(z * theta)``, where z is 1 at the coordinate with that number and 0 elsewhere;
        a ``Posterior`` makes z of the labels. It stands in a log likelihood.

        Args:
            labels: a ``Data`` symbol, whose array has whole numbers from 0 to the length less 1, or
                such a number.

        Raises:
            RecipeError: for anything else.
        """
        from recipe.language.total import total  # it imports this file

        if type(labels) is int and labels >= 0:
            fixed = ScalarData(str(labels))  # no identifier, so that no data have this name
            return total(one_hot(f"coordinate_{labels}_of_{self.length}", self, fixed) * self)  # type: ignore[no-any-return]
        if not isinstance(labels, ScalarData):
            raise RecipeError(
                f"{self.base}[{labels!r}]: a block stands for one of its coordinates, and is"
                f" indexed by a number from 0, {self.base}[0], or by labels in the data, group ="
                f" Data('group') and {self.base}[group]; write a sum over coordinates as total(...)"
            )
        return total(one_hot(f"{labels}_in_{self.length}", self, labels) * self)  # type: ignore[no-any-return]

    def __iter__(self) -> Any:
        raise TypeError(
            f"'Vector' object is not iterable: {self.base} stands for one of its coordinates; write"
            " a sum over them as total(...)"
        )

    @property
    def domain(self) -> Set:
        """The set that each coordinate lies in; ``Simplex()`` concerns all of them together."""
        return S.Reals if self.extra[0] is None else self.extra[0]

    @property
    def image(self) -> Vector | None:
        """The block that this one stands for, if it is a ``Preimage``; None for any other block."""
        return self.extra[1] if len(self.extra) > 1 else None

    @property
    def forward(self) -> Lambda | None:
        """The map from a coordinate of a ``Preimage`` to the coordinate of its image; None for any
        other block.
        """
        return self.extra[2] if len(self.extra) > 1 else None

    @property
    def slope(self) -> Lambda | Tuple | None:
        """The derivative of ``forward``, as ``preimage_of`` takes it; None where there is no
        image.
        """
        return self.extra[3] if len(self.extra) > 1 else None

    @property
    def inverse(self) -> Lambda | None:
        """The map from a coordinate of the image back to the ``Preimage``; None where there is no
        image.
        """
        return self.extra[4] if len(self.extra) > 1 else None

    @property
    def prior(self) -> Prior | None:
        """The law that the block was declared with."""
        return self.extra[5] if len(self.extra) > 5 else None


class Scalar(NotAnArray, Symbol):
    """A block of the state that is a single number.

    Args:
        name: an identifier, at most 100 characters.
        domain: a sympy ``Interval`` between numbers; by default the support of ``prior``, or the
            real line. It sets the sign that sympy assumes of the symbol.
        prior: its law, for a ``Posterior``: a law of ``recipe.laws`` without its variable. Its
            arguments may be other blocks. Blocks of a sampler have none.

    Attributes:
        domain: the domain.
        prior: the law; None where it is not given. Blocks that differ in it are not equal.
        image, forward, slope, inverse: as those of a ``Vector``: None, unless the block is a
            ``Preimage``.

    Raises:
        RecipeError: for an unusable name, a domain that is not an interval, or a prior that is no
            law of such a block.

    Example:
        >>> from recipe import Scalar
        >>> from recipe.laws import half_cauchy, normal
        >>> tau = Scalar("tau", prior=half_cauchy(1))
        >>> tau.domain, tau.is_positive
        (Interval.open(0, oo), True)
        >>> Scalar("theta", prior=normal(0, tau)).prior
        normal(0, tau)
    """

    __slots__ = ("domain", "forward", "image", "inverse", "prior", "slope")
    length: ClassVar[None] = None
    domain: Set
    image: Scalar | None
    forward: Lambda | None
    slope: Lambda | None
    inverse: Lambda | None
    prior: Any

    def __new__(cls, name: str, domain: Set | None = None, *, prior: Prior | None = None) -> Scalar:
        checked_name(name)
        lives = _domain_with(name, domain, prior)
        if isinstance(lives, Simplex):
            said = "Simplex()" if prior is None else f"the simplex of {prior}"
            raise RecipeError(
                f"Scalar({name!r}): {said} is a domain of a Vector; use Interval.open(0, 1)"
            )
        obj = _plain_scalar(cls, name, lives)
        if prior is None:
            return obj
        return scalar_with(name, lives, prior.on(obj))

    def _hashable_content(self) -> tuple[Any, ...]:
        prior = None if self.prior is None else self.prior.identity
        others = (self.image, self.forward, prior)
        return (self.name, self.domain, *(x for x in others if x is not None))

    def __reduce__(self) -> tuple[Any, ...]:
        if self.image is None:
            return scalar_with, (self.name, self.domain, self.prior)
        return preimage_of, (
            self.image,
            self.name,
            self.forward,
            self.slope,
            self.inverse,
            self.domain,
        )

    def __getnewargs_ex__(self) -> Any:
        raise TypeError("scalar blocks are pickled through __reduce__")


Block = Vector | Scalar


def _plain_scalar(cls: type[Scalar], name: str, domain: Set | None) -> Scalar:
    """A scalar block without a prior."""
    obj = Symbol.__xnew__(cls, name, **_signs(domain))
    checked = _checked_domain(name, domain)
    obj.domain = S.Reals if checked is None else checked
    obj.image = obj.forward = obj.slope = obj.inverse = obj.prior = None
    return obj  # type: ignore[no-any-return]


def scalar_with(name: str, domain: Set | None, prior: Any) -> Scalar:
    """A scalar block with a prior that has been checked, or None."""
    scalar = _plain_scalar(Scalar, name, domain)
    scalar.prior = prior
    return scalar


def preimage_of(
    image: Block, name: str, forward: Lambda, slope: Lambda | Tuple, inverse: Lambda, domain: Set
) -> Block:
    """Return a block phi with ``image = forward(phi)``, coordinate by coordinate or by a
    ``JointMap``.

    Args:
        image: the block that phi stands for.
        name: the name of phi.
        forward, slope, inverse: the map, its derivative, and the map back. The derivative of a
            ``JointMap`` is a sympy ``Tuple`` of four: its entry (k, j) is
            ``delta_kj own_k + left_k right_j``, and its determinant ``prod(own) rest``.
        domain: the domain of phi.
    """
    checked_name(name)
    checked, signs = _checked_domain(name, domain), _signs(domain)
    if isinstance(image, Vector):
        extra = (checked, image, forward, slope, inverse)
        return Indexed.__new__(Vector, name, image.length, GENERIC, extra, **signs)  # type: ignore[return-value]
    scalar = Scalar(name, domain)
    scalar.image, scalar.forward, scalar.slope, scalar.inverse = image, forward, slope, inverse
    return scalar


def preimages(blocks: Iterable[Block]) -> dict[Block, Block]:
    """A dictionary from each image to the block that stands for it; blocks without an image are
    left out.
    """
    return {b.image: b for b in blocks if b.image is not None}


@dataclass(frozen=True)
class KnownNumbers:
    """The numbers that a parameter carries, one for each coordinate.

    Attributes:
        numbers: the numbers, finite.
        source: what they were written in, as messages name it.
    """

    numbers: tuple[float, ...]
    source: str

    @property
    def identity(self) -> Basic:
        """What a parameter with these numbers is compared by."""
        text = " ".join(x.hex() for x in self.numbers)
        return Str(hashlib.sha256(text.encode()).hexdigest())

    @property
    def signs(self) -> dict[str, bool]:
        """The assumption of sympy on the sign of all numbers."""
        for fact, holds in (
            ("positive", lambda x: x > 0),
            ("negative", lambda x: x < 0),
            ("nonnegative", lambda x: x >= 0),
            ("nonpositive", lambda x: x <= 0),
        ):
            if all(map(holds, self.numbers)):
                return {fact: True}
        return {}


class VectorParameter(Indexed):
    """A constant with one value for each coordinate, such as counts or scales."""

    __slots__ = ()

    @property
    def known(self) -> KnownNumbers | None:
        """The numbers that it was declared with; None where they are given when a sampler runs."""
        return self.extra[0] if self.extra else None


def with_numbers(name: str, like: Indexed, known: KnownNumbers) -> VectorParameter:
    """Return a parameter that carries its numbers.

    Args:
        name: its name.
        like: what has the coordinates.
        known: the numbers, one for each coordinate.
    """
    facts = {"real": True, **known.signs}
    return Indexed.__new__(VectorParameter, name, like.length, GENERIC, (known,), **facts)  # type: ignore[return-value]


class Noise(Indexed):
    """Standard normal numbers, drawn afresh in every step: one for each coordinate of ``like``, or
    one number for a scalar block.

    One noise that occurs twice in one update is one draw; two noises are independent.

    Args:
        name: an identifier.
        like: the block whose coordinates it has.
        covariance: a ``Dense(..., positive=True)`` matrix C, for normal numbers with the law N(0,
            C). By default the coordinates are independent with variance 1.

    Raises:
        RecipeError: for an unusable name, a ``like`` that is no block, or a covariance that is not
            a positive definite ``Dense`` matrix of this length.

    Example:
        >>> from sympy import Symbol, sqrt
        >>> from recipe import Noise, Potential, Update, Vector, grad
        >>> theta, eps = Vector("theta"), Symbol("epsilon", positive=True)
        >>> U, w = Potential("U", theta), Noise("w", like=theta)
        >>> sgld = Update(eps, {theta: theta - eps * grad(U, theta) + sqrt(2 * eps) * w}, target=U)
    """

    __slots__ = ()

    def __new__(cls, name: str, like: Block, covariance: Expr | None = None) -> Noise | ScalarNoise:  # type: ignore[misc]
        checked_name(name)
        if isinstance(like, Scalar):
            if covariance is not None:
                raise RecipeError(
                    f"Noise({name!r}, covariance={covariance}): {like} is one number; scale the"
                    " noise instead"
                )
            return ScalarNoise(name)
        length = _shared_length(name, like)
        if covariance is not None and not getattr(covariance, "positive_definite", False):
            raise RecipeError(
                f"Noise({name!r}, covariance={covariance}) needs a symmetric matrix that is"
                " Dense(..., positive=True)"
            )
        if covariance is not None and covariance.row.length != length:
            raise RecipeError(
                f"Noise({name!r}, covariance={covariance}): the matrix has another length than"
                f" {like}"
            )
        return Indexed.__new__(cls, name, length, GENERIC, (covariance,), real=True)  # type: ignore[return-value]

    @property
    def covariance(self) -> Expr | None:
        """The covariance matrix, or None for the identity."""
        return self.extra[0]


class ScalarNoise(Symbol):
    """One standard normal number, drawn afresh in every step."""

    __slots__ = ()
    length: ClassVar[None] = None

    def __new__(cls, name: str) -> ScalarNoise:
        return Symbol.__xnew__(cls, name, real=True)  # type: ignore[no-any-return]


class Values:
    """The array that a ``Data`` symbol carries. It is equal to itself alone, whatever is in it.

    Args:
        array: the array.
    """

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    @property
    def identity(self) -> Basic:
        """A number that no other array has as long as this one is there."""
        return Integer(id(self.array))


class VectorData(Indexed):
    """A row of the data set, with one value for each coordinate."""

    __slots__ = ()

    @property
    def values(self) -> Any:
        """The array that the symbol carries; None where it has none."""
        return self.extra[2].array if len(self.extra) > 2 else None

    @property
    def labels(self) -> ScalarData | None:
        """The data whose labels this one is derived from: 1 at the coordinate with that number, and
        0 elsewhere. None for data that are given.
        """
        return self.extra[0] if self.extra else None

    @property
    def coordinate(self) -> int | None:
        """The coordinate that every datum names, where it is a number; None for all other data."""
        found = self.labels
        return int(found.name) if found is not None and found.name.isdigit() else None

    @property
    def but_last(self) -> bool:
        """Whether the number of coordinates is a label as well, of no coordinate."""
        return bool(self.extra and self.extra[1])


def one_hot(name: str, like: Indexed, labels: ScalarData, but_last: bool = False) -> VectorData:
    """Return data that are 1 at the coordinate that a label names, and 0 elsewhere.

    Args:
        name: the name.
        like: what has the coordinates.
        labels: the symbol of the labels; its name is a number, where that names the coordinate.
        but_last: whether the number of coordinates is a label as well. What is multiplied by these
            data then has to be left out for that label.
    """
    extra = (labels, S.true if but_last else S.false)
    return Indexed.__new__(VectorData, name, like.length, GENERIC, extra, real=True)  # type: ignore[return-value]


class ScalarData(NotAnArray, Symbol):
    """One number of a datum, such as its label."""

    __slots__ = ("values",)
    values: Any

    def __new__(cls, name: str, values: Any = None) -> ScalarData:
        obj = Symbol.__xnew__(cls, name, real=True)
        obj.values = values
        return obj  # type: ignore[no-any-return]

    def _hashable_content(self) -> tuple[Any, ...]:
        content: tuple[Any, ...] = super()._hashable_content()
        return content if self.values is None else (*content, Values(self.values).identity)

    def __getitem__(self, labels: Any) -> NoReturn:
        """Refuse numbers of groups, which are data of another length."""
        raise RecipeError(
            f"{self.name}[{labels}]: data have one number a row; look the numbers of groups up"
            f" before, Data({self.name!r}, numbers[labels]) with arrays of numpy"
        )

    def __iter__(self) -> Any:
        raise TypeError(f"'ScalarData' object is not iterable: {self.name} is one number a row")

    def __reduce__(self) -> tuple[Any, ...]:
        return ScalarData, (self.name, self.values)

    def __getnewargs_ex__(self) -> Any:
        raise TypeError("data symbols are pickled through __reduce__")


class Index(Indexed):
    """A bare index, which a ``Total`` binds."""

    __slots__ = ()


def Parameter(
    name: str, like: Indexed | None = None, values: Any = None, **assumptions: bool
) -> Symbol:
    """A constant whose number is given when the sampler runs, or whose numbers are known.

    Args:
        name: an identifier.
        like: a ``Vector``; the parameter then has one value for each of its coordinates. Without it
            the parameter is one number.
        values: the numbers of a parameter with coordinates, a list or an array: it then has no
            place in ``params=``, and says how many coordinates there are.
        **assumptions: assumptions of sympy, such as ``positive=True``. Proofs use these and nothing
            else; the parameter is real unless you say otherwise. Of ``values`` the sign is assumed
            that all of them have.

    Returns:
        The symbol. A plain ``sympy.Symbol`` serves as well where the parameter is one number.

    Raises:
        RecipeError: for an unusable name, a ``like`` without coordinates, and values that are no
            finite numbers, or have other signs than the assumptions.

    Example:
        >>> from recipe import Parameter, Vector
        >>> from recipe.laws import normal
        >>> beta = Vector("beta")
        >>> sd = Parameter("sd", like=beta, values=[1, 2.5, 10])
        >>> Vector("beta", prior=normal(0, sd)).prior
        normal(0, sd)
    """
    checked_name(name)
    if values is not None:
        return _with_values(name, like, values, assumptions)
    assumptions.setdefault("real", True)
    if like is None:
        return Symbol(name, **assumptions)
    return Indexed.__new__(
        VectorParameter, name, _shared_length(name, like), GENERIC, (), **assumptions
    )


def _with_values(name: str, like: Any, values: Any, wanted: Mapping[str, bool]) -> VectorParameter:
    where = f"the values of Parameter({name!r})"
    if like is None:
        raise RecipeError(
            f"{where} are one for each coordinate of a block; give like=, the block, or write a"
            " single number as it is"
        )
    _shared_length(name, like)
    numbers = tuple(float_of(e) for e in listed_numbers(values, where))
    found = with_numbers(name, like, KnownNumbers(numbers, where))
    for fact, truth in wanted.items():
        if getattr(found, f"is_{fact}") is not truth:
            raise RecipeError(f"{where} are not all {fact}={truth}, as it is declared")
    return found


def listed_numbers(values: Any, where: str) -> tuple[Rational, ...]:
    """Return numbers that a user listed; a float is the decimal that was typed.

    Args:
        values: a list, a tuple, an array of one dimension or a column.
        where: how messages call them.

    Raises:
        RecipeError: for what is no list of finite numbers, and for names of coordinates, which no
            place here is matched by.
    """
    if isinstance(values, str | bytes | Basic | Mapping) or not hasattr(values, "__len__"):
        raise RecipeError(f"{where} are {values!r}, and must be a list or an array of numbers")
    index = getattr(values, "index", None)
    if index is not None and not callable(index) and list(index) != list(range(len(values))):
        raise RecipeError(f"{where} have the index of a column; give them without, .to_numpy()")
    listed = values.tolist() if hasattr(values, "tolist") else list(values)
    if not listed:
        raise RecipeError(f"{where} are an empty list; give one number for each coordinate")
    return tuple(_number_listed(x, k, where) for k, x in enumerate(listed))


def _number_listed(x: Any, k: int, where: str) -> Rational:
    number = x.item() if hasattr(x, "item") and not isinstance(x, Basic) else x
    if isinstance(number, Float):
        number = float(number)
    if isinstance(number, float) and math.isfinite(number):
        return Rational(repr(number))
    whole = isinstance(number, int | Rational) and not isinstance(number, bool)
    if whole and abs(number) < 2**53:
        return Rational(number)
    raise RecipeError(f"{where} have {x!r} at the place {k}, which is no finite number of float64")


def float_of(x: Rational) -> float:
    """Return the nearest float of a fraction."""
    return int(x.p) / int(x.q)


def Data(name: str, values: Any = None, like: Indexed | None = None) -> Symbol:
    """A value that each datum of a ``Posterior`` brings.

    Args:
        name: an identifier.
        values: the array of all N data, or a list or a column of a table; it must not change.
            Without it the array is given to the ``Posterior``, as ``data={symbol: array}``.
        like: a ``Vector``; the datum then brings one value for each of its coordinates, and the
            array behind the symbol has the shape (N, d). Without it the datum brings one number,
            and the array has the shape (N,).

    Returns:
        The symbol, for the ``log_likelihood`` of one datum and as a key of ``data``. Two symbols
        are equal where they carry the same array, or none.

    Raises:
        RecipeError: for an unusable name, values that are no array, or a ``like`` without
            coordinates.

    Example:
        >>> from recipe import Data, Posterior, Vector, total
        >>> theta = Vector("theta")
        >>> x, y = Data("x", [[1.0, 2.0]], like=theta), Data("y", [3.0])
        >>> least_squares = -((y - total(x * theta)) ** 2) / 2
        >>> model = Posterior(theta, least_squares, log_prior=-total(theta**2) / 2)
    """
    checked_name(name)
    if values is not None:
        _check_values(name, values)
    if like is None:
        return ScalarData(name, values)
    extra = () if values is None else (None, S.false, Values(values))  # no labels are behind it
    return Indexed.__new__(VectorData, name, _shared_length(name, like), GENERIC, extra, real=True)


def _check_values(name: str, values: Any) -> None:
    """Refuse what cannot be the array of a ``Data`` symbol."""
    if isinstance(values, Indexed):
        raise RecipeError(
            f"Data({name!r}, {values}): the values of {name} are an array; for data with a value"
            f" for each coordinate of {values} write Data({name!r}, like={values})"
        )
    if isinstance(values, str | bytes | Basic | Mapping) or not hasattr(values, "__len__"):
        raise RecipeError(
            f"the values of Data({name!r}, ...) are {type(values).__name__}, and must be an array,"
            " a list or a column of a table, with a row for each datum"
        )


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


def fitting_name(name: str) -> str:
    """Return a name that is made of other names, cut where it is longer than a name may be.

    The limit is for names that users type. A name that is made of several may pass it without a
    fault of theirs; whoever makes it must see to it that it is unique.
    """
    return name if len(name) <= MAX_NAME_CHARS else name[:MADE_NAME_CHARS].rstrip("_")


def checked_name(name: object) -> str:
    """Return the name if it is an identifier that may stand in generated source.

    Raises:
        RecipeError: for anything else, such as a Python keyword or a name of more than
            ``MAX_NAME_CHARS`` characters.
    """
    if (
        not isinstance(name, str)
        or not name.isidentifier()
        or not name.isascii()
        or keyword.iskeyword(name)
    ):
        raise RecipeError(
            f"{name!r} is not a usable name: use letters, digits and underscores, and no Python"
            " keyword"
        )
    if len(name) > MAX_NAME_CHARS:
        raise RecipeError(
            f"the name {name[:20]}... has {len(name)} letters; the most is {MAX_NAME_CHARS}"
        )
    if name.startswith("_"):
        raise RecipeError(f"{name!r} is not a usable name: names must start with a letter")
    return name


def _shared_length(name: str, like: object) -> Length:
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


def _domain_with(name: str, domain: Set | None, prior: Any) -> Set | None:
    """The domain as it is given, or the support of the prior.

    Raises:
        RecipeError: where the prior is no law without its variable.
    """
    if prior is None:
        return domain
    from recipe.language.log_density import check_prior  # it imports this file

    check_prior(name, prior)
    return prior.domain if domain is None else domain  # type: ignore[no-any-return]


def _checked_domain(name: str, domain: object) -> Set | None:
    """The domain; None for the real line, which sympy would hash slowly."""
    if domain is None or domain == S.Reals:
        return None
    if isinstance(domain, Simplex):
        return domain
    if (
        isinstance(domain, Interval)
        and domain.start.is_number
        and domain.end.is_number
        and domain.start < domain.end
    ):
        return with_decimal_ends(domain)
    raise RecipeError(
        f"the domain {domain} of {name!r} must be an Interval between two numbers, such as"
        " Interval.open(0, oo), or Simplex()"
    )


def with_decimal_ends(domain: Interval) -> Interval:
    """The interval with each float end replaced by the decimal that was written."""
    start, end = (
        Rational(repr(float(x))) if isinstance(x, Float) else x for x in (domain.start, domain.end)
    )
    return Interval(start, end, domain.left_open, domain.right_open)


def _signs(domain: Set | None) -> dict[str, bool]:
    """The sympy assumptions that hold on the domain; with them sqrt(theta**2) becomes theta where
    theta is positive.
    """
    facts = {"real": True}
    if isinstance(domain, Simplex):
        facts["positive"] = True
    elif isinstance(domain, Interval):
        start, end = domain.start, domain.end
        if start >= 0 and start != -oo:
            facts["positive" if start > 0 or domain.left_open else "nonnegative"] = True
        elif end <= 0 and end != oo:
            facts["negative" if end < 0 or domain.right_open else "nonpositive"] = True
    return facts


__all__ = [
    "GENERIC",
    "OTHER",
    "Block",
    "Data",
    "Index",
    "Indexed",
    "KnownNumbers",
    "Length",
    "Noise",
    "Parameter",
    "Scalar",
    "ScalarData",
    "ScalarNoise",
    "Simplex",
    "Vector",
    "VectorData",
    "VectorParameter",
    "assumptions_of",
    "at_label",
    "checked_name",
    "float_of",
    "generic",
    "index_name",
    "listed_numbers",
    "name_of",
    "preimage_of",
    "scalar_with",
    "with_decimal_ends",
    "with_numbers",
]
