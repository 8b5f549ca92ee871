"""The function ``run_many``: the loop over steps of many chains at once, where the column ``c`` of
every array is a chain.

Its random numbers have the counters that those of ``run`` have, and its arithmetic is that of
``run``: a chain has the same draws in both. A chain that is not finite, or not in its domain, stops
alone; its column then goes on from the state of a chain that runs, so that the test of all columns
together keeps its meaning, and nothing of it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sympy import Symbol

from codegen.device.random import KEYS
from codegen.lowering.batch_form import at_column, crossing, merged, with_loops
from codegen.lowering.in_place import InPlace
from codegen.lowering.names import Namer, local_namer
from codegen.lowering.places import Array
from codegen.lowering.program import (
    Assign,
    Call,
    Chains,
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
    Let,
    Loop,
    NoiseDraw,
    Plan,
    Statement,
    Sums,
    Test,
    every,
    every_noise,
    scalar_pairs,
)
from codegen.printing.domain_checks import all_valid_function, invalid_block_of_function
from codegen.printing.loop_bodies import arguments, noises_of
from codegen.printing.python_text import printed
from codegen.printing.reductions import WIDE, is_arithmetic
from codegen.printing.run import (
    FIRST_ROW,
    ONE,
    ZERO,
    chi_squared_drawn,
    decided,
    into_a_row,
    judged_call,
    judged_let,
)
from codegen.printing.step import STEP_FIXED, count_lines, let_lines
from codegen.printing.stopping import freeze_invalid_function
from recipe.language.blocks import Vector
from recipe.language.symbols import Length


@dataclass(frozen=True)
class ManyNames:
    """The names of the functions of ``run_many`` and of the fields of its state.

    ``functions`` are the loop bodies, by the name of the loop in ``run``. ``terms`` are the local
    names of the terms of a sum, by the name of the sum. All others are fields: ``filled`` of a
    noise that is drawn beforehand, ``numbers`` of a number, and ``eights`` of the running sums of a
    sum, each by its local name; ``last`` of a block where a chain stopped, by the field of the
    block; ``stopped`` and ``invalid`` of the step and of the block that stopped a chain.
    """

    functions: Mapping[str, str]
    filled: Mapping[str, str]
    numbers: Mapping[str, str]
    eights: Mapping[str, str]
    terms: Mapping[str, str]
    last: Mapping[str, str]
    stopped: str
    invalid: str


def many_names(plan: Plan, filled: Mapping[str, str], namer: Namer, fields: Namer) -> ManyNames:
    """Take new names from ``namer``, for functions, and from ``fields``."""
    statements = [*every(plan.statements), *every(plan.recorded.statements)]
    loops = [s for s in statements if isinstance(s, Sums | ElementwiseLoop)]
    functions = {
        s.function: namer.fresh(f"{'add_' if isinstance(s, Sums) else ''}{s.function}_many")
        for s in loops
    }
    sums = [t.name for s in statements if isinstance(s, Sums) for t in s.targets]
    eights, terms = (
        {t: names.fresh(f"{t}_{part}") for t in sums}
        for names, part in ((fields, "by_eight"), (namer, "term"))
    )
    defined = [t.name for s in statements for t in _targets(s)]
    defined += [d.local.name for d in every_noise(plan) if d.length is None]
    last = {f: fields.fresh(f"last_{f}") for f in plan.fields.values()}
    numbers = {
        name: fields.fresh(name)
        for name in dict.fromkeys([*defined, *(["accepted"] if plan.statistics else [])])
    }
    return ManyNames(
        functions,
        filled,
        numbers,
        eights,
        terms,
        last,
        fields.fresh("stopped"),
        fields.fresh("invalid"),
    )


def _targets(s: Statement) -> tuple[Symbol, ...]:
    return s.targets if isinstance(s, Sums) else (s.target,) if isinstance(s, Let) else ()


def many_texts(
    plan: Plan,
    steps: InPlace,
    counts: Mapping[Length, str],
    names: ManyNames,
    purposes: Mapping[str, int],
    bodies: Mapping[str, tuple[Function, ...]],
) -> list[str]:
    """The texts of all functions that make up ``run_many``, and of the type of its state.

    Args:
        plan: one step.
        steps: its statements in place.
        counts: names the number of coordinates of each length.
        names: of functions and fields.
        purposes: the purpose of each key of ``run``.
        bodies: the loop functions of ``run``, by the name of the loop.
    """
    statements = [*every(plan.statements), *plan.recorded.statements]
    writer = _Writer(plan, counts, names, purposes)
    run = _run_many(steps, writer)
    return [
        _state_text(plan, names, writer),
        printed(invalid_block_of_function(plan)),
        printed(all_valid_function(plan)) if plan.on_simplex else "",
        printed(freeze_invalid_function(plan, names.last, names.stopped, names.invalid)),
        *(
            printed(_of_column(names.functions[s.function], bodies[s.function][0]))
            for s in statements
            if isinstance(s, Sums | ElementwiseLoop)
        ),
        printed(run),
    ]


def _of_column(name: str, body: Function) -> Function:
    """A loop function of ``run`` with its cells in column c. For a sum, ``body`` is the function by
    which a coordinate joins.
    """
    i, *others = body.arguments
    return replace(at_column(body, {}), name=name, arguments=(i, "c", *others))


def _run_many(steps: InPlace, writer: _Writer) -> Function:
    plan = writer.plan
    body = merged(writer.body(steps.changing, plan.noises))
    recorded = merged(writer.body(steps.recorded, plan.recorded.noises, judged=False))
    numbers = writer.names.numbers
    writer.kept |= {name: numbers[name] for name in crossing([body, recorded], numbers)}
    first = plan.fields[plan.state[0]]
    kept = into_a_row([*with_loops(recorded, writer.kept), *_kept(plan, writer.names)])
    each_step = (
        Assign(("done", "step_size"), "start + n, step_sizes[n]"),
        assign("t", "np.uint64(done)"),
        assign("finite", "True"),
        *(line for let in steps.constant for line in let_lines(let)),
        *_tests_begin(plan, writer.names),
        *with_loops(body, writer.kept),
        _stopped(plan),
        kept,
    )
    program = (
        WIDE,
        Assign(("chains", "first"), f"np.uint64(state.{first}.shape[1]), np.uint64(first_chain)"),
        *count_lines(plan, writer.counts, "shape[0]"),
        *(
            [Do(call("fill_keys", Array("state", KEYS), "seed", "first"))]
            if writer.purposes
            else []
        ),
        FIRST_ROW,
        For("n", ("step_sizes.size",), each_step),
        Return(("start + step_sizes.size", "-1")),
    )
    return Function("run_kernel", "run_many", tuple(_ARGUMENTS.split()), _MEANING, program)


_ARGUMENTS = "state draws step_sizes params seed first_chain start warmup thin"

_MEANING = """\
Many chains, from first_chain on, a chain a column, from step start on.

Every chain has the draws that run has for it. Returns the step it stands at and -1; or, where
no chain runs any more, the last step and 0. The step and the block that stopped a chain are
kept in the state (-1 while it runs), and where it was then."""


@dataclass
class _Writer:
    """Writes a step of many chains.

    ``kept`` are the arrays of the numbers that stand between two loops over chains, ``clock`` is
    the counter of random numbers.
    """

    plan: Plan
    counts: Mapping[Length, str]
    names: ManyNames
    purposes: Mapping[str, int]
    kept: dict[str, str] = field(default_factory=dict)
    clock: str = "t"
    judged: bool = True

    def __post_init__(self) -> None:
        self.noises = every_noise(self.plan)
        self.instead: dict[Any, Value] = {key: self.key(key) for key in self.purposes}
        if self.plan.statistics:
            self.kept["accepted"] = self.names.numbers["accepted"]
            self.instead["accepted"] = Array("state", self.kept["accepted"])["0, c"]
            self.instead[call("invalid_block", "state")] = call("invalid_block_of", "state", "c")

    def key(self, name: str) -> Call:
        """The key of the chain in column c, by the name of the key in ``run``."""
        return call("column_key", Array("state", KEYS), str(self.purposes[name]), "c")

    def body(
        self, statements: Iterable[Statement], noises: Iterable[NoiseDraw], *, judged: bool = True
    ) -> list[Instruction]:
        """These statements, one after another, with these noises drawn afresh."""
        self.judged = judged
        lines: list[Instruction] = [self.numbers_drawn(pair) for pair in scalar_pairs(noises)]
        for d in noises:
            if d.local.name in self.names.filled:
                lines += self.filled(d)
        for s in statements:
            lines += self.lines(s)
        return lines

    def lines(self, s: Statement) -> list[Instruction]:
        """One statement."""
        match s:
            case Let():
                return [self.chains(judged_let(self.plan, s) if self.judged else let_lines(s))]
            case Sums():
                return self.sums(s)
            case ElementwiseLoop():
                return self.sweep(s)
            case ChiSquared():
                drawn = chi_squared_drawn(s, self.clock, self.counts)
                return [replace(drawn, body=(self.chains(drawn.body),))]
            case Loop():
                return [self.loop(s)]
            case Test():
                accept, count, decide = decided(s, self.clock, self.counts)
                return [count, self.chains([accept, decide])]
            case _:  # see refusal_of_many
                raise TypeError(f"run_many has no form of {s}")

    def chains(self, lines: Iterable[Instruction]) -> Chains:
        """The statements of one chain, for every chain."""
        return Chains(tuple(at_column(line, self.instead) for line in lines))

    def pair(self, draw: NoiseDraw, k: str) -> Call:
        """Pair number k of a draw."""
        return call("normal_pair", self.key(draw.key), self.clock, k)

    def numbers_drawn(self, pair: tuple[NoiseDraw, ...]) -> Chains:
        """The draws of two numbers, or of one."""
        drawn: Value = self.pair(pair[0], ZERO)
        drawn = drawn if len(pair) > 1 else Item(drawn, "0")
        return Chains((Assign(tuple(d.local for d in pair), drawn),))

    def filled(self, draw: NoiseDraw) -> list[Instruction]:
        """Draws of a block, kept in an array."""
        assert draw.length is not None
        array = Array("state", self.names.filled[draw.local.name])
        return self.by_pairs(
            draw.length, [draw], lambda at, half: assign(array[f"{at}, c"], draw.pair[half])
        )

    def by_pairs(
        self, length: Length, draws: list[NoiseDraw], line: Callable[[str, int], Instruction]
    ) -> list[Instruction]:
        """A loop over pairs of coordinates: the two halves of a block share a counter of the
        generator.
        """
        pair = [Assign(d.pair, self.pair(d, "i")) for d in draws]
        last = [assign(d.pair[0], Item(self.pair(d, "pairs"), "0")) for d in draws]
        both = Chains((*pair, line("i", 0), line("half + i", 1)))
        return [
            assign("pairs", f"{self.counts[length]} >> {ONE}"),
            assign("half", f"{self.counts[length]} - pairs"),
            For("i", ("pairs",), (both,)),
            If("pairs < half", (Chains((*last, line("pairs", 0))),)),
        ]

    def sweep(self, s: ElementwiseLoop) -> list[Instruction]:
        """A loop over coordinates around one over chains."""
        drawn, filled = noises_of(s, self.noises), self.names.filled
        fused = [d for d in drawn if d.local.name not in filled]
        function, passed = self.names.functions[s.function], arguments(s, STEP_FIXED)

        def swept(at: str, half: int) -> Instruction:
            noises = [
                Array("state", filled[d.local.name])[f"{at}, c"]
                if d.local.name in filled
                else d.pair[half]
                for d in drawn
            ]
            return judged_call(call(function, at, "c", *PASSED, *passed, *noises), self.judged)

        if fused:
            return self.by_pairs(s.length, fused, swept)
        return [For("i", (self.counts[s.length],), (Chains((swept("i", 0),)),))]

    def sums(self, s: Sums) -> list[Instruction]:
        """Sums in the order of ``reductions``: fewer than eight one after another, else eight
        running sums.
        """
        passed, count = arguments(s, STEP_FIXED), self.counts[s.length]
        filled = [self.names.filled[d.local.name] for d in noises_of(s, self.noises)]
        noises = [Array("state", field) for field in filled]
        eights = [Array("state", self.names.eights[t.name]) for t in s.targets]
        running = tuple(array["place, c"] for array in eights)
        terms = tuple(self.names.terms[t.name] for t in s.targets)

        def joined(totals: Iterable[Value]) -> Call:
            function = self.names.functions[s.function]
            return call(function, "i", "c", *totals, *PASSED, *passed, *noises)

        def each(*lines: Instruction) -> Instruction:
            place = assign("place", f"i % EIGHT if {count} >= EIGHT else {ZERO}")
            return For("i", (count,), (place, Chains(lines)))

        loops = [each(Assign(running, joined(running)))]
        if not all(map(is_arithmetic, s.values)):
            # as in run, which writes the terms down before they are added by eight
            apart = Assign(terms, joined("0.0" for _ in terms))
            added = (assign(r, t, "+=") for r, t in zip(running, terms, strict=True))
            few, many = f"{count} < EIGHT", f"{count} >= EIGHT"
            loops = [If(few, tuple(loops)), If(many, (each(apart, *added),))]
        zeros = Chains(tuple(assign(r, "0.0") for r in running))
        summed = (call("pairwise_many", array, "c") for array in eights)
        totals = (assign(t, total) for t, total in zip(s.targets, summed, strict=True))
        return [For("place", ("EIGHT",), (zeros,)), *loops, Chains(tuple(totals))]

    def loop(self, s: Loop) -> Instruction:
        """Repetitions; the counter of random numbers goes on from one to the next."""
        outer, self.clock = self.clock, s.clock
        count = f"np.uint64({s.times[1]})"
        ends = (f"{outer} * {count}", f"{outer} * {count} + {count}")
        inner = For(s.clock, ends, tuple(self.body(s.statements, s.noises)))
        self.clock = outer
        return inner


PASSED = ("state", "state", "params", "step_size")


def _tests_begin(plan: Plan, names: ManyNames) -> list[Instruction]:
    if not plan.statistics:
        return []
    accepted = Array("state", names.numbers["accepted"])
    return [assign("tests", "0.0"), assign(accepted[":"], "0.0")]


def _stopped(plan: Plan) -> Instruction:
    """Stop the chains that are not finite, or have left their domain."""
    valid = "all_valid(state)" if plan.on_simplex else "finite"
    return If(f"not {valid} and not freeze_invalid(state, done)", (Return(("done", "0")),))


def _kept(plan: Plan, names: ManyNames) -> list[Instruction]:
    """Every thin-th state after the warmup, or what is recorded of it."""
    lines: list[Instruction] = [
        Do(call("keep_many", Array("draws", f), "row", Array("state", s)))
        for f, s in plan.kept.items()
    ]
    for f in plan.statistics:
        rate = Infix(Array("state", names.numbers["accepted"])["0, c"], "/", "tests")
        each = For("c", ("chains",), (assign(Array("draws", f)["row, 0, c"], rate),))
        lines.append(If(f"draws.{f}.shape[0] > 0", (each,)))
    return lines


def _state_text(plan: Plan, names: ManyNames, writer: _Writer) -> str:
    """The type of the state, and the function that makes one."""
    namer = local_namer()
    blocks = {b: namer.fresh(b.name) for b in plan.state}
    first = {b.length: blocks[b] for b in reversed(plan.state) if isinstance(b, Vector)}
    scratch = dict(plan.scratch)
    scratch |= {
        names.filled[d.local.name]: d.length
        for d in every_noise(plan)
        if d.local.name in names.filled
    }
    scratch |= dict.fromkeys(writer.kept.values())
    eights = list(names.eights.values())
    copies = [f"np.array({name}, dtype=np.float64, order='C')" for name in blocks.values()]
    zeros = [
        f"np.zeros(({1 if n is None else f'{first[n]}.shape[0]'}, chains))"
        for n in scratch.values()
    ]
    rows = 2 + 2 * max(writer.purposes.values(), default=-1)
    keys = {KEYS: f"np.zeros(({rows}, chains), dtype=np.uint64)"} if rows else {}
    eight = ["np.zeros((8, chains))" for _ in eights]
    values = [
        *copies,
        *zeros,
        *eight,
        *keys.values(),
        *(["np.full((1, chains), -1.0)"] * 2),
        *copies,
    ]
    fields = [
        *plan.fields.values(),
        *scratch,
        *eights,
        *keys,
        names.stopped,
        names.invalid,
        *names.last.values(),
    ]
    return "\n".join(
        [
            "class Chains(NamedTuple):",
            (
                '    """The blocks of many chains, a chain a column, then scratch, then which'
                ' chains stopped, why, and where."""'
            ),
            "",
            *(f"    {f}: np.ndarray" for f in fields),
            "",
            "",
            f"def allocate_many({', '.join(blocks.values())}):",
            (
                '    """A state with copies of these blocks (of the shape (length, chains)), and'
                ' its scratch."""'
            ),
            f"    chains = {next(iter(blocks.values()))}.shape[1]",
            "    return Chains(",
            *(f"        {v}," for v in values),
            "    )",
        ]
    )
