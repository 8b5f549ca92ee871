"""Write the statements of Metropolis tests: save the state, move it, compare, and restore the saved
state if the move is rejected.

A value or a gradient of a potential that is evaluated where the move begins and again where it ends
is saved and restored as well. So it belongs to the state that the test leaves, and the next move
need not evaluate it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sympy import Expr, Symbol

from codegen.lowering.body import Evaluated, View
from codegen.lowering.places import Array
from codegen.lowering.planner import Planner
from codegen.lowering.statements import GradientCall, Restored, Test, ValueCall
from recipe.declare.update import Update
from recipe.kernel import MetropolisedMap, MetropolisHastings
from recipe.language.abstract import Partial, Potential
from recipe.language.blocks import Block, Scalar
from recipe.language.symbols import GENERIC, Length

PRESENT = View({}, fresh=True)


@dataclass(frozen=True)
class Saved:
    """The copies that a rejection restores.

    Attributes:
        blocks: the array with the copy of each block.
        evaluated: for each evaluation the arrays with its results, and their copies.
    """

    blocks: Mapping[Block, Array]
    evaluated: Mapping[Evaluated, tuple[Restored, ...]]


def write_map_test(part: MetropolisedMap, planner: Planner) -> None:
    """Append the steps of a reversible map Psi, and the test of ``H(z) - H(Psi(z))``.

    A rejection restores the old state, and changes the sign of the blocks that the part flips.
    """
    rule = _moving_lines(part.map)
    flips = set(part.flips if part.flip_on_rejection else ())
    moved = [b for b in planner.state if b in {b for b, _ in rule}]
    values: list[Evaluated] = [(ValueCall, U) for U in _potentials(part.map.target)]
    gradients: list[Evaluated] = [(GradientCall, U) for U in _read_at_both_ends(part.map, planner)]
    saved = _save(
        planner, [b for b in planner.state if b in moved or b in flips], [*values, *gradients]
    )
    before = _compute(planner, part.map.target, PRESENT, "energy")
    times = part.times if isinstance(part.times, tuple) else (part.times, part.times)

    def once() -> None:
        planner.carry_out(rule, part.map.sequential)

    if times == (1, 1):
        once()
    else:
        planner.repeat(times, moved, once)
    _write_test(
        planner, before - _compute(planner, part.map.target, PRESENT, "energy"), saved, flips
    )


def write_proposal_test(part: MetropolisHastings, planner: Planner) -> None:
    """Append a proposal y that has a density given x, and the test of ``cost(x, y) - cost(y,
    x)``.
    """
    rule = _moving_lines(part.proposal)
    values: list[Evaluated] = [(ValueCall, U) for U in _potentials(part.cost)]
    gradients: list[Evaluated] = [(GradientCall, U) for U in _differentiated(part.cost)]
    saved = _save(
        planner, [b for b in planner.state if b in {b for b, _ in rule}], [*values, *gradients]
    )
    old = _cells(planner, saved.blocks)
    planner.carry_out(rule, part.proposal.sequential)
    new, second = _cells(planner, {}), dict(part.partners)  # y for every block x that moves
    there = View(old | {y: new[b] for b, y in second.items()}, fresh=False)
    back = View(new | {y: old[b] for b, y in second.items()}, fresh=True)
    forward = _compute(planner, part.cost, there, "cost")
    _write_test(planner, forward - _compute(planner, part.cost, back, "cost"), saved, set())


def _moving_lines(rule: Update) -> list[tuple[Block, Expr]]:
    """Return the lines of a rule that change their block."""
    return [(b, e) for b, e in rule.rule if e != b]


def _potentials(e: Expr) -> list[Potential]:
    return sorted(e.atoms(Potential), key=str)


def _differentiated(e: Expr) -> list[Potential]:
    """Return the potentials whose derivatives an expression has."""
    return sorted({p.head for p in e.atoms(Partial) if isinstance(p.head, Potential)}, key=str)


def _read_at_both_ends(rule: Update, planner: Planner) -> list[Potential]:
    """Return the potentials whose gradient a sequential rule reads before their blocks move, and
    again after the last move of these blocks.
    """

    def read_first(U: Potential, moves: Iterable[tuple[Block, Expr]]) -> bool:
        return next(
            (
                U in _differentiated(e)
                for b, e in moves
                if U in _differentiated(e) or b in planner.read_by(U)
            ),
            False,
        )

    def moved_last(U: Potential) -> bool:
        blocks = planner.read_by(U)
        return next(
            (
                b in blocks
                for b, e in reversed(rule.rule)
                if e != b and (b in blocks or U in _differentiated(e))
            ),
            True,
        )

    used = {U: None for _, e in rule.rule for U in _differentiated(e)}
    return [
        U
        for U in used
        if rule.sequential and read_first(U, _moving_lines(rule)) and not moved_last(U)
    ]


def _save(planner: Planner, blocks: Iterable[Block], evaluated: Iterable[Evaluated]) -> Saved:
    """Append the statements that copy blocks, and the results of evaluations, to scratch arrays."""
    saved: dict[Block, Array] = {}
    for b in blocks:
        saved[b] = planner.fields.reserve(f"saved_{b.name}", b.length)
        _copy(planner, planner.leaf(b, GENERIC), saved[b], b.length)
    kept = {}
    for what in evaluated:
        results = planner.evaluate(*what)
        lengths = [b.length for b in what[1].blocks] if what[0] is GradientCall else [None]
        copies = [
            planner.fields.reserve(f"saved_{array.field}", n)
            for array, n in zip(results, lengths, strict=True)
        ]
        for array, copy, length in zip(results, copies, lengths, strict=True):
            _copy(planner, array["0" if length is None else "i"], copy, length)
        kept[what] = tuple(
            Restored(*three, flipped=False) for three in zip(results, copies, lengths, strict=True)
        )
    return Saved(saved, kept)


def _copy(planner: Planner, value: Expr, goal: Array, length: Length | None) -> None:
    """Append the statement that stores a value into an array, at every coordinate."""
    if length is None:
        planner.lowering.let(value, goal.field, store=goal["0"])
    else:
        local = Symbol(planner.namer.fresh(goal.field), real=True)
        planner.lowering.sweep(length, [(local, value)], {goal["i"]: local}, [], "save")


def _cells(planner: Planner, saved: Mapping[Block, Array]) -> dict[Block, Expr]:
    """Return the cell of every block: of its copy where there is one, otherwise its present one. A
    scalar block has its present local variable.
    """

    def cell(b: Block) -> Expr:
        return (
            saved[b]["i"] if b in saved and not isinstance(b, Scalar) else planner.leaf(b, GENERIC)
        )

    return {b: cell(b) for b in planner.state}


def _compute(planner: Planner, e: Expr, view: View, wish: str) -> Symbol:
    """Append the statements that compute an expression here; return its local variable.

    Args:
        planner: the planner.
        e: the expression.
        view: where its blocks are read.
        wish: the name of the local variable.
    """
    planner.view = view
    lowered = planner.lowering.lower(e)
    planner.view = None
    return planner.lowering.let(lowered, wish)


def _write_test(planner: Planner, log_ratio: Expr, saved: Saved, flips: set[Block]) -> None:
    """Append the test that accepts with the probability ``min(1, exp(log_ratio))``.

    A rejection restores the copies and changes the sign of the blocks in ``flips``. Results of an
    evaluation are restored only if no block of the potential is flipped, as they belong to the
    state before the move.
    """
    right = {
        what: arrays
        for what, arrays in saved.evaluated.items()
        if not flips & set(planner.read_by(what[1]))
    }
    if any(
        planner.evaluated[what] != planner.versions(what[1]) for what in right
    ):  # no assert: the draws rest on it
        raise AssertionError("a gradient is restored that is not of the state before the move")
    restored = [
        Restored(Array("out", planner.fields.blocks[b]), source, b.length, b in flips)
        for b, source in saved.blocks.items()
    ]
    restored += [array for arrays in right.values() for array in arrays]
    fresh = planner.namer.fresh
    planner.lowering.statements.append(
        Test(fresh("accepted"), log_ratio, fresh("key_test"), tuple(restored))
    )
    planner.lowering.forget()
    for b in saved.blocks:
        planner.version[b] += 1
    for what in right:
        planner.evaluated[what] = planner.versions(what[1])
    planner.read_numbers(saved.blocks)
