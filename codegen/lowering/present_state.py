"""The state in the middle of a step: where each leaf of an expression is read, and which
evaluations of potentials are still those of the present state.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatchmethod

from sympy import Expr, Symbol

from codegen.lowering.body import Body, Evaluated, First, PendingLoop, Versions, View
from codegen.lowering.chi_squared import write_chi_squared
from codegen.lowering.fields import Fields
from codegen.lowering.lower import Lowering, unbound
from codegen.lowering.names import Namer
from codegen.lowering.places import Array, Cell
from codegen.lowering.shared_symbols import CommonLeaves
from codegen.lowering.statements import GradientCall, NoiseDraw, Statement, ValueCall
from recipe.language.abstract import Dense, Field, Partial, Potential, written_image
from recipe.language.blocks import Block, Scalar, Vector, preimages
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.errors import OutsideLanguageError, RecipeError
from recipe.language.free_symbols import parameters_of
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import GENERIC, Index, Length, generic
from recipe.language.variance import ScalarVariance, VectorVariance

STEP_SIZE = Symbol("step_size", positive=True)


class PresentState:
    """The blocks in the middle of a step, of which every expression is lowered.

    Every block has a version, which counts how often it has moved. A gradient is evaluated again if
    the versions of its blocks differ from those at its last evaluation.

    Args:
        state: the blocks in the order in which they are stored.
        written: all expressions that will be lowered.
        step: the symbol of the step size; None for a rule without one.
        namer: gives names that nothing else in the module has.

    Attributes:
        fields: the fields that hold the blocks, the parameters and the scratch arrays.
        noises: the draw of each noise symbol of the present rule.
        results: the arrays that hold the results of each evaluation.
        evaluated: the versions of the blocks at each last evaluation.
        view: where blocks are read in an expression of two states; None elsewhere.
        version: how often each block has moved.
        images: the array with the image of each block that is a preimage.
        number: the local variable with the present value of each scalar block.
        pending: the loop that is written next.
        body: the body to which statements are appended.
    """

    def __init__(
        self, state: tuple[Block, ...], written: Iterable[Expr], step: Symbol | None, namer: Namer
    ) -> None:
        self.state, self.step, self.namer = state, step, namer
        self.fields = Fields(state, (s for s in parameters_of(written) if s != step))
        self.noises: dict[Symbol, NoiseDraw] = {}
        self.common = CommonLeaves(self.fields.settings, namer)
        self.results: dict[Evaluated, tuple[Array, ...]] = {}
        self.evaluated: dict[Evaluated, Versions] = {}
        self.view: View | None = None
        self.version: dict[Block, int] = dict.fromkeys(state, 0)
        self.preimages = preimages(state)
        self.images: dict[Block, Array] = {}
        self.number: dict[Scalar, Symbol] = {}
        self.pending = PendingLoop()
        self.body = self.new_body()
        self.read_numbers(state, "state")

    @property
    def lowering(self) -> Lowering:
        """The lowering of the present body, to which statements are appended."""
        return self.body.lowering

    def new_body(self) -> Body:
        """Return an empty body that begins at the present versions of the blocks."""
        return Body(
            Lowering(self.leaf, self.namer, self.fields.matrix, self.fields.reserve),
            dict(self.version),
        )

    def read_numbers(self, blocks: Iterable[Block], where: str = "out") -> None:
        """Load the scalar blocks among these into local variables again, after they have moved.

        Args:
            blocks: blocks; vectors among them are ignored.
            where: the record that holds them, "state" or "out".
        """
        for b in self.state:
            if isinstance(b, Scalar) and b in blocks:
                self.number[b] = self.lowering.let(Array(where, self.fields.blocks[b])["0"], b.name)

    def place(self, block: Block) -> Array:
        """Return the array that holds a block now: in ``state`` until it moves, then in ``out``."""
        return Array("state" if self.version[block] == 0 else "out", self.fields.blocks[block])

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
        if label == GENERIC and block in self.pending.new:
            return self.pending.new[block]
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
        return self.lowering.product(self.fields.factor(draw.matrix), draw.cell, e.length, e.length)

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
        return write_chi_squared(e, self.lowering, self.fields, self.namer)

    @leaf.register
    def _(self, e: VectorVariance, label: int) -> Expr:
        return self.fields.variance(e.potential, e.block)["i"]

    @leaf.register
    def _(self, e: ScalarVariance, label: int) -> Expr:
        return Cell(self.fields.variance(e.potential, e.block), "0", nonnegative=True)

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
            self.results[what] = tuple(self.fields.reserve(wish, length) for wish, length in wishes)
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
            self.images[block] = self.fields.reserve(block.image.name, block.length)
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
