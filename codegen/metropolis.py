"""Metropolis tests as statements: save the state, move it, compare, and go back where the move is not accepted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sympy import Expr, Symbol

from codegen.loops import Restored, Test
from codegen.lower import varying
from codegen.planner import Planner, View
from recipe.abstract import Potential
from recipe.kernel import MetropolisedMap, MetropolisHastings
from recipe.symbols import Block, Scalar, Vector

Saved = Mapping[Block, str]


def map_tested(part: MetropolisedMap, planner: Planner) -> None:
    """Steps of a reversible map, and the test of ``H(z) - H(Psi(z))``; rejected, the state is the old one, flipped."""
    rule = [(b, e) for b, e in part.map.rule if e != b]
    moved = _moved(planner, (b for b, _ in rule))
    flips = part.flips if part.flip_on_rejection else ()
    saved = _save(planner, [b for b in planner.state if b in moved or b in flips])
    before = _number(planner, part.map.target, View({}, None), "energy")
    times = part.times if isinstance(part.times, tuple) else (part.times, part.times)

    def once() -> None:
        planner.carry_out(rule, part.map.sequential)

    if times == (1, 1):
        once()
    else:
        planner.repeat(times, moved, once)
    after = _number(planner, part.map.target, View({}, None), "energy")
    _test(planner, before - after, saved, flips)


def proposal_tested(part: MetropolisHastings, planner: Planner) -> None:
    """A proposal with a density, and the test of ``cost(x, y) - cost(y, x)``."""
    rule = [(b, e) for b, e in part.proposal.rule if e != b]
    saved = _save(planner, [b for b in planner.state if b in _moved(planner, (b for b, _ in rule))])
    old = _cells(planner, saved)
    values = {U: planner.value(U) for U in sorted(part.cost.atoms(Potential), key=str)}
    planner.carry_out(rule, part.proposal.sequential)
    new, second = _cells(planner, {}), dict(part.partners)
    there = View({**old, **{second[b]: cell for b, cell in new.items()}}, values)
    back = View({**new, **{second[b]: cell for b, cell in old.items()}}, None)
    forward = _number(planner, part.cost, there, "cost")
    _test(planner, forward - _number(planner, part.cost, back, "cost"), saved, ())


def _moved(planner: Planner, blocks: Iterable[Block]) -> tuple[Block, ...]:
    listed = set(blocks)
    return tuple(b for b in planner.state if b in listed)


def _save(planner: Planner, blocks: Iterable[Block]) -> Saved:
    """Copy the blocks to scratch; returns where they are."""
    saved: dict[Block, str] = {}
    for b in blocks:
        saved[b] = planner.reserve(f"saved_{b.name}", getattr(b, "length", None))
        if isinstance(b, Scalar):
            planner.lowering.let(planner.number[b], f"saved_{b.name}", store=f"{saved[b]}[0]")
    vectors = [b for b in saved if isinstance(b, Vector)]
    for length in dict.fromkeys(b.length for b in vectors):
        group = [b for b in vectors if b.length == length]
        local = {b: Symbol(planner.namer.fresh(f"saved_{b.name}"), real=True) for b in group}
        values = [(local[b], planner.leaf(b, 0)) for b in group]
        stores = {f"{saved[b]}[i]": local[b] for b in group}
        planner.lowering.sweep(length, values, stores, [], "save")
    return saved


def _cells(planner: Planner, saved: Saved) -> dict[Block, Expr]:
    """Where every block is read, or was saved."""

    def cell(b: Block) -> Expr:
        if b not in saved:
            return planner.leaf(b, 0)
        return planner.number[b] if isinstance(b, Scalar) else varying(f"{saved[b]}[i]")

    return {b: cell(b) for b in planner.state}


def _number(planner: Planner, e: Expr, view: View, wish: str) -> Symbol:
    """A number, computed now."""
    planner.view = view
    lowered = planner.lowering.lower(e)
    planner.view = None
    return planner.lowering.let(lowered, wish)


def _test(planner: Planner, log_ratio: Expr, saved: Saved, flips: Iterable[Block]) -> None:
    fresh, flipped = planner.namer.fresh, set(flips)
    restored = tuple(
        Restored(f"out.{planner.fields[b]}", source, getattr(b, "length", None), b in flipped) for b, source in saved.items()
    )
    planner.lowering.statements.append(Test(fresh("accepted"), log_ratio, fresh("lane_test"), restored))
    planner.lowering.forget()
    for b in saved:
        planner.version[b] += 1
    planner.read_numbers(saved)
