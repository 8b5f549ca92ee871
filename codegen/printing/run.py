"""The text of ``run``, which owns the loop over steps, and of ``run_schedule``, where the step size
changes from step to step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from codegen.lowering.in_place import InPlace, in_place
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
from codegen.printing.estimator import Estimator
from codegen.printing.expression import text_of
from codegen.printing.gradient import count_text
from codegen.printing.loop_bodies import arguments, noises_of
from codegen.printing.step import (
    STEP_FIXED,
    Context,
    count_lines,
    gradient_call,
    let_lines,
    statement_lines,
)
from recipe.language.abstract import Potential
from recipe.language.symbols import Length


def run_text(
    plan: Plan,
    steps: InPlace,
    counts: Mapping[Length, str],
    own: Mapping[Potential, Estimator],
    filled: Mapping[str, str],
    ahead: Mapping[str, str],
) -> tuple[str, dict[str, int]]:
    """``run(...)``: the loop over steps, in place; and the purpose of each of its keys.

    ``filled`` calls the scratch array of a noise that is drawn beforehand, ``ahead`` that of a key
    for several steps.
    """
    writer = _Writer(plan, steps, counts, own, filled, ahead)
    body, recorded = writer.bodies()
    before = [
        *count_lines(plan, counts),
        *_key_lines(writer),
        *(line for let in steps.constant for line in let_lines(let)),
    ]
    before += [FIRST_ROW, *writer.first_evaluation()]
    if plan.statistics:
        body = ["accepted = tests = 0.0", *body]
    text = "\n".join(
        [
            _RUN_HEAD,
            *_run_note(plan),
            '    """',
            "    wide()",
            *(f"    {line}" for line in before),
            _RUN_LOOP,
            *(f"        {line}" for line in [*body, *_stopped(plan), *_kept(plan, recorded)]),
            "    return start + steps, -1",
        ]
    )
    return text, writer.purpose_of


def _key_lines(writer: _Writer) -> list[str]:
    return [
        f"{key} = stream_key(seed, {purpose}, chain)" for key, purpose in writer.purpose_of.items()
    ]


class _Writer:
    """Writes bodies of loops.

    Every noise and every minibatch has a stream of random numbers of its own; ``purpose_of`` gives
    the purpose of each named key.
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
        self.last: dict[tuple[type, Potential], list[str]] = {}
        self.purpose_of: dict[str, int] = {}
        self.purposes = 0
        self.judged = "finite &= "
        self.clock, self.ticks = (
            "t",
            "np.uint64(start), np.uint64(start + steps)",
        )  # and from where to where it counts

    def purpose(self) -> int:
        """The next use of random numbers."""
        self.purposes += 1
        return self.purposes - 1

    def bodies(self) -> tuple[list[str], list[str]]:
        """The lines of a step, and of what is recorded of the state after it."""
        body = self.body(self.steps.changing, self.plan.noises)
        images = any(b.image is not None for b in self.plan.state)
        self.ticks = "t, t + np.uint64(1)"  # not every step is recorded
        self.judged = (
            "finite &= " if images else ""
        )  # what is recorded moves nothing, but an image may overflow
        return body, self.body(self.steps.recorded, self.plan.recorded.noises)

    def body(self, statements: Iterable[Statement], noises: Iterable[NoiseDraw]) -> list[str]:
        """The lines of these statements, one after another, with these noises drawn afresh."""
        second = {pair[1].key for pair in scalar_pairs(noises) if len(pair) > 1}
        keys = [(d.key, self.purpose()) for d in noises]
        self.purpose_of |= {key: purpose for key, purpose in keys if key not in second}
        lines = self.draws_beforehand(noises)
        for s in statements:
            lines += self.lines(s)
        return lines

    def lines(self, statement: Statement) -> list[str]:
        """The lines of one statement."""
        match statement:
            case GradientCall() | ValueCall():
                return self.evaluation(statement)
            case Loop():
                return self.loop(statement)
            case Test():
                return self.test(statement)
            case Let() if statement.store and self.judged:
                conditions = self.plan.conditions(statement.store, statement.target.name)
                return [*let_lines(statement), f"{self.judged}{all_of(conditions)}"]
            case _:
                return statement_lines(statement, self.context)

    def value(self, call: ValueCall) -> str:
        """The value of a potential, from all of its data."""
        value = self.own[call.potential].gradient.value
        assert value is not None
        return (
            f"{call.scratch[0]}[0] ="
            f" {value.function}({', '.join([*call.places, 'data', 'params', 'state.rows[:0]'])})"
        )

    def loop(self, loop: Loop) -> list[str]:
        """Repetitions, as many as said or drawn; the counter of random numbers goes on from
        repetition to repetition.
        """
        low, high = loop.times
        lines, outer = [], (self.clock, self.ticks)
        count = f"np.uint64({high})"
        if low < high:
            self.purpose_of[loop.key] = self.purpose()
            lines.append(
                f"{loop.count} = np.uint64({low}) + random_row({loop.key}, {self.clock},"
                f" np.uint64(0), {high - low + 1})"
            )
        else:
            lines.append(f"{loop.count} = {count}")
        first = f"{self.clock} * {count}"
        self.clock, self.ticks = loop.clock, f"{first}, {first} + {loop.count}"
        lines.append(f"for {loop.clock} in range({self.ticks}):")
        lines += [f"    {line}" for line in self.body(loop.statements, loop.noises)]
        self.clock, self.ticks = outer
        return lines

    def draws_beforehand(self, noises: Iterable[NoiseDraw]) -> list[str]:
        """The draws of numbers, two a counter, and of blocks that are needed as a whole."""
        lines = []
        for pair in scalar_pairs(noises):
            names = ", ".join(d.local.name for d in pair)
            lines.append(self.draw_ahead(pair[0], "np.uint64(0)", "np.uint64(1)"))
            lines.append(
                f"{names} ="
                f" {self.pair_ahead(pair[0], 'np.uint64(0)')}{'' if len(pair) > 1 else '[0]'}"
            )
        for draw in noises:
            name = draw.local.name
            if name in self.filled:
                lines += [
                    f"{name} = state.{self.filled[name]}",
                    f"fill_normals({name}, {draw.key}, {self.clock})",
                ]
        return lines

    def draw_ahead(self, draw: NoiseDraw, first: str, half: str) -> str:
        """See to it that these pairs of a step are there."""
        return (
            f"draw_ahead(state.{self.ahead[draw.key]}, {draw.key}, {self.clock}, {first}, {half},"
            f" {self.ticks})"
        )

    def pair_ahead(self, draw: NoiseDraw, k: str) -> str:
        """One of these pairs."""
        return f"pair_ahead(state.{self.ahead[draw.key]}, {self.clock}, {k})"

    def test(self, test: Test) -> list[str]:
        """Accept or go back; a state that is not finite or not in its domain is not accepted, nor
        is a ratio that is no number.
        """
        self.purpose_of[test.key] = self.purpose()
        drawn = f"log_uniform({test.key}, {self.clock})"
        restored = [line for r in test.restored for line in restored_lines(r, self.context.counts)]
        return [
            f"{test.accepted} = invalid_block(state) < 0 and {drawn} < {text_of(test.log_ratio)}",
            "tests += 1.0",
            f"if {test.accepted}:",
            "    accepted += 1.0",
            "else:",
            *(f"    {line}" for line in restored),
        ]

    def evaluation(self, call: GradientCall | ValueCall) -> list[str]:
        """A value, or a gradient with the rows of its minibatch; nothing where the step before has
        left it.
        """
        what = (type(call), call.potential)
        opening = next((c for c in self.left if (type(c), c.potential) == what), None)
        if opening is not None:
            self.left.remove(opening)
            return []
        if self.clock == "t":
            self.last[what] = self.evaluated(call)
            return self.last[what]
        return self.evaluated(call)

    def evaluated(self, call: GradientCall | ValueCall) -> list[str]:
        """The lines of an evaluation."""
        judged, self.judged = self.judged, ""  # images are no part of the state
        images = [line for s in call.images for line in statement_lines(s, self.context)]
        self.judged = judged
        if isinstance(call, ValueCall):
            return [*images, self.value(call)]
        return [
            *_rows_drawn(self.own.get(call.potential), self.purpose(), self.clock),
            *images,
            self.gradient(call),
        ]

    def first_evaluation(self) -> list[str]:
        """Evaluate what the step before has left, where it has not: at the start of a chain, in a
        copied state.

        A minibatch is that of the step before, so that the estimate is the one that a run without a
        break goes on with.
        """
        carried = self.plan.carried
        if carried is None:
            return []
        calls = [c for c in map(in_place, carried.calls) if isinstance(c, GradientCall | ValueCall)]
        found = [self.last.get((type(c), c.potential)) or self.evaluated(c) for c in calls]
        lines = [
            "t = np.uint64(start) - np.uint64(1)",
            *(line for lines in found for line in lines),
        ]
        return [
            f"if steps > 0 and state.{carried.mark}[0] != start + 1:",
            *(f"    {line}" for line in lines),
        ]

    def gradient(self, call: GradientCall) -> str:
        """The call of a gradient."""
        if call.potential not in self.own:
            return gradient_call(self.plan, call)
        return self.own[call.potential].call(call.scratch, call.places)

    def drawn(self, draw: ChiSquared) -> list[str]:
        """Draws that are not normal, each with as many random words as it needs."""
        self.purpose_of[draw.key] = self.purpose()
        count = "np.uint64(1)" if draw.length is None else self.context.counts[draw.length]
        drawn = f"noncentral_chi_squared({draw.df}[i], {draw.nonc}[i], {draw.key}, {self.clock}, i)"
        return [f"for i in range({count}):", f"    {draw.target}[i] = {drawn}"]

    def sweep(self, statement: ElementwiseLoop, count: str) -> list[str]:
        """Loops over pairs of coordinates: the two halves of a block share a counter of the
        generator.

        What does not fill vectors is drawn for several steps at once.
        """
        drawn = noises_of(statement, self.context.noises)
        fused = [d for d in drawn if d.local.name not in self.filled]

        def call(at: str, half: int) -> str:
            noises = [
                f"{d.local.name}[{at}]" if d.local.name in self.filled else d.pair[half]
                for d in drawn
            ]
            passed = [at, *self.context.passed, *arguments(statement, STEP_FIXED), *noises]
            return f"{self.judged}{statement.function}({', '.join(passed)})"

        if not fused:
            return [f"for i in range({count}):", f"    {call('i', 0)}"]
        pair = [f"{d.pair[0]}, {d.pair[1]} = normal_pair({d.key}, {self.clock}, i)" for d in fused]
        rest = [f"{d.pair[0]}, {d.pair[1]} = {self.pair_ahead(d, 'i - fused')}" for d in fused]
        last = [f"{d.pair[0]} = {self.pair_ahead(d, 'pairs - fused')}[0]" for d in fused]
        both = [call("i", 0), call("half + i", 1)]
        return [
            f"pairs = {count} >> np.uint64(1)",
            f"half = {count} - pairs",
            "fused = in_vectors(pairs)",
            "for i in range(fused):",
            *(f"    {line}" for line in [*pair, *both]),
            *(self.draw_ahead(d, "fused", "half") for d in fused),
            "for i in range(fused, pairs):",
            *(f"    {line}" for line in [*rest, *both]),
            "if pairs < half:",
            *(f"    {line}" for line in [*last, call("pairs", 0)]),
        ]


def all_of(conditions: Sequence[str]) -> str:
    """All of these, without branches."""
    return (
        conditions[0]
        if len(conditions) == 1
        else " & ".join(f"({condition})" for condition in conditions)
    )


def restored_lines(block: Restored, counts: Mapping[Length, str]) -> list[str]:
    """Put a saved block back, with the other sign where it is flipped."""
    sign = "-" if block.flipped else ""
    if block.length is None:
        return [f"{block.field}[0] = {sign}{block.source}[0]"]
    return [
        f"for i in range({counts[block.length]}):",
        f"    {block.field}[i] = {sign}{block.source}[i]",
    ]


def _rows_drawn(estimator: Estimator | None, purpose: int, clock: str) -> list[str]:
    if estimator is None or not estimator.gradient.fields:
        return []
    count = count_text(estimator.gradient)
    return [
        f"draw_rows(state.rows, state.table, {count}, stream_key(seed, {purpose}, chain), {clock})"
    ]


_RUN_HEAD = '''\
@run_kernel
def run(state, draws, gradient, data, step_size, params, seed, chain, start, steps, warmup, thin):
    """Steps start .. start + steps - 1, in place; draws get every thin-th after the warmup.

    Returns the step it stands at and -1, or the step that was not finite (or not in its domain)
    and the block that is not valid.'''


def _run_note(plan: Plan) -> list[str]:
    if plan.carried is None:
        return []
    note = (
        "What is evaluated where a step ends is kept for the next one; to change the blocks by"
        f" hand, set {plan.carried.mark} to 0."
    )
    return [f"    {note}"]


_RUN_LOOP = """\
    for done in range(start, start + steps):
        t = np.uint64(done)
        finite = True"""


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


def _stopped(plan: Plan) -> list[str]:
    """Stop where a block is not finite or has left its domain."""
    lines = [f"state.{plan.carried.mark}[0] = done + 2"] if plan.carried else []
    stop = ["invalid = invalid_block(state)", "if invalid >= 0:", "    return done, invalid"]
    if plan.on_simplex:
        return [*lines, *stop]
    return [*lines, "if not finite:", *(f"    {line}" for line in stop)]


def _kept(plan: Plan, recorded: list[str]) -> list[str]:
    """Every thin-th state after the warmup, or what is recorded of it."""
    stands_for = next((n for n, b in enumerate(plan.state) if b.image is not None), None)
    judged = [] if stands_for is None else ["if not finite:", f"    return done, {stands_for}"]
    recorded = ["finite = True", *recorded, *judged] if judged else recorded
    lines = [
        *recorded,
        *(f"keep(draws.{f}, row, state.{source})" for f, source in plan.kept.items()),
    ]
    for f in plan.statistics:
        lines += [f"if draws.{f}.shape[0] > 0:", f"    draws.{f}[row, 0] = accepted / tests"]
    return into_a_row(lines)


FIRST_ROW = "row = max(0, (start - warmup) // thin)"


def into_a_row(lines: Iterable[str]) -> list[str]:
    """These lines after every thin-th step that follows the warmup; ``row`` counts how often, from
    ``FIRST_ROW`` on.
    """
    return [
        "if done + 1 == warmup + (row + 1) * thin:",
        *(f"    {line}" for line in lines),
        "    row += 1",
    ]
