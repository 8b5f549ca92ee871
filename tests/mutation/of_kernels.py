"""Changes of a kernel: of the rules in its parts, of the tests, and of the parts themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from sympy import Integer

from mutation.mutant import SCHEME, Change, Mutant, mutants_of
from mutation.of_rules import rule_changes
from recipe import Kernel, Update
from recipe.kernel.part import MetropolisedMap, MetropolisHastings, Move, Part, Repeat, leaves_of
from recipe.kernel.partner import partners_of
from recipe.kernel.proposal import cost_of


def kernel_mutants(name: str, kernel: Kernel) -> Iterator[Mutant]:
    """All mutants of one kernel."""
    yield from mutants_of(SCHEME, name, kernel, _changes(kernel))


def _changes(kernel: Kernel) -> Iterator[Change]:
    parts = list(kernel.parts)
    for k, part in enumerate(parts):
        for operator, words, make in _of_part(part):
            yield operator, f"part {k + 1}: {words}", partial(_with, kernel, k, make)
        if len(parts) > 1:
            yield (
                "part dropped",
                f"part {k + 1} dropped",
                partial(Kernel, [*parts[:k], *parts[k + 1 :]]),
            )
    if len(parts) > 1:
        yield "order", "parts in reverse", partial(Kernel, parts[::-1])


def _with(kernel: Kernel, k: int, make: object) -> Kernel:
    assert callable(make)
    return Kernel(
        [*kernel.parts[:k], make(), *kernel.parts[k + 1 :]], posteriors=dict(kernel.posteriors)
    )


def _of_part(part: Part) -> Iterator[Change]:
    match part:
        case Move(update=update):
            for operator, words, make in rule_changes(update):
                yield operator, words, lambda make=make: replace(part, update=make())
        case MetropolisedMap():
            yield from _of_map(part)
        case MetropolisHastings():
            yield from _of_proposal(part)
        case Repeat():
            for leaf in leaves_of(part):
                yield from _of_part(leaf)


def _of_map(part: MetropolisedMap) -> Iterator[Change]:
    for operator, words, make in rule_changes(part.map):
        yield operator, words, lambda make=make: replace(part, map=make())
    yield (
        "test",
        "no flip on rejection",
        lambda: replace(part, flip_on_rejection=not part.flip_on_rejection),
    )
    yield "test", "nothing flips", lambda: replace(part, flips=())
    yield "test", "no test", lambda: Move(part.map, "step")


def _of_proposal(part: MetropolisHastings) -> Iterator[Change]:
    """The proposal, whose density the test goes on to take for that of the original or not; and the
    ratio of the test.
    """
    for operator, words, make in rule_changes(part.proposal):
        yield operator, f"{words}, and the test knows", lambda make=make: _tested(make())
        yield (
            f"{operator}, untold",
            f"{words}, and the test does not know",
            lambda make=make: replace(part, proposal=make()),
        )
    H = part.proposal.target
    yield "test", "the density of the proposal left out", lambda: replace(part, cost=H)
    yield "test", "the density of the proposal alone", lambda: replace(part, cost=part.cost - H)
    yield "test", "the ratio doubled", lambda: replace(part, cost=Integer(2) * part.cost)
    yield "test", "the ratio upside down", lambda: replace(part, cost=-part.cost)
    yield "test", "no test", lambda: Move(part.proposal, "step")


def _tested(proposal: object) -> MetropolisHastings:
    assert isinstance(proposal, Update)
    partners = partners_of(proposal)
    return MetropolisHastings(proposal, partners, cost_of(proposal, partners))
