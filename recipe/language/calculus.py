"""Derivatives of expressions in generic coordinates, for every length d.

The derivative of an elementwise expression ``e_i`` by another coordinate has two parts:

    d e_i / d theta_j = delta_ij * explicit(e, theta_i)
                        + (derivatives of Potential, Field and Total).

``partial(e, theta.at(label))`` is this derivative at ``j = label``. At a label that does not occur
in ``e`` it has the second part only; at the generic label it has both parts, taken at j = i.

Absolute values are differentiated off their kink: ``d|x| = sign(x) dx``, and ``sign(x)`` is
constant on each side.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, singledispatch

from sympy import (
    Abs,
    Add,
    Dummy,
    Expr,
    Pow,
    S,
    Symbol,
    expand_mul,
    powsimp,
    preorder_traversal,
    sign,
)
from sympy.core.function import AppliedUndef

from recipe.language.abstract import DenseEntry, Field, Jet, Partial, Potential, raised
from recipe.language.blocks import Block, Vector
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.derivatives import derivative, symbols_in
from recipe.language.symbols import GENERIC, OTHER, Indexed, generic
from recipe.language.total import Total, opened, relabel, sum_over

AtomRule = Callable[[Expr, Symbol], Expr]

ABSTRACT_ATOMS = (
    Total,
    Potential,
    Field,
    Partial,
    Jet,
    AppliedUndef,
    DenseEntry,
    NoncentralChiSquared,
    Abs,
    sign,
)


@lru_cache(maxsize=65536)
def partial(e: Expr, x: Symbol) -> Expr:
    """The derivative of ``e`` by the coordinate or scalar ``x``.

    Equal labels are equal coordinates, and different labels are different coordinates.
    """
    return _chain_rule(e, x, _partial_of_atom)


@lru_cache(maxsize=65536)
def explicit(e: Expr, x: Symbol) -> Expr:
    """The factor of ``delta_ij`` in the derivative: the derivative of ``e`` by this coordinate
    where it is written in ``e`` itself.
    """
    return _chain_rule(e, x, _explicit_of_atom)


def gradient(e: Expr, block: Block) -> Expr:
    """The generic coordinate of the gradient of a number."""
    return partial(e, block)


def divergence(components: dict[Block, Expr]) -> Expr:
    """The divergence of a vector field, given by one expression for each block."""
    return sum((contract(partial(e, block), block) for block, e in components.items()), S.Zero)


def inner(u: dict[Block, Expr], v: dict[Block, Expr]) -> Expr:
    """The inner product of two vector fields, given by one expression for each block."""
    return sum((contract(u[block] * v[block], block) for block in u), S.Zero)


def contract(e: Expr, block: Block) -> Expr:
    """The sum over the coordinates of a block; for a scalar block, the expression itself."""
    return sum_over(e, GENERIC, block.length) if isinstance(block, Vector) else e


def directional(e: Expr, direction: dict[Block, Expr]) -> Expr:
    """The derivative of ``e_i`` along a vector field: the sum over blocks and j of ``(d e_i / d
    z_j) * direction_j``.
    """
    result = S.Zero
    for block, component in direction.items():
        if not isinstance(block, Vector):
            result += partial(e, block) * component
            continue
        other = block.at(OTHER)
        across = partial(e, other) * relabel(component, GENERIC, OTHER)
        result += explicit(e, block) * component + sum_over(across, OTHER, block.length)
    return result


def _chain_rule(e: Expr, x: Symbol, rule: AtomRule) -> Expr:
    """Differentiate with sympy, with every abstract atom replaced by a plain symbol; ``rule``
    differentiates the atoms.
    """
    known = _frozen(e)
    result = derivative(known.expression, x)
    for atom, symbol in known.atoms_with(x):
        of_atom = rule(atom, x)
        if of_atom != 0:
            result += derivative(known.expression, symbol) * of_atom
    if known.has_symbolic_exponent:
        result = powsimp(result, combine="exp")  # sympy writes n x^n / x, undefined at 0
    return known.thawed(result)


class _Frozen:
    """An expression in which plain symbols stand for abstract atoms, with what is asked of it in
    the derivative by each of its blocks.

    Attributes:
        expression: the expression without abstract atoms.
        has_symbolic_exponent: whether it has a power whose exponent is no number.
    """

    def __init__(self, e: Expr) -> None:
        self.expression, stands_for = freeze(e)
        self.has_symbolic_exponent = any(not p.exp.is_number for p in self.expression.atoms(Pow))
        self._thawed: dict[Expr, Expr] = {symbol: atom for atom, symbol in stands_for.items()}
        self._by_coordinate: dict[Symbol, list[tuple[Expr, Symbol]]] = {}
        for atom, symbol in stands_for.items():
            for s in _coordinates(atom):
                self._by_coordinate.setdefault(s, []).append((atom, symbol))

    def atoms_with(self, x: Symbol) -> list[tuple[Expr, Symbol]]:
        """The atoms whose derivative by a coordinate may be another number than 0, with the
        symbols that stand for them.
        """
        block = generic(x)
        found = self._by_coordinate.get(block, [])
        image = getattr(block, "image", None)
        return found if image is None else [*found, *self._of_image(image, dict(found))]

    def _of_image(self, image: Symbol, known: dict[Expr, Symbol]) -> list[tuple[Expr, Symbol]]:
        """The atoms that depend on the image of a coordinate, and are not known already."""
        return [pair for pair in self._by_coordinate.get(image, []) if pair[0] not in known]

    def thawed(self, e: Expr) -> Expr:
        """Put the atoms back; parts that several derivatives have in common are rewritten once."""
        if e in self._thawed:
            return self._thawed[e]
        if not e.args:
            return e
        args = [self.thawed(a) for a in e.args]
        same = all(a is b for a, b in zip(args, e.args, strict=True))
        self._thawed[e] = e if same else e.func(*args)
        return self._thawed[e]


_frozen = lru_cache(maxsize=1024)(_Frozen)


def _coordinates(atom: Expr) -> set[Symbol]:
    """The symbols, at the generic index, by which an atom may be differentiated: those that it is
    written with, and the blocks of abstract functions in it.
    """
    found = {generic(s) for s in symbols_in(atom)}
    for s in list(found):
        found.update(getattr(s, "blocks", ()))
    return found


def tidy(e: Expr) -> Expr:
    """Return the expression as it stands or with its products multiplied out, whichever is shorter.

    Abstract atoms are left unchanged.
    """
    frozen, stands_for = freeze(e)
    shortest = min((frozen, expand_mul(frozen, deep=False), expand_mul(frozen)), key=_nodes)
    return thaw(shortest, stands_for)


def _nodes(e: Expr) -> int:
    """The number of nodes of an expression.

    sympy's ``count_ops`` asks for the sign of every exponent, which can take longer than the rest
    of the work.
    """
    return sum(1 for _ in preorder_traversal(e))


def summands(e: Expr) -> tuple[Expr, ...]:
    """The nonzero terms of an expression after its products of sums are multiplied out.

    Abstract atoms are left unchanged. The tuple is empty for 0.
    """
    frozen, stands_for = freeze(e)
    multiplied_out = thaw(expand_mul(frozen), stands_for)
    return () if multiplied_out == 0 else Add.make_args(multiplied_out)


def freeze(e: Expr) -> tuple[Expr, dict[Expr, Symbol]]:
    """Replace every abstract atom by a plain symbol, for sympy to work on.

    Returns:
        The expression without abstract atoms, and the symbol of each atom. ``thaw`` is the way
        back.
    """
    stands_for = {atom: Dummy(f"a{k}") for k, atom in enumerate(abstract_atoms(e))}
    return e.xreplace(stands_for), stands_for


def thaw(frozen: Expr, stands_for: dict[Expr, Symbol]) -> Expr:
    """Put the abstract atoms back into an expression that ``freeze`` returned."""
    return frozen.xreplace({symbol: atom for atom, symbol in stands_for.items()})


def abstract_atoms(e: Expr) -> list[Expr]:
    """The outermost abstract atoms of an expression, each once, in the order of their first
    occurrence.
    """
    found: dict[Expr, None] = {}
    stack = [e]
    while stack:
        node = stack.pop()
        if isinstance(node, ABSTRACT_ATOMS):
            found[node] = None
        else:
            stack.extend(reversed(node.args))
    return list(found)


@singledispatch
def _partial_of_atom(atom: Expr, x: Symbol) -> Expr:
    raise TypeError(f"no derivative is known for {type(atom).__name__}")


@_partial_of_atom.register
def _(atom: Total, x: Symbol) -> Expr:
    label = x.label if isinstance(x, Indexed) else GENERIC
    body, k = opened(atom, label)
    result = sum_over(partial(body, x), k, atom.index.length)
    if isinstance(x, Indexed) and x.length == atom.index.length:
        result += relabel(explicit(body, x.at(k)), k, label)
    return result


@_partial_of_atom.register(Potential)
@_partial_of_atom.register(Field)
@_partial_of_atom.register(Partial)
@_partial_of_atom.register(NoncentralChiSquared)
def _(atom: Expr, x: Symbol) -> Expr:
    return atom._eval_derivative(x)


@_partial_of_atom.register(Jet)
@_partial_of_atom.register(AppliedUndef)
def _(atom: Expr, x: Symbol) -> Expr:
    return _through_arguments(atom, x, partial)


@_partial_of_atom.register(DenseEntry)
@_partial_of_atom.register(sign)  # off its kink
def _(atom: Expr, x: Symbol) -> Expr:
    return S.Zero


@_partial_of_atom.register
def _(atom: Abs, x: Symbol) -> Expr:
    return sign(atom.args[0]) * partial(atom.args[0], x)


@singledispatch
def _explicit_of_atom(atom: Expr, x: Symbol) -> Expr:
    # potentials, fields and matrices depend on a coordinate only as a member of its block
    return S.Zero


@_explicit_of_atom.register
def _(atom: Total, x: Symbol) -> Expr:
    body, k = opened(atom, getattr(x, "label", GENERIC))
    return sum_over(explicit(body, x), k, atom.index.length)


@_explicit_of_atom.register
def _(atom: NoncentralChiSquared, x: Symbol) -> Expr:
    return atom._eval_derivative(x)


@_explicit_of_atom.register(Jet)
@_explicit_of_atom.register(AppliedUndef)
def _(atom: Expr, x: Symbol) -> Expr:
    return _through_arguments(atom, x, explicit)


@_explicit_of_atom.register
def _(atom: Abs, x: Symbol) -> Expr:
    return sign(atom.args[0]) * explicit(atom.args[0], x)


def _through_arguments(atom: Jet | AppliedUndef, x: Symbol, rule: AtomRule) -> Expr:
    applied, orders = (
        (atom.applied, atom.orders) if isinstance(atom, Jet) else (atom, (0,) * len(atom.args))
    )
    return sum(
        (raised(applied, orders, k) * rule(a, x) for k, a in enumerate(applied.args)), S.Zero
    )
