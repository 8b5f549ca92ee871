"""The density of a proposal with normal noise: mean and standard deviation of every block that
moves, and minus the log.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Add, Expr, Mul, S, Symbol, expand, log

from recipe.declare.update import Update
from recipe.kernel.correlated import Correlated, direction_of
from recipe.kernel.partner import Partners
from recipe.kernel.reflected import edges_of, minus_log_of_image
from recipe.language.abstract import Dense
from recipe.language.blocks import Block, Vector
from recipe.language.calculus import contract, explicit, partial, summands, tidy
from recipe.language.checks.operators import dot
from recipe.language.errors import RecipeError
from recipe.language.expectation import NOISE
from recipe.language.free_symbols import blocks_in
from recipe.language.noise import Noise
from recipe.language.symbols import GENERIC, OTHER, generic
from recipe.language.total import Total, labels, opened, relabel, substitute


@dataclass(frozen=True)
class NormalCoordinate:
    """The normal law of one coordinate of a new value; different coordinates are independent.

    Attributes:
        mean: the mean.
        root: the standard deviation, up to its sign.
        edge: the point at which the value is reflected; None where it is not.
    """

    mean: Expr
    root: Expr
    edge: Expr | None = None

    def minus_log(self, old: Block, new: Block, state: tuple[Block, ...]) -> Expr:
        """``-log q(new | old)``, up to a constant."""
        scale = contract(log(self.root**2) / 2, old) if blocks_in(self.root, state) else S.Zero
        image = (
            S.Zero
            if self.edge is None
            else minus_log_of_image(new, self.mean, self.root, self.edge, old)
        )
        return contract((new - self.mean) ** 2 / self.root**2 / 2, old) + scale + image


@dataclass(frozen=True)
class Preconditioned:
    """The law ``N(old + M pull, root^2 M)`` of a new value, with a constant positive definite
    matrix M and a constant root.

    ``(y - x - M v)^T M^-1 (y - x - M v) = (y - x)^T M^-1 (y - x) - 2 (y - x)^T v + v^T M v``. The
    first term, the only one with an inverse, is symmetric in x and y: it cancels in the log ratio
    and is left out.
    """

    pull: Expr
    root: Expr
    matrix: Dense

    def minus_log(self, old: Block, new: Block, state: tuple[Block, ...]) -> Expr:
        """``-log q(new | old)``, up to terms that are symmetric in the two."""
        return (
            contract(self.pull * (dot(self.matrix, self.pull) / 2 - new + old), old) / self.root**2
        )


ELEMENTWISE_NOISE_ONLY = (
    "metropolis(...) takes elementwise noise r*w, or r*w + u*total(v*w) with vectors u and v"
)
Law = NormalCoordinate | Correlated | Preconditioned


def normals_of(update: Update) -> dict[Block, Law]:
    """The law of the new value of every block that the rule moves, given the old state; a block
    that keeps its value is left out.

    Raises:
        RecipeError: where a block moves without noise of its own, or the noise is not linear,
            independent, and elementwise up to one direction.
    """
    if update.sequential and len(update.rule) > 1:
        raise RecipeError(
            "the density of a proposal is derived from a simultaneous rule; write it as a dict"
            " {block: new value}"
        )
    laws: dict[Block, Law] = {}
    used: dict[Symbol, Block] = {}
    free, edges = edges_of(update)
    for block, e in free.rule:
        if e == block:
            continue
        w = _own_noise(block, e)
        if w in used:
            raise RecipeError(
                f"{block} and {used[w]} move by the same noise {w}: the proposal has no density;"
                " give each its own"
            )
        used[w] = block
        law = _normal(block, e, w, update.state)
        laws[block] = _reflected(block, law, edges[block]) if block in edges else law
    if not laws:
        raise RecipeError("the proposal moves no block")
    return laws


def _reflected(block: Block, law: Law, edge: Expr) -> NormalCoordinate:
    if not isinstance(law, NormalCoordinate):
        raise RecipeError(
            f"the proposal of {block} is reflected, and its noise couples coordinates; its density"
            " is not known"
        )
    return replace(law, edge=edge)


def _own_noise(block: Block, e: Expr) -> Symbol:
    """The one noise in the rule of a block."""
    found = sorted({generic(s) for s in e.atoms(*NOISE)}, key=str)
    if not found:
        raise RecipeError(
            f"{block} moves to {e} without noise: neither the proposal nor its reverse has a"
            " density, so Metropolis needs D > 0; a deterministic reversible map is"
            " metropolis(map, flip=...)"
        )
    if len(found) > 1:
        raise RecipeError(
            f"the rule of {block} adds the noises {', '.join(map(str, found))}; write their sum as"
            " one noise"
        )
    return found[0]


def _normal(block: Block, e: Expr, w: Symbol, state: tuple[Block, ...]) -> Law:
    """The law of the new value of a block with the rule ``e``, whose noise is w."""
    root = tidy(explicit(e, w) if isinstance(w, Noise) else partial(e, w))
    across = partial(e, w.at(OTHER)) if isinstance(w, Noise) else S.Zero
    if isinstance(w, Noise) is not isinstance(block, Vector):
        raise RecipeError(
            f"the noise {w} in the rule of {block} couples coordinates; {ELEMENTWISE_NOISE_ONLY}"
        )
    if root.has(*NOISE) or across.has(*NOISE):
        raise RecipeError(
            f"the rule {e} of {block} is not linear in its noise {w}: its law is not normal"
        )
    mean = substitute(e, {w: S.Zero})
    if expand(across) != 0:
        return _correlated(block, w, NormalCoordinate(mean, root), across)
    if not isinstance(w, Noise) or w.covariance is None:
        return NormalCoordinate(mean, root)
    pull = pull_of(mean - block, w.covariance)
    if pull is None or labels(root) or blocks_in(root, state):
        raise RecipeError(
            f"the noise {w} of {block} has the covariance {w.covariance}, of whose inverse the"
            f" language has no symbol; the rule must be {block} + dot({w.covariance}, v) + c*{w}"
            " with a constant number c"
        )
    return Preconditioned(pull, root, w.covariance)


def _correlated(block: Block, w: Noise, own: NormalCoordinate, across: Expr) -> Correlated:
    """The law of a value whose noise is elementwise but for one direction."""
    direction = direction_of(across)
    if direction is None or w.covariance is not None or own.root == 0:
        raise RecipeError(
            f"the noise {w} in the rule of {block} couples coordinates; {ELEMENTWISE_NOISE_ONLY}"
        )
    return Correlated(own.mean, own.root, *direction)


def pull_of(shift: Expr, M: Dense) -> Expr | None:
    """The vector v with ``shift = M v``; None where the shift is not written as products with M."""
    pull: Expr = S.Zero
    for term in summands(shift):
        sums = [t for t in Mul.make_args(term) if isinstance(t, Total)]
        for t in sums:
            body, label = opened(t)
            entry = M.entry(GENERIC, label)
            v = Add(*(part / entry for part in Add.make_args(body)))
            if not v.has(entry) and not labels(term / t) and labels(v) <= {label}:
                pull += term / t * relabel(v, label, GENERIC)
                break
        else:
            return None
    return pull


def cost_of(update: Update, partners: Partners) -> Expr:
    """``cost(x, y) = H(x) - log q(y | x)``, up to terms that are symmetric in x and y; q is the
    density of y given x.
    """
    second = dict(partners)
    cost = update.target
    for block, law in normals_of(update).items():
        cost += law.minus_log(block, second[block], update.state)
    return cost
