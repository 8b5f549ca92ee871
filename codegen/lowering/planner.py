"""Lower the rules of a step to statements: sums, evaluations of gradients, matrix products, and as
few fused elementwise loops as the order of the rules allows.

One elementwise loop is pending at a time: new values of vectors are added to it, and it is written
when a later rule needs a whole block that the loop moves. A simultaneous rule has all of its
right-hand sides lowered before any of them is stored.
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


Versions = tuple[int, ...]  # of the blocks that a potential depends on, in their order
# an evaluation: of the gradient or of the value, and of which potential
Evaluated = tuple[type[GradientCall] | type[ValueCall], Potential]


@dataclass(frozen=True)
class First:
    """The first evaluation of a gradient or of a value in a body.

    Attributes:
        at: the versions of the blocks of the potential at the evaluation.
        call: the statement that evaluates it.
    """

    at: Versions
    call: GradientCall | ValueCall


@dataclass
class Body:
    """The statements of a step, or of a loop in it, under construction.

    Attributes:
        lowering: holds the statements, and appends further ones.
        entry: the version of each block where the body begins.
        noises: the normal draws that the body uses.
        first: the first evaluation of each gradient and value. An evaluation at the versions of
            ``entry`` is a statement of the body itself; a later evaluation may stand in a loop
            inside of the body.
    """

    lowering: Lowering
    entry: dict[Block, int]
    noises: list[NoiseDraw] = field(default_factory=list)
    first: dict[Evaluated, First] = field(default_factory=dict)


@dataclass(frozen=True)
class View:
    """Where an expression of two states reads its blocks, while it is lowered.

    Attributes:
        cells: the cell of each block that is not read from its usual place.
        fresh: True to evaluate potentials at the present state; False to read the results of their
            last evaluation.
    """

    cells: Mapping[Block, Expr]
    fresh: bool


class Planner:
    """A step under construction.

    Every block has a version, which counts how often it has moved. A gradient is evaluated again if
    the versions of its blocks differ from those at its last evaluation.

    Args:
        state: the blocks in the order in which they are stored.
        written: all expressions that will be lowered.
        step: the symbol of the step size; None for a rule without one.
        namer: gives names that nothing else in the module has.

    Attributes:
        fields: the field of the state that holds each block.
        settings: the field of ``Params`` that holds each parameter and constant matrix.
        scratch: the length of each scratch array by its name; None for a single number.
        variances: the fields with the running variance of each estimated gradient.
        factors: the field of ``Params`` with the Cholesky factor of each covariance matrix.
        noises: the draw of each noise symbol of the present rule.
        results: the arrays that hold the results of each evaluation.
        evaluated: the versions of the blocks at each last evaluation.
        view: where blocks are read in an expression of two states; None elsewhere.
        version: how often each block has moved.
        images: the array with the image of each block that is a preimage.
        number: the local variable with the present value of each scalar block.
        pending: the local variable with the new value of each block in the pending loop.
        values, comments, length: the local values of the pending loop, the comments above it, and
            its length; the length is None if no loop is pending.
        body: the body to which statements are appended.
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
        """The lowering of the present body, to which statements are appended."""
        return self.body.lowering

    def new_body(self) -> Body:
        """Return an empty body that begins at the present versions of the blocks."""
        return Body(Lowering(self.leaf, self.namer, self.matrix, self.reserve), dict(self.version))

    def read_numbers(self, blocks: Iterable[Block], where: str = "out") -> None:
        """Load the scalar blocks among these into local variables again, after they have moved.

        Args:
            blocks: blocks; vectors among them are ignored.
            where: the record that holds them, "state" or "out".
        """
        for b in self.state:
            if isinstance(b, Scalar) and b in blocks:
                self.number[b] = self.lowering.let(Array(where, self.fields[b])["0"], b.name)

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

    def place(self, block: Block) -> Array:
        """Return the array that holds a block now: in ``state`` until it moves, then in ``out``."""
        return Array("state" if self.version[block] == 0 else "out", self.fields[block])

    def reserve(self, wish: str, length: Length | None) -> Array:
        """Return a new scratch array.

        Args:
            wish: its name, to which a number is added if another field has it.
            length: its length; None for an array that holds one number.
        """
        name = self.state_fields.fresh(wish)
        self.scratch[name] = length
        return Array("out", name)

    def matrix(self, M: Dense) -> Array:
        """Return the field of ``Params`` that holds a constant matrix."""
        if M not in self.settings:
            self.settings[M] = self.setting_fields.fresh(M.name)
        return Array("params", self.settings[M])

    def factor(self, M: Dense) -> Array:
        """Return the field of ``Params`` that holds the Cholesky factor of a constant matrix."""
        self.matrix(M)
        if M not in self.factors:
            self.factors[M] = self.setting_fields.fresh(f"{M.name}_cholesky")
        return Array("params", self.factors[M])

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
            s.array for _, value in self.values for s in value.free_symbols if isinstance(s, Cell)
        }
        overwritten = {array for U in stale for array in self.results[GradientCall, U]}
        overwritten |= {Array("state", f) for U in stale for f in self.variances.get(U, ())}
        if whole & self.pending.keys() or read & overwritten or e.has(NoncentralChiSquared):
            self.flush()

    def commit(self, block: Block, value: Expr, written: Expr) -> None:
        """Give a block its new value: a scalar block at once, a vector in the pending loop.

        Args:
            block: the block that moves.
            value: the lowered expression.
            written: the expression as the rule has it, for the comment.
        """
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
        """Return the present versions of the blocks that a potential depends on."""
        return tuple(self.version[b] for b in self.read_by(U))

    def read_by(self, U: Potential) -> tuple[Block, ...]:
        """Return the blocks of the state that a potential depends on, in the potential's order."""
        return tuple(self.preimages.get(b, b) for b in U.blocks)

    @singledispatchmethod
    def leaf(self, e: Expr, label: int) -> Expr:
        """Return the symbol from which the text reads a leaf of an expression.

        Args:
            e: a block, a noise, a parameter, a length, the step size, or a derivative.
            label: the label of the sum around the leaf; ``GENERIC`` outside of sums.

        Raises:
            OutsideLanguageError: for a leaf that a compiled step cannot compute.
        """
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
        """Return the normal draw of a noise symbol; a rule draws each symbol once.

        Args:
            noise: the symbol.
            name: its name.
            length: the length of a vector; None for a number.
            covariance: the covariance matrix; None for independent standard normal draws.

        Raises:
            RecipeError: where the covariance is no ``Dense`` matrix.
        """
        if covariance is not None and not isinstance(covariance, Dense):
            raise RecipeError(
                f"the covariance {covariance} of {name} has no compiled form; make it a Dense"
                " matrix"
            )
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
        """Return the array with the running variance of an estimated gradient, by a block."""
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
                f" of {U}; bind {U} to an expression"
            )
        scratch = self.evaluate(GradientCall, U)[U.blocks.index(generic(e.wrt[0]))]
        if isinstance(e.wrt[0], Scalar):
            return self.lowering.let(scratch["0"], f"g_{U.name}_{e.wrt[0].name}")
        if e.wrt[0].label != label:
            raise OutsideLanguageError(
                f"{e} stands outside of the sum over its index; write it as a summand of that sum"
            )
        return scratch["i"]

    def evaluate(
        self, kind: type[GradientCall] | type[ValueCall], U: Potential
    ) -> tuple[Array, ...]:
        """Return the arrays with the gradient or the value of a potential at the present state.

        A call is appended if the last evaluation was at another state.

        Args:
            kind: ``GradientCall`` or ``ValueCall``.
            U: the potential.

        Returns:
            For a gradient one array a block of the potential; for a value one array of one number.
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
        """Return the array with a block of the state, or with its image if it is a preimage."""
        return self.images[block] if block.image is not None else self.place(block)

    def image(self, block: Block) -> list[Statement]:
        """Return the statements that fill an array with the image of a block, which is an argument
        of a potential.
        """
        assert block.image is not None
        if block not in self.images:
            self.images[block] = self.reserve(block.image.name, block.length)
        lowering = self.new_body().lowering
        if isinstance(block, Scalar):
            # Read the array: a call may be moved to a place where local variables are not set.
            before = self.number[block], self.view
            self.number[block], self.view = self.place(block)["0"], None
            value = lowering.lower(written_image(block))
            self.number[block], self.view = before
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
    """Return the call of a first evaluation.

    Raises:
        AssertionError: where the call is not one of these statements, but stands in a loop among
            them or nowhere.
    """
    if not any(s is first.call for s in statements):
        raise AssertionError(
            f"the first evaluation of {first.call.potential} does not stand where it is looked for"
        )
    return first.call
