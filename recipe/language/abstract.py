"""Abstract functions, and their derivatives as atoms.

``Potential`` is a smooth function of whole blocks. ``Field`` has one value for each coordinate and
depends on a whole block. ``Dense`` is a constant matrix. A sympy ``Function("G")(theta)`` is
elementwise. Nothing is known of them but what is declared, so their derivatives are new atoms:
``Partial(U, theta, theta[j])`` is d^2 U / d theta_i d theta_j.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sympy import Derivative, Expr, S, Subs, Symbol, Tuple
from sympy.core.function import AppliedUndef

from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.errors import OutsideLanguageError, RecipeError
from recipe.language.names import checked_name
from recipe.language.symbols import GENERIC, Index, Indexed, generic, index_name


class Potential(Symbol):
    """An unknown smooth function of whole blocks whose value is one number.

    Proofs hold for every such function; ``bind`` replaces it by an expression or a ``Posterior``.

    Args:
        name: an identifier.
        *blocks: the blocks that it depends on, at least one.

    Attributes:
        blocks: these blocks.

    Raises:
        RecipeError: for an unusable name, no block, or an argument that is not a block.

    Example:
        >>> from recipe import Potential, Vector, grad
        >>> theta = Vector("theta")
        >>> grad(Potential("U", theta), theta)
        grad(U, theta)
    """

    __slots__ = ("blocks",)
    blocks: tuple[Block, ...]

    def __new__(cls, name: str, *blocks: Block) -> Potential:
        checked_name(name)
        if not blocks:
            raise RecipeError(
                f"Potential({name!r}) depends on no block: name them, Potential({name!r}, theta)"
            )
        for block in blocks:
            checked_block(block, f"Potential({name!r}, ...)")
        obj = Symbol.__xnew__(cls, name, real=True)
        obj.blocks = tuple(blocks)
        return obj  # type: ignore[no-any-return]

    @property
    def free_symbols(self) -> set[Any]:
        """The potential and its blocks, so that sympy's ``diff`` does not take it for a
        constant.
        """
        return {self, *self.blocks}

    def _eval_derivative(self, x: Any) -> Expr:
        return _by_coordinate(self, self.blocks, x)

    def _eval_subs(self, old: Any, new: Any) -> None:
        _require_same_point(self, old, new)

    def _hashable_content(self) -> tuple[Any, ...]:
        return (self.name, *self.blocks)

    def __reduce__(self) -> tuple[Any, ...]:
        return Potential, (self.name, *self.blocks)

    def __getnewargs_ex__(self) -> Any:
        raise TypeError("potentials are pickled through __reduce__")


class Field(Indexed):
    """An unknown smooth function with one value for each coordinate, each of which depends on the
    whole block.

    A metric that couples the coordinates of theta is such a function. For a value that depends on
    its own coordinate alone use a sympy ``Function("G", positive=True)(theta)``.

    Args:
        name: an identifier.
        block: the ``Vector`` that it depends on.
        positive: declare every value positive.

    Attributes:
        block: the block that it depends on.

    Raises:
        RecipeError: for an unusable name, or where ``block`` is not a ``Vector``.
    """

    __slots__ = ()

    def __new__(cls, name: str, block: Vector, positive: bool = False) -> Field:
        checked_name(name)
        if not isinstance(block, Vector):
            raise RecipeError(f"Field({name!r}) needs the Vector block it depends on, not {block}")
        facts = {"real": True, "positive": True} if positive else {"real": True}
        return Indexed.__new__(cls, name, block.length, GENERIC, (block.at(GENERIC),), **facts)  # type: ignore[return-value]

    @property
    def block(self) -> Vector:
        """The block that the field depends on."""
        return self.extra[0]

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The block that the field depends on, alone in a tuple, as a potential has its blocks."""
        return (self.block,)

    @property
    def free_symbols(self) -> set[Any]:
        """The field and its block, so that sympy's ``diff`` does not take it for a constant."""
        return {self, self.block}

    def _eval_derivative(self, x: Any) -> Expr:
        return _by_coordinate(self, self.blocks, x)

    def _eval_subs(self, old: Any, new: Any) -> None:
        _require_same_point(self, old, new)


class Dense(Symbol):
    """A constant matrix between two vector blocks with unknown numbers; its numbers are given when
    the sampler runs.

    It stands in entries of D and Q, in ``dot(M, v)``, and as the covariance of a ``Noise``.

    Args:
        name: an identifier.
        row: the ``Vector`` whose coordinates number the rows.
        column: the ``Vector`` whose coordinates number the columns; by default ``row``.
        symmetric: declare the matrix symmetric.
        positive: declare the matrix symmetric and positive definite.

    Attributes:
        row, column, symmetric: as given; ``symmetric`` is set by ``positive``.
        positive_definite: the argument ``positive``.
        T: the transpose; the matrix itself where it is symmetric.

    Raises:
        RecipeError: for an unusable name, a block that is not a ``Vector``, or a symmetric matrix
            between blocks of different lengths.
    """

    __slots__ = ("column", "positive_definite", "row", "symmetric")
    row: Vector
    column: Vector
    symmetric: bool
    positive_definite: bool

    def __new__(
        cls,
        name: str,
        row: Vector,
        column: Vector | None = None,
        *,
        symmetric: bool = False,
        positive: bool = False,
    ) -> Dense:
        checked_name(name)
        column = row if column is None else column
        for block in (row, column):
            if not isinstance(block, Vector):
                raise RecipeError(
                    f"Dense({name!r}) stands between Vector blocks, and {block} is not one"
                )
        if (symmetric or positive) and row.length != column.length:
            raise RecipeError(
                f"Dense({name!r}) cannot be symmetric: {row} and {column} have different lengths"
            )
        obj = Symbol.__xnew__(cls, name, real=True)
        obj.row, obj.column = row, column
        obj.symmetric, obj.positive_definite = symmetric or positive, positive
        return obj  # type: ignore[no-any-return]

    def _hashable_content(self) -> tuple[Any, ...]:
        return (
            self.name,
            self.row.length,
            self.column.length,
            self.symmetric,
            self.positive_definite,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild_dense, (
            self.name,
            self.row,
            self.column,
            self.symmetric,
            self.positive_definite,
        )

    def __getnewargs_ex__(self) -> Any:
        raise TypeError("dense matrices are pickled through __reduce__")

    @property
    def T(self) -> Expr:
        """The transpose, an entry of D or Q between the same blocks in reverse."""
        return self if self.symmetric else TransposedDense(self)

    def entry(self, row_label: int, column_label: int) -> Expr:
        """The number in the row and column with these index labels."""
        return DenseEntry(
            self, Index("", self.row.length, row_label), Index("", self.column.length, column_label)
        )


class TransposedDense(Expr):
    """The transpose ``M.T`` of a ``Dense`` matrix, as an entry of D or Q."""

    is_commutative = True

    @property
    def matrix(self) -> Dense:
        """The matrix that is transposed."""
        return self.args[0]  # type: ignore[no-any-return]

    def _sympystr(self, printer: Any) -> str:
        return f"{self.matrix}.T"


def _rebuild_dense(
    name: str, row: Vector, column: Vector, symmetric: bool, positive: bool
) -> Dense:
    return Dense(name, row, column, symmetric=symmetric, positive=positive)


class DenseEntry(Expr):
    """The number ``M_ij`` of a ``Dense`` matrix."""

    is_commutative = True
    is_real = True

    def __new__(cls, matrix: Dense, row: Index, column: Index) -> DenseEntry:
        if matrix.symmetric:
            row, column = sorted((row, column), key=lambda s: (abs(s.label), s.label))
        return Expr.__new__(cls, matrix, row, column)  # type: ignore[no-any-return]

    @property
    def matrix(self) -> Dense:
        """The matrix that the number belongs to."""
        return self.args[0]  # type: ignore[no-any-return]

    @property
    def labels(self) -> tuple[int, int]:
        """The index labels of row and column."""
        return self.args[1].label, self.args[2].label

    def _sympystr(self, printer: Any) -> str:
        return f"{self.args[0].name}[{', '.join(_index_of(s) for s in self.args[1:])}]"


class Partial(Expr):
    """A partial derivative of a ``Potential`` or a ``Field``.

    Mixed partial derivatives are symmetric, so the coordinates are kept in a canonical order.
    """

    is_commutative = True
    is_real = True

    def __new__(cls, head: Potential | Field, *wrt: Block) -> Expr:
        if isinstance(head, Partial):
            return Partial(head.head, *head.wrt, *wrt)
        if not wrt:
            return head
        moved = next((s for s in wrt if not isinstance(s, Symbol)), None)
        if moved is not None:  # xreplace builds a derivative at another point so
            raise OutsideLanguageError(
                f"a derivative of {head} at {moved} is outside the language: an abstract function"
                " stands at the state; bind it first"
            )
        return Expr.__new__(cls, head, *sorted(wrt, key=lambda s: (s.name, getattr(s, "label", 0))))  # type: ignore[no-any-return]

    @property
    def head(self) -> Potential | Field:
        """The function that is differentiated."""
        return self.args[0]

    @property
    def wrt(self) -> tuple[Block, ...]:
        """The coordinates that it is differentiated by."""
        return self.args[1:]  # type: ignore[no-any-return]

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks that the function depends on."""
        return self.head.blocks

    def _eval_derivative(self, x: Any) -> Expr:
        return _by_coordinate(self, self.blocks, x)

    def _eval_subs(self, old: Any, new: Any) -> None:
        _require_same_point(self, old, new)

    def _sympystr(self, printer: Any) -> str:
        if len(self.wrt) == 1 and isinstance(self.head, Potential):
            block = self.wrt[0]
            label = getattr(block, "label", GENERIC)
            at = "" if label == GENERIC else f"[{index_name(label)}]"
            return f"grad({self.head}, {getattr(block, 'base', block.name)}){at}"
        return f"d({', '.join(str(a) for a in self.args)})"


def moved_block(atom: Potential | Field | Partial, replaced: Iterable[Any]) -> Any:
    """Return the first of the replaced symbols that is a block of an abstract function, or that
    stands for an image which is one; None if there is none.
    """
    blocks = atom.blocks
    return next(
        (s for s in replaced if generic(s) in blocks or getattr(s, "image", None) in blocks), None
    )


def _require_same_point(atom: Potential | Field | Partial, old: Any, new: Any) -> None:
    """Refuse ``subs`` of a block by something else.

    sympy would leave the symbol of an abstract function as it is, at the old point.
    """
    if new != old and moved_block(atom, [old]) is not None:
        raise OutsideLanguageError(
            f"{atom} at {old} = {new} is outside the language: an abstract function stands at the"
            " state; bind it first, or write a rule as assignments one after another"
        )


def _by_coordinate(atom: Potential | Field | Partial, blocks: tuple[Block, ...], x: Any) -> Expr:
    """The derivative of an atom that depends on ``blocks`` by the coordinate x; by the chain rule
    where x stands for one of them.
    """
    if not isinstance(x, Vector | Scalar):
        return S.Zero
    if generic(x) in blocks:
        return Partial(atom, x)
    if generic(x).image not in blocks:
        return S.Zero
    return _by_joint_map(atom, x) if is_joint(x) else Partial(atom, image_of(x)) * slope(x)


def _by_joint_map(atom: Potential | Field | Partial, x: Vector) -> Expr:
    """The chain rule where every coordinate of the image is a function of x: the derivative of
    ``f_k`` by x_j is ``delta_kj own_k + left_k right_j``.
    """
    from recipe.language.total import sum_over  # it imports this file

    phi, (own, left, right, _) = generic(x), x.slope  # type: ignore[misc]
    k = min(0, x.label, *(s.label for s in atom.atoms(Indexed))) - 2
    across = sum_over(Partial(atom, phi.image.at(k)) * left(phi.at(k)), k, phi.length)
    return Partial(atom, image_of(x)) * own(x) + right(x) * across


def is_joint(x: Block) -> bool:
    """Return True for a ``Preimage`` whose map is one of all coordinates together."""
    return isinstance(x.slope, Tuple)


def image_of(x: Block) -> Block:
    """The coordinate of the image that the coordinate x of a ``Preimage`` stands for."""
    return x.image.at(x.label) if isinstance(x, Vector) else x.image  # type: ignore[return-value, union-attr]


def written_image(x: Block) -> Expr:
    """The image of the coordinate x of a ``Preimage``, written as a function of x."""
    return x.forward(x)  # type: ignore[misc, no-any-return]


def slope(x: Block) -> Expr:
    """The derivative of the image by the coordinate x of a ``Preimage``."""
    return x.slope(x)  # type: ignore[misc, no-any-return]


class Jet(Expr):
    """A derivative of an elementwise function.

    ``Jet(G(x, y), (2, 1))`` is G differentiated twice by its first argument and once by its second,
    taken at ``(x, y)``.
    """

    is_commutative = True
    is_real = True

    def __new__(cls, applied: AppliedUndef, orders: Any) -> Expr:
        orders = Tuple(*orders)
        if not any(orders):
            return applied
        return Expr.__new__(cls, applied, orders)  # type: ignore[no-any-return]

    @property
    def applied(self) -> AppliedUndef:
        """The function, applied to its arguments."""
        return self.args[0]

    @property
    def orders(self) -> tuple[int, ...]:
        """The order of the derivative in each argument."""
        return tuple(int(k) for k in self.args[1])

    def raised(self, position: int) -> Expr:
        """The function differentiated once more by the argument at ``position``."""
        return raised(self.applied, self.orders, position)

    def _sympystr(self, printer: Any) -> str:
        arguments = ", ".join(printer.doprint(a) for a in self.applied.args)
        if len(self.orders) == 1 and self.orders[0] <= 3:
            return f"{self.applied.func.__name__}{chr(39) * self.orders[0]}({arguments})"
        return f"{self.applied.func.__name__}^({','.join(map(str, self.orders))})({arguments})"


def raised(applied: AppliedUndef, orders: tuple[int, ...], position: int) -> Expr:
    """An elementwise function, differentiated to ``orders`` already, differentiated once more by
    the argument at ``position``.
    """
    return Jet(applied, [k + (m == position) for m, k in enumerate(orders)])


def jets_from_sympy(expression: Expr) -> Expr:
    """Replace sympy's ``Derivative`` and ``Subs`` of elementwise functions by ``Jet``."""
    replaced = expression.replace(lambda e: isinstance(e, Subs), _jet_of_subs)
    return replaced.replace(lambda e: isinstance(e, Derivative), _jet_of_derivative)


def _jet_of_subs(subs: Subs) -> Expr:
    inner = jets_from_sympy(subs.expr)
    return inner.xreplace(dict(zip(subs.variables, subs.point, strict=True)))


def _jet_of_derivative(derivative: Derivative) -> Expr:
    """The ``Jet`` that a ``Derivative`` of an elementwise function means."""
    applied = derivative.expr
    if not isinstance(applied, AppliedUndef):
        done = derivative.doit()
        if done.has(Derivative):
            raise OutsideLanguageError(
                f"{derivative} is outside the language: write the derivative out"
            )
        return done
    orders = [0] * len(applied.args)
    for variable, count in derivative.variable_count:
        if applied.args.count(variable) != 1 or any(
            a != variable and a.has(variable) for a in applied.args
        ):
            raise OutsideLanguageError(
                f"{derivative} is outside the language: differentiate by an argument of {applied}"
            )
        orders[applied.args.index(variable)] += int(count)
    return Jet(applied, orders)


def checked_block(block: object, where: str) -> Block:
    """Return the block, or raise RecipeError if it is neither a ``Vector`` nor a ``Scalar``."""
    if isinstance(block, Vector | Scalar):
        return block
    raise RecipeError(f"{where}: {block} is not a block; blocks are Vector(...) and Scalar(...)")


def _index_of(symbol: Indexed) -> str:
    return index_name(symbol.label)
