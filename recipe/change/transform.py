"""``ito`` and ``corv``: a sampler of theta as one of phi, where ``theta = f(phi)``.

Both give a new recipe in phi with the Hamiltonian ``H(f(phi)) - log |f'(phi)|``, the law of phi,
but the processes differ. Ito's is the same process in other coordinates, ``D~ = J D J^T`` and ``Q~
= J Q J^T`` with ``J = 1 / f'``. Change of random variables (CoRV) keeps D and Q as they are
written, taken at ``f(phi)``. Yokoi, Otsuka & Sato (2020), "Weak approximation of transformed
stochastic gradient MCMC", Machine Learning, equations (19) and (25).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sympy import Abs, Add, Expr, ImmutableDenseMatrix, Mul, S, cancel, expand_log, log, sign

from recipe.declare.recipe import Recipe, Transform
from recipe.declare.replace_fields import with_fields
from recipe.declare.transformations.map import Map, as_map
from recipe.declare.transformations.preimage import Preimage, in_preimages
from recipe.declare.update import Update
from recipe.language.abstract import Dense, TransposedDense, checked_block, slope
from recipe.language.blocks import Block
from recipe.language.calculus import contract
from recipe.language.checks.matrix import BlockMatrix
from recipe.language.entry import MATRICES, Outer, matrices_in, outer
from recipe.language.errors import RecipeError


def ito(
    recipe: Recipe,
    theta: Block,
    f: Any,
    *,
    inverse: Any = None,
    domain: Any = None,
    phi: str = "phi",
    name: str | None = None,
    source: str | None = None,
    update: Update | None = None,
    require: Iterable[str] | None = None,
) -> Recipe:
    """The process of ``phi = f^-1(theta)``, by Ito's formula; all other blocks stay.

    Args:
        recipe: the sampler of theta.
        theta: the block of its state that is replaced.
        f: a map of ``recipe.maps``, a sympy function, or a Python function of one symbol. It must
            be smooth, strictly monotone, and onto the domain of theta, which the verifier proves.
        inverse: the inverse of f, where sympy does not find it.
        domain: the interval of phi; by default the real line.
        phi: the name of the new block.
        name, source, update, require: as for a ``Recipe``; the published rule is one of phi.

    Returns:
        A new recipe, whose state has the ``Preimage`` phi in the place of theta.

    Raises:
        RecipeError: where f is no map, theta is no block of the recipe or is reflected, or an entry
            of D or Q cannot be written in phi.
    """
    changed = _Changed(recipe, theta, as_map(f, inverse=inverse, domain=domain), phi, legs=True)
    return changed.recipe("ito", name=name, source=source, update=update, require=require)


def corv(
    recipe: Recipe,
    theta: Block,
    f: Any,
    *,
    inverse: Any = None,
    domain: Any = None,
    phi: str = "phi",
    name: str | None = None,
    source: str | None = None,
    update: Update | None = None,
    require: Iterable[str] | None = None,
) -> Recipe:
    """The recipe with the same D and Q for the law of ``phi = f^-1(theta)``.

    ``ito`` gives another process, under which theta has the same stationary law. Overdamped
    Langevin dynamics of theta become overdamped Langevin dynamics of phi.

    Args:
        recipe, theta, f, inverse, domain, phi, name, source, update, require: as for ``ito``.

    Returns:
        A new recipe, whose state has the ``Preimage`` phi in the place of theta.

    Raises:
        RecipeError: where f is no map, or not differentiable at its kink, or theta is no block of
            the recipe.

    Example:
        >>> from sympy import Interval, oo
        >>> from recipe import Potential, Recipe, Vector, corv, maps
        >>> theta = Vector("theta", domain=Interval.open(0, oo))
        >>> langevin = Recipe(theta, H=Potential("U", theta), D=1, Q=0)
        >>> of_phi = corv(langevin, theta, maps.softplus)
    """
    changed = _Changed(recipe, theta, as_map(f, inverse=inverse, domain=domain), phi, legs=False)
    return changed.recipe("corv", name=name, source=source, update=update, require=require)


@dataclass(frozen=True)
class _Changed:
    """A recipe that is being written in other coordinates.

    With ``legs`` set, as Ito's formula demands, D and Q take the factor ``1/f'`` in the row of
    theta and again in its column.
    """

    of: Recipe
    theta: Block
    map: Map
    name: str
    legs: bool

    def recipe(self, kind: str, **words: Any) -> Recipe:
        theta = self._checked_theta()
        carried = next((r.block for r in self.of.reflections if theta in r.flips), None)
        if carried is not None:
            raise RecipeError(
                f"{theta} changes its sign where {carried} is reflected, and in other coordinates"
                " it would not; do not transform it"
            )
        if self.legs and any(r.block == theta for r in self.of.reflections):
            raise RecipeError(
                f"{theta} is reflected at its edge, which {self.name} never reaches; transform"
                " the recipe without mirror(...)"
            )
        phi = Preimage(self._phi_name(), theta, self.map)
        state = tuple(phi if b == theta else b for b in self.of.state)
        self._check_corner()
        law = contract(log_slope(phi), phi)

        def put(e: Expr) -> Expr:
            return in_preimages(e, state)

        def put_matrix(m: BlockMatrix | None, columns: bool) -> ImmutableDenseMatrix | None:
            return None if m is None else self._matrix(m, phi, put, columns)

        marginal = {
            tuple(phi if b == theta else b for b in kept): put(e) - (law if theta in kept else 0)
            for kept, e in self.of.marginal
        }
        made = Recipe(
            state,
            put(self.of.H) - law,
            put_matrix(self.of.D, True),
            put_matrix(self.of.Q, True),
            noise_factor=put_matrix(self.of.noise_factor, False),
            marginal=marginal,
            lyapunov=None if self.of.lyapunov is None else put(self.of.lyapunov),
            posteriors=dict(self.of.posteriors),
            reflections=[r for r in self.of.reflections if r.block != theta],
            where=self.of.where,
            **words,
        )
        return with_fields(made, transform=Transform(kind, self.of, theta, phi, self.map))

    def _checked_theta(self) -> Block:
        if not isinstance(self.of, Recipe):
            raise RecipeError(f"{self.of!r} is no Recipe: ito and corv transform recipes")
        theta = checked_block(self.theta, "the transformed block")
        if theta not in self.of.state:
            names = ", ".join(b.name for b in self.of.state)
            raise RecipeError(f"{theta} is no block of the recipe, whose state is ({names})")
        return theta

    def _check_corner(self) -> None:
        """Require that f' has one limit at the kink of f."""
        if not self.map.kink:
            return
        (x,) = self.map.forward.variables
        before, after = (
            self.map.derivative(x).xreplace({sign(x): S(side), Abs(x): S.Zero, x: S.Zero})
            for side in (-1, 1)
        )
        if before.is_finite and after.is_finite and cancel(after - before) != 0:
            raise RecipeError(
                f"f = {self.map.forward.expr} is not differentiable at 0, where f' goes from"
                f" {before} to {after}, so the law of {self.name} would jump there; take a map with"
                " a continuous derivative"
            )

    def _phi_name(self) -> str:
        taken = self.of.unused_names()
        if taken.fresh(self.name) != self.name:
            raise RecipeError(
                f"the recipe has something called {self.name}; give the new block another name,"
                " phi='...'"
            )
        return self.name

    def _matrix(self, m: BlockMatrix, phi: Block, put: Any, columns: bool) -> ImmutableDenseMatrix:
        """The matrix at ``f(phi)``, with the factor ``1/f'`` in the row and in the column of the
        block where ``legs`` is set.
        """
        n = range(len(m.blocks))
        written = [[put(m.written[a, b]) for b in n] for a in n]
        if self.legs:
            k = m.blocks.index(self.theta)
            factor = 1 / slope(phi)
            place = m.place(self.theta, self.theta)
            written = [
                [
                    _with_legs(
                        written[a][b], factor, (a == k, columns and b == k), place, self.theta
                    )
                    for b in n
                ]
                for a in n
            ]
        return ImmutableDenseMatrix(written)


def _with_legs(e: Expr, factor: Expr, legs: tuple[bool, bool], where: str, theta: Block) -> Expr:
    """An entry of D or Q times the factor for its row, its column, or both."""
    row, column = (factor if leg else S.One for leg in legs)
    if not matrices_in(e):
        return e * row * column
    return Add(
        *(
            _term_with_legs(term, row, column, where, theta)
            for term in Add.make_args(e.expand(deep=False))
        )
    )


def _term_with_legs(term: Expr, row: Expr, column: Expr, where: str, theta: Block) -> Expr:
    """One summand of an entry of D or Q times its factors; a ``Dense`` matrix takes none that
    differ by row.
    """
    found = next((f for f in Mul.make_args(term) if isinstance(f, MATRICES)), None)
    if found is None:
        return term * row * column
    if isinstance(found, Dense | TransposedDense) and (row != 1 or column != 1):
        raise RecipeError(
            f"{where}: the rows of {found} would be scaled by {row}, which differs between the"
            f" coordinates of {theta}, and the language has no such matrix; corv keeps D and Q as"
            " they are written"
        )
    rest = Mul(*(f for f in Mul.make_args(term) if f != found))
    return rest * (
        outer(found.args[0] * row, found.args[1] * column) if isinstance(found, Outer) else found
    )


def log_slope(phi: Block) -> Expr:
    """The expression ``log |f'(phi)|``; it is ``log(f'^2) / 2`` where the sign of f' is not known
    at once.
    """
    e = slope(phi)
    if e.is_positive or e.is_negative:
        return expand_log(log(Mul(*(_absolute_value(factor) for factor in Mul.make_args(e)))))
    return log(e**2) / 2


def _absolute_value(factor: Expr) -> Expr:
    """The absolute value of a factor of known sign, written without ``Abs``."""
    base, power = factor.as_base_exp()
    if base.is_negative and power.is_Integer:
        return (-base) ** power
    return -factor if factor.is_negative else factor
