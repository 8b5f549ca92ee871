"""Lower the rules of a step to statements: sums, evaluations of gradients, matrix products, and as
few fused elementwise loops as the order of the rules allows.

One elementwise loop is pending at a time: new values of vectors are added to it, and it is written
when a later rule needs a whole block that the loop moves. A simultaneous rule has all of its
right-hand sides lowered before any of them is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sympy import Expr, Symbol

from codegen.lowering.body import Body, Evaluated, First, PendingLoop, call_in
from codegen.lowering.places import Array, Cell
from codegen.lowering.present_state import PresentState
from codegen.lowering.special_forms import with_digamma
from codegen.lowering.statements import GradientCall, Loop
from recipe.language.abstract import Partial, Potential
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.symbols import GENERIC
from recipe.language.total import Total


class Planner(PresentState):
    """A step under construction: the state in the middle of it, which rules move.

    The arguments and attributes are those of ``PresentState``.
    """

    def carry_out(self, rule: Iterable[tuple[Block, Expr]], sequential: bool) -> None:
        """Append the statements of a rule, which shares its noise with no other rule.

        Args:
            rule: each block that moves, and the expression of its new value.
            sequential: True if each line sees the new values of the lines before it; False if all
                lines see the old state.
        """
        self.noises = {}
        rules = [(b, with_digamma(e)) for b, e in rule]
        if sequential:
            for block, e in rules:
                self.make_room_for(e)
                self.commit(block, self.lowering.lower(e), e)
        else:
            lowered = [(block, self.lowering.lower(e), e) for block, e in rules]
            for block, value, e in lowered:
                self.commit(block, value, e)
        self.flush()

    def repeat(
        self, times: tuple[int, int], moved: Iterable[Block], carry_out: Callable[[], None]
    ) -> None:
        """Append a loop.

        Some evaluations are written once before the loop instead of at the start of each
        repetition: those that a repetition makes at its start and again at its end, and those of
        potentials whose blocks no repetition moves.

        Args:
            times: the least and the largest number of repetitions.
            moved: the blocks that a repetition moves.
            carry_out: appends the statements of one repetition.
        """
        outer, before, known = self.body, dict(self.version), dict(self.evaluated)
        for b in moved:
            self.version[b] += 1  # the value is the one that an earlier repetition left
        self.body = inner = self.new_body()
        self.read_numbers(moved)
        carry_out()
        self.body = outer
        statements = list(inner.lowering.statements)
        for what, first in inner.first.items():
            at = tuple(before[b] for b in self.read_by(what[1]))
            if first.at == at or self.ends_where_it_begins(what, inner):
                call = call_in(statements, first)
                statements = [s for s in statements if s is not call]
                if known.get(what) != at:
                    outer.lowering.statements.append(call)
                outer.first.setdefault(what, First(at, call))
            else:
                outer.first.setdefault(what, first)
        fresh = self.namer.fresh
        loop = Loop(
            times,
            fresh("t"),
            fresh("count"),
            fresh("key_count"),
            tuple(statements),
            tuple(inner.noises),
        )
        outer.lowering.statements.append(loop)
        outer.lowering.forget()
        self.read_numbers(moved)

    def ends_where_it_begins(self, what: Evaluated, body: Body) -> bool:
        """Return True if a gradient or a value is evaluated at the start of a body, and again after
        the last move of its blocks.
        """
        entry, now = tuple(body.entry[b] for b in self.read_by(what[1])), self.versions(what[1])
        return body.first[what].at == entry and now != entry and self.evaluated[what] == now

    def make_room_for(self, e: Expr) -> None:
        """Write the pending loop if the next expression cannot join it.

        This is so if the expression needs a whole block that the loop moves, if it evaluates a
        gradient again whose old value the loop reads, and if it has a chi-squared draw. Such a draw
        has a loop of its own, between the loops that compute its parameters and use its result.
        """
        partials = [p for p in e.atoms(Partial) if isinstance(p.head, Potential)]
        whole = {b for p in partials for b in self.read_by(p.head)}
        whole |= {s.at(GENERIC) for t in e.atoms(Total) for s in t.atoms(Vector)}
        stale = {
            p.head
            for p in partials
            if self.evaluated.get((GradientCall, p.head)) not in (None, self.versions(p.head))
        }
        read = {
            s.array
            for _, value in self.pending.values
            for s in value.free_symbols
            if isinstance(s, Cell)
        }
        overwritten = {array for U in stale for array in self.results[GradientCall, U]}
        overwritten |= {Array("state", f) for U in stale for f in self.fields.variances.get(U, ())}
        if whole & self.pending.new.keys() or read & overwritten or e.has(NoncentralChiSquared):
            self.flush()

    def commit(self, block: Block, value: Expr, written: Expr) -> None:
        """Give a block its new value: a scalar block at once, a vector in the pending loop.

        Args:
            block: the block that moves.
            value: the lowered expression.
            written: the expression as the rule has it, for the comment.
        """
        place, comment = Array("out", self.fields.blocks[block]), f"{block} <- {written}"
        if isinstance(block, Scalar):
            self.number[block] = self.lowering.let(
                value, f"{block.name}_new", store=place["0"], comment=comment
            )
        else:
            if self.pending.length not in (None, block.length):
                self.flush()
            self.pending.length = block.length
            local = Symbol(self.namer.fresh(f"{block.name}_new"), real=True)
            self.pending.values.append((local, value))
            self.pending.comments.append(comment)
            self.pending.new[block] = local
        self.version[block] += 1

    def flush(self) -> None:
        """Write the pending loop."""
        loop = self.pending
        if loop.length is None:
            return
        name = "move_" + "_".join(b.name for b in loop.new)
        stores = {Array("out", self.fields.blocks[b])["i"]: x for b, x in loop.new.items()}
        self.lowering.sweep(loop.length, loop.values, stores, loop.comments, name)
        self.pending = PendingLoop()
        self.lowering.forget()
