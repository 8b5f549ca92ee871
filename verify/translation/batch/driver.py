"""``run_many`` as a text for one chain, in the form of ``run``, which is then read as any ``run``.

Everything outside of the loops over chains (``for c in range(chains):``) is the same for all
chains: counts, parameters and step size, bounds of loops, conditions. A loop over chains reads and
writes, for a chain, its own column and its own numbers (``loops/batch_column.py``). So chains do
not influence each other, the order of the chains and of the loops around does not matter, and one
column changes as it would if every loop over chains were executed for its chain alone. That is the
text that is made here. ``finite`` is shared by all chains: if it is true, it is true for each.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from recipe.files.python_tree import parsed
from verify.translation.loops.batch_column import COLUMN, BatchColumn, assigned_names
from verify.translation.loops.batch_sums import check_place, zeros
from verify.translation.parse.problems import unread, wrong

_FIXED_NAMES = """
    state draws step_sizes params seed first_chain start warmup thin chains first n done step_size
    t row c tests accepted chain gradient data steps invalid EIGHT
"""
FIXED_NAMES = frozenset(_FIXED_NAMES.split())  # names with a meaning in run_many and in run
LOOP = "range(chains)"
STOPS = {
    "if not finite and (not freeze_invalid(state, done)):\n    return (done, 0)": [
        "if not finite:\n    invalid = invalid_block(state)\n"
        "    if invalid >= 0:\n        return (done, invalid)"
    ],
    "if not all_valid(state) and (not freeze_invalid(state, done)):\n    return (done, 0)": [
        "invalid = invalid_block(state)", "if invalid >= 0:\n    return (done, invalid)",
    ],
}  # fmt: skip


@dataclass
class OneChain:
    """Rewrites statements for one chain.

    Attributes:
        bodies: the functions that are loop bodies.
        eights: the arrays of running sums.
        accepted: the array that counts accepted proposals; empty if there is none.
        statistics: the fields of draws that are no blocks.
        shared: the names that get values outside of the loops over chains.
        purposes: the number of keys of a chain.
        loops: the number of loops over chains so far.
    """

    bodies: frozenset[str]
    eights: frozenset[str]
    accepted: str = ""
    statistics: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    purposes: int = 0
    loops: int = field(default=0, init=False)

    @property
    def outside(self) -> BatchColumn:
        """The rewriter of expressions that are the same for all chains."""
        return BatchColumn(self.bodies, self.eights, inside=False)

    def statements(
        self, body: list[ast.stmt], around: frozenset[str] = frozenset()
    ) -> list[ast.stmt]:
        """Rewrite statements outside of the loops over chains; ``around`` are the indices of the
        loops around them.
        """
        result: list[ast.stmt] = []
        at = 0
        while at < len(body):
            match body[at:]:
                case [ast.AugAssign() as counted, ast.For(target=ast.Name(id="c")) as loop, *_] if (
                    ast.unparse(counted) == "tests += 1.0"
                ):
                    result += self.chains(loop, around, counted)
                    at += 2
                case [statement, *_]:
                    result += self.statement(statement, around)
                    at += 1
        return result

    def statement(self, s: ast.stmt, around: frozenset[str]) -> list[ast.stmt]:
        """Rewrite one statement outside of the loops over chains."""
        match s:
            case ast.For(target=ast.Name(id="c")):
                return self.chains(s, around)
            case ast.For(target=ast.Name(id="place"), orelse=[]) if (
                ast.unparse(s.iter) == "range(EIGHT)"
            ):
                return zeros(s, self.eights)
            case ast.For(
                target=ast.Name(id=index),
                iter=ast.Call(func=ast.Name(id="range"), args=args, keywords=[]),
                orelse=[],
            ):
                if index in FIXED_NAMES | around:
                    raise unread(s, f"{index} means something else here")
                return self.loop(s, index, args, around | {index})
            case ast.If(orelse=[]):
                return [
                    _like(
                        s, ast.If(self.outside.visit(s.test), self.statements(s.body, around), [])
                    )
                ]
            case ast.Assign(targets=[ast.Name(id=name)]) if name not in FIXED_NAMES:
                return [_like(s, ast.Assign(s.targets, self.outside.visit(s.value)))]
        raise unread(
            s, f"this is not read outside of loops over chains: {ast.unparse(s).splitlines()[0]}"
        )

    def loop(
        self, s: ast.For, index: str, args: list[ast.expr], around: frozenset[str]
    ) -> list[ast.stmt]:
        """Rewrite a loop that all chains go through together."""
        match args, s.body:
            case [bound], [
                ast.Assign(targets=[ast.Name(id="place")]) as place,
                ast.For(target=ast.Name(id="c")) as inner,
            ]:
                check_place(s, place)
                body = self.chains(inner, around, place="place")
                return [_like(s, ast.For(s.target, _range(s, self.outside.visit(bound)), body, []))]
            case [bound], body:
                inside = self.statements(body, around)
                return [
                    _like(s, ast.For(s.target, _range(s, self.outside.visit(bound)), inside, []))
                ]
            case [low, ast.BinOp(left=first, op=ast.Add(), right=times)], body if ast.dump(
                low
            ) == ast.dump(first):
                low, times = self.outside.visit(low), self.outside.visit(times)
                count = ast.Name(f"repetitions of {index}", ast.Load())
                named = ast.Assign([ast.Name(count.id, ast.Store())], times)
                bounds = _range(s, low, ast.BinOp(low, ast.Add(), count))
                return [
                    _like(s, named),
                    _like(s, ast.For(s.target, bounds, self.statements(body, around), [])),
                ]
        raise unread(s, f"the loop {ast.unparse(s).splitlines()[0]} is not read")

    def chains(
        self, s: ast.For, around: frozenset[str], counted: ast.stmt | None = None, place: str = ""
    ) -> list[ast.stmt]:
        """Rewrite a loop over chains: return its body for the chain in column c."""
        if ast.unparse(s.iter) != LOOP or s.orelse:
            raise wrong(s, f"a loop over chains must visit all of them: {LOOP}")
        own = frozenset(assigned_names(s.body)) - {"finite"}
        if taken := own & (FIXED_NAMES | self.shared | around):
            raise unread(s, f"{min(taken)} means something else outside of the loop over chains")
        self.loops += 1
        column = BatchColumn(
            self.bodies,
            self.eights,
            renamed=own,
            number=self.loops,
            place=place,
            purposes=self.purposes,
        )
        result = [one for inner in s.body for one in self.of_chain(inner, column, counted)]
        if counted is not None and not any(ast.unparse(one) == "tests += 1.0" for one in result):
            raise wrong(counted, "a test is counted, but there is none")
        return result

    def of_chain(
        self, s: ast.stmt, column: BatchColumn, counted: ast.stmt | None
    ) -> list[ast.stmt]:
        """Rewrite a statement inside of a loop over chains."""
        match s:
            case ast.AugAssign(target=ast.Name(id="finite"), op=ast.BitAnd()):
                return [_like(s, ast.AugAssign(s.target, s.op, column.visit(s.value)))]
            case ast.Assign() | ast.AugAssign() | ast.Expr(value=ast.Call()):
                return [_like(s, column.visit(s))]
            case ast.For(
                target=ast.Name(),
                iter=ast.Call(func=ast.Name(id="range"), args=[bound], keywords=[]),
                orelse=[],
            ):
                body = [one for inner in s.body for one in self.of_chain(inner, column, None)]
                return [
                    _like(
                        s, ast.For(column.visit(s.target), _range(s, column.visit(bound)), body, [])
                    )
                ]
            case ast.If(test=ast.Name(), body=[accepted]) if counted is not None:
                if ast.unparse(accepted) != f"state.{self.accepted}[0, {COLUMN}] += 1.0":
                    raise wrong(
                        accepted,
                        "each chain must count only the proposals that it accepts",
                    )
                rejected = [one for inner in s.orelse for one in self.of_chain(inner, column, None)]
                found = ast.If(column.visit(s.test), [_line("accepted += 1.0", accepted)], rejected)
                return [_line("tests += 1.0", counted), _like(s, found)]
        raise unread(s, f"this is not read in a loop over chains: {ast.unparse(s).splitlines()[0]}")

    # -- after the step
    # ----------------------------------------------------------------------------------------------

    def stop(self, s: ast.stmt) -> list[ast.stmt] | None:
        """Return the statements that stop a chain; None if the statement is another one."""
        found = STOPS.get(ast.unparse(s))
        return None if found is None else [_line(text, s) for text in found]

    def recorded(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Rewrite the statements that record a state."""
        result: list[ast.stmt] = []
        for s in body:
            match s:
                case ast.Expr(
                    value=ast.Call(func=ast.Name(id="keep_many"), args=args, keywords=[])
                ):
                    result.append(
                        _like(s, ast.Expr(ast.Call(ast.Name("keep", ast.Load()), args, [])))
                    )
                case ast.If(body=[ast.For()]) if (text := self._rate(s)) is not None:
                    result.append(_line(text, s))
                case _:
                    result += self.statements([s])
        return result

    def _rate(self, s: ast.stmt) -> str | None:
        """Return the statement that records the acceptance rate; None if the statement is another
        one.
        """
        for name in self.statistics:
            head, cell = f"if draws.{name}.shape[0] > 0:", f"draws.{name}[row, 0"
            loop = (
                f"    for {COLUMN} in {LOOP}:\n        {cell}, {COLUMN}] = state.{self.accepted}[0,"
                f" {COLUMN}] / tests"
            )
            if ast.unparse(s) == f"{head}\n{loop}":
                return f"{head}\n    {cell}] = accepted / tests"
        return None


def shared_names(function: ast.FunctionDef) -> frozenset[str]:
    """Return the names that get values outside of the loops over chains, except the indices of
    loops.
    """

    def outside(body: list[ast.stmt]) -> set[str]:
        found: set[str] = set()
        for s in body:
            match s:
                case ast.For(target=ast.Name(id="c")):
                    pass
                case ast.For() | ast.If() | ast.While() | ast.With():
                    found |= outside(s.body) | outside(getattr(s, "orelse", []))
                case _:
                    found |= assigned_names([s])
        return found

    return frozenset(outside(function.body))


def _like(s: ast.stmt, new: ast.stmt) -> ast.stmt:
    return ast.fix_missing_locations(ast.copy_location(new, s))


def _line(text: str, at: ast.stmt) -> ast.stmt:
    (statement,) = parsed(text).body
    for node in ast.walk(statement):
        if isinstance(node, ast.stmt | ast.expr):
            node.lineno = node.end_lineno = at.lineno
    return statement


def _range(s: ast.For, *args: ast.expr) -> ast.Call:
    assert isinstance(s.iter, ast.Call)
    return ast.copy_location(ast.Call(s.iter.func, list(args), []), s.iter)
