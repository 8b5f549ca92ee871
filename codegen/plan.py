"""Lower an ``Update`` to statements: sums by level, gradients and matrix products, and as few fused loops as the order allows.

One elementwise loop is kept pending, and is flushed when something needs a whole block that the loop moves. The right-hand sides of
a simultaneous rule are all lowered before any of them is stored.
"""

from __future__ import annotations

from functools import singledispatchmethod

from sympy import Expr, Symbol

from codegen.leaves import CommonLeaves
from codegen.loops import Carried, GradientCall, Let, MatrixProduct, NoiseDraw, Plan, Recorded, Statement, Sums, Sweep
from codegen.lower import Lowering, unbound, varying
from codegen.names import Namer, field_namer
from codegen.special import with_digamma
from recipe.abstract import Dense, Field, Partial, Potential
from recipe.errors import OutsideLanguageError, RecipeError
from recipe.free import parameters_of
from recipe.symbols import GENERIC, Block, Index, Length, Noise, Scalar, ScalarNoise, Vector, generic, name_of
from recipe.total import Total
from recipe.update import Update
from recipe.variance import ScalarVariance, VectorVariance

STEP_SIZE = Symbol("step_size", positive=True)


def plan(update: Update, state: tuple[Block, ...], namer: Namer) -> Plan:
    """The statements of one step; ``state`` is the order in which the blocks are stored.

    Raises:
        RecipeError: for what has no compiled form: unbound functions (named), values or second derivatives of a potential.
    """
    return _Planner(update, state, namer).plan()


class _Planner:
    """The step under construction."""

    def __init__(self, update: Update, state: tuple[Block, ...], namer: Namer) -> None:
        self.update, self.state, self.namer = update, state, namer
        self.state_fields, self.setting_fields = field_namer(), field_namer()
        self.fields: dict[Block, str] = {b: self.state_fields.fresh(b.name) for b in state}
        self.settings: dict[Symbol, str] = {}
        self.scratch: dict[str, Length | None] = {}
        self.variances: dict[Potential, tuple[str, ...]] = {}
        self.factors: dict[Dense, str] = {}
        self.noises: dict[Symbol, NoiseDraw] = {}
        self.common = CommonLeaves(self.settings, namer)
        self.gradients: dict[Potential, tuple[str, ...]] = {}
        self.evaluated: dict[Potential, tuple[int, ...]] = {}
        self.first_evaluated: dict[Potential, tuple[int, ...]] = {}
        self.version: dict[Block, int] = dict.fromkeys(state, 0)
        self.number: dict[Scalar, Symbol] = {}
        self.pending: dict[Block, Symbol] = {}
        self.values: list[tuple[Symbol, Expr]] = []
        self.comments: list[str] = []
        self.length: Length | None = None
        self.lowering = self.new_lowering()

    def new_lowering(self) -> Lowering:
        return Lowering(self.leaf, self.namer, self.matrix, self.reserve)

    def plan(self) -> Plan:
        for s in parameters_of(e for _, e in (*self.update.rule, *self.update.observe)):
            if s == self.update.step:
                continue
            self.settings[s] = self.setting_fields.fresh(name_of(s))
        for b in self.state:
            if isinstance(b, Scalar):
                self.number[b] = self.lowering.let(Symbol(f"state.{self.fields[b]}[0]"), b.name)
        rules = [(b, with_digamma(e)) for b, e in self.update.rule]
        if self.update.sequential:
            for block, e in rules:
                self.make_room_for(e)
                self.commit(block, self.lowering.lower(e), e)
        else:
            lowered = [(block, self.lowering.lower(e), e) for block, e in rules]
            for block, value, e in lowered:
                self.commit(block, value, e)
        self.flush()
        return self.finished()

    def finished(self) -> Plan:
        potentials = tuple(sorted(self.gradients, key=str))
        noises, statements = tuple(self.noises.values()), tuple(self.lowering.statements)
        return Plan(
            self.state, self.fields, self.settings, self.scratch, self.variances, self.factors,
            noises, potentials, statements, self.common.sizes, self.carried(potentials), self.recorded(),
        )  # fmt: skip

    def recorded(self) -> Recorded:
        """What is recorded of the state after the step, all of it from the state as it is then."""
        before, self.lowering = set(self.noises), self.new_lowering()
        for block, e in self.update.observe:
            gradients = [p for p in e.atoms(Partial) if isinstance(p.head, Potential)]
            if gradients:
                raise OutsideLanguageError(f"{gradients[0]} in observe[{block}] needs another gradient evaluation: it is refused")
        lowered = [(b, self.lowering.lower(e), f"recorded: {b} <- {e}") for b, e in self.update.observe]
        fields = {b: self.reserve(f"recorded_{b.name}", getattr(b, "length", None)).removeprefix("out.") for b, _, _ in lowered}
        for block, value, comment in lowered:
            if isinstance(block, Scalar):
                self.lowering.let(value, f"recorded_{block.name}", store=f"out.{fields[block]}[0]", comment=comment)
            else:
                local = Symbol(self.namer.fresh(f"recorded_{block.name}"), real=True)
                stores = {f"out.{fields[block]}[i]": local}
                self.lowering.sweep(block.length, [(local, value)], stores, [comment], f"record_{block.name}")
        return Recorded(fields, tuple(self.lowering.statements), tuple(d for n, d in self.noises.items() if n not in before))

    def carried(self, potentials: tuple[Potential, ...]) -> Carried | None:
        """The potentials whose gradient is evaluated at the start of a step, and again after the last move of its blocks."""

        def ends_where_it_begins(U: Potential) -> bool:
            return not any(self.first_evaluated[U]) and any(self.versions(U)) and self.evaluated[U] == self.versions(U)

        found = tuple(U for U in potentials if ends_where_it_begins(U))
        return Carried(found, self.reserve("right_for_step", None).removeprefix("out.")) if found else None

    def place(self, block: Block) -> str:
        return "state" if self.version[block] == 0 else "out"

    def reserve(self, wish: str, length: Length | None) -> str:
        """A new array of scratch."""
        name = self.state_fields.fresh(wish)
        self.scratch[name] = length
        return f"out.{name}"

    def matrix(self, M: Dense) -> str:
        if M not in self.settings:
            self.settings[M] = self.setting_fields.fresh(M.name)
        return f"params.{self.settings[M]}"

    def factor(self, M: Dense) -> str:
        """The Cholesky factor of a constant matrix."""
        self.matrix(M)
        if M not in self.factors:
            self.factors[M] = self.setting_fields.fresh(f"{M.name}_cholesky")
        return f"params.{self.factors[M]}"

    def make_room_for(self, e: Expr) -> None:
        """Flush the pending loop if the rule needs whole blocks that it moves, or overwrites a gradient that it reads."""
        partials = [p for p in e.atoms(Partial) if isinstance(p.head, Potential)]
        whole = {b for p in partials for b in p.head.blocks}
        whole |= {s.at(GENERIC) for t in e.atoms(Total) for s in t.atoms(Vector)}
        stale = {p.head for p in partials if self.evaluated.get(p.head) not in (None, self.versions(p.head))}
        read = {s.name for _, value in self.values for s in value.free_symbols}
        overwritten = {f"{scratch}[i]" for U in stale for scratch in self.gradients[U]}
        overwritten |= {f"out.{scratch}[i]" for U in stale for scratch in self.variances.get(U, ())}
        if whole & self.pending.keys() or read & overwritten:
            self.flush()

    def commit(self, block: Block, value: Expr, written: Expr) -> None:
        """Give a block its new value: a number now, a vector in the pending loop."""
        field, comment = self.fields[block], f"{block} <- {written}"
        if isinstance(block, Scalar):
            self.number[block] = self.lowering.let(value, f"{block.name}_new", store=f"out.{field}[0]", comment=comment)
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
        stores = {f"out.{self.fields[b]}[i]": local for b, local in self.pending.items()}
        self.lowering.sweep(self.length, self.values, stores, self.comments, name)
        self.pending, self.values, self.comments, self.length = {}, [], [], None
        self.lowering.forget()

    def versions(self, U: Potential) -> tuple[int, ...]:
        return tuple(self.version[b] for b in U.blocks)

    @singledispatchmethod
    def leaf(self, e: Expr, label: int) -> Expr:
        """What a symbol reads: a parameter, a length, or the step size."""
        if e == self.update.step:
            return STEP_SIZE
        return self.common.read(e)

    @leaf.register
    def _(self, e: Vector, label: int) -> Expr:
        block = e.at(GENERIC)
        if label == GENERIC and block in self.pending:
            return self.pending[block]
        return varying(f"{self.place(block)}.{self.fields[block]}[i]")

    @leaf.register
    def _(self, e: Scalar, label: int) -> Expr:
        return self.number[e]

    @leaf.register
    def _(self, e: Noise, label: int) -> Expr:
        draw = self.draw(e.at(GENERIC), e.base, e.length, e.covariance)
        white = varying(f"{draw.local.name}[i]")
        if draw.matrix is None:
            return white
        return self.lowering.product(self.factor(draw.matrix), white, e.length, e.length)

    @leaf.register
    def _(self, e: ScalarNoise, label: int) -> Expr:
        return self.draw(e, e.name, None, None).local

    def draw(self, noise: Symbol, name: str, length: Length | None, covariance: Expr | None) -> NoiseDraw:
        if covariance is not None and not isinstance(covariance, Dense):
            raise RecipeError(f"the covariance {covariance} of {name} must be a Dense matrix")
        if noise not in self.noises:
            new = self.namer.fresh
            pair = (new(f"{name}_a"), new(f"{name}_b"))
            self.noises[noise] = NoiseDraw(name, Symbol(new(name), real=True), pair, new(f"lane_{name}"), length, covariance)
        return self.noises[noise]

    @leaf.register
    def _(self, e: VectorVariance, label: int) -> Expr:
        return varying(f"state.{self.variance(e.potential, e.block)}[i]")

    @leaf.register
    def _(self, e: ScalarVariance, label: int) -> Expr:
        return Symbol(f"state.{self.variance(e.potential, e.block)}[0]", nonnegative=True)

    def variance(self, U: Potential, block: Block) -> str:
        """The array with the variance of an estimated gradient."""
        if U not in self.variances:
            names = [self.reserve(f"variance_{U.name}_{b.name}", getattr(b, "length", None)) for b in U.blocks]
            self.variances[U] = tuple(name.removeprefix("out.") for name in names)
        return self.variances[U][U.blocks.index(block)]

    @leaf.register
    def _(self, e: Potential, label: int) -> Expr:
        raise OutsideLanguageError(
            f"the rule uses the value of {e}, and a kernel knows only its gradient; bind it to an expression"
        )

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
            raise OutsideLanguageError(f"the rule uses the second derivative {e}, and a kernel knows only the gradient of {U}")
        scratch = self.gradient(U)[U.blocks.index(generic(e.wrt[0]))]
        if isinstance(e.wrt[0], Scalar):
            return self.lowering.let(Symbol(f"{scratch}[0]", real=True), f"g_{U.name}_{e.wrt[0].name}")
        if e.wrt[0].label != label:
            raise OutsideLanguageError(f"{e} stands outside of the sum over its index")
        return varying(f"{scratch}[i]")

    def gradient(self, U: Potential) -> tuple[str, ...]:
        """The arrays with the gradient of a potential at the present state, evaluated if need be."""
        if U not in self.gradients:
            self.gradients[U] = tuple(self.reserve(f"g_{U.name}_{b.name}", getattr(b, "length", None)) for b in U.blocks)
        if self.evaluated.get(U) != self.versions(U):
            places = tuple(f"{self.place(b)}.{self.fields[b]}" for b in U.blocks)
            self.lowering.statements.append(GradientCall(U, places, self.gradients[U]))
            self.lowering.forget()
            self.evaluated[U] = self.versions(U)
            self.first_evaluated.setdefault(U, self.versions(U))
        return self.gradients[U]


def noise_uses(statements: tuple[Statement, ...], draw: NoiseDraw) -> list[Statement]:
    """The loops that read a noise, one entry a loop."""
    cell = varying(f"{draw.local.name}[i]")
    return [s for s in statements if any(cell in e.free_symbols for e in bodies(s))]


def bodies(statement: Statement) -> tuple[Expr, ...]:
    """The expressions in the body of a loop; none where there is no loop."""
    match statement:
        case Sums():
            return statement.values
        case MatrixProduct():
            return (statement.value,)
        case Sweep():
            return tuple(e for _, e in statement.locals)
        case _:
            return ()


def expressions(statement: Statement) -> tuple[Expr, ...]:
    """Every expression of a statement."""
    return (statement.value,) if isinstance(statement, Let) else bodies(statement)
