"""``run_many``, compared with the rule.

The effect of ``run_many`` on the column of a chain is written as a text of one chain, which is read
as ``run`` is. A chain must also have the random numbers that it has in ``run``: the same key and
counter for the same noise.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from recipe.files.python_tree import parsed
from recipe.language.blocks import Block
from recipe.language.symbols import Length
from verify.translation.batch.driver import FIXED_NAMES, OneChain, shared_names
from verify.translation.batch.stop_and_record import check_stops
from verify.translation.loops.batch_column import KEYS, body_of_one
from verify.translation.parse.interface import Legend
from verify.translation.parse.module import ParsedModule, plain_body, without_docstring
from verify.translation.parse.problems import unread, wrong
from verify.translation.reading.reader import Reader
from verify.translation.reference.matcher import length_of
from verify.translation.run.drivers import Source, check_run

RUN_MANY_ARGUMENTS = "state, draws, step_sizes, params, seed, first_chain, start, warmup, thin"
STEP_BEGIN = [
    "done, step_size = (start + n, step_sizes[n])",
    "t = np.uint64(done)",
    "finite = True",
]


@dataclass(frozen=True)
class Chains:
    """The fields of the state of many chains.

    Attributes:
        arrays: the array fields, with the length of a column; None for one number a chain.
        eights: the fields of running sums.
        kept: the last fields: the step and the block that stopped a chain, and its blocks at that
            step.
        purposes: the number of keys of random numbers of a chain.
    """

    arrays: Mapping[str, Length | None]
    eights: frozenset[str]
    kept: tuple[str, ...]
    purposes: int


def check_many(
    module: ParsedModule, legend: Legend, source: Source, alone: Reader, end: Callable[..., None]
) -> None:
    """Require that ``run_many`` moves every chain by the rule, with the random numbers of ``run``.

    ``alone`` is the reader that has read ``run``.

    Raises:
        TranslationError: if that is not proved.
    """
    chains = _chains(module, legend)
    check_stops(module, legend, chains.kept)
    module.read.update({"run_many", "allocate_many"})
    driver = copy.deepcopy(module.functions["run_many"])
    if ", ".join(a.arg for a in driver.args.args) != RUN_MANY_ARGUMENTS:
        raise unread(driver, f"the arguments of run_many are not {RUN_MANY_ARGUMENTS}")
    bodies = frozenset(
        n for n, f in module.functions.items() if [a.arg for a in f.args.args[:2]] == ["i", "c"]
    )
    functions = {
        n: body_of_one(copy.deepcopy(module.functions[n]), bodies, chains.eights) for n in bodies
    }
    statistics = frozenset(module.draws) - frozenset(legend.fields.values())
    writer = OneChain(
        bodies, chains.eights, _accepted(driver), statistics, shared_names(driver), chains.purposes
    )
    if writer.accepted and (
        chains.arrays.get(writer.accepted, ()) is not None
        or writer.accepted in legend.fields.values()
    ):
        raise unread(driver, f"{writer.accepted} is not an array of one number for each chain")
    functions["run"] = _run_of_one(driver, writer, legend)
    arrays = {f: n for f, n in chains.arrays.items() if f != writer.accepted}
    one = replace(module, functions=functions, arrays=arrays, integers=frozenset())
    reader = check_run(one, legend, source, {}, lambda *rest: end(one, source, *rest))
    if keys(reader) != keys(alone):
        raise wrong(driver, "run_many draws the numbers of a chain with other keys than run")


def keys(reader: Reader) -> list[Any]:
    """Return the key and counter of each noise of the rule, in a form that can be compared."""
    drawn = [(_numbered(w), str(white)) for w, white in reader.judge.noises.items()]
    drawn += [(_numbered(s.noise), str(s.key)) for s in reader.judge.squares]
    numbers = sorted({number for (_, number), _ in drawn})
    keys = [
        (purpose, re.sub(r" of line \d+", "", use), clock.name)
        for purpose, (use, clock) in reader.random.keys.items()
    ]
    return [
        sorted((numbers.index(number), name, key) for (name, number), key in drawn),
        sorted(keys),
    ]


def _numbered(noise: Any) -> tuple[str, int]:
    """Return the name of a noise of the rule, and the number of its application of a rule."""
    name, _, number = str(getattr(noise, "base", noise)).rpartition("@")
    return (name, int(number)) if name else (str(noise), 0)


# -- the state
# --------------------------------------------------------------------------------------------------


def _chains(module: ParsedModule, legend: Legend) -> Chains:
    """Return the fields of ``Chains``, and require that ``allocate_many`` allocates a fresh array
    for each.
    """
    function, fields, blocks = (
        module.functions.get("allocate_many"),
        module.chains,
        list(legend.fields),
    )
    if function is None:
        raise unread(None, "the module has run_many, but no allocate_many")
    names = [a.arg for a in function.args.args]
    match without_docstring(function.body):
        case [
            ast.Assign() as counted,
            ast.Return(value=ast.Call(func=ast.Name(id="Chains"), args=values, keywords=[])),
        ] if (
            len(names) == len(blocks)
            and ast.unparse(counted) == f"chains = {names[0]}.shape[1]"
            and len(values) == len(fields)
        ):
            pass
        case _:
            raise unread(function, "allocate_many does more than to make Chains")
    if len(set(fields)) != len(fields) or KEYS in fields[-len(blocks) - 2 :]:
        raise unread(function, "a field of Chains stands for two things")
    if fields[: len(blocks)] != tuple(legend.fields.values()) or len(fields) < 2 * len(blocks) + 2:
        raise unread(function, "allocate_many does not take the blocks in their order")
    copies = [f"np.array({name}, dtype=np.float64, order='C')" for name in names]
    ends = [*["np.full((1, chains), -1.0)"] * 2, *copies]
    texts = [ast.unparse(v) for v in values]
    if texts[: len(blocks)] != copies or texts[-len(ends) :] != ends:
        raise wrong(
            function,
            "the blocks of many chains, and those of stopped chains, must be copies of the blocks"
            " that are given",
        )
    arrays: dict[str, Length | None] = {f: length_of(b) for b, f in legend.fields.items()}
    eights, purposes = set(), 0
    for field, text, value in list(zip(fields, texts, values, strict=True))[
        len(blocks) : -len(ends)
    ]:
        if text == "np.zeros((8, chains))":
            eights.add(field)
        elif field == KEYS:
            purposes = _purposes(text, value)
        else:
            arrays[field] = _length(text, value, dict(zip(names, blocks, strict=True)))
    return Chains(arrays, frozenset(eights), tuple(fields[-len(ends) :]), purposes)


def _purposes(text: str, at: ast.expr) -> int:
    """Return the number of keys of a chain; each takes two rows of the array."""
    found = re.fullmatch(r"np\.zeros\(\((\d+), chains\), dtype=np\.uint64\)", text)
    if found is None or int(found.group(1)) % 2:
        raise unread(at, f"{text} is not an array for the keys of random numbers")
    return int(found.group(1)) // 2


def _length(text: str, at: ast.expr, of_argument: Mapping[str, Block]) -> Length | None:
    if text == "np.zeros((1, chains))":
        return None
    for name, block in of_argument.items():
        if text == f"np.zeros(({name}.shape[0], chains))" and length_of(block) is not None:
            return length_of(block)
    raise unread(at, f"{text} is not allocated as in a generated module")


# -- the driver
# --------------------------------------------------------------------------------------------------


def _accepted(driver: ast.FunctionDef) -> str:
    """Return the array that counts accepted proposals; empty if there is none."""
    found = re.search(
        r"^ +tests = 0.0\n +state\.(\w+)\[:\] = 0.0$", ast.unparse(driver), re.MULTILINE
    )
    return "" if found is None else found.group(1)


def _run_of_one(driver: ast.FunctionDef, writer: OneChain, legend: Legend) -> ast.FunctionDef:
    """Return the text of ``run`` for one chain."""
    first, *rest = plain_body(driver) or [ast.Pass()]
    field = next(iter(legend.fields.values()))
    if (
        ast.unparse(first)
        != f"chains, first = (np.uint64(state.{field}.shape[1]), np.uint64(first_chain))"
    ):
        raise wrong(first, "the chains must be the columns of the state, from first_chain on")
    match rest:
        case [*before, ast.For(target=ast.Name(id="n"), orelse=[]) as loop, ast.Return() as last]:
            pass
        case _:
            raise unread(
                driver, "run_many must be a loop over steps, with nothing but a return after it"
            )
    if (
        ast.unparse(loop.iter) != "range(step_sizes.size)"
        or ast.unparse(last) != "return (start + step_sizes.size, -1)"
    ):
        raise wrong(loop, "there must be as many steps as step sizes")
    if [ast.unparse(s) for s in loop.body[:3]] != STEP_BEGIN:
        raise wrong(loop.body[0], f"a step begins with {'; '.join(STEP_BEGIN)}")
    filled = [s for s in before if ast.unparse(s) == f"fill_keys(state.{KEYS}, seed, first)"]
    if len(filled) != bool(writer.purposes):
        raise wrong(loop, "the keys of the chains must be filled once, before the steps")
    counts = [one for s in before if s not in filled for one in _count(s, writer)]
    (function,) = parsed(RUN_TEXT).body
    assert isinstance(function, ast.FunctionDef)
    steps = function.body[0]
    assert isinstance(steps, ast.For)
    steps.body[2:] = _step(loop.body[3:], writer, loop)
    function.body[:0] = counts
    for node in (function, steps, *steps.body[:2], function.body[-1]):
        node.lineno = loop.lineno
    return function


RUN_TEXT = """\
def run(state, draws, gradient, data, step_size, params, seed, chain, start, steps, warmup, thin):
    for done in range(start, start + steps):
        t = np.uint64(done)
        finite = True
        ...
    return start + steps, -1
"""


def _count(s: ast.stmt, writer: OneChain) -> list[ast.stmt]:
    """Rewrite ``n_theta = np.uint64(state.theta.shape[0])`` and the numbers that follow from it."""
    match s:
        case ast.Assign(targets=[ast.Name() as name]) if (
            name.id == "row" or name.id not in FIXED_NAMES
        ):
            found = re.fullmatch(r"np\.uint64\(state\.(\w+)\.shape\[0\]\)", ast.unparse(s.value))
            if found is not None:
                return [
                    ast.copy_location(
                        parsed(f"{name.id} = np.uint64(state.{found.group(1)}.size)").body[0], s
                    )
                ]
            if name.id == "row":
                return [s]
    return writer.statement(s, frozenset())


def _step(body: list[ast.stmt], writer: OneChain, loop: ast.stmt) -> list[ast.stmt]:
    """Return the statements of a step for one chain: they move it, stop it, and record it."""
    counted, body = _counted(body, writer.accepted, loop)
    stops = [n for n, s in enumerate(body) if writer.stop(s) is not None]
    if stops != [len(body) - 2]:
        raise wrong(
            loop,
            "a step that is not finite must stop its chain before a state is recorded",
        )
    *moves, stop, record = body
    if not isinstance(record, ast.If) or record.orelse:
        raise unread(record, "the last statement of a step must record the kept states")
    *copies, following = record.body
    kept = ast.copy_location(ast.If(record.test, [*writer.recorded(copies), following], []), record)
    return [*counted, *writer.statements(moves), *(writer.stop(stop) or []), kept]


def _counted(
    body: list[ast.stmt], accepted: str, loop: ast.stmt
) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """Return the statements that begin to count tests, and the other statements of a step."""
    if not accepted:
        return [], body
    begin = ["tests = 0.0", f"state.{accepted}[:] = 0.0"]
    texts = [ast.unparse(s) for s in body]
    at = next((n for n in range(len(texts)) if texts[n : n + 2] == begin), None)
    if at is None or not all(isinstance(s, ast.Assign) for s in body[:at]):
        raise wrong(loop, f"a step must begin with {'; '.join(begin)}")
    counted = parsed("accepted = tests = 0.0").body
    counted[0].lineno = body[at].lineno
    return counted, [*body[:at], *body[at + 2 :]]
