"""What blocks and data were declared with: a posterior has their priors in its log prior, and their
arrays in its data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sympy import Basic, Expr, Integer, Symbol

from recipe.declare.forget import forget_arrays
from recipe.declare.plain import BLOCKS, DATA, carries, plain, plain_density, plain_quantities
from recipe.declare.transformations.ordered import Ordered, OrderedPrior
from recipe.language.blocks import Block
from recipe.language.domain import finite_ends, on_simplex
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import known_numbers, parameters_of
from recipe.language.log_density import LogDensity
from recipe.language.symbols import generic, name_of
from recipe.language.text import listed

REST = "log_prior"  # the name of what is in no prior of a block


@dataclass(frozen=True)
class Declared:
    """The parts of a posterior, without anything that a symbol carries.

    Attributes:
        blocks: the blocks, plain; ``Ordered`` ones as they are.
        log_likelihood, log_prior: the densities; the log prior has the priors of the blocks.
        data: the arrays by symbol: those that were given, then those that symbols carried.
        derived: the quantities, as they were given.
        priors: the laws that blocks were declared with, as text, by the name of the block.
        log_priors: the parts of the log prior: of each of these blocks by its name, and of all
            others together as "log_prior", where it is not 0.
        order: all data in their first order, where ``with_data`` has put others in their place.
    """

    blocks: tuple[Any, ...]
    log_likelihood: LogDensity | None
    log_prior: LogDensity
    data: dict[Symbol, Any]
    derived: Any
    priors: dict[str, str]
    log_priors: dict[str, Expr]
    order: tuple[Symbol, ...] = ()


def declared(
    blocks: Any,
    log_likelihood: LogDensity | None,
    log_prior: LogDensity | None,
    data: Any,
    derived: Any,
) -> Declared:
    """Return the parts of a posterior, with what its symbols carry in its place.

    Args:
        blocks: the blocks that are given; None for those of the densities and quantities.
        log_likelihood, log_prior: the densities that are given, or None.
        data: the arrays that are given, by symbol, or None.
        derived: the quantities that are given, or None.

    Raises:
        RecipeError: for a block whose law would be counted twice or that has none, a prior of a
            block that is not there, data with two arrays, and a name with two meanings.
    """
    data = _checked(data)
    densities = [d for d in (log_likelihood, log_prior) if d is not None]
    read = [e for d in densities for e in (d.expression, *(i.label for i in d.indicators))]
    written = _symbols_in([*read, *_expressions_in(derived)])
    chosen = _in_order(written) if blocks is None else _grouped(_listed(blocks))
    with_prior = [b for b in chosen if getattr(b, "prior", None) is not None]
    parents = _symbols_in(e for b in with_prior for e in _arguments(b))
    _check_meanings([*_scalars(chosen), *data, *written, *parents])
    _check_parents(with_prior, _scalars(chosen))
    _check_one_law(log_likelihood, log_prior, chosen)
    forget_arrays(s.values for s in written if isinstance(s, DATA) and carries(s))
    prior = sum((b.prior.density for b in with_prior), log_prior or LogDensity(Integer(0)))
    likelihood = None if log_likelihood is None else plain_density(log_likelihood)
    prior = plain_density(prior)
    _check_known_numbers(d.expression for d in (likelihood, prior) if d is not None)
    return Declared(
        tuple(plain(b) for b in chosen),
        likelihood,
        prior,
        _all_data(data, written),
        plain_quantities(derived),
        {b.name: str(b.prior) for b in with_prior},
        _log_priors(with_prior, log_prior),
    )


def require_order(blocks: Any, data: Any, found: Declared) -> None:
    """Require that blocks and data are given, in the order in which a gradient of one's own takes
    them.
    """
    if blocks is None:
        raise RecipeError(
            "a gradient of one's own gets the blocks in the order of blocks=; give blocks=(...)"
        )
    carried = sorted(set(found.data) - set(data or {}), key=str)
    if carried:
        raise RecipeError(
            f"a gradient of one's own gets the data in the order of data=; declare {carried[0]}"
            f" without its values, and give data={{{carried[0]}: ...}}"
        )


def refuse_prior_without_use(parts: Declared) -> None:
    """Refuse a prior beside a gradient alone, which is that of all of U: nothing would use it, and
    whoever left the prior out of the gradient would sample the likelihood.
    """
    prior = parts.log_prior.expression
    if prior == 0 and not parts.priors:
        return
    name = next(iter(parts.priors), None)
    said, repair = (
        (f"log_prior={prior}", "leave log_prior out")
        if name is None
        else (f"the prior {parts.priors[name]} of {name}", f"declare {name} without prior=")
    )
    raise RecipeError(
        f"{said} would be counted nowhere: without log_likelihood, gradient= is the gradient of all"
        " of U = -log_prior - log_likelihood. See that your function adds the gradient of minus the"
        f" log prior, once and not times N/n, and {repair}"
    )


def require_every_block(blocks: Iterable[Block], densities: Iterable[Expr]) -> None:
    """Refuse a block that no density is about, as it would wander for ever; where its domain is
    bounded, it has the uniform law there.
    """
    for block in blocks_without_law(blocks, densities):
        raise RecipeError(
            f"{block} is in blocks=, and neither in log_likelihood nor in log_prior: it has"
            " no law; leave it out, or give it a prior"
        )


def require_every_prior(blocks: Iterable[Block], log_prior: Expr) -> None:
    """Refuse the prior alone of a posterior where some block has a flat prior on all numbers."""
    for block in blocks_without_law(blocks, [log_prior]):
        said = " (log_prior=0)" if log_prior == 0 else ""
        raise RecipeError(
            f"{block} has no prior{said}, so the prior alone is no law; give {block} a prior"
        )


def blocks_without_law(blocks: Iterable[Block], densities: Iterable[Expr]) -> list[Block]:
    """Return the blocks that no density is about, and whose domain is unbounded: a density that is
    flat there has no finite integral.

    Args:
        blocks: the blocks.
        densities: log densities, or parts of one.
    """
    used = {generic(s) for e in densities for s in e.atoms(*BLOCKS)}
    return [
        block
        for block in blocks
        if block not in used and not on_simplex(block) and len(finite_ends(block.domain)) != 2
    ]


def _log_priors(with_prior: Iterable[Any], log_prior: LogDensity | None) -> dict[str, Expr]:
    """Return the parts of the log prior, by name."""
    parts = {b.name: plain(b.prior.density.expression) for b in with_prior}
    rest = Integer(0) if log_prior is None else plain(log_prior.expression)
    return parts if rest == 0 else {**parts, REST: rest}


def _checked(data: Any) -> Mapping[Symbol, Any]:
    """Return the arrays that are given, by ``Data`` symbol."""
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        repair = (
            "; of a posterior, posterior.given is such a dict, and posterior.with_data(...) is"
            " the same model with other data"
            if isinstance(data, tuple)
            else ""
        )
        raise RecipeError(
            f"data= is of the type {type(data).__name__}, and must be a dict of arrays by Data"
            f" symbol, such as {{x: table[['age', 'income']], y: table['y']}}{repair}"
        )
    for key in data:
        if not isinstance(key, DATA):
            raise RecipeError(
                f"data= has the key {key!r}, which is no Data symbol; write x = Data('x',"
                " like=theta) and {x: X}, with the symbol itself as the key and not its name"
            )
    return data


def refuse_density(blocks: Any) -> None:
    """Refuse a density in the place of the blocks."""
    if isinstance(blocks, LogDensity) or (isinstance(blocks, Expr) and not blocks.is_Symbol):
        raise RecipeError(
            f"the first argument of Posterior is blocks=, and {blocks} is a density; write"
            " Posterior(log_likelihood=...)"
        )


def _in_order(symbols: Iterable[Any]) -> list[Any]:
    """The blocks among symbols, and those that their priors name, by name; numbers in names count
    as numbers.
    """
    found: dict[Any, None] = {}
    waiting = [s for s in symbols if isinstance(s, BLOCKS)]
    while waiting:
        for block in _grouped([waiting.pop()]):
            if block not in found:
                found[block] = None
                waiting += [s for s in _symbols_in(_arguments(block)) if isinstance(s, BLOCKS)]
    return sorted(
        found, key=lambda b: ([_part(p) for p in re.split(r"(\d+)", b.name)], str(b.prior))
    )


def _part(text: str) -> tuple[int, str]:
    return (int(text), "") if text.isdigit() else (-1, text)


def _listed(blocks: Any) -> list[Any]:
    return list(blocks) if isinstance(blocks, tuple | list) else [blocks]


def _grouped(blocks: Iterable[Any]) -> list[Any]:
    """The blocks, with an ordered block that has a prior in the place of its scalars."""
    grouped: list[Any] = []
    for b in blocks:
        of = getattr(b, "prior", None)
        whole = of.block if isinstance(of, OrderedPrior) else b
        if whole is b or whole not in grouped:
            grouped.append(whole)
    return grouped


def _scalars(blocks: Iterable[Any]) -> list[Any]:
    """The symbols of blocks."""
    return [s for b in blocks for s in (b.blocks if isinstance(b, Ordered) else (b,))]


def _arguments(block: Any) -> list[Expr]:
    """The expressions that the prior of a block is made of."""
    prior = getattr(block, "prior", None)
    return [] if prior is None else [e for _, e in prior.arguments]


def _symbols_in(expressions: Iterable[Basic]) -> list[Any]:
    """The blocks and data in expressions, by name; labels in the place of what they name."""
    found = {generic(s) for e in expressions for s in e.atoms(*BLOCKS, *DATA)}
    labels = {s: s.labels for s in found if getattr(s, "labels", None) is not None}
    return sorted({labels.get(s, s) for s in found}, key=lambda s: (str(s), _described(s)))


def _expressions_in(derived: Any) -> Iterable[Basic]:
    """The expressions among quantities; what is none is refused elsewhere."""
    for value in derived.values() if isinstance(derived, Mapping) else ():
        several = isinstance(value, Sequence) and not isinstance(value, str)
        for e in value if several else [value]:
            of = e.expression if isinstance(e, LogDensity) else e
            yield from (i.label for i in e.indicators) if isinstance(e, LogDensity) else ()
            if isinstance(of, Basic):
                yield of


def _check_meanings(symbols: Iterable[Any]) -> None:
    """Require that symbols of one name are equal, where one of them carries something."""
    known: dict[str, Any] = {}
    for s in symbols:
        if not isinstance(s, BLOCKS + DATA):
            continue
        other = known.setdefault(name_of(s), s)
        if other != s and (carries(s) or carries(other)):
            raise RecipeError(
                f"the name {name_of(s)} has two meanings: {_described(other)} and"
                f" {_described(s)}; use one symbol everywhere, or rename one of them"
            )


def _check_known_numbers(expressions: Iterable[Expr]) -> None:
    """Require that parameters that carry their numbers have names of their own."""
    parameters = parameters_of(expressions)
    by_name: dict[str, Any] = {}
    for s in parameters:
        other = by_name.setdefault(name_of(s), s)
        if other != s and known_numbers((s, other)):
            raise RecipeError(
                f"two parameters are called {name_of(s)}, and one of them carries its numbers;"
                " give one another name, as in Parameter('another', like=..., values=[...])"
            )


def _described(s: Any) -> str:
    if isinstance(s, DATA):
        return "data with an array" if carries(s) else "data without an array"
    where = f"a {type(s).__name__} on {s.domain}"
    return f"{where} with the prior {s.prior}" if carries(s) else f"{where} without a prior"


def _check_parents(with_prior: Iterable[Any], scalars: Sequence[Any]) -> None:
    for block in with_prior:
        for s in _symbols_in(_arguments(block)):
            if s not in scalars:
                raise RecipeError(
                    f"the prior of {block.name}, {block.prior}, has {s}, which is not in"
                    f" blocks=({listed(name_of(b) for b in scalars)}); add it there"
                )


def _check_one_law(
    log_likelihood: LogDensity | None, log_prior: LogDensity | None, blocks: Sequence[Any]
) -> None:
    """Require that no prior of a block is counted twice, and that every block has a law."""
    written = set() if log_prior is None else set(_symbols_in([log_prior.expression]))
    repeated = () if log_likelihood is None else log_likelihood.of
    for b in blocks:
        if not isinstance(b, Ordered | BLOCKS[0] | BLOCKS[1]):
            continue  # it is refused elsewhere
        if b.prior is None:
            if log_prior is None:
                raise RecipeError(
                    f"{b.name} has no prior: declare it with one, as in"
                    f" {type(b).__name__}({b.name!r}, ..., prior=normal(0, 1)), or give log_prior="
                    " (0 for a flat one)"
                )
            continue
        if written & set(_scalars([b])):
            raise RecipeError(
                f"log_prior contains {b.name}, which is declared with the prior {b.prior}: that is"
                f" added to log_prior, and would be counted twice; leave the law of {b.name} out"
                " there and declare blocks whose laws depend on it with theirs, or declare"
                f" {b.name} without prior= and write all of it into log_prior"
            )
        if set(repeated) & set(_scalars([b])):
            raise RecipeError(
                f"log_likelihood contains a law of {b.name}, which is declared with the prior"
                f" {b.prior}; the log likelihood is added once for each datum, so leave that law"
                " out there"
            )


def _all_data(data: Mapping[Symbol, Any], written: Iterable[Any]) -> dict[Symbol, Any]:
    """The arrays that are given, and those that symbols carry, by plain symbols."""
    for s in data:
        if carries(s):
            raise RecipeError(
                f"{name_of(s)} is declared with its values, and data= has an array for it as well;"
                " leave one of them out"
            )
    carried = {plain(s): s.values for s in written if isinstance(s, DATA) and carries(s)}
    return {**data, **carried}
