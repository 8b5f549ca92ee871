"""Metropolis tests as statements: save the state, move it, compare, and go back where the move is
not accepted.

Values and gradients of potentials that are evaluated both where the move begins and where it ends
are saved and put back as well. They belong to the state that the test leaves, and the next move
begins with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sympy import Expr, Symbol

from codegen.lowering.places import Array
from codegen.lowering.planner import Evaluated, Planner, View
from codegen.lowering.statements import GradientCall, Restored, Test, ValueCall
from recipe.declare.update import Update
from recipe.kernel import MetropolisedMap, MetropolisHastings
from recipe.language.abstract import Partial, Potential
from recipe.language.symbols import GENERIC, Block, Length, Scalar

NOW = View({}, fresh=True)


@dataclass(frozen=True)
class Saved:
    """The arrays that the blocks were copied to, and the arrays of values and gradients that were
    copied with them.
    """

    blocks: Mapping[Block, Array]
    evaluated: Mapping[Evaluated, tuple[Restored, ...]]


def map_tested(part: MetropolisedMap, planner: Planner) -> None:
    """Write the steps of a reversible map, and the test of ``H(z) - H(Psi(z))``. On rejection the
    state is the old one with some blocks flipped.
    """
    rule = _moves(part.map)
    flips = set(part.flips if part.flip_on_rejection else ())
    moved = [b for b in planner.state if b in {b for b, _ in rule}]
    values: list[Evaluated] = [(ValueCall, U) for U in _potentials(part.map.target)]
    gradients: list[Evaluated] = [(GradientCall, U) for U in _read_at_both_ends(part.map, planner)]
    saved = _save(
        planner, [b for b in planner.state if b in moved or b in flips], [*values, *gradients]
    )
    before = _number(planner, part.map.target, NOW, "energy")
    times = part.times if isinstance(part.times, tuple) else (part.times, part.times)

    def once() -> None:
        planner.carry_out(rule, part.map.sequential)

    if times == (1, 1):
        once()
    else:
        planner.repeat(times, moved, once)
    _test(planner, before - _number(planner, part.map.target, NOW, "energy"), saved, flips)


def proposal_tested(part: MetropolisHastings, planner: Planner) -> None:
    """Write a proposal that has a density, and the test of ``cost(x, y) - cost(y, x)``."""
    rule = _moves(part.proposal)
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
    forward = _number(planner, part.cost, there, "cost")
    _test(planner, forward - _number(planner, part.cost, back, "cost"), saved, set())


def _moves(rule: Update) -> list[tuple[Block, Expr]]:
    return [(b, e) for b, e in rule.rule if e != b]


def _potentials(e: Expr) -> list[Potential]:
    return sorted(e.atoms(Potential), key=str)


def _differentiated(e: Expr) -> list[Potential]:
    return sorted({p.head for p in e.atoms(Partial) if isinstance(p.head, Potential)}, key=str)


def _read_at_both_ends(rule: Update, planner: Planner) -> list[Potential]:
    """The potentials whose gradient is read before their blocks move, and again after they have
    moved for the last time.
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
        U for U in used if rule.sequential and read_first(U, _moves(rule)) and not moved_last(U)
    ]


def _save(planner: Planner, blocks: Iterable[Block], evaluated: Iterable[Evaluated]) -> Saved:
    """Copy the blocks, and the evaluations of potentials at them, to scratch."""
    saved: dict[Block, Array] = {}
    for b in blocks:
        saved[b] = planner.reserve(f"saved_{b.name}", b.length)
        _copy(planner, planner.leaf(b, GENERIC), saved[b], b.length)
    kept = {}
    for what in evaluated:
        results = planner.evaluate(*what)
        lengths = [b.length for b in what[1].blocks] if what[0] is GradientCall else [None]
        copies = [
            planner.reserve(f"saved_{array.field}", n)
            for array, n in zip(results, lengths, strict=True)
        ]
        for array, copy, length in zip(results, copies, lengths, strict=True):
            _copy(planner, array["0" if length is None else "i"], copy, length)
        kept[what] = tuple(
            Restored(*three, flipped=False) for three in zip(results, copies, lengths, strict=True)
        )
    return Saved(saved, kept)


def _copy(planner: Planner, value: Expr, goal: Array, length: Length | None) -> None:
    if length is None:
        planner.lowering.let(value, goal.field, store=goal["0"])
    else:
        local = Symbol(planner.namer.fresh(goal.field), real=True)
        planner.lowering.sweep(length, [(local, value)], {goal["i"]: local}, [], "save")


def _cells(planner: Planner, saved: Mapping[Block, Array]) -> dict[Block, Expr]:
    """The cell of every block: where it was saved, or where it is read now."""

    def cell(b: Block) -> Expr:
        return (
            saved[b]["i"] if b in saved and not isinstance(b, Scalar) else planner.leaf(b, GENERIC)
        )

    return {b: cell(b) for b in planner.state}


def _number(planner: Planner, e: Expr, view: View, wish: str) -> Symbol:
    """The value of an expression at this point of the program, as a number."""
    planner.view = view
    lowered = planner.lowering.lower(e)
    planner.view = None
    return planner.lowering.let(lowered, wish)


def _test(planner: Planner, log_ratio: Expr, saved: Saved, flips: set[Block]) -> None:
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
        Restored(Array("out", planner.fields[b]), source, b.length, b in flips)
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
