"""Make the plan of a step: the statements of an ``Update``, or those of a composed kernel, part
after part.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch

from sympy import Expr, Symbol

from codegen.lowering.body import Body, call_in
from codegen.lowering.metropolis import write_map_test, write_proposal_test
from codegen.lowering.names import Namer, field_namer
from codegen.lowering.planner import Planner
from codegen.lowering.statements import (
    Carried,
    GradientCall,
    Plan,
    Recorded,
    Test,
    ValueCall,
    every,
)
from recipe.declare.update import Update
from recipe.kernel import (
    Kernel,
    MetropolisedMap,
    MetropolisedPath,
    MetropolisHastings,
    Move,
    Part,
    Repeat,
    updates_of,
)
from recipe.kernel.part import leaves_of
from recipe.language.abstract import Partial, Potential
from recipe.language.blocks import Block, Scalar
from recipe.language.errors import OutsideLanguageError, RecipeError


@singledispatch
def plan(what: Update | Kernel, state: tuple[Block, ...], namer: Namer) -> Plan:
    """Return the statements of one step.

    Args:
        what: the rule of the step, or the kernel.
        state: the blocks in the order in which they are stored.
        namer: gives names that nothing else in the module has.

    Returns:
        The plan: the statements of a step, and of what is recorded after it, with the names of all
        arrays and settings that they use.

    Raises:
        RecipeError: for an expression or a part without a compiled form, such as a function that
            is not bound, the value or the second derivative of a potential in a rule, and a test
            with ``around``.
    """
    raise TypeError(f"no plan is known for {what!r}")


@plan.register
def _(update: Update, state: tuple[Block, ...], namer: Namer) -> Plan:
    planner = Planner(state, (e for _, e in (*update.rule, *update.observe)), update.step, namer)
    planner.carry_out(update.rule, update.sequential)
    body = planner.body
    return _plan_of(planner, body, _recorded_values(planner, dict(update.observe)), in_place=False)


@plan.register
def _(kernel: Kernel, state: tuple[Block, ...], namer: Namer) -> Plan:
    written = [
        *(e for e, where in kernel.written() if where != "target"),
        *(e for p in kernel.parts for e in _compared_expressions(p)),
    ]
    planner = Planner(state, written, kernel.step, namer)
    for part in kernel.parts:
        carry_out(part, planner)
    body = planner.body
    return _plan_of(planner, body, _recorded_values(planner, {}), in_place=True)


@singledispatch
def carry_out(part: Part, planner: Planner) -> None:
    """Append the statements of a part of a kernel to those of the planner.

    Raises:
        RecipeError: for a part without a compiled form.
    """
    raise TypeError(f"no statements are known for the part {part!r} of a kernel")


@carry_out.register
def _(part: Move, planner: Planner) -> None:
    planner.carry_out([(b, e) for b, e in part.update.rule if e != b], part.update.sequential)


@carry_out.register
def _(part: Repeat, planner: Planner) -> None:
    def repeated() -> None:
        for inner in part.parts:
            carry_out(inner, planner)

    times = part.times if isinstance(part.times, tuple) else (part.times, part.times)
    planner.repeat(times, _moved_by(part, planner), repeated)


@carry_out.register
def _(part: MetropolisedMap, planner: Planner) -> None:
    write_map_test(part, planner)


@carry_out.register
def _(part: MetropolisedPath, planner: Planner) -> None:
    raise RecipeError(
        "metropolis(..., around=...) has no compiled form: a rejection would take noise back as"
        " well. Write the refresh as a part of its own before and after the test,"
        " compose(refresh(...), metropolis(...), refresh(...))"
    )


@carry_out.register
def _(part: MetropolisHastings, planner: Planner) -> None:
    write_proposal_test(part, planner)


def _moved_by(part: Repeat, planner: Planner) -> tuple[Block, ...]:
    """Return the blocks that a repeated part changes, in the order of the state.

    A Metropolis test may also change the sign of blocks that its map leaves unchanged.
    """
    moved = {b for u in updates_of(part) for b, e in u.rule if e != b}
    moved |= {
        b for leaf in leaves_of(part) if isinstance(leaf, MetropolisedMap) for b in leaf.flips
    }
    return tuple(b for b in planner.state if b in moved)


def _compared_expressions(part: Part) -> Iterable[Expr]:
    """Yield the expressions whose values the Metropolis tests of a part compare."""
    match part:
        case MetropolisedMap():
            yield part.map.target
        case MetropolisHastings():
            yield part.cost
        case Repeat():
            for inner in part.parts:
                yield from _compared_expressions(inner)


def _plan_of(planner: Planner, body: Body, recorded: Recorded, *, in_place: bool) -> Plan:
    """Return the plan with the statements of a body, and all names that the planner gave."""
    valued = tuple(sorted((U for kind, U in planner.results if kind is ValueCall), key=str))
    potentials = tuple(sorted({U for _, U in planner.results}, key=str))
    tested = any(isinstance(s, Test) for s in every(body.lowering.statements))
    statistics = (
        (field_namer(planner.fields.blocks.values()).fresh("acceptance_rate"),) if tested else ()
    )
    return Plan(
        planner.state,
        planner.fields.blocks,
        planner.fields.settings,
        planner.fields.scratch,
        planner.fields.variances,
        planner.fields.factors,
        tuple(body.noises),
        potentials,
        tuple(body.lowering.statements),
        planner.common.sizes,
        _carried_evaluations(planner, body, tested),
        recorded,
        valued,
        in_place,
        statistics,
    )


def _carried_evaluations(planner: Planner, body: Body, tested: bool) -> Carried | None:
    """Return the evaluations at the end of a step that the next step would repeat at its start;
    None if there are none.

    A gradient may be estimated from a minibatch. Its last evaluation must not stand in a loop,
    because code outside of the loop could not repeat it with the same random numbers.
    """
    statements = body.lowering.statements
    last = {
        (type(s), s.potential): s
        for s in every(statements)
        if isinstance(s, GradientCall | ValueCall)
    }
    ends = [what for what in body.first if planner.ends_where_it_begins(what, body)]
    found = tuple(
        call_in(statements, body.first[what])
        for what in ends
        if tested or any(last[what] is s for s in statements)
    )
    return Carried(found, planner.fields.reserve("right_for_step", None).field) if found else None


def _recorded_values(planner: Planner, observe: dict[Block, Expr]) -> Recorded:
    """Return the statements that compute the recorded values after a step.

    They read the state after the step, and draw noise of their own. A block that is the preimage of
    another one is recorded as its image.

    Raises:
        OutsideLanguageError: where a recorded value needs the gradient of a potential.
    """
    planner.body, planner.noises = planner.new_body(), {}
    body = planner.body
    observe |= {b: b.forward(observe.get(b, b)) for b in planner.state if b.forward is not None}
    for block, e in observe.items():
        gradients = [p for p in e.atoms(Partial) if isinstance(p.head, Potential)]
        if gradients:
            raise OutsideLanguageError(
                f"{gradients[0]} in observe[{block}] needs another gradient evaluation; observe an"
                " expression without gradients"
            )
    lowered = [
        (b, body.lowering.lower(e), f"recorded: {b.image or b} <- {e}") for b, e in observe.items()
    ]
    arrays = {b: planner.fields.reserve(f"recorded_{b.name}", b.length) for b, _, _ in lowered}
    for block, value, comment in lowered:
        wish = f"recorded_{block.name}"
        if isinstance(block, Scalar):
            body.lowering.let(value, wish, store=arrays[block]["0"], comment=comment)
        else:
            local = Symbol(planner.namer.fresh(wish), real=True)
            body.lowering.sweep(
                block.length,
                [(local, value)],
                {arrays[block]["i"]: local},
                [comment],
                f"record_{block.name}",
            )
    fields = {b: array.field for b, array in arrays.items()}
    return Recorded(fields, tuple(body.lowering.statements), tuple(body.noises))
