"""The text of ``run_many``: the loop over steps of many chains at once, where the column ``c`` of
every array is a chain.

Its random numbers have the counters that those of ``run`` have, and its arithmetic is that of
``run``: a chain has the same draws in both. A chain that is not finite, or not in its domain, stops
alone; its column then goes on from the state of a chain that runs, so that the test of all columns
together keeps its meaning, and nothing of it is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from sympy import Symbol

from codegen.device.random import KEYS
from codegen.lowering.batch_form import (
    ChainLoop,
    Numbers,
    Once,
    Part,
    RepeatedLoops,
    lines_of,
    merged,
    names_in,
    of_column,
)
from codegen.lowering.in_place import InPlace
from codegen.lowering.names import Namer, local_namer
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
from codegen.printing.domain_checks import all_valid_text, invalid_block_of_text
from codegen.printing.expression import text_of
from codegen.printing.loop_bodies import arguments, noises_of
from codegen.printing.reductions import is_arithmetic
from codegen.printing.run import FIRST_ROW, all_of, into_a_row, restored_lines
from codegen.printing.step import STEP_FIXED, count_lines, let_lines
from codegen.printing.stopping import freeze_invalid_text
from recipe.language.symbols import Length, Vector


@dataclass(frozen=True)
class ManyNames:
    """What things of ``run_many`` are called: loop bodies by the name that they have in ``run``,
    and the fields of the state.

    ``filled`` are the arrays of noise that is drawn beforehand, ``numbers`` those of numbers,
    ``eights`` those of the running sums behind a sum, ``terms`` what joins them, ``last`` the
    arrays of the blocks where a chain stopped.
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
    """New names, beside those that are taken among functions and fields."""
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
    bodies: Mapping[str, str],
) -> list[str]:
    """All functions that make up ``run_many``, and the type of its state.

    ``purposes`` gives the purpose of each key of ``run``, ``bodies`` the texts of its loops.
    """
    statements = [*every(plan.statements), *plan.recorded.statements]
    writer = _Writer(plan, counts, names, purposes)
    run = _run_many_text(steps, writer)
    return [
        _state_text(plan, names, writer),
        invalid_block_of_text(plan),
        all_valid_text(plan) if plan.on_simplex else "",
        freeze_invalid_text(plan, names.last, names.stopped, names.invalid),
        *(
            _body_text(s, names, every_noise(plan), bodies[s.function])
            for s in statements
            if isinstance(s, Sums | ElementwiseLoop)
        ),
        run,
    ]


def _body_text(
    s: Sums | ElementwiseLoop, names: ManyNames, noises: tuple[NoiseDraw, ...], body: str
) -> str:
    """The body of a loop of ``run`` with its cells in column c; that of a sum is how a coordinate
    joins, which comes first.
    """
    if isinstance(s, Sums):
        body = "\n".join(body.split("\n\n\n")[:1])
        for draw in noises_of(s, noises):  # which are arrays there
            body = re.sub(rf"(?<![\w.]){draw.local.name}\[i\]", f"{draw.local.name}[i, c]", body)
    return of_column(
        re.sub(
            r"^def \w+\(i, ",
            f"def {names.functions[s.function]}(i, c, ",
            body,
            count=1,
            flags=re.MULTILINE,
        )
    )


def _run_many_text(steps: InPlace, writer: _Writer) -> str:
    plan = writer.plan
    body = merged(writer.body(steps.changing, plan.noises))
    recorded = merged(writer.body(steps.recorded, plan.recorded.noises, judged=False))
    writer.numbers.keep_what_crosses([*body, *recorded], writer.names.numbers)
    first = plan.fields[plan.state[0]]
    lines = [
        f"chains, first = np.uint64(state.{first}.shape[1]), np.uint64(first_chain)",
        *(line.replace(".size)", ".shape[0])") for line in count_lines(plan, writer.counts)),
        *([f"fill_keys(state.{KEYS}, seed, first)"] if writer.purposes else []),
        FIRST_ROW,
        "for n in range(step_sizes.size):",
        "    done, step_size = start + n, step_sizes[n]",
        "    t = np.uint64(done)",
        "    finite = True",
        *(f"    {line}" for let in steps.constant for line in let_lines(let)),
        *(f"    {line}" for line in _tests_begin(plan, writer.names)),
        *(f"    {line}" for line in lines_of(body, writer.numbers)),
        *(f"    {line}" for line in _stopped(plan)),
        *(
            f"    {line}"
            for line in into_a_row(
                [*lines_of(recorded, writer.numbers), *_kept(plan, writer.names)]
            )
        ),
        "return start + step_sizes.size, -1",
    ]
    return "\n".join([RUN_MANY_HEAD, *(f"    {line}" for line in lines)])


@dataclass
class _Writer:
    """Writes bodies of loops as loops over chains; ``clock`` is the counter of random numbers."""

    plan: Plan
    counts: Mapping[Length, str]
    names: ManyNames
    purposes: Mapping[str, int]
    numbers: Numbers = field(default_factory=Numbers)
    clock: str = "t"
    judged: str = "finite &= "

    def __post_init__(self) -> None:
        self.noises = every_noise(self.plan)
        if self.plan.statistics:
            self.numbers.kept["accepted"] = self.names.numbers["accepted"]

    def key(self, name: str) -> str:
        """The key of the chain in column c, by what ``run`` calls it."""
        return f"column_key(state.{KEYS}, {self.purposes[name]}, c)"

    def body(
        self, statements: Iterable[Statement], noises: Iterable[NoiseDraw], *, judged: bool = True
    ) -> list[Part]:
        """These statements, one after another, with these noises drawn afresh."""
        self.judged = "finite &= " if judged else ""
        parts: list[Part] = [self.numbers_drawn(pair) for pair in scalar_pairs(noises)]
        for d in noises:
            if d.local.name in self.names.filled:
                parts += self.filled(d)
        for s in statements:
            parts += self.parts(s)
        return parts

    def parts(self, s: Statement) -> list[Part]:
        """One statement."""
        match s:
            case Let():
                judged = (
                    [f"{self.judged}{all_of(self.plan.conditions(s.store, s.target.name))}"]
                    if s.store and self.judged
                    else []
                )
                lines = [of_column(line) for line in let_lines(s)]
                return [
                    ChainLoop(
                        (), (*lines, *judged), frozenset([s.target.name]), names_in([s.value])
                    )
                ]
            case Sums():
                return self.sums(s)
            case ElementwiseLoop():
                return self.sweep(s)
            case ChiSquared():
                return [self.chi_squared(s)]
            case Loop():
                return [self.loop(s)]
            case Test():
                return [Once(("tests += 1.0",)), self.test(s)]
            case _:  # see refusal_of_many
                raise TypeError(s)

    def numbers_drawn(self, pair: tuple[NoiseDraw, ...]) -> ChainLoop:
        """The draws of two numbers, or of one."""
        names = [d.local.name for d in pair]
        half = "" if len(pair) > 1 else "[0]"
        line = (
            f"{', '.join(names)} = normal_pair({self.key(pair[0].key)}, {self.clock},"
            f" np.uint64(0)){half}"
        )
        return ChainLoop((), (line,), frozenset(names))

    def filled(self, draw: NoiseDraw) -> list[Part]:
        """Draws of a block, kept in an array."""
        assert draw.length is not None
        array, (a, b) = f"state.{self.names.filled[draw.local.name]}", draw.pair
        return self.by_pairs(
            draw.length, [draw], lambda at, half: f"{array}[{at}, c] = {(a, b)[half]}"
        )

    def by_pairs(
        self,
        length: Length,
        draws: list[NoiseDraw],
        line: Callable[[str, int], str],
        uses: frozenset[str] = frozenset(),
    ) -> list[Part]:
        """A loop over pairs of coordinates: the two halves of a block share a counter of the
        generator.
        """
        count = self.counts[length]
        drawn = [(d.pair, f"normal_pair({self.key(d.key)}, {self.clock}") for d in draws]
        pair = [f"{a}, {b} = {call}, i)" for (a, b), call in drawn]
        last = [f"{a} = {call}, pairs)[0]" for (a, _), call in drawn]
        return [
            Once((f"pairs = {count} >> np.uint64(1)", f"half = {count} - pairs")),
            ChainLoop(
                ("for i in range(pairs):",), (*pair, line("i", 0), line("half + i", 1)), uses=uses
            ),
            ChainLoop(("if pairs < half:",), (*last, line("pairs", 0)), uses=uses),
        ]

    def sweep(self, s: ElementwiseLoop) -> list[Part]:
        """A loop over coordinates around one over chains."""
        drawn = noises_of(s, self.noises)
        fused = [d for d in drawn if d.local.name not in self.names.filled]
        passed = arguments(s, STEP_FIXED)

        def call(at: str, half: int) -> str:
            filled = self.names.filled
            noises = [
                f"state.{filled[d.local.name]}[{at}, c]" if d.local.name in filled else d.pair[half]
                for d in drawn
            ]
            passing = ", ".join([at, "c", *PASSED, *passed, *noises])
            return f"{self.judged}{self.names.functions[s.function]}({passing})"

        if fused:
            return self.by_pairs(s.length, fused, call, frozenset(passed))
        return [
            ChainLoop(
                (f"for i in range({self.counts[s.length]}):",),
                (call("i", 0),),
                uses=frozenset(passed),
            )
        ]

    def sums(self, s: Sums) -> list[Part]:
        """Sums in the order of ``reductions``: fewer than eight one after another, else eight
        running sums.
        """
        passed, count = arguments(s, STEP_FIXED), self.counts[s.length]
        noises = [f"state.{self.names.filled[d.local.name]}" for d in noises_of(s, self.noises)]
        targets = [t.name for t in s.targets]
        running = [f"state.{self.names.eights[t]}[place, c]" for t in targets]
        each = (f"for i in range({count}):",)

        def joined(totals: Iterable[str]) -> str:
            passing = ", ".join(["i", "c", *totals, *PASSED, *passed, *noises])
            return f"{self.names.functions[s.function]}({passing})"

        def piece(outer: tuple[str, ...], lines: Iterable[str]) -> ChainLoop:
            return ChainLoop(
                outer,
                tuple(lines),
                uses=frozenset(passed),
                before=f"place = i % EIGHT if {count} >= EIGHT else np.uint64(0)",
            )

        join = [f"{', '.join(running)} = {joined(running)}"]
        terms = [self.names.terms[t] for t in targets]
        apart = [
            f"{', '.join(terms)} = {joined('0.0' for _ in terms)}",
            *(f"{r} += {t}" for r, t in zip(running, terms, strict=True)),
        ]
        if all(map(is_arithmetic, s.values)):
            loops = [piece(each, join)]
        else:  # as in run, which writes the terms down before they are added by eight
            loops = [
                piece((f"if {count} < EIGHT:", *each), join),
                piece((f"if {count} >= EIGHT:", *each), apart),
            ]
        zeros = tuple(f"state.{self.names.eights[t]}[place, c] = 0.0" for t in targets)
        sums = tuple(f"{t} = pairwise_many(state.{self.names.eights[t]}, c)" for t in targets)
        return [
            ChainLoop(("for place in range(EIGHT):",), zeros),
            *loops,
            ChainLoop((), sums, frozenset(targets)),
        ]

    def chi_squared(self, s: ChiSquared) -> ChainLoop:
        """Draws that are not normal."""
        count = "np.uint64(1)" if s.length is None else self.counts[s.length]
        drawn = (
            f"noncentral_chi_squared({s.df}[i, c], {s.nonc}[i, c], {self.key(s.key)},"
            f" {self.clock}, i)"
        )
        return ChainLoop((f"for i in range({count}):",), (f"{s.target}[i, c] = {drawn}",))

    def loop(self, s: Loop) -> RepeatedLoops:
        """Repetitions; the counter of random numbers goes on from one to the next."""
        outer, self.clock = self.clock, s.clock
        count = f"np.uint64({s.times[1]})"
        head = (f"for {s.clock} in range({outer} * {count}, {outer} * {count} + {count}):",)
        inner = RepeatedLoops(head, tuple(self.body(s.statements, s.noises)))
        self.clock = outer
        return inner

    def test(self, s: Test) -> ChainLoop:
        """Accept or go back, each chain for itself."""
        drawn = f"log_uniform({self.key(s.key)}, {self.clock})"
        restored = [of_column(line) for r in s.restored for line in restored_lines(r, self.counts)]
        lines = [
            (
                f"{s.accepted} = invalid_block_of(state, c) < 0 and {drawn} <"
                f" {of_column(text_of(s.log_ratio))}"
            ),
            f"if {s.accepted}:",
            f"    state.{self.names.numbers['accepted']}[0, c] += 1.0",
            "else:",
            *(f"    {line}" for line in restored),
        ]
        return ChainLoop((), tuple(lines), uses=names_in([s.log_ratio]))


PASSED = ("state", "state", "params", "step_size")


def _tests_begin(plan: Plan, names: ManyNames) -> list[str]:
    return ["tests = 0.0", f"state.{names.numbers['accepted']}[:] = 0.0"] if plan.statistics else []


def _stopped(plan: Plan) -> list[str]:
    """Stop the chains that are not finite, or have left their domain."""
    valid = "all_valid(state)" if plan.on_simplex else "finite"
    return [f"if not {valid} and not freeze_invalid(state, done):", "    return done, 0"]


def _kept(plan: Plan, names: ManyNames) -> list[str]:
    """Every thin-th state after the warmup, or what is recorded of it."""
    lines = [f"keep_many(draws.{f}, row, state.{source})" for f, source in plan.kept.items()]
    for f in plan.statistics:
        lines += [
            f"if draws.{f}.shape[0] > 0:",
            "    for c in range(chains):",
            f"        draws.{f}[row, 0, c] = state.{names.numbers['accepted']}[0, c] / tests",
        ]
    return lines


def _state_text(plan: Plan, names: ManyNames, writer: _Writer) -> str:
    """The type of the state, and the function that makes one."""
    namer = local_namer()
    blocks = {b: namer.fresh(b.name) for b in plan.state}
    first = {b.length: blocks[b] for b in reversed(plan.state) if isinstance(b, Vector)}
    scratch = {name.removeprefix("out."): length for name, length in plan.scratch.items()}
    scratch |= {
        names.filled[d.local.name]: d.length
        for d in every_noise(plan)
        if d.local.name in names.filled
    }
    scratch |= dict.fromkeys(writer.numbers.kept.values())
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


RUN_MANY_HEAD = '''\
@run_kernel
def run_many(state, draws, step_sizes, params, seed, first_chain, start, warmup, thin):
    """Many chains, from first_chain on, a chain a column, from step start on.

    Every chain has the draws that run has for it. Returns the step it stands at and -1; or, where
    no chain runs any more, the last step and 0. The step and the block that stopped a chain are
    kept in the state (-1 while it runs), and where it was then.
    """
    wide()'''
