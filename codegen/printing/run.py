"""The function ``run``, which owns the loop over steps, and the text of ``run_schedule``, where the
step size changes from step to step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from codegen.lowering.in_place import InPlace, in_place
from codegen.lowering.places import Array
from codegen.lowering.program import (
    Assign,
    AssignAll,
    Call,
    Do,
    For,
    Function,
    If,
    Infix,
    Instruction,
    Item,
    Return,
    Value,
    assign,
    call,
)
from codegen.lowering.statements import (
    ChiSquared,
    ElementwiseLoop,
    GradientCall,
    Let,
    Loop,
    NoiseDraw,
    Plan,
    Restored,
    Statement,
    Test,
    ValueCall,
    every_noise,
    scalar_pairs,
)
from codegen.printing.estimator import ALL_ROWS, Estimator
from codegen.printing.gradient import count_text
from codegen.printing.loop_bodies import arguments, noises_of
from codegen.printing.reductions import WIDE
from codegen.printing.step import (
    STEP_FIXED,
    Context,
    carried_out,
    count_lines,
    gradient_call,
    let_lines,
)
from recipe.language.abstract import Potential
from recipe.language.symbols import Length

ZERO, ONE = "np.uint64(0)", "np.uint64(1)"


def run_function(
    plan: Plan,
    steps: InPlace,
    counts: Mapping[Length, str],
    own: Mapping[Potential, Estimator],
    filled: Mapping[str, str],
    ahead: Mapping[str, str],
) -> tuple[Function, dict[str, int]]:
    """The function ``run(...)``, the loop over steps in place; and the purpose of each of its keys.

    Args:
        plan: one step.
        steps: its statements in place.
        counts: names the number of coordinates of each length.
        own: the estimators of gradients from data.
        filled: the scratch array of each noise that is drawn beforehand, by its local name.
        ahead: the scratch array of the numbers that are drawn for several steps, by key.
    """
    writer = _Writer(plan, steps, counts, own, filled, ahead)
    body, recorded = writer.bodies()
    first = writer.first_evaluation()
    each_step = (
        assign("t", "np.uint64(done)"),
        assign("finite", "True"),
        *([AssignAll(("accepted", "tests"), "0.0")] if plan.statistics else []),
        *body,
        *_stopped(plan),
        _kept(plan, recorded),
    )
    program = (
        WIDE,
        *count_lines(plan, counts),
        *(assign(key, stream_key(purpose)) for key, purpose in writer.purpose_of.items()),
        *(line for let in steps.constant for line in let_lines(let)),
        FIRST_ROW,
        *first,
        For("done", ("start", "start + steps"), each_step),
        Return(("start + steps", "-1")),
    )
    arguments = tuple(_ARGUMENTS.split())
    return Function("run_kernel", "run", arguments, _meaning(plan), program), writer.purpose_of


_ARGUMENTS = "state draws gradient data step_size params seed chain start steps warmup thin"


def _meaning(plan: Plan) -> str:
    meaning = """\
Steps start .. start + steps - 1, in place; draws get every thin-th after the warmup.

Returns the step it stands at and -1, or the step that was not finite (or not in its domain)
and the block that is not valid."""
    if plan.carried is None:
        return meaning
    return (
        f"{meaning}\nWhat is evaluated where a step ends is kept for the next one; to change the"
        f" blocks by hand, set {plan.carried.mark} to 0."
    )


def stream_key(purpose: int) -> Call:
    """The key of the random numbers of a chain for this purpose."""
    return call("stream_key", "seed", str(purpose), "chain")


class _Writer:
    """Writes bodies of loops.

    Every noise and every minibatch has a stream of random numbers of its own; ``purpose_of`` gives
    the purpose of each named key. ``clock`` is the counter of the random numbers and ``ticks`` the
    range that it counts through. With ``judged`` the result of a loop function, which says whether
    what it stored is finite and in its domain, joins ``finite``.
    """

    def __init__(
        self,
        plan: Plan,
        steps: InPlace,
        counts: Mapping[Length, str],
        own: Mapping[Potential, Estimator],
        filled: Mapping[str, str],
        ahead: Mapping[str, str],
    ) -> None:
        self.plan, self.steps, self.own, self.filled, self.ahead = plan, steps, own, filled, ahead
        passed = ["state", "state", "params", "step_size"]
        self.context = Context(
            STEP_FIXED, passed, counts, every_noise(plan), self.gradient, self.sweep, self.drawn
        )
        self.left = list(plan.carried.calls) if plan.carried else []
        self.last: dict[tuple[type, Potential], list[Instruction]] = {}
        self.purpose_of: dict[str, int] = {}
        self.purposes = 0
        self.judged = True
        self.clock = "t"
        self.ticks: tuple[str, str] = ("np.uint64(start)", "np.uint64(start + steps)")

    def purpose(self) -> int:
        """The number of the next use of random numbers."""
        self.purposes += 1
        return self.purposes - 1

    def bodies(self) -> tuple[list[Instruction], list[Instruction]]:
        """A step, and the statements that compute what is recorded of the state after it."""
        body = self.body(self.steps.changing, self.plan.noises)
        self.ticks = ("t", "t + np.uint64(1)")  # not every step is recorded
        # what is recorded moves nothing, but an image may overflow
        self.judged = any(b.image is not None for b in self.plan.state)
        return body, self.body(self.steps.recorded, self.plan.recorded.noises)

    def body(
        self, statements: Iterable[Statement], noises: Iterable[NoiseDraw]
    ) -> list[Instruction]:
        """These statements, one after another, with these noises drawn afresh."""
        second = {pair[1].key for pair in scalar_pairs(noises) if len(pair) > 1}
        keys = [(d.key, self.purpose()) for d in noises]
        self.purpose_of |= {key: purpose for key, purpose in keys if key not in second}
        lines = self.draws_beforehand(noises)
        for s in statements:
            lines += self.lines(s)
        return lines

    def lines(self, statement: Statement) -> list[Instruction]:
        """One statement."""
        match statement:
            case GradientCall() | ValueCall():
                return self.evaluation(statement)
            case Loop():
                return self.loop(statement)
            case Test():
                self.purpose_of[statement.key] = self.purpose()
                return decided(statement, self.clock, self.context.counts)
            case Let() if self.judged:
                return judged_let(self.plan, statement)
            case _:
                return carried_out(statement, self.context)

    def value(self, evaluated: ValueCall) -> Instruction:
        """The value of a potential, from all of its data."""
        value = self.own[evaluated.potential].gradient.value
        assert value is not None
        found = call(value.function, *evaluated.places, "data", "params", ALL_ROWS)
        return assign(evaluated.scratch[0]["0"], found)

    def loop(self, loop: Loop) -> list[Instruction]:
        """Repetitions, as many as said or drawn; the counter of random numbers goes on from
        repetition to repetition.
        """
        low, high = loop.times
        outer, most = (self.clock, self.ticks), f"np.uint64({high})"
        count: Value = most
        if low < high:
            self.purpose_of[loop.key] = self.purpose()
            drawn = call("random_row", loop.key, self.clock, ZERO, str(high - low + 1))
            count = Infix(f"np.uint64({low})", "+", drawn)
        first = f"{self.clock} * {most}"
        self.clock, self.ticks = loop.clock, (first, f"{first} + {loop.count}")
        repeated = For(loop.clock, self.ticks, tuple(self.body(loop.statements, loop.noises)))
        self.clock, self.ticks = outer
        return [assign(loop.count, count), repeated]

    def draws_beforehand(self, noises: Iterable[NoiseDraw]) -> list[Instruction]:
        """The draws of numbers, two a counter, and of blocks that are needed as a whole."""
        lines: list[Instruction] = []
        for pair in scalar_pairs(noises):
            numbers: Value = self.pair_ahead(pair[0], ZERO)
            numbers = numbers if len(pair) > 1 else Item(numbers, "0")
            lines.append(self.draw_ahead(pair[0], ZERO, ONE))
            lines.append(Assign(tuple(d.local for d in pair), numbers))
        for draw in noises:
            name = draw.local.name
            if name in self.filled:
                lines.append(assign(name, Array("state", self.filled[name])))
                lines.append(Do(call("fill_normals", name, draw.key, self.clock)))
        return lines

    def draw_ahead(self, draw: NoiseDraw, first: str, half: str) -> Instruction:
        """Draw these pairs, for this step and as many as follow, where they are not there yet."""
        array = Array("state", self.ahead[draw.key])
        return Do(call("draw_ahead", array, draw.key, self.clock, first, half, *self.ticks))

    def pair_ahead(self, draw: NoiseDraw, k: str) -> Call:
        """Pair number k of a step, out of those that are drawn ahead."""
        return call("pair_ahead", Array("state", self.ahead[draw.key]), self.clock, k)

    def evaluation(self, evaluated: GradientCall | ValueCall) -> list[Instruction]:
        """Evaluate a value, or a gradient with the rows of its minibatch. Nothing is written where
        the step before has left the result.
        """
        what = (type(evaluated), evaluated.potential)
        opening = next((c for c in self.left if (type(c), c.potential) == what), None)
        if opening is not None:
            self.left.remove(opening)
            return []
        rows = self.rows(evaluated)
        if self.clock == "t":
            self.last[what] = rows
        return [*rows, *self.evaluated(evaluated)]

    def rows(self, evaluated: GradientCall | ValueCall) -> list[Instruction]:
        """Draw the minibatch of a gradient; a value takes all data."""
        if isinstance(evaluated, ValueCall):
            return []
        return _rows_drawn(self.own.get(evaluated.potential), self.purpose(), self.clock)

    def evaluated(self, evaluated: GradientCall | ValueCall) -> list[Instruction]:
        """The statements of an evaluation, from the rows that are drawn."""
        judged, self.judged = self.judged, False  # images are no part of the state
        images = [line for s in evaluated.images for line in carried_out(s, self.context)]
        self.judged = judged
        if isinstance(evaluated, ValueCall):
            return [*images, self.value(evaluated)]
        return [*images, Do(self.gradient(evaluated))]

    def first_evaluation(self) -> list[Instruction]:
        """Make the evaluations that a step leaves to the next one where no step has made them: at
        the start of a chain, and in a copied state.

        A minibatch is that of the step before, so that the estimate is the one that a run without a
        break goes on with.
        """
        carried = self.plan.carried
        if carried is None:
            return []
        calls = [c for c in map(in_place, carried.calls) if isinstance(c, GradientCall | ValueCall)]
        found = [[*self.last_rows(c), *self.evaluated(c)] for c in calls]
        before = assign("t", "np.uint64(start) - np.uint64(1)")
        missing = f"steps > 0 and state.{carried.mark}[0] != start + 1"
        return [If(missing, (before, *(line for lines in found for line in lines)))]

    def last_rows(self, evaluated: GradientCall | ValueCall) -> list[Instruction]:
        """Draw the minibatch of the last evaluation in a step, or one of its own where all
        evaluations stand in loops.
        """
        drawn = self.last.get((type(evaluated), evaluated.potential))
        return self.rows(evaluated) if drawn is None else drawn

    def gradient(self, evaluated: GradientCall) -> Call:
        """The call of a gradient."""
        if evaluated.potential not in self.own:
            return gradient_call(self.plan, evaluated)
        return self.own[evaluated.potential].call(evaluated.scratch, evaluated.places)

    def drawn(self, draw: ChiSquared) -> list[Instruction]:
        """Draws that are not normal."""
        self.purpose_of[draw.key] = self.purpose()
        return [chi_squared_drawn(draw, self.clock, self.context.counts)]

    def sweep(self, statement: ElementwiseLoop, count: str) -> list[Instruction]:
        """Loops over pairs of coordinates: the two halves of a block share a counter of the
        generator.

        Numbers that do not fill vectors are drawn for several steps at once.
        """
        drawn = noises_of(statement, self.context.noises)
        fused = [d for d in drawn if d.local.name not in self.filled]
        passed = [*self.context.passed, *arguments(statement, STEP_FIXED)]

        def swept(at: str, half: int) -> Instruction:
            noises = [
                d.cell.array[at] if d.local.name in self.filled else d.pair[half] for d in drawn
            ]
            return judged_call(call(statement.function, at, *passed, *noises), self.judged)

        if not fused:
            return [For("i", (count,), (swept("i", 0),))]
        pair = [Assign(d.pair, call("normal_pair", d.key, self.clock, "i")) for d in fused]
        rest = [Assign(d.pair, self.pair_ahead(d, "i - fused")) for d in fused]
        last = [assign(d.pair[0], Item(self.pair_ahead(d, "pairs - fused"), "0")) for d in fused]
        both = [swept("i", 0), swept("half + i", 1)]
        return [
            assign("pairs", f"{count} >> {ONE}"),
            assign("half", f"{count} - pairs"),
            assign("fused", "in_vectors(pairs)"),
            For("i", ("fused",), (*pair, *both)),
            *(self.draw_ahead(d, "fused", "half") for d in fused),
            For("i", ("fused", "pairs"), (*rest, *both)),
            If("pairs < half", (*last, swept("pairs", 0))),
        ]


def judged_call(loop_function: Call, judged: bool) -> Instruction:
    """The call of a loop function, whose result joins ``finite`` where it is judged."""
    return assign("finite", loop_function, "&=") if judged else Do(loop_function)


def judged_let(plan: Plan, let: Let) -> list[Instruction]:
    """Assign a number; ``finite`` becomes false where it is not in the domain of its block."""
    if let.store is None:
        return let_lines(let)
    conditions = all_of(plan.conditions(let.store, let.target.name))
    return [*let_lines(let), assign("finite", conditions, "&=")]


def all_of(conditions: Sequence[str]) -> str:
    """The conjunction of these conditions, without branches."""
    if len(conditions) == 1:
        return conditions[0]
    return " & ".join(f"({condition})" for condition in conditions)


def decided(test: Test, clock: str, counts: Mapping[Length, str]) -> list[Instruction]:
    """Accept or go back; a state that is not finite or not in its domain is not accepted, nor is a
    ratio that is no number.
    """
    right = Infix(call("invalid_block", "state"), "<", "0")
    below = Infix(call("log_uniform", test.key, clock), "<", test.log_ratio)
    restored = (restored_block(r, counts) for r in test.restored)
    return [
        assign(test.accepted, Infix(right, "and", below)),
        assign("tests", "1.0", "+="),
        If(test.accepted, (assign("accepted", "1.0", "+="),), tuple(restored)),
    ]


def restored_block(block: Restored, counts: Mapping[Length, str]) -> Instruction:
    """Put a saved block back, with the other sign where it is flipped."""
    at = "0" if block.length is None else "i"
    saved = block.source[at]
    back = assign(block.field[at], -saved if block.flipped else saved)
    return back if block.length is None else For("i", (counts[block.length],), (back,))


def chi_squared_drawn(draw: ChiSquared, clock: str, counts: Mapping[Length, str]) -> For:
    """Draws that are not normal, each with as many random words as it needs."""
    count = ONE if draw.length is None else counts[draw.length]
    drawn = call("noncentral_chi_squared", draw.df["i"], draw.nonc["i"], draw.key, clock, "i")
    return For("i", (count,), (assign(draw.target["i"], drawn),))


def _rows_drawn(estimator: Estimator | None, purpose: int, clock: str) -> list[Instruction]:
    if estimator is None or not estimator.gradient.fields or estimator.takes_all_rows:
        return []
    count, key = count_text(estimator.gradient), stream_key(purpose)
    return [Do(call("draw_rows", "state.rows", "state.table", count, key, clock))]


RUN_SCHEDULE = '''\
@run_kernel
def run_schedule(
    state, draws, gradient, data, step_sizes, params, seed, chain, start, warmup, thin
):
    """The same with one step size a step."""
    done = 0
    while done < step_sizes.size:
        stop = done + 1
        while stop < step_sizes.size and step_sizes[stop] == step_sizes[done]:
            stop += 1
        size = step_sizes[done]
        last, invalid = run(
            state, draws, gradient, data, size, params, seed, chain,
            start + done, stop - done, warmup, thin,
        )
        if invalid >= 0:
            return last, invalid
        done = stop
    return start + done, -1
'''


def _stopped(plan: Plan) -> list[Instruction]:
    """Stop where a block is not finite or has left its domain."""
    stop = (
        assign("invalid", call("invalid_block", "state")),
        If("invalid >= 0", (Return(("done", "invalid")),)),
    )
    return [
        *([assign(Array("state", plan.carried.mark)["0"], "done + 2")] if plan.carried else []),
        *(stop if plan.on_simplex else [If("not finite", stop)]),
    ]


def _kept(plan: Plan, recorded: list[Instruction]) -> Instruction:
    """Every thin-th state after the warmup, or what is recorded of it."""
    stands_for = next((n for n, b in enumerate(plan.state) if b.image is not None), None)
    if stands_for is not None:
        judged = If("not finite", (Return(("done", str(stands_for))),))
        recorded = [assign("finite", "True"), *recorded, judged]
    kept = [
        Do(call("keep", Array("draws", f), "row", Array("state", s))) for f, s in plan.kept.items()
    ]
    rates = [
        If(f"draws.{f}.shape[0] > 0", (assign(Array("draws", f)["row, 0"], "accepted / tests"),))
        for f in plan.statistics
    ]
    return into_a_row([*recorded, *kept, *rates])


FIRST_ROW = assign("row", "max(0, (start - warmup) // thin)")


def into_a_row(lines: Iterable[Instruction]) -> Instruction:
    """Do this after every thin-th step that follows the warmup; ``row`` counts how often, from
    ``FIRST_ROW`` on.
    """
    return If("done + 1 == warmup + (row + 1) * thin", (*lines, assign("row", "1", "+=")))
