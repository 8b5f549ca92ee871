"""Decide whether D is positive semidefinite, by methods tried from the cheapest to the most
expensive.

A few exact points refute a D that is plainly indefinite. Then a factor is searched for, one group
of connected blocks at a time: constant matrices times nonnegative functions, matrices that are
sums over coordinates, elimination of the structure of low rank, borders and diagonals, and columns
of polynomials. Groups without a factor are searched for a negative direction, at larger lengths
too, and then eliminated once more with signs of pivots proved by sums of squares. No solver is
trusted. Symmetry is another obligation, so D stands for its symmetric part here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from sympy import Expr

from recipe.declare.dynamics import Dynamics
from recipe.language.entry import parts
from verify.decide.definedness import NO_POINT, has_a_point
from verify.decide.linear_algebra.work import TooMuchWorkError, at_most
from verify.decide.nonnegative.certifier import MAX_STEPS, nonnegative
from verify.decide.psd.confirm import problem_with
from verify.decide.psd.elimination import Certify, NotReachedError
from verify.decide.psd.field import RatioField
from verify.decide.psd.low_rank import Factoring, Signed
from verify.decide.psd.polynomial_columns import polynomial_columns
from verify.decide.psd.refute import find_negative, search_negative
from verify.decide.psd.structure import read_structure
from verify.decide.psd.sum_of_parts import constant_parts
from verify.decide.psd.sum_over_coordinates import summed_over_coordinates
from verify.decide.psd.symmetric import angles_apart, names_of, symmetrised, written_in
from verify.decide.zero.errors import CannotDecideError, TableFullError
from verify.decide.zero.generators import CAPACITIES
from verify.decide.zero.ratio import Ratio
from verify.evidence import FactorStep, SignStep
from verify.generator.coupling import Diffusion, Group, connected
from verify.verdict import Outcome, Verdict, conjunction, proved, refuted, undecided

NEGATIVE = "x^T D x is negative at the witness"


def decide_psd(dynamics: Dynamics) -> Outcome:
    """Decide ``x^T D x >= 0`` for every vector x, every length and every point of the domain.

    Args:
        dynamics: the state, with the matrix D.

    Returns:
        *Proved* with a factor of D as its step, *refuted* with a point and a vector x as its
        witness, otherwise *undecided*.
    """
    diffusion = symmetrised(dynamics)
    witness = find_negative(dynamics.state, diffusion)
    if witness is not None:
        return refuted(NEGATIVE, witness)
    if not has_a_point(written_in(dynamics.state, diffusion)):
        return undecided(NO_POINT)
    groups = connected(dynamics.state, diffusion)
    if not groups:
        return proved("D is zero", steps=[FactorStep((), ())])
    found = {group: _factored(diffusion, group, METHODS) for group in groups}
    open_groups = [
        group for group, outcome in found.items() if outcome.verdict is not Verdict.PROVED
    ]
    if open_groups:
        witness = search_negative(dynamics.state, diffusion, open_groups)
        if witness is not None:
            return refuted(NEGATIVE, witness)
        found |= {
            group: _factored(diffusion, group, (_eliminated_combining,)) for group in open_groups
        }
    return _joined({names_of(group): outcome for group, outcome in found.items()})


def _joined(found: dict[str, Outcome]) -> Outcome:
    """The outcome for all groups; if it is proved, their factors are joined into one step."""
    outcome = conjunction(
        found.items(), by="; ".join(f"{name}: {o.by}" for name, o in found.items())
    )
    if outcome.verdict is not Verdict.PROVED:
        return outcome
    steps = [s for o in found.values() for s in o.steps if isinstance(s, FactorStep)]
    columns = tuple(column for s in steps for column in s.columns)
    signs = tuple(sign for s in steps for sign in s.signs)
    return proved(outcome.by, *outcome.assumed, steps=[FactorStep(columns, signs)])


FactorMethod = Callable[[Diffusion, Group], list[Signed]]


def _factored(diffusion: Diffusion, group: Group, methods: Iterable[FactorMethod]) -> Outcome:
    """Prove one group by the first method whose factor is confirmed when it is multiplied out."""
    reason = ""
    for method in methods:
        try:
            with at_most(MAX_STEPS):
                signed = method(diffusion, group)
        except (NotReachedError, CannotDecideError, TooMuchWorkError) as error:
            reason = str(error)
            continue
        except RecursionError:
            reason = "D is nested too deeply to be factored"
            continue
        step = FactorStep(tuple(c for c, _ in signed), tuple(s for _, s in signed))
        problem = problem_with(step, diffusion, group)
        if problem is None:
            return proved("D = B W B^T with weights W >= 0", steps=[step])
        reason = problem
    return undecided(reason)


def _eliminated(diffusion: Diffusion, group: Group) -> list[Signed]:
    return _with_signs(diffusion, group, nonnegative)


def _summed(diffusion: Diffusion, group: Group) -> list[Signed]:
    return _in_a_field(diffusion, group, nonnegative, summed_over_coordinates)


def _with_polynomials(diffusion: Diffusion, group: Group) -> list[Signed]:
    return _in_a_field(diffusion, group, nonnegative, polynomial_columns)


def _with_angles_apart(diffusion: Diffusion, group: Group) -> list[Signed]:
    """The columns for D with sines and cosines of sums and multiples multiplied out.

    The sentence that confirms a factor compares it with D as it is written.
    """
    apart = {pair: angles_apart(entry) for pair, entry in diffusion.items()}
    if apart == diffusion:
        raise NotReachedError("D has no sums or multiples of angles")
    for method in (_eliminated, _with_polynomials):
        try:
            return method(apart, group)
        except NotReachedError as error:
            reason = error
    raise reason


def _eliminated_combining(diffusion: Diffusion, group: Group) -> list[Signed]:
    return _with_signs(diffusion, group, partial(nonnegative, combining=True))


def _with_signs(
    diffusion: Diffusion, group: Group, why: Callable[[Expr], SignStep | None]
) -> list[Signed]:
    def columns(
        diffusion: Diffusion, group: Group, field: RatioField, certify: Certify
    ) -> list[Signed]:
        return Factoring(read_structure(diffusion, group, field), certify).columns()

    return _in_a_field(diffusion, group, why, columns)


def _in_a_field(
    diffusion: Diffusion,
    group: Group,
    why: Callable[[Expr], SignStep | None],
    columns: Callable[[Diffusion, Group, RatioField, Certify], list[Signed]],
) -> list[Signed]:
    """The columns that a method finds, in the first table of generators that holds them."""
    written = [p for a in group for b in group for p in parts(diffusion[a, b])]
    for capacity in CAPACITIES:
        field = RatioField(capacity, written)
        try:
            return columns(diffusion, group, field, _certifier(field, written, why))
        except TableFullError:
            if capacity == CAPACITIES[-1]:
                raise
    raise AssertionError("the last table either holds or raises")


def _certifier(
    field: RatioField, written: list[Expr], why: Callable[[Expr], SignStep | None]
) -> Certify:
    """A proof of the sign of a ratio, as the field writes it or else as D does: a field has
    exponentials for a hyperbolic cosine.
    """
    as_written = {field.read(e).key(): e for e in written}

    def certify(r: Ratio) -> SignStep | None:
        e = field.expression(r)
        other = as_written.get(r.key(), e)
        found = why(e)
        if found is None and other != e and (step := why(other)) is not None:
            return SignStep(e, step.sign, step.form)
        return found

    return certify


METHODS: tuple[FactorMethod, ...] = (
    constant_parts,
    _summed,
    _eliminated,
    _with_polynomials,
    _with_angles_apart,
)
