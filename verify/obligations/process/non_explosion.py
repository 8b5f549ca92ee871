"""``non-explosion``: the process does not reach infinity in finite time."""

from __future__ import annotations

from dataclasses import replace

from sympy import S

from recipe import Recipe
from recipe.language.blocks import Block
from recipe.language.domain import finite_ends, on_simplex
from recipe.language.entry import parts
from recipe.language.free_symbols import blocks_in
from recipe.language.text import text
from recipe.signs.defined import is_continuous, is_smooth
from recipe.signs.sets import NOT_NEGATIVE
from recipe.signs.sign import possible_signs
from verify.decide.zero.decide import vanishes
from verify.diffusion.boundary.decide import at_edges_of, never_reached
from verify.diffusion.change_of_variable.bijection import is_bijection
from verify.diffusion.hypoelliptic.definite import is_definite
from verify.diffusion.hypoelliptic.spanning import decide_spanning
from verify.diffusion.infinity.dominance import weight
from verify.diffusion.infinity.explosion import decide_by_coordinates
from verify.diffusion.infinity.finite_means import have_finite_means
from verify.diffusion.infinity.lyapunov import bounds_growth, candidates
from verify.diffusion.infinity.separation import TooManyTermsError, multiplied_out
from verify.diffusion.log_coordinates import (
    decide_by_law_of_logarithms,
    decide_in_positive_coordinates,
)
from verify.generator.coupling import connected, own_diffusion
from verify.generator.fokker_planck import current, residual
from verify.obligation import Obligation, Outcomes
from verify.subject import Subject, subject_of
from verify.verdict import Outcome, Verdict, proved, undecided

NOTHING_FOUND = "no Lyapunov function was found, and no coordinate is seen to explode"
MAX_SHOWN_CHARS = 60  # a longer Lyapunov function is not shown in the report


def discharge(subject: Subject, outcomes: Outcomes) -> Outcome:
    """Prove it by a function that grows slowly along the process or by finite mass, or refute it by
    Feller's test.
    """
    elsewhere = _in_other_coordinates(subject, outcomes) or decide_in_positive_coordinates(
        subject, lambda of: next(outcome for _, outcome in outcomes.about(of))
    )
    if elsewhere is not None:
        return elsewhere
    if all(_is_bounded(b) for b in subject.state):
        return proved("the domain is bounded: there is no infinity to reach")
    try:
        return (
            decide_by_law_of_logarithms(subject)
            or _by_lyapunov(subject)
            or _by_mass(subject, outcomes)
            or _by_coordinates(subject)
            or _by_finite_means(subject, outcomes)
            or undecided(NOTHING_FOUND)
        )
    except RecursionError:
        return undecided("the recipe is nested too deeply for its growth to be decided")


def _in_other_coordinates(subject: Subject, outcomes: Outcomes) -> Outcome | None:
    """Decide it for a recipe made by Ito's formula by the process that it was made from.

    The process explodes in phi if that one reaches an edge of theta. None if the recipe was not
    made by Ito's formula, or neither is decided there.
    """
    transform = subject.declared.transform if isinstance(subject.declared, Recipe) else None
    if transform is None or transform.kind != "ito" or not is_bijection(subject):
        return None
    of, theta = subject_of(transform.of), transform.image
    edge = at_edges_of((theta,), of)
    if edge.verdict is Verdict.REFUTED and transform.preimage.domain == S.Reals:
        return replace(
            edge,
            by=f"{transform.preimage} goes to infinity where {theta} reaches its edge: {edge.by}",
            repair=None,
        )
    ((_, same),) = outcomes.about(transform.of)
    inside = never_reached((theta,), of)
    if same.verdict is Verdict.PROVED and inside is not None:
        return replace(
            same,
            assumed=(*same.assumed, *inside),
            by=(
                f"{transform.preimage} is {theta} in other coordinates, which reaches no edge and"
                f" no infinity: {same.by}"
            ),
        )
    return None


def _is_bounded(block: Block) -> bool:
    """Return True if the domain of the block is bounded."""
    return on_simplex(block) or len(finite_ends(block.domain)) == 2


def _by_lyapunov(subject: Subject) -> Outcome | None:
    """Prove it by a Lyapunov function V with ``L V <= c (1 + V)``; None if none of the candidates
    is one.
    """
    if not is_continuous(*subject.dynamics.coefficients()):
        return None  # where the process itself is undefined, a bound on L V would prove nothing
    for V in candidates(subject.H, subject.state, getattr(subject.declared, "lyapunov", None)):
        assumptions = bounds_growth(subject.dynamics, V)
        if assumptions is not None:
            shown = "H" if V == subject.H else text(V)
            named = f"V = {shown}" if len(shown) <= MAX_SHOWN_CHARS else "a V that was given"
            return proved(f"L V <= c (1 + V) for {named}{_inside(subject)}", *assumptions)
    return None


def _inside(subject: Subject) -> str:
    """Say up to which time a proof holds."""
    on_the_line = all(b.domain == S.Reals for b in subject.state)
    return "" if on_the_line else ", up to a time at which it reaches the edge"


def _by_mass(subject: Subject, outcomes: Outcomes) -> Outcome | None:
    """Prove it for a symmetric diffusion with finite mass that is complete in the metric D^-1; else
    None.

    Source:
        Sturm, "Analysis on local Dirichlet spaces I" (1994): the balls in that metric must be
            compact.
    """
    blocks = subject.state
    if any(b.domain != S.Reals for b in blocks) or not is_smooth(
        subject.H, *subject.dynamics.coefficients()
    ):
        return None
    noisy = [
        b
        for g in connected(subject.state, subject.dynamics.diffusion)
        for b in g
        if is_definite(subject.dynamics, g)
    ]
    if set(noisy) != set(blocks) or not _grows_at_most_quadratically(subject):
        return None
    if not all(vanishes(v) for v in current(subject.dynamics, subject.gradient).values()):
        return None
    if not outcomes.proved("normalisable"):
        return None
    mass = outcomes["normalisable"]
    return proved("reversible, of finite mass, and complete in the metric D^-1", *mass.assumed)


def _by_coordinates(subject: Subject) -> Outcome | None:
    """Decide it by Feller's test for single coordinates; None if that does not decide it."""
    found = decide_by_coordinates(subject.dynamics, subject.H)
    if found is None or found.verdict is not Verdict.PROVED:
        return found
    return replace(found, by=found.by + _inside(subject))


def _by_finite_means(subject: Subject, outcomes: Outcomes) -> Outcome | None:
    """Prove it where ``D/(1 + |z|^2)`` and ``f/(1 + |z|)`` have finite means under exp(-H), which
    is normalisable and solves the stationary equation, and noise reaches every direction; else
    None.

    Let chi_n = chi(log(1 + |z|^2)/n) with a smooth chi that is 1 up to 1 and 0 from 2 on. By the
    finite means the mean of |L chi_n| goes to 0. Let g be bounded with E[g (phi - L phi)] = 0 for
    all test functions phi. It is smooth, as its equation L* g = g is hypoelliptic; here L* is the
    adjoint under exp(-H), which has L* 1 = 0, so that L*(g^2) >= 2 g L* g = 2 g^2. So 2 E[g^2
    chi_n] <= E[L*(g^2) chi_n] = E[g^2 L chi_n] -> 0, and g = 0. Hence 1 - L has a dense range on
    test functions in L^1 of exp(-H), where L is dissipative, and there is only one semigroup of
    contractions on L^1 whose generator extends L. It keeps exp(-H), and it is that of the process
    up to its explosion: its probability of being alive is 1 almost everywhere, and everywhere as it
    is smooth.

    Source:
        Stannat, "(Nonsymmetric) Dirichlet operators on L^1" (1999), proposition 1.10, for elliptic
            D; the argument above needs hypoelliptic operators alone.
    """
    dynamics = subject.dynamics
    if any(b.domain != S.Reals for b in subject.state) or not outcomes.proved("normalisable"):
        return None
    noise = [own_diffusion(dynamics, b) for b in subject.state]  # D_ij is at most their sum
    if not (
        have_finite_means(subject.H, subject.state, noise, falling=2)
        and have_finite_means(subject.H, subject.state, dynamics.drift.values(), falling=1)
        and decide_spanning(dynamics, subject.H).verdict is Verdict.PROVED
        and vanishes(residual(dynamics, subject.gradient))
    ):
        return None
    return proved(
        "exp(-H) solves the stationary equation, D/(1 + |z|^2) and the drift/(1 + |z|) have finite"
        " means under it, and noise reaches every direction",
        *outcomes["normalisable"].assumed,
    )


def _grows_at_most_quadratically(subject: Subject) -> bool:
    """Return True if ``trace D <= C (1 + |z|^2)`` is proved.

    Then log(1 + |z|^2) has a bounded gradient in the metric D^-1, which is therefore complete.
    """
    powers = dict.fromkeys(subject.state, S(2))
    for block in subject.state:
        diagonal, *kernel = parts(subject.dynamics.diffusion[block, block])
        if any(blocks_in(e, subject.state) for e in kernel):
            return False
        try:
            weights = [weight(term, powers) for term in multiplied_out(diagonal).as_ordered_terms()]
        except TooManyTermsError:
            return False
        if any(w is None or not possible_signs(1 - w) <= NOT_NEGATIVE for w in weights):
            return False
    return True


NON_EXPLOSION = Obligation(
    name="non-explosion",
    statement=(
        "the process stays finite for all times (on a domain with an edge: until it reaches the"
        " edge)"
    ),
    explanation=(
        "A drift that grows faster than linearly can throw the process to infinity in finite time,"
        " and then exp(-H) is not invariant, although it solves the Fokker-Planck equation. It is"
        " proved by a function V that goes to infinity, and grows slowly along the process: L V <="
        " c (1 + V). The declared lyapunov=V is tried first, then H and sums of powers. A"
        " reversible diffusion with finite mass and a complete metric does not explode either, nor"
        " does a process whose coefficients have finite means under exp(-H), if noise reaches every"
        " direction. Feller's test proves or refutes it for single coordinates, and a force that"
        " grows faster than linearly outwards refutes it for a position and its momentum."
    ),
    discharge=discharge,
    needs=("normalisable",),
    asks=("non-explosion",),
    required=False,
)
