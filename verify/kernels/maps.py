"""A deterministic rule as one map Psi of the whole state, by its values and its Jacobian.

Some rules are no sequence of shears: blocks that are exchanged or turned into each other, ``p :=
1/p``, a reflection ``r - 2 total(r)/d``. Their values after the rule are written out as functions
of the state before. Each coordinate may then depend on the coordinates at the same index, and a
single vector may depend on one sum of its coordinates in addition.
"""

from __future__ import annotations

from sympy import Expr, Matrix, S, log

from recipe.declare.update import Update
from recipe.kernel.correlated import direction_of
from recipe.language.blocks import Block, Vector
from recipe.language.calculus import contract, explicit, partial
from recipe.language.domain import finite_ends, on_simplex
from recipe.language.errors import OutsideLanguageError
from recipe.language.expectation import NOISE
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import OTHER
from recipe.language.total import labels, substitute
from recipe.signs.defined import is_smooth
from recipe.signs.sign import is_nonzero, is_positive
from verify.decide.zero.canonical import normalised
from verify.decide.zero.decide import decide_zero, find_nonzero, vanishes
from verify.kernels.shears import decide_flip
from verify.verdict import Outcome, Verdict, conjunction

MAX_ORDER = 4  # of a map that is seen to be a bijection as Psi, applied so often, is the identity
MAX_OPERATIONS = 400  # in all values of a map
Values = dict[Block, Expr]


def decide_moved(H: Expr, update: Update) -> Outcome | None:
    """Decide whether a deterministic rule leaves exp(-H) invariant; None if it is not seen to be a
    bijection of the domain whose Jacobian is known.

    A bijection Psi does iff ``H o Psi - log |det Psi'| = H``.
    """
    values = _explicit_values(update)
    try:
        jacobian = _jacobian(values) if values else None
        if not values or jacobian is None:
            return None
        log_volume, is_linear = jacobian
        if not is_linear and not _has_finite_order(values):
            return None
        gap = substitute(H, values) - H - log_volume
    except OutsideLanguageError:
        return None
    names = "H o Psi - log |det Psi'| - H"
    return conjunction([(names, decide_zero(gap))], by="the map is a bijection that keeps exp(-H)")


def decide_tested(H: Expr, update: Update, flips: tuple[Block, ...]) -> Outcome | None:
    """Prove the three facts that make a test with ``exp(H - H o Psi)`` leave exp(-H) invariant;
    None if they are not proved.
    """
    values = _explicit_values(update)
    if not values:
        return None
    turned = {b: -e if b in flips else e for b, e in values.items()}
    turned |= {b: -b for b in flips if b not in turned}
    try:
        if not _is_identity(_after(turned, turned)):
            return None
        jacobian = _jacobian(values)
    except OutsideLanguageError:
        return None
    if jacobian is None or not vanishes(jacobian[0]):
        return None
    by = "F o Psi is its own inverse, keeps volume (its Jacobian is 1 or -1), and H o F = H"
    outcome = conjunction([("H o F = H", decide_flip(H, flips))], by=by)
    return outcome if outcome.verdict is Verdict.PROVED else None


def _explicit_values(update: Update) -> Values | None:
    """The new values of the blocks that move; None if they have noise, may leave the domain, or are
    too long.
    """
    if any(e.has(*NOISE) for _, e in update.rule):
        return None
    try:
        values = _values_after(update)
    except OutsideLanguageError:
        return None
    short = sum(e.count_ops() for e in values.values()) <= MAX_OPERATIONS
    return values if short and _stays_inside(values) else None


def _has_finite_order(values: Values) -> bool:
    """Return True if Psi, applied a few times, is the identity: it is then a bijection."""
    at = values
    for _ in range(MAX_ORDER):
        if _is_identity(at):
            return True
        at = _after(values, at)
    return False


def _after(outer: Values, inner: Values) -> Values:
    """The values after ``inner`` and then ``outer``, which move the same blocks.

    Raises:
        OutsideLanguageError: where an abstract function depends on a block that moves.
    """
    return {b: substitute(e, inner) for b, e in outer.items()}


def _is_identity(values: Values) -> bool:
    gaps = [e - b for b, e in values.items()]
    # a point decides most of them, before anything is multiplied out
    return all(find_nonzero(e) is None for e in gaps) and all(vanishes(e) for e in gaps)


def _values_after(update: Update) -> Values:
    """The new values of the blocks that move.

    Raises:
        OutsideLanguageError: where an abstract function is read at a block that has moved.
    """
    values: Values = {}
    for block, e in update.rule:
        read = {b: v for b, v in values.items() if b in blocks_in(e, (b,))}
        new = substitute(e, read) if update.sequential and read else e
        if new != block or block in values:
            values[block] = new
    return values


def _stays_inside(values: Values) -> bool:
    """Return True if the values are proved to be smooth, and to stay inside of the domain."""
    return (
        is_smooth(*values.values())
        and not any(on_simplex(b) for b in values)
        and all(is_positive(end.gap(e)) for b, e in values.items() for end in finite_ends(b.domain))
    )


def _jacobian(values: Values) -> tuple[Expr, bool] | None:
    """``log |det Psi'|``, and whether the Jacobian is constant; None if it is not known."""
    moved = tuple(values)
    vectors = [b for b in moved if isinstance(b, Vector)]
    if vectors and (len(vectors) < len(moved) or len({b.length for b in vectors}) > 1):
        return None
    across = [partial(e, b.at(OTHER)) for e in values.values() for b in vectors]
    if all(vanishes(e) for e in across):
        slope = explicit if vectors else partial
        matrix = Matrix([[slope(e, b) for b in moved] for e in values.values()])
        volume = _log_size(matrix.det(method="berkowitz"))
        constant = not any(blocks_in(e, moved) for e in matrix)
        return None if volume is None else (contract(volume, moved[0]), constant)
    return _jacobian_with_a_sum(moved[0], values[moved[0]]) if len(moved) == 1 else None


def _jacobian_with_a_sum(block: Block, e: Expr) -> tuple[Expr, bool] | None:
    """As ``_jacobian``, for a vector whose Jacobian is ``diag(a) + u v^T`` with a number a.

    Its determinant is ``a^d (1 + sum u v / a)`` (Sylvester).
    """
    a, across = explicit(e, block), partial(e, block.at(OTHER))  # type: ignore[union-attr]
    direction = direction_of(across)
    if direction is None or labels(a) or not is_nonzero(a):
        return None
    bent = _log_size(normalised(1 + contract(direction[0] * direction[1] / a, block)))
    volume = _log_size(a)
    if bent is None or volume is None:
        return None
    return contract(volume, block) + bent, not blocks_in(a, (block,)) | blocks_in(across, (block,))


def _log_size(det: Expr) -> Expr | None:
    """``log |det|``; None where the sign of det is not known."""
    if find_nonzero(det**2 - 1) is None and vanishes(det**2 - 1):
        return S.Zero
    for e in (det, -det):
        if is_positive(e):
            return log(e)
    return None
