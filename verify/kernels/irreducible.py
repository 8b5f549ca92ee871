"""Proofs that a kernel reaches every set of positive volume from every point: it then has at most
one invariant probability law.

If there were two, two of them could be chosen mutually singular, as the positive and the negative
part of a difference of invariant laws are invariant. But both would give positive probability to
every set of positive volume.
"""

from __future__ import annotations

from sympy import Expr, S

from recipe import Kernel
from recipe.kernel.part import MetropolisedMap, MetropolisHastings, Move, leaves_of
from recipe.language.blocks import Block, Vector
from recipe.language.calculus import explicit, partial
from recipe.language.errors import OutsideLanguageError
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import OTHER
from recipe.language.text import listed
from recipe.language.total import substitute
from recipe.signs.sign import is_nonzero
from verify.decide.zero.decide import vanishes
from verify.kernels.hastings import decide_hastings
from verify.kernels.liveness import without_effects_on
from verify.kernels.rule import decide_rule
from verify.kernels.shears import Shear, shears_of
from verify.verdict import Outcome, Verdict, proved, undecided


def reaches_everywhere(kernel: Kernel) -> Outcome:
    """Prove that a few sweeps reach every set of positive volume from every point; undecided
    otherwise, never refuted.

    It takes for granted that every part leaves exp(-H) invariant, which other obligations decide.
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
    """Return True if redrawing momenta r and then one step of the map reaches every position.

    That is so where one step takes every position to ``f + c r``, with f and c functions of the
    positions and c never 0. The positions then have a positive density, and so have the momenta
    after the next refresh.
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
    values = _values_after(shears)
    drivers = [_driving_momentum(b, values.get(b), momenta) for b in positions]
    return None not in drivers and len(set(drivers)) == len(drivers) == len(momenta)


def _values_after(shears: tuple[Shear, ...]) -> dict[Block, Expr | None]:
    """Return the new value of each block that moves, as a function of the old state.

    A value is None where an abstract function would be taken at a block that has moved.
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


def _driving_momentum(position: Block, e: Expr | None, momenta: tuple[Block, ...]) -> Block | None:
    """Return the momentum r for which ``e = f + c r`` in each coordinate, with f and c free of
    momenta and c never 0.

    None where there is no such momentum, or its length is not that of the position.
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
    """Return True if both are numbers, or both are vectors of one length.

    A single number does not do for a vector: it drives all coordinates along one line.
    """
    if isinstance(a, Vector) and isinstance(b, Vector):
        return a.length == b.length
    return not isinstance(a, Vector) and not isinstance(b, Vector)
