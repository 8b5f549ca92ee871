"""Kernels that reach every set of positive volume from every point: they have at most one invariant
probability law.

Two of them could be chosen mutually singular (the positive and the negative part of a difference of
invariant laws are invariant), and both would give positive probability to every set of positive
volume.
"""

from __future__ import annotations

from sympy import Expr, S

from recipe import Kernel
from recipe.kernel.part import MetropolisedMap, MetropolisHastings, Move, leaves_of
from recipe.language.calculus import explicit, partial
from recipe.language.errors import OutsideLanguageError
from recipe.language.free_symbols import blocks_in
from recipe.language.sign import is_nonzero
from recipe.language.symbols import OTHER, Block, Vector
from recipe.language.text import listed
from recipe.language.total import substitute
from verify.decide.zero.decide import vanishes
from verify.kernels.hastings import decide_hastings
from verify.kernels.liveness import without_effects_on
from verify.kernels.rule import decide_rule
from verify.kernels.shears import Shear, shears_of
from verify.verdict import Outcome, Verdict, proved, undecided


def reaches_everywhere(kernel: Kernel) -> Outcome:
    """Whether a few sweeps, whose parts all leave exp(-H) invariant, reach every set of positive
    volume from every point.
    """
    tests = [
        leaf
        for part in kernel.parts
        for leaf in leaves_of(part)
        if isinstance(leaf, MetropolisHastings)
    ]
    of_all = [test for test in tests if {b for b, _ in test.partners} == set(kernel.state)]
    if any(decide_hastings(test).verdict is Verdict.PROVED for test in of_all):
        return proved(
            "a proposal with a density that is positive everywhere is accepted with positive"
            " probability"
        )
    if len(kernel.parts) == 2:
        one, other = kernel.parts
        for first, second in ((one, other), (other, one)):
            if (
                isinstance(first, Move)
                and isinstance(second, MetropolisedMap)
                and _reaches_by_one_step(first, second)
            ):
                turned = listed(second.flips)
                are = "are" if len(second.flips) > 1 else "is"
                return proved(
                    f"{turned} {are} redrawn, and then one step, taken with positive probability,"
                    " leads everywhere"
                )
    return undecided("that the kernel reaches every set of positive volume was not proved")


def _reaches_by_one_step(refresh: Move, test: MetropolisedMap) -> bool:
    """Momenta r are redrawn, and one step of the map takes every position to ``f + c r`` with f, c
    of the positions and c never 0.

    Then the positions have a positive density after it, and the momenta again after the next
    refresh.
    """
    lowest = test.times if isinstance(test.times, int) else test.times[0]
    momenta = test.flips
    positions = [b for b in test.map.state if b not in momenta]
    shears = shears_of(test.map)
    if (
        lowest != 1
        or not momenta
        or isinstance(shears, str)
        or any(b.domain != S.Reals for b in test.map.state)
    ):
        return False
    _, unread = without_effects_on(frozenset(), [refresh])
    moved = {b for b, e in refresh.update.rule if e != b}
    if (
        moved != set(momenta)
        or unread != moved
        or decide_rule(refresh.update).verdict is not Verdict.PROVED
    ):
        return False
    values = _after(shears)
    drivers = [_driver(b, values.get(b), momenta) for b in positions]
    return None not in drivers and len(set(drivers)) == len(drivers) == len(momenta)


def _after(shears: tuple[Shear, ...]) -> dict[Block, Expr | None]:
    """The values of the blocks that move, as functions of the old state; None where an abstract
    function is taken elsewhere.
    """
    values: dict[Block, Expr | None] = {}
    for s in shears:
        read = blocks_in(s.g, tuple(values))
        before = values.get(s.block, s.block)
        if before is None or any(values[b] is None for b in read):
            values[s.block] = None
            continue
        try:
            values[s.block] = before + substitute(
                s.g, {b: e for b, e in values.items() if b in read and e is not None}
            )
        except OutsideLanguageError:
            values[s.block] = None
    return values


def _driver(position: Block, e: Expr | None, momenta: tuple[Block, ...]) -> Block | None:
    """The one momentum r of as many coordinates with ``e = f + c r`` in each, f and c free of
    momenta and c never 0.
    """
    if e is None:
        return None
    found = [b for b in momenta if b in blocks_in(e, momenta)]
    if len(found) != 1 or not _have_the_same_length(position, found[0]):
        return None
    r = found[0]
    c = explicit(e, r) if isinstance(r, Vector) else partial(e, r)
    if blocks_in(c, momenta) or not is_nonzero(c):
        return None
    if isinstance(r, Vector) and not (
        vanishes(partial(e, r.at(OTHER))) and vanishes(partial(e, r) - c)
    ):
        return None
    return r


def _have_the_same_length(a: Block, b: Block) -> bool:
    """Whether both are numbers, or both vectors of one length: one number drives all coordinates of
    a vector along one line.
    """
    if isinstance(a, Vector) and isinstance(b, Vector):
        return a.length == b.length
    return not isinstance(a, Vector) and not isinstance(b, Vector)
