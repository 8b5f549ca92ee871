"""``exact-transition``: a step draws from the transition law of its process.

A splitting draws from the transition law of each piece of the generator, and the pieces sum to the
generator.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sympy import Dummy, Expr, S, exp

from recipe import Discretisation, RecipeError, Update
from recipe.language.entry import parts
from recipe.scheme.exact import Exact
from recipe.scheme.pieces import pieces_of, reads
from recipe.scheme.splitting import Splitting, SubFlow
from recipe.signs.sign import is_nonnegative
from verify.decide.zero.decide import decide_zero
from verify.discrete.exact.moments import facts_of
from verify.discrete.exact.transition import decide_transitions, judged
from verify.obligation import Obligation
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, conjunction, undecided


def discharge(subject: Subject) -> Outcome:
    """Decide it by the transition laws of the blocks, or of the pieces of a splitting."""
    assert isinstance(subject.declared, Discretisation)
    if subject.declared.exact is not None:
        return _discharge_exact(subject, subject.declared.update, subject.declared.exact)
    assert subject.declared.splitting is not None
    return _discharge_splitting(subject, subject.declared.splitting)


def _discharge_exact(subject: Subject, update: Update, exact: Exact) -> Outcome:
    """Decide the transition law of every block by the backward Kolmogorov equation."""
    try:
        found = judged(subject, update, exact)
        solved = "; ".join(f"{process.variable} <- {process.law}" for _, process in found)
        outcome = conjunction(
            decide_transitions(subject, update, found),
            by=f"the law solves the backward Kolmogorov equation: {solved}",
        )
    except RecipeError as error:
        return undecided(str(error))
    return (
        outcome
        if outcome.verdict is not Verdict.PROVED
        else replace(outcome, facts=facts_of(found, update.step))
    )


def _discharge_splitting(subject: Subject, splitting: Splitting) -> Outcome:
    """Decide the mean and variance of every piece by their differential equations, and the sum of
    the pieces.
    """
    edged = next((b for b in subject.state if b.domain != S.Reals), None)
    if edged is not None:
        return undecided(
            f"{edged} lives on {edged.domain}, and a normal law leaves that domain; other flows"
            " there are not proved to stay inside"
        )
    why_not = _not_alone(splitting) or _not_a_law(splitting)
    if why_not is not None:
        return undecided(why_not)
    found = [*_sums(subject, splitting), *_times(splitting)]
    for sub in dict.fromkeys(splitting.flows):
        found += _solves(sub, splitting)
    solved = ", ".join(
        f"{sub.letter}: {sub.motion.block} <- {_law(sub)}" for sub in dict.fromkeys(splitting.flows)
    )
    return conjunction(found, by=f"the pieces sum to the generator, and each is solved: {solved}")


def _not_alone(splitting: Splitting) -> str | None:
    """Return why a block does not move by itself: it depends on a block that moves in the same
    piece.

    The flow of each block by itself is then not the flow of both. None if every block moves by
    itself.
    """
    motions = list(dict.fromkeys((sub.letter, sub.motion) for sub in splitting.flows))
    for letter, motion in motions:
        moving = {other.block for of_letter, other in motions if of_letter == letter}
        together = sorted(reads(motion, splitting.recipe) & moving, key=str)
        if together:
            return f"{letter}: {motion.block} moves by {together[0]}, which moves in the same piece"
    return None


def _not_a_law(splitting: Splitting) -> str | None:
    """Return why there is no normal law: its variance is not proved to be nonnegative; None if all
    are.
    """
    negative = next((sub for sub in splitting.flows if not is_nonnegative(sub.motion.noise)), None)
    if negative is None:
        return None
    return (
        f"{negative.letter}: the noise {negative.motion.noise} of {negative.motion.block} is not"
        " shown to be nonnegative"
    )


def _law(sub: SubFlow) -> str:
    """Return the transition law of a piece as text."""
    return str(sub.law.mean) if sub.law.variance == 0 else f"N({sub.law.mean}, {sub.law.variance})"


def _solves(sub: SubFlow, splitting: Splitting) -> Iterator[tuple[str, Outcome]]:
    """Yield the outcomes about ``m' = rate m + push`` and ``v' = 2 rate v + 2 noise``.

    The mean m starts from the block itself, the variance v from 0.
    """
    t = Dummy("t", positive=True)
    motion, share = sub.motion, sub.time / splitting.step
    mean, variance = (
        e.xreplace({splitting.step: t / share}) for e in (sub.law.mean, sub.law.variance)
    )
    where = f"{sub.letter}, {motion.block}"
    yield f"{where}: the mean at time 0", decide_zero(mean.xreplace({t: S.Zero}) - motion.block)
    yield f"{where}: the variance at time 0", decide_zero(variance.xreplace({t: S.Zero}))
    yield f"{where}: the mean", _decide(mean.diff(t) - motion.rate * mean - motion.push)
    yield (
        f"{where}: the variance",
        _decide(variance.diff(t) - 2 * motion.rate * variance - 2 * motion.noise),
    )


def _decide(e: Expr) -> Outcome:
    """Decide whether an expression is zero, with phi functions written by exp.

    Both sides of an equation are entire functions of the argument of phi, so equality off 0 implies
    equality at 0.
    """
    return decide_zero(e.rewrite(exp))


def _times(splitting: Splitting) -> Iterator[tuple[str, Outcome]]:
    """Yield the outcomes about the times of each letter: together they must be the whole step."""
    for piece in pieces_of(splitting.recipe):
        for motion in piece.motions:
            times = [sub.time for sub in splitting.flows if sub.motion == motion]
            yield (
                f"the time of {piece.letter} for {motion.block}",
                decide_zero(sum(times, S.Zero) - splitting.step),
            )


def _sums(subject: Subject, splitting: Splitting) -> Iterator[tuple[str, Outcome]]:
    """Yield the outcomes about the sum of all pieces: it must have the drift and noise of H, D and
    Q.
    """
    motions = list(dict.fromkeys(sub.motion for sub in splitting.flows))
    for b in subject.state:
        drift = sum((m.rate * b + m.push for m in motions if m.block == b), S.Zero)
        yield f"the drift of {b}", decide_zero(drift - subject.dynamics.drift[b])
        for c in subject.state:
            entry = subject.dynamics.diffusion[b, c]
            noise = sum((m.noise for m in motions if m.block == b == c), S.Zero)
            first, *rest = parts(entry)
            yield f"the noise of {b} and {c}", decide_zero(first - noise)
            for kernel in rest:
                yield f"the noise of {b} and {c}", decide_zero(kernel)


def _has_laws(subject: Subject) -> bool:
    """Return True for a discrete step that is made of exact transition laws."""
    declared = subject.declared
    return isinstance(declared, Discretisation) and (
        declared.splitting is not None or declared.exact is not None
    )


EXACT_TRANSITION = Obligation(
    name="exact-transition",
    statement=(
        "E[exp(s z') | z] = u solves u_t = L u with u(0) = exp(s z); for a splitting each piece"
        " does so, and the pieces sum to L"
    ),
    explanation=(
        "A splitting runs pieces of the recipe's own generator one after another. Each piece is"
        " linear in the block that it moves, so its transition law is normal with a mean and a"
        " variance in closed form. It is proved that these solve their differential equations, that"
        " the times of each letter add up to the step, and that no part of the generator is"
        " missing. A half step that is made whole fails it. For an exact step the law of each block"
        " is proved to be that of its process: by its Laplace transform, which solves the backward"
        " Kolmogorov equation, or by a map and Ito's formula."
    ),
    discharge=discharge,
    applies=_has_laws,
)
