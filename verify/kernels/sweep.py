"""A sweep of parts leaves ``exp(-H)`` invariant if each part does. This file also decides what
follows where a part does not.

A part that fails leaves the sweep undecided, as later parts may repair the law. There are two ways
to refute it all the same. The later parts may be unable to repair it: each keeps ``exp(-H)`` and
takes different laws to different laws. Or a moment, or a density, of the whole sweep is computed
and has changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from recipe import Kernel
from recipe.kernel.part import (
    MetropolisedMap,
    MetropolisedPath,
    MetropolisHastings,
    Move,
    Part,
    Repeat,
    updates_of,
)
from recipe.language.blocks import Block
from recipe.language.text import listed
from recipe.signs.sign import is_nonzero
from verify.kernels.assignment import affine_of
from verify.kernels.density_after_map import density_witness
from verify.kernels.density_after_proposal import witness_after_proposal
from verify.kernels.density_after_test import witness_after_test
from verify.kernels.density_of_position import witness_of_position
from verify.kernels.hastings import decide_hastings
from verify.kernels.liveness import without_effects_on
from verify.kernels.maps import decide_moved, decide_tested
from verify.kernels.moments import moment_witness
from verify.kernels.path import decide_path
from verify.kernels.rule import assignments_of, decide_rule
from verify.kernels.shears import decide_map, shears_of
from verify.verdict import Outcome, Verdict, Witness, conjunction, refuted, undecided

DENSITY_CHANGES = "the parts together change the density of exp(-H), at the instance of the witness"
JOINTLY_OPEN = "; whether the parts together do is not decided"


def decide_sweep(kernel: Kernel) -> Outcome:
    """Decide whether one sweep of the kernel leaves exp(-H) invariant."""
    outcome = decide_parts(kernel, kernel.parts)
    _, unread = without_effects_on(frozenset(), kernel.parts)
    if outcome.verdict is not Verdict.PROVED and unread and unread != set(kernel.state):
        outcome = _decide_without_unread(kernel, unread, outcome)
    if outcome.verdict is not Verdict.UNDECIDED:
        return outcome
    return _decide_by_position(kernel, unread) or outcome


def _decide_by_position(kernel: Kernel, unread: frozenset[Block]) -> Outcome | None:
    """Refute a sweep with one wrong test of a map by the density of a coordinate after it; None if
    it is not of this form, or no such point is found.

    A block in ``unread`` is redrawn as the next sweep begins, so that its law does not matter.
    """
    outcomes = [decide_part(kernel, part) for part in kernel.parts]
    wrong = [k for k, o in enumerate(outcomes) if o.verdict is not Verdict.PROVED]
    if len(wrong) != 1:
        return None
    (k,) = wrong
    test = kernel.parts[k]
    if not isinstance(test, MetropolisedMap):
        return None
    witness = witness_of_position(kernel, test, kernel.parts[k + 1 :], unread)
    if witness is None:
        return None
    return refuted(f"{k + 1}. {words_of(test)}: {outcomes[k].by}; {DENSITY_CHANGES}", witness)


def decide_parts(kernel: Kernel, parts: Sequence[Part]) -> Outcome:
    """Decide whether the parts, carried out one after another, leave exp(-H) invariant."""
    outcome = _decide_each(kernel, parts, frozenset())
    if outcome.verdict is Verdict.PROVED:
        return outcome
    witness = moment_witness(kernel, _needed(parts, frozenset()))
    if witness is not None:
        return refuted(
            "the moments of exp(-H) are not kept, at the instance of the witness",
            witness,
            outcome.repair,
        )
    witness = witness_after_test(
        kernel, _without_injective_tail(kernel, _needed(parts, frozenset()))
    )
    return outcome if witness is None else _refuted_by_density(outcome, witness)


def _refuted_by_density(outcome: Outcome, witness: Witness) -> Outcome:
    """Return a refutation by a changed density that names the part at fault first."""
    blame = outcome.by.removesuffix(JOINTLY_OPEN)
    return refuted(
        blame if blame.endswith(DENSITY_CHANGES) else f"{blame}; {DENSITY_CHANGES}",
        witness,
        outcome.repair,
    )


def _without_injective_tail(kernel: Kernel, parts: Sequence[Part]) -> Sequence[Part]:
    """Return the parts without those at the end that keep exp(-H) and take different laws to
    different laws: they hide no fault of the parts before.
    """
    last = len(parts)
    while (
        last
        and is_injective(parts[last - 1])
        and decide_part(kernel, parts[last - 1]).verdict is Verdict.PROVED
    ):
        last -= 1
    return parts[:last]


def _needed(parts: Sequence[Part], dead: frozenset[Block]) -> list[Part]:
    """Return the parts, and leave out effects on dead blocks alone."""
    return [part for part in without_effects_on(dead, parts)[0] if part is not None]


def _decide_each(kernel: Kernel, parts: Sequence[Part], dead: frozenset[Block]) -> Outcome:
    """Decide the parts one by one, where the values of ``dead`` blocks do not matter afterwards.
    Parts keep the numbers they have in the sweep.
    """
    left = without_effects_on(dead, parts)[0]
    kept = {f"{k}. {words_of(part)}": part for k, part in enumerate(left, 1) if part is not None}
    outcome = _all_of(kernel, kept)
    idle = "; ".join(
        f"{k}. {_why_left_out(part)}"
        for k, (part, rest) in enumerate(zip(parts, left, strict=True), 1)
        if rest is None
    )
    return replace(outcome, by="; ".join(filter(None, (outcome.by, idle))))


def _why_left_out(part: Part) -> str:
    """Say why a part is left out."""
    moves = any(b != e for u in updates_of(part) for b, e in u.rule)
    return (
        f"{words_of(part)} is left out:"
        f" {'what it does is overwritten unread' if moves else 'it moves no block'}"
    )


def _all_of(kernel: Kernel, parts: Mapping[str, Part]) -> Outcome:
    """Decide parts in a row from the outcomes of each.

    One part that fails refutes the sweep only if all parts after it take different laws to
    different laws, and all others keep exp(-H).
    """
    named = [(name, _keeps_law(kernel, part)) for name, part in parts.items()]
    if len(named) == 1:
        return replace(named[0][1], by=f"{named[0][0]}: {named[0][1].by}")
    open_ones = [k for k, (_, outcome) in enumerate(named) if outcome.verdict is not Verdict.PROVED]
    if not open_ones:
        return conjunction(named, by="; ".join(f"{name}: {outcome.by}" for name, outcome in named))
    first = open_ones[0]
    name, outcome = named[first]
    if (
        len(open_ones) == 1
        and outcome.witness is not None
        and all(map(is_injective, [*parts.values()][first + 1 :]))
    ):
        return replace(
            outcome,
            by=(
                f"{name}: {outcome.by}; no later part can repair this, and all others keep exp(-H)"
            ),
        )
    if outcome.witness is not None:
        why = f"{name} does not leave exp(-H) invariant ({outcome.by}){JOINTLY_OPEN}"
        return replace(
            undecided(why), repair=outcome.repair if len(open_ones) == 1 else None
        )  # the others may be wrong as well
    return undecided(f"{name}: {outcome.by}")


def _keeps_law(kernel: Kernel, part: Part) -> Outcome:
    """Decide a part, with a refutation of detailed balance as undecided: the law may be invariant
    without detailed balance.
    """
    outcome = decide_part(kernel, part)
    if not isinstance(part, MetropolisHastings) or outcome.verdict is Verdict.PROVED:
        return outcome
    found = outcome.verdict is Verdict.REFUTED
    by = f"detailed balance is {'refuted' if found else 'not proved'} ({outcome.by})"
    witness = witness_after_proposal(kernel, part)
    if witness is not None:
        return refuted(by, witness)
    return undecided(f"{by}, and whether the law is kept without it is not decided")


def decide_part(kernel: Kernel, part: Part) -> Outcome:
    """Decide whether one part leaves exp(-H) invariant."""
    match part:
        case Move(update=update):
            outcome = decide_rule(update)
            if outcome.verdict is Verdict.UNDECIDED:
                outcome = decide_moved(kernel.target, update) or outcome
            witness = (
                moment_witness(kernel, [part]) if outcome.verdict is Verdict.UNDECIDED else None
            )
            return (
                outcome
                if witness is None
                else refuted("the moments of exp(-H) are not kept", witness)
            )
        case MetropolisHastings():
            return decide_hastings(part)
        case MetropolisedMap():
            return decide_metropolised(kernel, part)
        case MetropolisedPath():
            return decide_path(kernel, part)
        case Repeat(parts=parts):
            outcome = decide_parts(kernel, parts)
            if outcome.witness is None or part.times == 1:
                return outcome
            return undecided(f"the repeated parts do not leave exp(-H) invariant ({outcome.by})")


def decide_metropolised(kernel: Kernel, part: MetropolisedMap) -> Outcome:
    """Prove that a Metropolised map leaves exp(-H) invariant by the three facts of ``decide_map``,
    or refute it by a point at which the density changes.
    """
    shears = shears_of(part.map)
    if isinstance(shears, str):
        facts, shears = undecided(shears), ()
    else:
        facts = decide_map(kernel.target, shears, part.flips)
    if facts.verdict is Verdict.UNDECIDED:
        facts = decide_tested(kernel.target, part.map, part.flips) or facts
    if facts.verdict is Verdict.PROVED and (part.flip_on_rejection or not part.flips):
        return facts
    witness = density_witness(kernel, part, shears) if shears else None
    kept = (
        "on rejection the state is kept and not turned, and no full refresh of what is turned"
        " follows"
    )
    if witness is None:
        return undecided(kept if facts.verdict is Verdict.PROVED else facts.by)
    if facts.verdict is not Verdict.PROVED:
        return refuted(facts.by, witness)
    turned = listed(part.flips)
    return refuted(
        kept,
        witness,
        repair=f"on rejection the sign of {turned} must turn: leave out flip_on_rejection=False",
    )


def is_injective(part: Part) -> bool:
    """Return True if the part certainly takes different laws to different laws.

    Such parts are shears, turned signs, and ``c r + b + n`` with c never 0 and normal noise n.
    (Given the rest, the characteristic function of ``c r + b + n`` at t is that of r at ``c t``
    times a factor that is never 0.) A random number of repetitions mixes laws: to turn a sign once
    or twice makes every law symmetric.
    """
    if isinstance(part, Repeat):
        return isinstance(part.times, int) and all(is_injective(p) for p in part.parts)
    if not isinstance(part, Move):
        return False
    assignments = assignments_of(part.update)
    if isinstance(assignments, str):
        return False
    rules = [affine_of(b, e) for b, e in assignments]
    return all(not isinstance(rule, str) and is_nonzero(rule.slope) for rule in rules)


def _decide_without_unread(kernel: Kernel, unread: frozenset[Block], joint: Outcome) -> Outcome:
    """Decide a sweep that begins by redrawing the blocks in ``unread``: only the law of the other
    blocks is handed on to the next sweep.

    A fault in the joint law therefore refutes nothing, unless it shows in the other blocks, or the
    redrawing itself is wrong.
    """
    redrawn = listed(b for b in kernel.state if b in unread)
    others = listed(b for b in kernel.state if b not in unread)
    redrawn_last = decide_parts(kernel, _redrawing_last(kernel, unread)).verdict
    if (
        redrawn_last is Verdict.PROVED
        and _decide_each(kernel, kernel.parts, unread).verdict is Verdict.PROVED
    ):
        why = (
            f"the law of {others} is left invariant, but not that of {redrawn} as a sweep leaves"
            " it, which the next redraws"
        )
        return replace(
            undecided(why), repair=f"put the refresh of {redrawn} at the end of the sweep"
        )
    witness = moment_witness(kernel, _needed(kernel.parts, unread), without=unread)
    if witness is not None:
        return refuted(
            "the moments of exp(-H) are not kept, at the instance of the witness",
            witness,
            joint.repair,
        )
    witness = witness_after_test(kernel, _needed(kernel.parts, unread), without=unread)
    if witness is not None:
        return _refuted_by_density(joint, witness)
    if joint.witness is None or redrawn_last is Verdict.REFUTED:
        return joint
    return undecided(
        f"{joint.by}; but {redrawn} is redrawn as the next sweep begins, and whether the law of"
        f" {others} is kept is not decided"
    )


def _redrawing_last(kernel: Kernel, unread: frozenset[Block]) -> tuple[Part, ...]:
    """Return the sweep with its first parts, those that redraw the unread blocks, moved to its
    end.
    """
    counts = range(1, len(kernel.parts) + 1)
    first = next(
        k for k in counts if unread <= without_effects_on(frozenset(), kernel.parts[:k])[1]
    )
    return kernel.parts[first:] + kernel.parts[:first]


def words_of(part: Part) -> str:
    """Return a part in a few words, as messages name it."""
    match part:
        case Move(update=update, kind=kind):
            moved = listed(dict.fromkeys(b for b, e in update.rule if e != b))
            return f"{kind} of {moved}" if moved else kind
        case MetropolisHastings():
            return "metropolis"
        case MetropolisedMap(times=times):
            return f"metropolis of {_times_text(times)}"
        case MetropolisedPath(around=around, test=test):
            return f"{words_of(test)} with a {around.kind} before and after each"
        case Repeat(times=times):
            return (
                f"{_times_text(times)} of {len(part.parts)}"
                f" part{'s' if len(part.parts) > 1 else ''}"
            )


def _times_text(times: int | tuple[int, int]) -> str:
    if isinstance(times, tuple):
        return f"{times[0]} to {times[1]} rounds"
    return f"{times} round{'s' if times > 1 else ''}"
