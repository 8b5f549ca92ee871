"""Exact transitions: every block moves by itself, as a process whose law at any later time is
known.

An Ornstein-Uhlenbeck process has a normal law (``flow``), and a square-root process a scaled
non-central chi-squared law (``square_root``). A block that Ito's formula maps to one of these has
the image of its law: exponential Ornstein-Uhlenbeck by theta = exp(phi). Such a step has no error
of discretisation. Where data enter the drift by one sum (``summed_data``), that of the block or of
its preimage, the step can use estimates of the gradient as well: that is the stochastic
Cox-Ingersoll-Ross process of Baker, Fearnhead, Fox & Nemeth (2018), and the same for a log-normal
law.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sympy
from sympy import Add, Expr, Interval, S, Symbol, oo

from recipe.change.transform import ito
from recipe.declare import maps
from recipe.declare.dynamics import derive
from recipe.declare.recipe import Recipe
from recipe.declare.transformations.map import Map
from recipe.declare.update import Update
from recipe.language.blocks import Block
from recipe.language.calculus import abstract_atoms, summands
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import UnusedNames, blocks_in
from recipe.language.total import substitute
from recipe.scheme.flow import flow
from recipe.scheme.increment import diagonal_noise, step_symbol, white_noise
from recipe.scheme.pieces import Motion
from recipe.scheme.square_root import SquareRoot, square_root_law
from recipe.scheme.summed_data import SummedData, slope_at, summed_data

LIBRARY_MAPS = tuple(
    m for m in vars(maps).values() if isinstance(m, Map) and m.domain == S.Reals and not m.kink
)
MAX_DRIFT_OPERATIONS = 200  # a map is tried on drifts up to this size
OTHER_SCHEMES = "euler and semi-implicit are schemes for this recipe"


@dataclass(frozen=True)
class Transition:
    """The law of one block after a step.

    Attributes:
        block: the block.
        value: its new value, an expression with one draw.
        variable: the block that the process was solved in: ``block`` itself, or its preimage by
            ``map``.
        base: the new value of ``variable``.
        map: the map from ``variable`` to ``block``; None where they are the same.
    """

    block: Block
    value: Expr
    variable: Block
    base: Expr
    map: Map | None = None


@dataclass(frozen=True)
class Exact:
    """The exact step of a recipe.

    Attributes:
        recipe: the sampler.
        step: the symbol of the step size.
        transitions: the law of each block after the step.
    """

    recipe: Recipe
    step: Symbol
    transitions: tuple[Transition, ...]

    @property
    def update(self) -> Update:
        """The step as an update rule."""
        rule = {t.block: t.value for t in self.transitions}
        return Update(
            self.step,
            rule,
            self.recipe.H,
            name=self.recipe.name,
            source="exact transition",
            where=self.recipe.where,
        )


def exact(recipe: Recipe) -> Exact:
    """The exact step of a recipe.

    Raises:
        RecipeError: where a block has no transition in closed form, naming the term at fault.
    """
    step, names = step_symbol(recipe), recipe.unused_names()
    return Exact(
        recipe, step, tuple(_transition(recipe, block, step, names) for block in recipe.state)
    )


def _transition(recipe: Recipe, block: Block, step: Symbol, names: UnusedNames) -> Transition:
    """The law of one block after a step, solved for the block itself or for its preimage by a map
    of the library.
    """
    noise = diagonal_noise(recipe, block, "an exact transition")
    data = summed_data(recipe, block, noise, names)
    drift = derive(recipe).dynamics.drift[block].xreplace({d.gradient: d.written_out for d in data})
    try:
        value = _solved(recipe, block, drift, noise, step, names).xreplace(
            {d.total: d.from_gradient for d in data}
        )
        return Transition(block, value, block, value)
    except RecipeError as refused:
        found = next(_transformed(recipe, block, step, names), None)
        if found is None:
            raise refused from None
        return found


def _solved(
    recipe: Recipe, block: Block, drift: Expr, noise: Expr, step: Symbol, names: UnusedNames
) -> Expr:
    """The new value of an Ornstein-Uhlenbeck or a square-root process after a step.

    Raises:
        RecipeError: where the process is neither.
    """
    rate, push = _affine(recipe, block, drift)
    slope = sympy.cancel(noise / block)
    if block.domain == S.Reals and not blocks_in(noise, recipe.state):
        law = flow(Motion(block, rate, push, noise), step)
        return law.mean + law.deviation * white_noise(block, names)
    if (
        block.domain in (Interval.open(0, oo), Interval(0, oo))
        and noise != 0
        and not blocks_in(slope, recipe.state)
    ):
        chi = square_root_law(SquareRoot(block, rate, push, slope), step)
        return chi.scale * NoncentralChiSquared(white_noise(block, names), chi.df, chi.nonc)
    raise RecipeError(
        f"{recipe.D.place(block, block)} = {noise} on {block.domain}: an exact transition is known"
        f" for a D free of the state on the real line, for a constant times {block} on"
        f" Interval.open(0, oo), and for images of these under a map; {OTHER_SCHEMES}"
    )


def _affine(recipe: Recipe, block: Block, drift: Expr) -> tuple[Expr, Expr]:
    """Return ``(rate, push)`` of a drift ``rate block + push``, both free of the state."""
    rates, pushes = [], []
    for term in summands(drift):
        read = blocks_in(term, recipe.state)
        slope = term / block
        if not read:
            pushes.append(term)
        elif not blocks_in(slope, recipe.state):
            rates.append(slope)
        else:
            other = next((b for b in recipe.state if b in read and b != block), None)
            why = f"not affine in {block}" if other is None else f"moved by {other} as well"
            raise RecipeError(
                f"the drift of {block} has the term {term}, which is {why}: no exact transition is"
                f" known, neither for {block} nor for its preimage by a map of the library;"
                f" {OTHER_SCHEMES}"
            )
    return Add(*rates), Add(*pushes)


def _transformed(
    recipe: Recipe, block: Block, step: Symbol, names: UnusedNames
) -> Iterator[Transition]:
    """Yield the transitions of the block as an image of each map of the library onto its domain, by
    Ito's formula.
    """
    if block.image is not None or block.domain == S.Reals:
        return
    invertible = (m for m in LIBRARY_MAPS if m.inverse is not None)
    for m in (m for m in invertible if _range_of(m) == (block.domain.inf, block.domain.sup)):
        try:
            changed = ito(recipe, block, m, phi=names.fresh("phi"))
            phi = next(b for b in changed.state if b.image == block)
            noise = _simple(diagonal_noise(changed, phi, "an exact transition"))
            if blocks_in(noise, changed.state):
                continue  # the map does not make the noise constant
            data = _summed_through(recipe, block, m, names)
            drift = _drift_of_preimage(recipe, block, phi, m, data)
            base = _solved(changed, phi, drift, noise, step, names)
        except RecipeError:
            continue
        assert m.inverse is not None
        value = m(base.xreplace({phi: m.inverse(block)}))
        value = value.xreplace({d.total: d.from_gradient for d in data})
        yield Transition(block, value, phi, base, m)


def _summed_through(
    recipe: Recipe, block: Block, m: Map, names: UnusedNames
) -> tuple[SummedData, ...]:
    """The gradients by the block whose data enter the drift of its preimage by one sum."""
    assert m.inverse is not None
    noise = diagonal_noise(recipe, block, "an exact transition")
    return summed_data(recipe, block, sympy.cancel(noise / slope_at(m, block)), names)


def _drift_of_preimage(
    recipe: Recipe, block: Block, phi: Block, m: Map, data: tuple[SummedData, ...]
) -> Expr:
    """The drift of phi by Ito's formula, with each sum over data as a symbol.

    Raises:
        RecipeError: where it is too large to be looked at, or a gradient is left in it.
    """
    noise = diagonal_noise(recipe, block, "an exact transition")
    drift = derive(recipe).dynamics.drift[block].xreplace({d.gradient: d.written_out for d in data})
    if abstract_atoms(drift) or drift.count_ops() > MAX_DRIFT_OPERATIONS:
        raise RecipeError(f"no exact transition of {block} is looked for through a map")
    f, slope, bend = m(phi), m.derivative(phi), m.derivative(phi, 2)
    across = substitute(noise, {block: f}) / slope**2
    return _simple((substitute(drift, {block: f}) - bend * across) / slope)


def _simple(e: Expr) -> Expr:
    """A short form of the expression, in which an affine function is recognised.

    The verifier proves the result from the rule alone.
    """
    if e.has(sympy.tanh):  # exponentials cancel the logarithm in its inverse
        e = sympy.factor(e.replace(sympy.tanh, lambda a: 1 - 2 / (1 + sympy.exp(2 * a))))
    return sympy.expand(sympy.simplify(sympy.expand_log(e, force=False)))


def _range_of(m: Map) -> tuple[Expr, Expr]:
    (x,) = m.forward.variables
    return tuple(sorted(sympy.limit(m.forward.expr, x, end) for end in (-oo, oo)))  # type: ignore[return-value]


__all__ = ["Exact", "Transition", "exact"]
