"""Where coefficients are not smooth: kinks of an absolute value, roots of what may vanish.

An absolute value of a coordinate makes coefficients smooth on both sides of 0, and not across it.

Everything is proved off the kink. H is continuous, as are D and Q of a recipe; a printed rule may
have signs in its drift and in its noise. Integration by parts gives no term at the kink if neither
of two things has a jump there: the current across it, and the row of D of the coordinate that has
the kink, which enters as ``D exp(-H) grad g``. Other conclusions from smoothness are not valid by
themselves: only an obligation that declares ``handles_kinks`` is decided for such a sampler.

Other operations that may not be smooth are faults (``verify.decide.smoothness``). An elementary
function vanishes on surfaces, and integrating by parts leaves no term there if H, D and Q have one
continuous derivative and the drift is continuous, for then the current has no jump. An abstract
function may vanish on any closed set, so there the current must have a continuous derivative.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sympy import Abs, Expr, S, Symbol, sign

from recipe import Discretisation, Dynamics, Recipe, Update
from recipe.language.abstract import Field, Partial, Potential, written_image
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.calculus import freeze
from recipe.language.entry import Coupling, Entry, parts
from recipe.language.symbols import GENERIC, OTHER, generic
from recipe.language.text import listed
from recipe.language.total import relabel
from verify.decide.smoothness import Fault, faults, lacking
from verify.decide.zero.canonical import normalised
from verify.decide.zero.decide import decide_zero
from verify.diffusion.change_of_variable.maps_of_blocks import map_of
from verify.diffusion.change_of_variable.monotone import decide_monotone
from verify.diffusion.no_time import spends_no_time
from verify.diffusion.rough_places import prove_no_flow, surfaces_of
from verify.diffusion.small_step import decide_expansion
from verify.subject import KernelSubject, Subject, densities_of
from verify.verdict import Outcome, Verdict, conjunction, proved, undecided

CONTINUOUS_FLUX = (
    "the current and D across the kink have no jump at {}, so that integrating by parts leaves no"
    " term there"
)


def kinks(subject: Subject | KernelSubject) -> list[Block]:
    """The blocks whose absolute values or signs occur in a sampler, or in an abstract function of
    their image.

    ``V(phi) = U(f(phi))`` has the kinks of f although no absolute value is written.
    """
    expressions = [e for e, _ in _expressions(subject)]
    found = set().union(*(e.atoms(Abs, sign) for e in expressions))
    written = {generic(k.args[0]) for k in found if isinstance(k.args[0], Vector | Scalar)}
    hidden = {b for b in _mapped(subject) if written_image(b).has(Abs, sign)}
    return sorted(written | hidden, key=str)


def _mapped(subject: Subject | KernelSubject) -> list[Block]:
    """Return the blocks of the state whose images are arguments of an abstract function."""
    expressions = (e for e, _ in _expressions(subject))
    arguments = set().union(*(a.blocks for e in expressions for a in e.atoms(Potential, Field)))
    return [b for b in subject.state if b.image is not None and b in arguments]


def at_kinks(found: list[Block]) -> str:
    """The kinks in words, such as "theta = 0 and r = 0"."""
    return listed(f"{block} = 0" for block in found)


def why_not_smooth(subject: Subject | KernelSubject) -> str | None:
    """Return why the derivatives of a sampler may not be taken for granted; None if all its
    expressions are smooth.
    """
    found = kinks(subject)
    if found:
        return f"there is a kink at {at_kinks(found)}"
    update = _rule_of(subject)
    expansion = None if update is None else decide_expansion(update)
    if expansion is not None and expansion.verdict is not Verdict.PROVED:
        return expansion.by
    step = getattr(subject.declared, "step", None)
    return next(
        (
            f"in {where}: {fault}"
            for e, where in (*_expressions(subject), *_maps(subject))
            for fault in faults(e, subject.state, step)
        ),
        None,
    )


def _rule_of(subject: Subject | KernelSubject) -> Update | None:
    """Return the rule whose limit the dynamics are, or which is a discrete step."""
    declared = subject.declared
    if isinstance(declared, Discretisation):
        return declared.update
    return declared if isinstance(declared, Update) else None


def _expressions(subject: Subject | KernelSubject) -> Iterator[tuple[Expr, str]]:
    """Yield every expression of a sampler, with its place."""
    yield from _energies(subject)
    yield from subject.written
    if isinstance(subject, Subject):
        yield from ((e, "the drift and the diffusion") for e in subject.dynamics.coefficients())


def _energies(subject: Subject | KernelSubject) -> Iterator[tuple[Expr, str]]:
    """Yield H, and the densities of the posteriors that stand for its abstract potentials."""
    yield subject.H, "H"
    of: Any = getattr(subject.declared, "of", subject.declared)
    yield from densities_of(of)


def _maps(subject: Subject | KernelSubject) -> list[tuple[Expr, str]]:
    """Return the maps from the state to the arguments of its abstract functions."""
    return [(written_image(b), f"the map of {b}") for b in _mapped(subject)]


def decide_regular(subject: Subject) -> Outcome:
    """Decide whether H, D, Q and the drift have the derivatives that the stationary equation uses,
    at every point of the domain but the kinks.
    """
    update = _rule_of(subject)
    expansion = None if update is None else decide_expansion(update)
    if expansion is not None and expansion.verdict is not Verdict.PROVED:
        return expansion
    for fault, where in _rough_places(subject):
        return undecided(f"in {where}: {fault}, and the stationary equation needs it")
    return proved("all derivatives of the stationary equation are continuous")


def prove_no_flux(subject: Subject) -> Outcome | None:
    """Prove that no probability flows across or into the places where a derivative of the
    stationary equation may not exist, kinks excepted; None if there is no proof.

    H and D must be continuous.
    """
    update = _rule_of(subject)
    if update is not None and decide_expansion(update).verdict is not Verdict.PROVED:
        return None
    found = list(_rough_places(subject))
    drift = {f"the drift of {b}" for b in subject.state}
    for fault, where in found:
        if not fault.is_analytic or where not in {"H", "D", "Q", *drift}:
            return None
        if where not in drift and fault.order < 0:
            return None
    return prove_no_flow(subject, [fault for fault, _ in found])


def is_without_time(zero: Expr, subject: Subject) -> bool:
    """Return True if ``zero = 0`` is proved to be a set of surfaces on which a recipe spends no
    time.

    What has no value there is no part of the process, if no probability flows out of them or into
    them (``prove_no_flux``).
    """
    if not isinstance(subject.declared, Recipe) or kinks(subject):
        return False
    surfaces = surfaces_of(zero, subject.state)
    return surfaces is not None and all(spends_no_time(subject, g) for g in surfaces)


def _rough_places(subject: Subject) -> Iterator[tuple[Fault, str]]:
    """Yield each fault with fewer continuous derivatives than the stationary equation needs, and
    its place.
    """
    dynamics, declared = subject.dynamics, subject.declared
    second_order = [
        *_energies(subject),
        *_maps(subject),
        *((e, "D") for entry in dynamics.diffusion.values() for e in parts(entry)),
    ]
    if isinstance(declared, Recipe):
        second_order += [(e, "Q") for e in declared.Q.written]
        first_order = []  # the drift is continuous where H, D and Q have one derivative
    else:
        first_order = [(e, f"the drift of {b}") for b, e in dynamics.drift.items()]
    for needed, expressions in ((1, second_order), (0, first_order)):
        for e, where in expressions:
            for fault in lacking(e, subject.state, needed):
                yield fault, where


def decide_flux(dynamics: Dynamics, v: dict[Block, Expr], found: list[Block]) -> Outcome:
    """Prove that the current through each kink, and the row of D there, are continuous.

    For a test function g, the terms at the kink of a coordinate are ``v g exp(-H)`` and ``sum_j
    D[coordinate, j] d_j g exp(-H)``. *Undecided* where continuity is not proved.
    """
    jumps = [(f"the current through {block} = 0", _decide_jump(v[block], block)) for block in found]
    jumps += [
        (f"D[{block}, {other}] at {block} = 0", _decide_jump(e, block))
        for block in found
        for other in dynamics.state
        for e in _of_row(dynamics.diffusion[block, other])
    ]
    return conjunction(jumps, by=CONTINUOUS_FLUX.format(at_kinks(found)))


def _of_row(entry: Entry) -> tuple[Expr, ...]:
    """The expressions in the row of one coordinate: on the diagonal, and in the columns of the
    others.
    """
    if not isinstance(entry, Coupling):
        return parts(entry)
    return entry.diagonal + relabel(entry.kernel, OTHER, GENERIC), entry.kernel


def _decide_jump(e: Expr, block: Block) -> Outcome:
    frozen, stands_for = freeze(e)
    hidden = next(
        (
            a
            for a in stands_for
            if not isinstance(a, sign) and any(generic(s.args[0]) == block for s in a.atoms(sign))
        ),
        None,
    )
    if hidden is not None:
        return undecided(f"it contains {hidden}, and signs inside of such a term are not resolved")
    if any(_may_jump(a, block) for a in normalised(e).atoms(Partial)):
        return undecided("derivatives of an abstract function may jump there")
    sides = [frozen.xreplace(_beside(block, stands_for, side)) for side in (S.One, S.NegativeOne)]
    if any(s.has(S.NaN, S.ComplexInfinity) for s in sides):
        return undecided("it is singular at the kink")
    outcome = decide_zero(
        (sides[0] - sides[1]).xreplace({symbol: a for a, symbol in stands_for.items()})
    )
    if outcome.verdict is Verdict.PROVED:
        return proved("it is continuous")
    return undecided(f"it is not proved to be continuous there: {outcome.by}")


def _may_jump(derivative: Partial, block: Block) -> bool:
    """Return False if a derivative of V(phi) = U(f(phi)) is known to be continuous at the kink.

    The first derivative is continuous if f' is; higher ones may jump.
    """
    if len(derivative.wrt) > 1:
        return True
    by_kink = block.image is not None and generic(derivative.wrt[0]) == block
    return by_kink and decide_monotone(map_of(block)).verdict is not Verdict.PROVED


def _beside(block: Block, stands_for: dict[Expr, Symbol], side: Expr) -> dict[Expr, Expr]:
    """The values at the kink, taken from one side, of the coordinate, its absolute value and its
    sign.
    """
    at = {Abs(block): S.Zero, sign(block): side}
    return {block: S.Zero} | {symbol: at[a] for a, symbol in stands_for.items() if a in at}
