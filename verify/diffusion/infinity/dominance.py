"""Growth of expressions in several blocks: which go to infinity in every direction, and which are
dominated by them.

Let ``N = sum over blocks and coordinates of |z|^p``, with a power p for each block. As each ``|z|``
is at most ``N^(1/p)``, a product of functions that grow like ``|z|^a`` is at most ``C (1 + N)^w``
with the weight ``w`` = sum of the ``a/p``. This holds for every length.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Add, Expr, Matrix, Mul, Poly, PolynomialError, Pow, S, hessian
from sympy.core.function import AppliedUndef

from recipe.language.abstract import Potential
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.calculus import abstract_atoms
from recipe.language.domain import on_simplex
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import GENERIC, Indexed
from recipe.language.total import Total, labels, opened, relabel
from recipe.signs.defined import is_continuous
from recipe.signs.sets import NOT_NEGATIVE, POSITIVE
from recipe.signs.sign import is_nonnegative, is_positive, possible_signs
from verify.decide.linear_algebra.minors import has_positive_minors
from verify.diffusion.infinity.ends import ends, is_bounded_below, lower_power, upper_power
from verify.diffusion.infinity.separation import (
    Summand,
    multiplied_out,
    of_one_coordinate,
    of_one_coordinate_each,
    parts_of,
)

Powers = dict[Block, Expr | None]


@dataclass(frozen=True)
class Coercive:
    """A function that goes to infinity whenever the state does.

    It is at least ``a sum |z|^p - b``, summed over the blocks for which ``powers`` has a number p.
    The power is None for a block without a known power, or without an infinite end.
    """

    powers: Powers
    assumptions: tuple[str, ...] = ()


def coercive(V: Expr, state: tuple[Block, ...]) -> Coercive | None:
    """Prove that V goes to infinity at infinity and is bounded below.

    None if that is not proved, which leaves the question open. The assumptions of the result are
    about abstract potentials in V.
    """
    powers: Powers = {}
    assumptions: list[str] = []
    for part in parts_of(V, state):
        as_written = replace(part, e=part.written)  # a product may be seen not to be negative
        found = _coercive_part(part) or _coercive_part(as_written)
        if found is None:
            return None
        powers |= found.powers
        assumptions += found.assumptions
    return Coercive(powers, tuple(dict.fromkeys(assumptions)))


def _coercive_part(part: Summand) -> Coercive | None:
    if len(part.blocks) > 1 and _is_definite_quadratic(part):
        return Coercive(dict.fromkeys(part.blocks, S(2)))
    terms = Add.make_args(part.e)
    abstract = {term: abstract_potential(term) for term in terms}
    assumed = {b for blocks in abstract.values() for b in blocks}
    if any(b.domain != S.Reals for b in assumed):
        return None
    powers: Powers = {}
    own = [t for t in terms if not abstract[t] and _is_of_one_coordinate(t, part.blocks)]
    for block in part.blocks:
        power = _power_of_block(
            Add(*(t for t in own if blocks_in(t, (block,)))), block, block in assumed
        )
        if power is NOT_COERCIVE:
            return None
        powers[block] = power  # type: ignore[assignment]
    for term in terms:
        if term in own or abstract[term] or is_nonnegative(term):
            continue
        w = weight(term, powers)
        if w is None or possible_signs(1 - w) != POSITIVE:
            return None
    return Coercive(powers, tuple(_assumption_about(t, part.blocks) for t in terms if abstract[t]))


def _assumption_about(term: Expr, blocks: tuple[Block, ...]) -> str:
    """The assumption that an abstract term goes to infinity at infinity, as a sentence."""
    return f"{_name(term)} goes to infinity at infinity{meant_of(term, blocks)}"


def meant_of(term: Expr, blocks: tuple[Block, ...]) -> str:
    """The end of a sentence about an abstract term: the coordinates in which it is meant, if it is
    declared in others.

    Empty if it is declared in the coordinates of its blocks.
    """
    images = sorted(
        {f"{b.image} = {b.forward(b)}" for b in blocks_in(term, blocks) if b.forward is not None}
    )
    return (
        f", as a function of {', '.join(sorted(map(str, blocks_in(term, blocks))))} with"
        f" {', '.join(images)}"
        if images
        else ""
    )


def _is_of_one_coordinate(term: Expr, state: tuple[Block, ...]) -> bool:
    touched = blocks_in(term, state)
    return len(touched) == 1 and of_one_coordinate(term, *touched) is not None


NOT_COERCIVE = object()  # the function need not grow as the block goes to infinity


def _power_of_block(e: Expr, block: Block, assumed: bool) -> object:
    """The power of growth in a block.

    None if no power is known or needed; NOT_COERCIVE if the function may stay bounded while the
    block goes to infinity. ``assumed``: an abstract potential of the block is assumed to grow.
    """
    if on_simplex(block):
        return None if e == 0 else NOT_COERCIVE
    h = of_one_coordinate(e, block)
    if h is None or not is_continuous(h):
        return NOT_COERCIVE
    infinite = [end for end in ends(block) if end.infinite]
    powers = [lower_power(h, block, end) for end in infinite]
    if all(is_bounded_below(h, block, end) for end in ends(block) if end not in infinite):
        if not infinite:
            return None
        if all(p is not None for p in powers):
            smaller = _smaller([p for p in powers if p is not None])
            # a product of two sums couples coordinates, whose powers must then be the same
            return None if smaller.atoms(Indexed) else smaller
        if assumed and all(is_bounded_below(h, block, end) for end in infinite):
            return None
    return NOT_COERCIVE


def _smaller(powers: list[Expr]) -> Expr:
    """The smaller of one or two powers; if it is open which is smaller, 0, which is a bound as
    well.
    """
    if len(powers) == 1 or powers[0] == powers[1]:
        return powers[0]
    signs = possible_signs(powers[1] - powers[0])
    return powers[0] if signs <= NOT_NEGATIVE else powers[1] if signs <= {0, -1} else S.Zero


def abstract_potential(term: Expr) -> tuple[Block, ...]:
    """The blocks of U if the term is ``c U`` with a constant c > 0, or of F if it is ``c
    total(F(theta))``; else none.

    A factor that depends on another block may tend to 0, or to infinity where U is negative:
    ``exp(-r) U`` is not bounded below.
    """
    for f in Mul.make_args(term):
        rest = Mul(*(g for g in Mul.make_args(term) if g is not f))
        blocks = _potential_blocks(f)
        if (
            blocks
            and not rest.atoms(Vector, Scalar)
            and not abstract_atoms(rest)
            and is_positive(rest)
        ):
            return blocks
    return ()


def _potential_blocks(f: Expr) -> tuple[Block, ...]:
    if isinstance(f, Potential):
        return f.blocks
    if isinstance(f, Total):
        f = relabel(f.body, f.index.label, GENERIC)
    if isinstance(f, AppliedUndef) and len(f.args) == 1 and isinstance(f.args[0], Vector | Scalar):
        return (f.args[0],)
    return ()


def is_bounded_below_apart(e: Expr, blocks: tuple[Block, ...]) -> bool:
    """Return True if an expression is proved bounded below, one block at a time.

    Terms of several blocks must be nonnegative. False proves nothing.
    """
    terms = Add.make_args(multiplied_out(e))
    own = {b: Add(*(t for t in terms if blocks_in(t, blocks) == {b})) for b in blocks}
    joint = [t for t in terms if len(blocks_in(t, blocks)) > 1]
    return all(is_nonnegative(t) for t in joint) and all(
        is_nonnegative(h) or _is_bounded_below(h, b) for b, h in own.items()
    )


def _is_bounded_below(e: Expr, block: Block) -> bool:
    h = None if on_simplex(block) else of_one_coordinate(e, block)
    return (
        h is not None
        and is_continuous(h)
        and all(is_bounded_below(h, block, end) for end in ends(block))
    )


def _name(term: Expr) -> str:
    return str(next(f for f in Mul.make_args(term) if _potential_blocks(f)))


def _is_definite_quadratic(part: Summand) -> bool:
    """Return True if the part is quadratic, coordinate by coordinate, with a positive definite
    matrix.
    """
    if any(b.domain != S.Reals for b in part.blocks):
        return False
    h = of_one_coordinate_each(part.e, part.blocks)
    try:
        if h is None or Poly(h, *part.blocks).total_degree() > 2:
            return False
    except PolynomialError:
        return False
    matrix = Matrix(hessian(h, part.blocks))
    if any(blocks_in(e, part.blocks) or abstract_atoms(e) for e in matrix):
        return False
    return has_positive_minors(matrix)


# -- weights
# --------------------------------------------------------------------------------------------------


def weight(term: Expr, powers: Powers) -> Expr | None:
    """A number w with ``|term| <= C (1 + N)^w`` for every length; None if none was found."""
    state = tuple(powers)
    result: Expr = S.Zero
    single: dict[Expr, Expr] = {}
    for f in Mul.make_args(term):
        if not blocks_in(f, state):
            continue
        if abstract_atoms(f) and not f.atoms(Total):
            return None
        symbols = sorted(f.atoms(Vector, Scalar), key=str)
        if len(symbols) == 1 and not abstract_atoms(f):
            single[symbols[0]] = single.get(symbols[0], S.One) * f
            continue
        w = _weight_of_factor(f, powers)
        if w is None:
            return None
        result += w
    for symbol, g in single.items():
        w = _weight_of_function(g, symbol, powers)
        if w is None:
            return None
        result += w
    return result


def _weight_of_factor(f: Expr, powers: Powers) -> Expr | None:
    if isinstance(f, Total):
        body, label = opened(f)
        return weight(body, powers) if labels(body) == {label} else None
    if isinstance(f, Add):
        weights = [weight(a, powers) for a in f.args]
        return (
            None
            if any(not getattr(w, "is_number", False) for w in weights)
            else max(w for w in weights if w is not None)
        )
    if isinstance(f, Pow) and f.exp.is_Integer and f.exp > 0:
        w = weight(f.base, powers)
        return None if w is None else f.exp * w
    if isinstance(f, Pow) and f.exp.is_Rational and f.exp < 0 and isinstance(f.base, Add):
        constant = Add(*(a for a in f.base.args if not blocks_in(a, tuple(powers))))
        return S.Zero if is_positive(constant) and is_nonnegative(f.base - constant) else None
    return None


def _weight_of_function(g: Expr, x: Block, powers: Powers) -> Expr | None:
    if on_simplex(x) or not is_continuous(g):
        return None
    found = [upper_power(g, x, end) for end in ends(x)]
    if any(a is None for a in found):
        return None
    if all(a == 0 for a in found):
        return S.Zero
    p = powers.get(x.at(GENERIC) if isinstance(x, Vector) else x)
    if p is None or not is_positive(p):
        return None
    quotients = [a / p for a in found if a is not None]
    larger = possible_signs(quotients[0] - quotients[1])
    return quotients[0] if larger <= NOT_NEGATIVE else quotients[1] if larger <= {0, -1} else None


def exceeding(e: Expr, found: Coercive, state: tuple[Block, ...]) -> Expr:
    """The sum of the terms of e that are not proved to be at most ``C (1 + V)``, for a
    coercive V.
    """
    terms = Add.make_args(multiplied_out(e))
    for block in state:
        own = [t for t in terms if blocks_in(t, state) == {block}]
        h = None if on_simplex(block) else of_one_coordinate(Add(*own), block)
        if (
            h is not None
            and is_continuous(h)
            and all(is_bounded_below(-h, block, end) for end in ends(block))
        ):
            terms = tuple(t for t in terms if t not in own)
    return Add(*(t for t in terms if not _is_dominated(t, found.powers)))


def _is_dominated(term: Expr, powers: Powers) -> bool:
    if is_nonnegative(-term):
        return True
    w = weight(term, powers)
    return w is not None and possible_signs(1 - w) <= NOT_NEGATIVE
