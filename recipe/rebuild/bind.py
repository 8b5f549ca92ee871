"""``bind``: give the abstract functions of a recipe or kernel a meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import Any, TypeVar

from sympy import Dummy, Expr, Lambda, S, Symbol
from sympy.core.function import AppliedUndef, UndefinedFunction

from recipe.change.transform import corv, ito
from recipe.declare.other_data import require_all_data
from recipe.declare.posterior import Posterior
from recipe.declare.recipe import Recipe, Transform
from recipe.declare.replace_fields import with_fields
from recipe.declare.transformations.preimage import in_preimages
from recipe.declare.update import Update
from recipe.kernel.kernel import Kernel
from recipe.language.abstract import Field, Jet, Partial, Potential
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.calculus import explicit, partial
from recipe.language.checks.validate import check_component, check_number, read
from recipe.language.did_you_mean import did_you_mean
from recipe.language.errors import OutsideLanguageError, RecipeError
from recipe.language.free_symbols import UnusedNames
from recipe.language.symbols import GENERIC, Indexed, generic, name_of
from recipe.language.total import Total, labels, opened, relabel, sum_over
from recipe.rebuild.map_expressions import rewritten
from recipe.rebuild.onto_domains import fits_on_the_line, on_the_line, pulled_back
from recipe.rebuild.potentials import kind_of, one_potential
from recipe.rebuild.spread import spread
from recipe.rebuild.taken_names import require_free_names, stepped_aside

Values = dict[Any, Any]
Coincidences = dict[frozenset[int], Symbol]


Bound = TypeVar("Bound", Recipe, Update, Kernel)


def bind(recipe: Bound, values: Any) -> Bound:
    """The recipe, update or kernel with abstract functions replaced.

    Values are expressions of the blocks of the recipe, on the domains that these are declared with.

    Args:
        recipe: a recipe, an update rule or a kernel.
        values: the meaning of the recipe's one potential: a ``Posterior``, an expression or a
            number; or a dict of the meaning of each function, by the function or its name, such as
            ``{"U": posterior}``:

            * of a ``Potential``, a number, or a ``Posterior``. With a posterior it stays abstract
              in proofs, and the generated kernel gets the gradient of the posterior. A posterior
              over other blocks than the one ``Vector`` of the potential is allowed: the recipe is
              then ``spread`` over its blocks, after all other values are put in. A block on an
              interval is written as a function of a block on the real line, where the sampler is
              one of real numbers; draws are of the block itself. One given alone may be an
              expression of ``Scalar`` and ``Vector`` blocks, in the order of their names.
            * of a ``Field``, an expression of its block.
            * of an elementwise ``Function``, an expression of its block or a sympy ``Lambda``.

    Returns:
        A new recipe, update or kernel.

    Raises:
        RecipeError: for a function that the recipe does not have, or a value of the wrong kind.
        OutsideLanguageError: where a derivative of a value cannot be written in the language.

    Example:
        >>> from recipe import Potential, Recipe, Vector, bind, total
        >>> theta = Vector("theta")
        >>> U = Potential("U", theta)
        >>> bind(Recipe(theta, H=U, D=1, Q=0), total(theta**2) / 2).H
        total(theta**2)/2
    """
    if not isinstance(recipe, Recipe | Update | Kernel):
        raise RecipeError(
            f"{recipe!r} is neither a Recipe nor an Update nor a Kernel: there is nothing to bind"
        )
    if not isinstance(values, Mapping):
        recipe, values = _for_the_one_potential(recipe, values)
    laws: dict[Potential, Posterior] = {}
    meanings: Values = {}
    for key, value in values.items():
        head = _head(recipe, key)
        if head in meanings or head in laws:
            raise RecipeError(f"{name_of(head)} has two meanings here; give one")
        if isinstance(value, Posterior):
            require_all_data(value, "a sampler")
            laws[_checked_potential(head)] = value
        else:
            meanings[head] = _meaning(head, value, recipe)
    bound = _rebuilt(recipe, meanings, dict(recipe.posteriors))
    others = {U: p for U, p in laws.items() if set(U.blocks) != set(p.blocks)}
    blocks = [b for posterior in others.values() for b in posterior.blocks]
    bound, aside = _aside(bound, blocks, [e for p in others.values() for e in _model(p)])
    for U, posterior in laws.items():
        bound = _with_posterior(bound, aside.get(U, U), posterior)
    return bound


def _aside(
    recipe: Bound, blocks: list[Block], avoid: list[Expr]
) -> tuple[Bound, dict[Potential, Potential]]:
    """Return a sampler whose own symbols have no name of a block of a model, as far as they may
    have other names, and the potentials that have others.
    """
    aside = stepped_aside(recipe, blocks, avoid)
    if not aside:
        return recipe, {}
    laws = {aside.get(U, U): posterior for U, posterior in recipe.posteriors}
    renamed = {U: V for U, V in aside.items() if isinstance(U, Potential)}
    return _rebuilt(recipe, dict(aside), laws), renamed  # type: ignore[arg-type,return-value]


def _head(recipe: Recipe | Update | Kernel, key: Any) -> Any:
    """Return the abstract function that a key names: the function itself, or its name."""
    known = recipe.abstract
    named = {name_of(head): head for head in known}
    head = named.get(key) if isinstance(key, str) else key
    if head not in known:
        meant = did_you_mean(key, named)
        raise RecipeError(
            f"{key} is no abstract function of this {kind_of(recipe)}, which has:"
            f" {', '.join(named) or 'none'}{meant and f'; {meant}'}".rstrip()
        )
    return head


def _for_the_one_potential(recipe: Bound, value: Any) -> tuple[Bound, Values]:
    """Return the recipe whose one potential is a function of the blocks in an expression, with the
    meaning of this potential.
    """
    U = one_potential(recipe)
    if isinstance(value, Posterior):
        return recipe, {U: value}
    if callable(value) and not isinstance(value, Expr):
        raise RecipeError(
            "the posterior is a function, and must be a Posterior or an expression; a gradient of"
            " your own is an argument by name, sample(sampler, gradient=f)"
        )
    e = read(value, f"the value of {U}")
    found = {generic(s) for s in e.atoms(Vector, Scalar)}
    if not found or found & set(recipe.state) or found & {b.image for b in recipe.state}:
        return recipe, {U: e}
    blocks = tuple(sorted(found, key=lambda b: b.name))
    _require_lines(U, blocks)
    recipe, aside = _aside(recipe, list(blocks), [e])
    U = aside.get(U, U)
    recipe = spread(recipe, U, blocks, avoid=(e,))
    return recipe, {Potential(U.name, *blocks): e}


def _require_lines(U: Potential, blocks: tuple[Block, ...]) -> None:
    """Require that the blocks of an expression live where the sampler moves its vector; those of a
    posterior need not.
    """
    domain = U.blocks[0].domain
    for block in blocks:
        if block.domain != domain:
            raise RecipeError(
                f"the expression is a function of {block}, which lives on {block.domain}, and this"
                f" sampler moves numbers on {domain}; give a Posterior, which is sampled on any"
                " domains (posterior.prior() is that of a prior alone), or declare"
                f" {block} there"
            )


def _checked_potential(head: Any) -> Potential:
    if not isinstance(head, Potential):
        raise RecipeError(
            f"{head} is not a Potential: a Posterior gives the meaning of a potential"
        )
    return head


def _with_posterior(recipe: Bound, named: Potential, posterior: Posterior) -> Bound:
    """Bind the posterior to the potential of that name, which may have other blocks since an
    earlier posterior was bound.
    """
    U = next(
        (a for a in recipe.abstract if isinstance(a, Potential) and a.name == named.name), named
    )
    ours, theirs = set(U.blocks), set(posterior.blocks)
    if ours != theirs and fits_on_the_line(U, posterior.blocks):
        return _with_posterior_on_the_line(recipe, U, posterior)
    if ours != theirs:
        if (
            len(ours) > 1
            or not isinstance(U.blocks[0], Vector)
            or {b.domain for b in ours} != {b.domain for b in theirs}
        ):
            raise RecipeError(
                f"the posterior is a law of {_blocks(theirs)}, and {U} is a function of"
                f" {_blocks(ours)}; they must be the same"
            )
        if (
            isinstance(recipe, Recipe)
            and recipe.transform is not None
            and recipe.transform.image in ours
        ):
            of = bind(recipe.transform.of, {U: posterior})
            return _transformed_again(recipe, recipe.transform, of, posterior.blocks)  # type: ignore[return-value]
        recipe = spread(recipe, U, posterior.blocks, avoid=_model(posterior))
        U = Potential(U.name, *posterior.blocks)
    return _rebuilt(recipe, {}, {**dict(recipe.posteriors), U: posterior})


def _with_posterior_on_the_line(recipe: Bound, U: Potential, posterior: Posterior) -> Bound:
    """Bind a posterior of blocks that live on intervals to a sampler of real numbers."""
    require_free_names(recipe, U.blocks[0], posterior.blocks)
    model: list[Expr] = _model(posterior)
    sampler: Recipe | Update | Kernel = recipe
    line = on_the_line(posterior.blocks, UnusedNames([*model, *(e for e, _ in sampler.written())]))
    law = Potential(U.name, *posterior.blocks)
    meaning = {Potential(U.name, *line): pulled_back(law, line)}
    there = spread(recipe, U, line, avoid=model)
    return _rebuilt(there, meaning, {**dict(recipe.posteriors), law: posterior})


def _model(posterior: Posterior) -> list[Expr]:
    """Return the expressions of a posterior; one whose gradient the user wrote may have no
    likelihood.
    """
    given = posterior.log_likelihood, posterior.log_prior
    return [e for e in given if e is not None]


def _transformed_again(
    recipe: Recipe, how: Transform, of: Recipe, blocks: tuple[Block, ...]
) -> Recipe:
    """Apply the transform of a recipe again after its sampler was spread over other blocks, with
    one map for each of them.
    """
    transform, taken = {"ito": ito, "corv": corv}[how.kind], of.unused_names()
    for block in blocks:
        phi = how.preimage.name if len(blocks) == 1 else f"{how.preimage.name}_{block.name}"
        words = {"name": recipe.name, "source": recipe.source, "require": recipe.require}
        of = transform(of, block, how.map, phi=taken.fresh(phi), **words)  # type: ignore[arg-type]
    return of


def _blocks(blocks: set[Any]) -> str:
    return ", ".join(f"{b} (on {b.domain})" for b in sorted(blocks, key=str))


def _meaning(head: Any, value: Any, recipe: Recipe | Update | Kernel) -> Any:
    """Return the checked meaning of an abstract function: a ``Lambda`` if it is elementwise, else
    an expression.
    """
    if isinstance(head, UndefinedFunction):
        given = isinstance(value, Lambda)
        arguments = value.variables if given else _arguments(head, recipe)
        e = read(value.expr if given else value, f"the value of {head}")
        strange = e.atoms(Total, Potential, Field, Vector, Scalar) - set(arguments)
        if strange:
            raise RecipeError(
                f"the value {e} of the elementwise {head} contains {strange.pop()}; it may use"
                f" {arguments} and parameters"
            )
        return Lambda(arguments, e)
    e = read(value, f"the value of {head}")
    if isinstance(head, Potential):
        check_number(e, f"the value of {head}")
    elif isinstance(head, Field):
        check_component(e, head.block, f"the value of {head}")
    else:
        raise RecipeError(
            f"{head} is a constant matrix: its numbers are given when sampling, not bound"
        )
    return e


def _arguments(head: UndefinedFunction, recipe: Recipe | Update | Kernel) -> tuple[Symbol, ...]:
    """The blocks that an elementwise function is applied to, which must be the same everywhere."""
    applied = {a for e, _ in recipe.written() for a in e.atoms(AppliedUndef) if a.func == head}
    arguments = {tuple(generic(s) for s in a.args) for a in applied}
    if len(arguments) == 1 and all(isinstance(s, Vector | Scalar) for s in next(iter(arguments))):
        return next(iter(arguments))  # type: ignore[return-value]
    raise RecipeError(
        f"{head} is applied to more than plain blocks: give its value as a sympy Lambda"
    )


def _rebuilt(declared: Bound, meanings: Values, posteriors: dict[Potential, Posterior]) -> Bound:
    """The recipe or kernel with these meanings and posteriors, and likewise the recipe that it was
    transformed from.
    """
    bound = rewritten(declared, lambda e: in_preimages(put_meanings(e, meanings), declared.state))
    if isinstance(declared, Recipe) and declared.transform is not None:
        of = _rebuilt(declared.transform.of, meanings, posteriors)
        bound = with_fields(bound, transform=replace(declared.transform, of=of))
    return with_fields(bound, posteriors=tuple(posteriors.items()))


def put_meanings(e: Expr, meanings: Values) -> Expr:
    """Replace abstract functions and all their derivatives, at every index and without capture."""
    same: Coincidences = {}
    result = _put(e, meanings, same)
    if result.has(*same.values()):
        raise OutsideLanguageError(
            f"{e} with these values is outside the language: a derivative by a coordinate meets no"
            " sum over it"
        )
    return result


def _put(e: Expr, meanings: Values, same: Coincidences) -> Expr:
    """Replace abstract functions; ``same`` collects the symbols of index pairs that may be equal
    (see ``_derivative``).
    """
    if isinstance(e, Total):
        return _put_in_total(e, meanings, same)
    if isinstance(e, Partial):
        value = _put(e.head, meanings, same)
        return e if value == e.head else reduce(lambda v, x: _derivative(v, x, same), e.wrt, value)
    if isinstance(e, Jet):
        return _jet_value(e, meanings, same)
    if isinstance(e, AppliedUndef) and e.func in meanings:
        return meanings[e.func](*(_put(a, meanings, same) for a in e.args))
    if isinstance(e, Field):
        value = meanings.get(e.at(GENERIC))
        return e if value is None else relabel(value, GENERIC, e.label)
    if not e.args:
        return meanings.get(e, e)
    return e.func(*(_put(a, meanings, same) for a in e.args))


def _derivative(value: Expr, x: Any, same: Coincidences) -> Expr:
    """The derivative by a coordinate that may equal a coordinate which ``value`` is written in.

    Two labels are different coordinates until one of them is summed over. For each pair of labels
    ``same`` has a symbol, which is 1 where the two are equal.
    """
    result = partial(value, x)
    if isinstance(x, Indexed):
        for label in labels(value) - {x.label}:
            own = explicit(value, x.at(label))
            if own != 0:
                result += same.setdefault(frozenset({label, x.label}), Dummy("same")) * own
    return result


def _put_in_total(e: Total, meanings: Values, same: Coincidences) -> Expr:
    """Replace functions in ``sum_k b(k)``.

    Where k equals a free index the summand is another expression; the difference is added for this
    one k.
    """
    body, k = opened(e)
    body = _put(body, meanings, same)
    meeting = [(pair, symbol) for pair, symbol in same.items() if k in pair and body.has(symbol)]
    if len(meeting) > 1:
        raise OutsideLanguageError(
            f"{e} with these values is outside the language: its index meets more than one other"
        )
    apart = body.xreplace({symbol: S.Zero for _, symbol in meeting})
    result = sum_over(apart, k, e.index.length)
    for pair, symbol in meeting:
        (other,) = pair - {k}
        result += relabel(body.xreplace({symbol: S.One}) - apart, k, other)
    return result


def _jet_value(jet: Jet, meanings: Values, same: Coincidences) -> Expr:
    """The derivative of the meaning of an elementwise function, at its arguments."""
    arguments = [_put(a, meanings, same) for a in jet.applied.args]
    if jet.applied.func not in meanings:
        return Jet(jet.applied.func(*arguments), jet.orders)
    function = meanings[jet.applied.func]
    value = function.expr
    for variable, count in zip(function.variables, jet.orders, strict=True):
        for _ in range(count):
            value = partial(value, variable)
    return Lambda(function.variables, value)(*arguments)
