"""The blocks of a state: vectors of symbolic length and single numbers, with their domains."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from sympy import Expr, Float, Interval, Lambda, Rational, S, Set, Symbol, Tuple, oo

from recipe.language.data import ScalarData, one_hot
from recipe.language.errors import RecipeError
from recipe.language.names import checked_name
from recipe.language.numpy_slips import NotAnArray
from recipe.language.symbols import GENERIC, Indexed, shared_length

if TYPE_CHECKING:
    from recipe.language.log_density import Prior


class Simplex(Set):
    """The domain of a ``Vector`` of K - 1 probabilities: every coordinate is positive and their sum
    is below one.

    The K-th probability is one minus their sum. It is the domain of a ``Vector`` only:
    ``Vector("theta", domain=Simplex())``.
    """


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
        length, lives = shared_length(name, like), _domain_with(name, domain, prior)
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
