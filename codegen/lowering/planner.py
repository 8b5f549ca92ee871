"""Lower rules to statements: sums by level, gradients and matrix products, and as few fused loops
as the order allows.

One elementwise loop is kept pending, and is flushed when something needs a whole block that the
loop moves. The right-hand sides of a simultaneous rule are all lowered before any of them is
stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import singledispatchmethod

from sympy import Expr, Symbol

from codegen.lowering.lower import Lowering, unbound
from codegen.lowering.names import RESERVED_FIELDS, Namer, field_namer
from codegen.lowering.places import Array, Cell
from codegen.lowering.shared_symbols import CommonLeaves
from codegen.lowering.special_forms import with_digamma
from codegen.lowering.statements import (
    ChiSquared,
    GradientCall,
    Loop,
    NoiseDraw,
    Statement,
    ValueCall,
)
from recipe.language.abstract import Dense, Field, Partial, Potential, written_image
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.errors import OutsideLanguageError, RecipeError
from recipe.language.free_symbols import parameters_of
from recipe.language.symbols import (
    GENERIC,
    Block,
    Index,
    Length,
    Noise,
    Scalar,
    ScalarNoise,
    Vector,
    generic,
    name_of,
    preimages,
)
from recipe.language.total import Total
from recipe.language.variance import ScalarVariance, VectorVariance

STEP_SIZE = Symbol("step_size", positive=True)


Versions = tuple[int, ...]
# whether the gradient or the value of a potential was evaluated, and of which potential
Evaluated = tuple[type[GradientCall] | type[ValueCall], Potential]


@dataclass(frozen=True)
class First:
    """The first evaluation of a gradient or a value in a body: the versions of its blocks then, and
    the call.
    """

    at: Versions
    call: GradientCall | ValueCall


@dataclass
class Body:
    """The statements of a step, or of a loop in it, under construction.

    ``entry`` are the versions of the blocks where the body begins, ``first`` is the first
    evaluation of each gradient and value. An evaluation at the versions of ``entry`` is a statement
    of the body itself; a later evaluation may stand in a loop inside of the body.
    """

    lowering: Lowering
    entry: dict[Block, int]
    noises: list[NoiseDraw] = field(default_factory=list)
    first: dict[Evaluated, First] = field(default_factory=dict)


@dataclass(frozen=True)
class View:
    """The cells that some blocks are read from, in an expression of two states. Potentials are
    evaluated only in a ``fresh`` view; another view reads the values that are there.
    """

    cells: Mapping[Block, Expr]
    fresh: bool


class Planner:
    """A step under construction.

    Every block has a version, which counts how often it has moved; a gradient is evaluated again
    where the versions of its blocks are others than at its last evaluation.

    Args:
        state: the blocks in the order in which they are stored.
        written: all expressions that will be lowered.
        step: the symbol of the step size; None for a rule without one.
        namer: gives names that nothing else in the module has.
    """

    def __init__(
        self, state: tuple[Block, ...], written: Iterable[Expr], step: Symbol | None, namer: Namer
    ) -> None:
        self.state, self.step, self.namer = state, step, namer
        self.state_fields, self.setting_fields = field_namer(RESERVED_FIELDS), field_namer()
        self.fields: dict[Block, str] = {b: self.state_fields.fresh(b.name) for b in state}
        self.settings: dict[Symbol, str] = {}
        self.scratch: dict[str, Length | None] = {}
        self.variances: dict[Potential, tuple[str, ...]] = {}
        self.factors: dict[Dense, str] = {}
        self.noises: dict[Symbol, NoiseDraw] = {}
        self.common = CommonLeaves(self.settings, namer)
        self.results: dict[Evaluated, tuple[Array, ...]] = {}
        self.evaluated: dict[Evaluated, Versions] = {}
        self.view: View | None = None
        self.version: dict[Block, int] = dict.fromkeys(state, 0)
        self.preimages = preimages(state)
        self.images: dict[Block, Array] = {}
        self.number: dict[Scalar, Symbol] = {}
        self.pending: dict[Block, Symbol] = {}
        self.values: list[tuple[Symbol, Expr]] = []
        self.comments: list[str] = []
        self.length: Length | None = None
        self.body = self.new_body()
        for s in parameters_of(written):
            if s != step:
                self.settings[s] = self.setting_fields.fresh(name_of(s))
        self.read_numbers(state, "state")

    @property
    def lowering(self) -> Lowering:
        """The statements that are being written."""
        return self.body.lowering

    def new_body(self) -> Body:
        """An empty body that begins at the state as it is."""
        return Body(Lowering(self.leaf, self.namer, self.matrix, self.reserve), dict(self.version))

    def read_numbers(self, blocks: Iterable[Block], where: str = "out") -> None:
        """Read the scalar blocks among these again, as they have moved."""
        for b in self.state:
            if isinstance(b, Scalar) and b in blocks:
                self.number[b] = self.lowering.let(Array(where, self.fields[b])["0"], b.name)

    def carry_out(self, rule: Iterable[tuple[Block, Expr]], sequential: bool) -> None:
        """Write the statements of a rule; no other rule shares its noise."""
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
        """Write a loop.

        A gradient or a value that is evaluated where a repetition begins, and again where it ends,
        is evaluated before the loop instead of at each beginning; so is one whose blocks no
        repetition moves.

        Args:
            times: the least and the largest number of repetitions.
            moved: the blocks that a repetition moves.
            carry_out: writes the statements of one repetition.
        """
        outer, before, known = self.body, dict(self.version), dict(self.evaluated)
        for b in moved:
            self.version[b] += 1  # it is what an earlier repetition left
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
        """Whether a gradient or a value is evaluated at the start of a body, and again after the
        last move of its blocks.
        """
        entry, now = tuple(body.entry[b] for b in self.read_by(what[1])), self.versions(what[1])
        return body.first[what].at == entry and now != entry and self.evaluated[what] == now

    def place(self, block: Block) -> Array:
        """The array that holds a block now."""
        return Array("state" if self.version[block] == 0 else "out", self.fields[block])

    def reserve(self, wish: str, length: Length | None) -> Array:
        """A new array of scratch."""
        name = self.state_fields.fresh(wish)
        self.scratch[name] = length
        return Array("out", name)

    def matrix(self, M: Dense) -> Array:
        """The field of ``Params`` that holds a constant matrix."""
        if M not in self.settings:
            self.settings[M] = self.setting_fields.fresh(M.name)
        return Array("params", self.settings[M])

    def factor(self, M: Dense) -> Array:
        """The Cholesky factor of a constant matrix."""
        self.matrix(M)
        if M not in self.factors:
            self.factors[M] = self.setting_fields.fresh(f"{M.name}_cholesky")
        return Array("params", self.factors[M])

    def make_room_for(self, e: Expr) -> None:
        """Write the pending loop if the new rule needs whole blocks that the loop moves, or
        overwrites a gradient that the loop reads.

        A draw that is not normal has a loop of its own, between those of its parameters and of its
        use.
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
            s.array for _, value in self.values for s in value.free_symbols if isinstance(s, Cell)
        }
        overwritten = {array for U in stale for array in self.results[GradientCall, U]}
        overwritten |= {Array("state", f) for U in stale for f in self.variances.get(U, ())}
        if whole & self.pending.keys() or read & overwritten or e.has(NoncentralChiSquared):
            self.flush()

    def commit(self, block: Block, value: Expr, written: Expr) -> None:
        """Give a block its new value: a scalar block at once, a vector in the pending loop."""
        place, comment = Array("out", self.fields[block]), f"{block} <- {written}"
        if isinstance(block, Scalar):
            self.number[block] = self.lowering.let(
                value, f"{block.name}_new", store=place["0"], comment=comment
            )
        else:
            if self.length not in (None, block.length):
                self.flush()
            self.length = block.length
            local = Symbol(self.namer.fresh(f"{block.name}_new"), real=True)
            self.values.append((local, value))
            self.comments.append(comment)
            self.pending[block] = local
        self.version[block] += 1

    def flush(self) -> None:
        """Write the pending loop."""
        if self.length is None:
            return
        name = "move_" + "_".join(b.name for b in self.pending)
        stores = {Array("out", self.fields[b])["i"]: x for b, x in self.pending.items()}
        self.lowering.sweep(self.length, self.values, stores, self.comments, name)
        self.pending, self.values, self.comments, self.length = {}, [], [], None
        self.lowering.forget()

    def versions(self, U: Potential) -> Versions:
        return tuple(self.version[b] for b in self.read_by(U))

    def read_by(self, U: Potential) -> tuple[Block, ...]:
        """The blocks of the state that a potential depends on, in its order."""
        return tuple(self.preimages.get(b, b) for b in U.blocks)

    @singledispatchmethod
    def leaf(self, e: Expr, label: int) -> Expr:
        """The symbol that a parameter, a length, or the step size is read from."""
        if e == self.step:
            return STEP_SIZE
        return self.common.read(e)

    @leaf.register
    def _(self, e: Vector, label: int) -> Expr:
        block = e.at(GENERIC)
        if self.view is not None and block in self.view.cells:
            return self.view.cells[block]
        if label == GENERIC and block in self.pending:
            return self.pending[block]
        return self.place(block)["i"]

    @leaf.register
    def _(self, e: Scalar, label: int) -> Expr:
        if self.view is not None and e in self.view.cells:
            return self.view.cells[e]
        return self.number[e]

    @leaf.register
    def _(self, e: Noise, label: int) -> Expr:
        draw = self.draw(e.at(GENERIC), e.base, e.length, e.covariance)
        if draw.matrix is None:
            return draw.cell
        return self.lowering.product(self.factor(draw.matrix), draw.cell, e.length, e.length)

    @leaf.register
    def _(self, e: ScalarNoise, label: int) -> Expr:
        return self.draw(e, e.name, None, None).local

    def draw(
        self, noise: Symbol, name: str, length: Length | None, covariance: Expr | None
    ) -> NoiseDraw:
        if covariance is not None and not isinstance(covariance, Dense):
            raise RecipeError(f"the covariance {covariance} of {name} must be a Dense matrix")
        if noise not in self.noises:
            new = self.namer.fresh
            pair = (new(f"{name}_a"), new(f"{name}_b"))
            self.noises[noise] = NoiseDraw(
                name, Symbol(new(name), real=True), pair, new(f"key_{name}"), length, covariance
            )
            self.body.noises.append(self.noises[noise])
        return self.noises[noise]

    @leaf.register
    def _(self, e: NoncentralChiSquared, label: int) -> Expr:
        name, length = name_of(e.noise), e.noise.length
        df, nonc = (self.lowering.lower(a) for a in (e.df, e.nonc))
        fields = [self.reserve(f"{name}_{part}", length) for part in ("df", "nonc", "draw")]
        if length is None:
            for value, field in zip((df, nonc), fields, strict=False):
                self.lowering.let(value, name, store=field["0"])
        else:
            values = [
                (Symbol(self.namer.fresh(part), real=True), value)
                for part, value in (("df", df), ("nonc", nonc))
            ]
            stores = {field["i"]: local for field, (local, _) in zip(fields, values, strict=False)}
            self.lowering.sweep(length, values, stores, [f"the law of {e}"], f"law_{name}")
        new = self.namer.fresh
        df_field, nonc_field, target = fields
        self.lowering.statements.append(
            ChiSquared(
                name,
                target,
                df_field,
                nonc_field,
                Array("", new(f"{name}_draws")),
                new(f"key_{name}"),
                length,
            )
        )
        self.lowering.forget()
        return target["i"] if length is not None else self.lowering.let(target["0"], name)

    @leaf.register
    def _(self, e: VectorVariance, label: int) -> Expr:
        return self.variance(e.potential, e.block)["i"]

    @leaf.register
    def _(self, e: ScalarVariance, label: int) -> Expr:
        return Cell(self.variance(e.potential, e.block), "0", nonnegative=True)

    def variance(self, U: Potential, block: Block) -> Array:
        """The array with the variance of an estimated gradient."""
        if U not in self.variances:
            arrays = [self.reserve(f"variance_{U.name}_{b.name}", b.length) for b in U.blocks]
            self.variances[U] = tuple(array.field for array in arrays)
        return Array("state", self.variances[U][U.blocks.index(block)])

    @leaf.register
    def _(self, e: Potential, label: int) -> Expr:
        if self.view is None:
            raise OutsideLanguageError(
                f"the rule uses the value of {e}, and a kernel knows only its gradient; bind it to"
                " an expression"
            )
        return self.lowering.let(self.evaluate(ValueCall, e)[0]["0"], f"value_{e.name}")

    @leaf.register(Index)
    @leaf.register(Field)
    def _(self, e: Expr, label: int) -> Expr:
        raise unbound(e)

    @leaf.register
    def _(self, e: Partial, label: int) -> Expr:
        U = e.head
        if not isinstance(U, Potential):
            raise unbound(U)
        if len(e.wrt) > 1:
            raise OutsideLanguageError(
                f"the rule uses the second derivative {e}, and a kernel knows only the gradient"
                f" of {U}"
            )
        scratch = self.evaluate(GradientCall, U)[U.blocks.index(generic(e.wrt[0]))]
        if isinstance(e.wrt[0], Scalar):
            return self.lowering.let(scratch["0"], f"g_{U.name}_{e.wrt[0].name}")
        if e.wrt[0].label != label:
            raise OutsideLanguageError(f"{e} stands outside of the sum over its index")
        return scratch["i"]

    def evaluate(
        self, kind: type[GradientCall] | type[ValueCall], U: Potential
    ) -> tuple[Array, ...]:
        """The arrays with the gradient or the value of a potential at the present state. A call is
        written where the last evaluation was at another state.
        """
        what = (kind, U)
        if what not in self.results:
            gradient = tuple((f"g_{U.name}_{b.name}", b.length) for b in U.blocks)
            wishes = gradient if kind is GradientCall else ((f"value_{U.name}", None),)
            self.results[what] = tuple(self.reserve(wish, length) for wish, length in wishes)
        if self.evaluated.get(what) != self.versions(U) and (self.view is None or self.view.fresh):
            images = tuple(s for b in self.read_by(U) if b.image is not None for s in self.image(b))
            call = kind(
                U, tuple(self.argument(b) for b in self.read_by(U)), self.results[what], images
            )
            self.lowering.statements.append(call)
            self.lowering.forget()
            self.evaluated[what] = self.versions(U)
            self.body.first.setdefault(what, First(self.versions(U), call))
        return self.results[what]

    def argument(self, block: Block) -> Array:
        """The array with a block of the state, or with its image."""
        return self.images[block] if block.image is not None else self.place(block)

    def image(self, block: Block) -> list[Statement]:
        """The statements that fill an array with the image of a block, the argument of a
        potential.
        """
        assert block.image is not None
        if block not in self.images:
            self.images[block] = self.reserve(block.image.name, block.length)
        lowering = self.new_body().lowering
        if isinstance(
            block, Scalar
        ):  # from its array: where a call is moved to, the number that was read is not known
            before, self.number[block] = self.number[block], self.place(block)["0"]
            value = lowering.lower(written_image(block))
            self.number[block] = before
        else:
            value = lowering.lower(written_image(block))
        comment = f"{block.image} = {written_image(block)}"
        if isinstance(block, Scalar):
            lowering.let(value, block.image.name, store=self.images[block]["0"], comment=comment)
        else:
            local = Symbol(self.namer.fresh(block.image.name), real=True)
            stores = {self.images[block]["i"]: local}
            lowering.sweep(
                block.length, [(local, value)], stores, [comment], f"find_{block.image.name}"
            )
        return lowering.statements


def call_in(statements: Iterable[Statement], first: First) -> GradientCall | ValueCall:
    """The call of a first evaluation, which must be one of these statements and must not stand in
    a loop among them.
    """
    if not any(s is first.call for s in statements):
        raise AssertionError(
            f"the first evaluation of {first.call.potential} does not stand where it is looked for"
        )
    return first.call
