"""Detailed balance of a Metropolis-Hastings test.

The density q of the proposal is derived here from mean and covariance of its rule, a way that
shares nothing with the derivation of the log ratio in ``recipe``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

from sympy import Add, Expr, S, exp, log

from recipe import dot
from recipe.declare.update import Update
from recipe.kernel.correlated import direction_of
from recipe.kernel.part import MetropolisHastings
from recipe.kernel.partner import at_partner
from recipe.kernel.proposal import pull_of
from recipe.kernel.reflected import edges_of
from recipe.language.abstract import Dense
from recipe.language.blocks import Block, Vector
from recipe.language.calculus import contract
from recipe.language.errors import OutsideLanguageError
from recipe.language.expectation import expectation
from recipe.language.free_symbols import abstract_of, blocks_in
from recipe.language.symbols import GENERIC, OTHER
from recipe.language.total import labels, relabel
from recipe.signs.sign import is_positive
from verify.decide.zero.canonical import normalised
from verify.decide.zero.decide import decide_zero, vanishes
from verify.kernels.linear_in_noise import is_linear_in_noise
from verify.verdict import Outcome, Witness, assuming, conjunction, proved, undecided


@dataclass(frozen=True)
class ProposalLaw:
    """The normal law of one block given the old state, coordinate by coordinate ``N(mean,
    variance)``.

    With a ``matrix`` M the covariance is ``variance M``. With ``direction = (u, v)`` it is
    ``diag(variance) + u v^T``. With an ``edge`` the value is reflected there.
    """

    mean: Expr
    variance: Expr
    matrix: Dense | None = None
    direction: tuple[Expr, Expr] | None = None
    edge: Expr | None = None

    def determinant(self, block: Block) -> Expr:
        """Return ``1 + sum u v / variance``: the determinant of the covariance, divided by that of
        its diagonal part (Sylvester).
        """
        if self.direction is None:
            return S.One
        u, v = self.direction
        return normalised(1 + contract(u * v / self.variance, block))


Laws = dict[Block, ProposalLaw]


def decide_hastings(part: MetropolisHastings) -> Outcome:
    """Decide whether ``pi(x) q(y | x) a(x, y)`` is symmetric in x and y, with q positive wherever
    both points are in the domain.

    PROVED means that the part leaves exp(-H) invariant. REFUTED says only that detailed balance
    fails: the law may still be invariant.
    """
    laws = laws_of(part.proposal)
    if isinstance(laws, str):
        return undecided(laws)
    named = [
        (f"the variance of {b}", _positive(b, e))
        for b, law in laws.items()
        for e in (law.variance, law.determinant(b))
    ]
    named.append(("log ratio - log pi(y) q(x | y) / (pi(x) q(y | x))", _balance(part, laws)))
    by = (
        "the log ratio is that of pi(y) q(x | y) and pi(x) q(y | x), with a density q that is"
        " positive everywhere"
    )
    outcome = conjunction(named, by=by)
    edges = [b.name for b, law in laws.items() if b.domain != S.Reals and law.edge is None]
    lines = (f"a proposal outside the domain of {' or '.join(edges)} is rejected",) if edges else ()
    return replace(outcome, assumed=(*outcome.assumed, *assuming(lines)))


def laws_of(update: Update) -> Laws | str:
    """Return the law of each block that moves, normal and independent of the others; or a sentence
    that says why that is not proved.
    """
    update, edges = edges_of(update)
    moving = [(b, e) for b, e in update.rule if e != b]
    if update.sequential and len(moving) > 1:
        return "the rule is sequential, so that its joint density is not derived"
    for block, e in moving:
        if not is_linear_in_noise(e):
            return f"{block} := {e} is not linear in its noise, so that it is not normal"
    try:
        noise = {b: e - expectation(e) for b, e in moving}
        if any(not vanishes(c) for c in _between_blocks(noise)):
            return "two blocks of the proposal are not independent"
        laws = {b: _law(b, e, noise[b], update.state) for b, e in moving}
    except OutsideLanguageError as error:
        return str(error)
    unknown = next((law for law in laws.values() if isinstance(law, str)), None)
    if any(
        isinstance(law, ProposalLaw) and b in edges and (law.matrix or law.direction)
        for b, law in laws.items()
    ):
        return "a reflected block has noise that couples its coordinates"
    return unknown or {
        b: replace(law, edge=edges.get(b))
        for b, law in laws.items()
        if isinstance(law, ProposalLaw)
    }


def _between_blocks(noise: dict[Block, Expr]) -> list[Expr]:
    """Return the covariances between the noises of different blocks, at one coordinate and at
    two.
    """
    pairs = combinations(noise.values(), 2)
    return [expectation(a * e) for a, b in pairs for e in (b, relabel(b, GENERIC, OTHER))]


def _law(block: Block, e: Expr, noise: Expr, state: tuple[Block, ...]) -> ProposalLaw | str:
    """Return the law of one block from mean and covariance of its noise, or a sentence that says
    why it was not found.
    """
    mean = expectation(e)
    across = (
        expectation(noise * relabel(noise, GENERIC, OTHER)) if isinstance(block, Vector) else S.Zero
    )
    if vanishes(across):
        return ProposalLaw(mean, expectation(noise**2))
    for M in sorted(across.atoms(Dense), key=str):
        scale = across.coeff(M.entry(GENERIC, OTHER))
        gaps = (
            across - scale * M.entry(GENERIC, OTHER),
            expectation(noise**2) - scale * M.entry(GENERIC, GENERIC),
        )
        if not labels(scale) and not blocks_in(scale, state) and all(vanishes(gap) for gap in gaps):
            return (
                ProposalLaw(mean, scale, M)
                if M.positive_definite
                else f"{M} is not declared to be positive definite"
            )
    direction = direction_of(across)
    if direction is None or not vanishes(
        across - direction[0] * relabel(direction[1], GENERIC, OTHER)
    ):
        return "two coordinates of the proposal are not independent"
    return ProposalLaw(
        mean, normalised(expectation(noise**2) - direction[0] * direction[1]), direction=direction
    )


def _positive(block: Block, variance: Expr) -> Outcome:
    """Decide whether the variance is positive: where the noise vanishes the move back has no
    density.
    """
    if is_positive(variance):
        return proved("it is positive")
    return undecided(
        f"{variance} is not proved to be positive everywhere, so that a move to {block} may have no"
        " way back"
    )


def _balance(part: MetropolisHastings, laws: Laws) -> Outcome:
    """Decide whether the cost has the antisymmetric part of ``H(x) - log q(y | x)``."""
    second = dict(part.partners)
    if set(second) != set(laws):
        return undecided("the partners of the proposal are not the blocks that it moves")
    minus_log = part.proposal.target
    for block, law in laws.items():
        quadratic = _minus_log(block, second[block], law)
        if quadratic is None:
            return undecided(f"the mean of {block} is not proved to be {block} + {law.matrix} v")
        minus_log += quadratic
    if not set(abstract_of([part.cost])) <= set(part.proposal.abstract):
        return undecided("the cost has abstract functions that the proposal has not")
    difference = part.cost - minus_log
    outcome = decide_zero(difference - at_partner(difference, part.partners))
    if outcome.witness is not None and not _differ(outcome.witness, part):
        return undecided(
            "it is not zero where both states are equal, which does not decide it for functions of"
            " the state"
        )
    return outcome


def _minus_log(old: Block, new: Block, law: ProposalLaw) -> Expr | None:
    """Return ``-log q(new | old)``, up to terms that are symmetric in old and new; None where the
    mean is not of the form that the matrix needs.

    With a matrix M and ``mean = x + M v`` it is ``(y - x - M v)^T M^-1 (y - x - M v) / (2
    variance)``, of which the term ``(y - x)^T M^-1 (y - x)`` is symmetric and left out.
    """
    if law.direction is not None:
        return _of_direction(old, new, law, law.direction)
    if law.edge is not None:
        return _of_reflected(old, new - law.edge, law.mean - law.edge, law.variance)
    if law.matrix is None:
        return contract((new - law.mean) ** 2 / (2 * law.variance) + log(law.variance) / 2, old)
    v = pull_of(law.mean - old, law.matrix)
    if v is None or not vanishes(law.mean - old - dot(law.matrix, v)):
        return None
    return (
        contract(v * dot(law.matrix, v), old) / 2 - contract((new - old) * v, old)
    ) / law.variance


def _of_reflected(old: Block, new: Expr, mean: Expr, variance: Expr) -> Expr:
    """Return ``-log q`` of a normal number reflected at 0: the densities at ``new`` and at ``-new``
    add up.

    ``new`` and ``mean`` are distances from the edge.
    """
    both = (exp(-((place - mean) ** 2) / (2 * variance)) for place in (new, -new))
    return contract(log(variance) / 2 - log(Add(*both)), old)


def _of_direction(old: Block, new: Block, law: ProposalLaw, direction: tuple[Expr, Expr]) -> Expr:
    """Return ``-log q`` with the covariance ``diag(d) + u v^T``.

    By Sherman and Morrison its inverse is ``diag(1/d) - diag(1/d) u v^T diag(1/d) / (1 + sum u v /
    d)``.
    """
    along, across = (contract(e * (new - law.mean) / law.variance, old) for e in direction)
    det = law.determinant(old)
    own = contract((new - law.mean) ** 2 / law.variance, old) - along * across / det
    return own / 2 + contract(log(law.variance), old) / 2 + log(det) / 2


def _differ(witness: Witness, part: MetropolisHastings) -> bool:
    """Return True if the two states of a witness differ in every block: only then are values of a
    function at both independent of each other.
    """
    return all(witness.point.get(a.name) != witness.point.get(b.name) for a, b in part.partners)
