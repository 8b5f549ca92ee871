"""``Recipe``: a sampler as Ma, Chen & Fox (2015) write one, checked when it is built."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Expr, Symbol

from recipe.declare.posterior import Posterior
from recipe.declare.reflection import Reflection, checked_reflections
from recipe.declare.replace_fields import with_fields
from recipe.declare.transformations.map import Map
from recipe.declare.update import Update
from recipe.declare.where import read_conditions
from recipe.language.abstract import Potential
from recipe.language.assumed import ParameterCondition
from recipe.language.blocks import Block
from recipe.language.calculus import gradient
from recipe.language.checks.matrix import BlockMatrix, read_matrix
from recipe.language.checks.validate import (
    check_no_matrix,
    check_number,
    check_state,
    check_symbols,
    checked_words,
    read,
)
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import UnusedNames, abstract_of, parameters_of
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.text import listed


@dataclass(frozen=True, init=False)
class Recipe:
    """A sampler ``dz = f dt + sqrt(2 D) dW`` with ``f = -(D + Q) grad H + Gamma`` (Ma, Chen & Fox
    2015, equations 2 and 3).

    Expressions are written in the generic coordinate of each block. Every argument is checked when
    the recipe is built; whether the sampler is right is for ``verify.verify`` to prove.

    Args:
        state: the blocks ``z``, a tuple of ``Vector`` and ``Scalar`` (or one block).
        H: the Hamiltonian, a number; the target law has the density ``exp(-H)``, up to a constant.
        D: the diffusion matrix, a sympy ``Matrix`` with one row and one column for each block (an
            expression, for a single block); symmetric and positive semidefinite. An entry ``e``
            between two vectors of one length means ``diag(e)``; ``outer(u, v)`` and ``Dense`` may
            be added.
        Q: the curl matrix, written like D; skew-symmetric.
        name: the name in reports; without it a recipe of a file is known by the name that it is
            bound to.
        noise_factor: ``B`` with ``B B^T = D``, written like D, where you know a better root than
            the diagonal one.
        marginal: ``{theta: U}`` claims that ``exp(-U)`` is left when every other block is
            integrated out; ``{(mu, eta): U}`` keeps several blocks.
        lyapunov: ``V``, a number that tends to infinity at infinity, for a proof that the process
            does not explode.
        require: names of further obligations that must be proved before the recipe counts as
            verified.
        source: the citation.
        update: the published update rule, an independent ``Update``, to be proved equal in the
            limit; it gets the conditions of the recipe.
        posteriors: the posteriors behind abstract potentials; ``bind`` sets them.
        reflections: the blocks that turn back at the edge of their domain; ``mirror`` sets them.
        where: conditions between parameters, a list of relations such as ``n + alpha >= 1``; one
            between vector parameters holds for each coordinate. Proofs use them, reports state
            them, and numbers are checked against them.

    Attributes:
        state, name, noise_factor, lyapunov, source, update: as given; None where they were not.
        H: as read: every float has become the decimal that was written.
        D, Q: as given, as a ``BlockMatrix``.
        marginal, posteriors: pairs of what was given, as a tuple.
        require, reflections: as given, as a tuple.
        where: the conditions as a tuple of ``ParameterCondition``.
        transform: the recipe and the map from which ``ito`` or ``corv`` made this one; None for any
            other recipe.

    Raises:
        RecipeError: naming the smallest expression at fault and the repair.

    Example:
        >>> from recipe import Potential, Recipe, Vector
        >>> theta = Vector("theta")
        >>> langevin = Recipe(theta, H=Potential("U", theta), D=1, Q=0)
    """

    state: tuple[Block, ...]
    H: Expr
    D: BlockMatrix
    Q: BlockMatrix
    name: str | None
    noise_factor: BlockMatrix | None
    marginal: tuple[tuple[tuple[Block, ...], Expr], ...]
    lyapunov: Expr | None
    require: tuple[str, ...]
    source: str | None
    update: Update | None
    posteriors: tuple[tuple[Potential, Posterior], ...]
    transform: Transform | None
    reflections: tuple[Reflection, ...]
    where: tuple[ParameterCondition, ...]

    def __init__(
        self,
        state: Any,
        H: Any,
        D: Any,
        Q: Any,
        *,
        name: str | None = None,
        noise_factor: Any = None,
        marginal: Mapping[Block | tuple[Block, ...], Any] | None = None,
        lyapunov: Any = None,
        require: Iterable[str] | None = None,
        source: str | None = None,
        update: Update | None = None,
        posteriors: Mapping[Potential, Posterior] | None = None,
        reflections: Iterable[Reflection] = (),
        where: Iterable[Any] = (),
    ) -> None:
        blocks = check_state(state)
        values: dict[str, Any] = {
            "state": blocks,
            "name": checked_words(name, "name"),
            "source": checked_words(source, "source"),
            "require": _names(require),
        }
        values["H"] = read(H, "H")
        values["D"] = read_matrix(D, "D", blocks)
        values["Q"] = read_matrix(Q, "Q", blocks)
        values["noise_factor"] = (
            None if noise_factor is None else read_matrix(noise_factor, "noise_factor", blocks)
        )
        values["marginal"] = tuple(_read_marginal(kept, e) for kept, e in _marginal_items(marginal))
        values["lyapunov"] = None if lyapunov is None else read(lyapunov, "lyapunov")
        values["posteriors"] = tuple((posteriors or {}).items())
        values["transform"] = None
        values["reflections"] = checked_reflections(reflections, blocks)
        values["where"] = read_conditions(where)
        values["update"] = _checked_update(update, blocks, values["where"])
        for field, value in values.items():
            object.__setattr__(self, field, value)
        self._check()

    def _check(self) -> None:
        check_no_matrix(self.H, "H")
        check_number(self.H, "H")
        for kept, e in self.marginal:
            self._check_marginal(kept, e)
        if self.lyapunov is not None:
            check_no_matrix(self.lyapunov, "lyapunov")
            check_number(self.lyapunov, "lyapunov")
        for condition in self.where:
            strange = set(parameters_of([condition.e])) - set(self.parameters)
            if strange:
                raise RecipeError(
                    f"where= contains {condition}, and the recipe has no {listed(strange)}"
                )
        check_symbols([*self.written(), *((c.e, "where") for c in self.where)], self.state)
        if self.update is not None:
            check_symbols(
                [*self.written(), *self.update.written()], self.state, allowed=(Noise, ScalarNoise)
            )

    def _check_marginal(self, kept: tuple[Block, ...], e: Expr) -> None:
        where = marginal_place(kept)
        if not kept:
            raise RecipeError("marginal= keeps no block; name those whose law it is, {theta: U}")
        unknown = next((b for b in kept if b not in self.state), None)
        if unknown is not None:
            raise RecipeError(
                f"marginal= keeps {unknown}, which is not part of the state"
                f" ({', '.join(b.name for b in self.state)})"
            )
        check_no_matrix(e, where)
        check_number(e, where)
        other = next((b for b in self.state if b not in kept and gradient(e, b) != 0), None)
        if other is not None:
            names = ", ".join(b.name for b in kept)
            raise RecipeError(
                f"{where} = {e} depends on {other}, which is integrated out; it is a law of {names}"
                " alone"
            )

    def written(self) -> list[tuple[Expr, str]]:
        """Return every expression that was written, each with its place, such as ``Q[r, xi]``;
        entries of matrices that are 0 are left out.
        """
        places = [(self.H, "H"), *((e, marginal_place(kept)) for kept, e in self.marginal)]
        places += [] if self.lyapunov is None else [(self.lyapunov, "lyapunov")]
        for matrix in (self.D, self.Q, self.noise_factor):
            if matrix is not None:
                places += [(e, matrix.place(*pair)) for pair, e in matrix.nonzero.items()]
        return places

    def unused_name(self, name: str) -> str:
        """Return the name, with underscores appended until nothing in the recipe has it.

        Args:
            name: the wanted name.
        """
        return self.unused_names().fresh(name)

    def unused_names(self) -> UnusedNames:
        """Return a source of names that nothing in the recipe has, for code that needs several."""
        of_models = (
            e for _, p in self.posteriors for e in (p.log_likelihood, p.log_prior) if e is not None
        )
        return UnusedNames([*self.state, *(e for e, _ in self.written()), *of_models])

    def __str__(self) -> str:
        # printing imports this file
        from recipe.printing.derivation import recipe_text

        return recipe_text(self)

    def __repr__(self) -> str:
        from recipe.printing.summary import recipe_summary

        return recipe_summary(self)

    def _repr_latex_(self) -> str:
        from recipe.printing.derivation import recipe_latex

        return recipe_latex(self)

    @property
    def parameters(self) -> tuple[Symbol, ...]:
        """The free parameters, sorted by name."""
        return parameters_of(e for e, _ in self.written())

    @property
    def abstract(self) -> tuple[Any, ...]:
        """The abstract functions and constant matrices in the recipe, sorted by name; ``bind``
        replaces the functions.
        """
        return abstract_of(e for e, _ in self.written())


@dataclass(frozen=True)
class Transform:
    """How ``ito`` or ``corv`` made a recipe from another one.

    Attributes:
        kind: ``"ito"`` or ``"corv"``.
        of: the recipe that was transformed.
        image: the block of ``of`` that was replaced.
        preimage: the block that replaces it, with ``image = map(preimage)``.
        map: the change of variable.
    """

    kind: str
    of: Recipe
    image: Block
    preimage: Block
    map: Map


def _marginal_items(marginal: Any) -> Iterable[tuple[Any, Any]]:
    if marginal is not None and not isinstance(marginal, Mapping):
        raise RecipeError(f"marginal={marginal!r} must be a dict, {{theta: U}}")
    return (marginal or {}).items()


def marginal_place(kept: tuple[Block, ...]) -> str:
    """The place of a marginal law in messages, such as ``marginal[theta]``."""
    return f"marginal[{', '.join(map(str, kept))}]"


def _read_marginal(kept: Block | tuple[Block, ...], e: Any) -> tuple[tuple[Block, ...], Expr]:
    blocks = kept if isinstance(kept, tuple) else (kept,)
    return blocks, read(e, marginal_place(blocks))


def _names(require: Iterable[str] | None) -> tuple[str, ...]:
    if isinstance(require, str):
        raise RecipeError(f"require={require!r} must be a list of obligation names, [{require!r}]")
    return tuple(require or ())


def _checked_update(
    update: object, blocks: tuple[Block, ...], where: tuple[ParameterCondition, ...]
) -> Update | None:
    """Return the published update, under the conditions of the recipe, if it moves its blocks."""
    if update is None:
        return None
    if not isinstance(update, Update):
        raise RecipeError(f"update={update!r} is not an Update(...)")
    if set(update.state) != set(blocks):
        theirs, ours = (", ".join(b.name for b in s) for s in (update.state, blocks))
        raise RecipeError(
            f"update= moves the blocks ({theirs}), the recipe has ({ours}); they must be the same"
        )
    more = [c for c in update.where if c not in where]
    if more:
        raise RecipeError(
            f"update= is declared where {more[0]}, and the recipe is not; add it to where= of the"
            " recipe"
        )
    return with_fields(update, where=where) if where else update
