"""Replace every expression in an update or in a part of a kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import cast

from sympy import Expr, Symbol

from recipe.declare.replace_fields import with_fields
from recipe.declare.update import Update
from recipe.kernel.kernel import Kernel
from recipe.kernel.part import (
    MetropolisedMap,
    MetropolisedPath,
    MetropolisHastings,
    Move,
    Part,
    Repeat,
)
from recipe.language.assumed import ParameterCondition

Put = Callable[[Expr], Expr]


def rewritten_update(update: Update, put: Put) -> Update:
    """The update with ``put`` applied to every expression, and to its step, which stays a
    symbol.
    """
    pairs = [(block, put(e)) for block, e in update.rule]
    rule = pairs if update.sequential else dict(pairs)
    observe = {block: put(e) for block, e in update.observe}
    name, source, expect = update.name, update.source, update.expect
    made = Update(
        cast(Symbol, put(update.step)),
        rule,
        put(update.target),
        observe=observe,
        name=name,
        source=source,
        expect=expect,
        where=[c.rewritten(put) for c in update.where],
    )
    # the rule is in these units already
    return with_fields(
        made,
        units=tuple((block, put(unit)) for block, unit in update.units),
        limit_only=update.limit_only,
        posteriors=update.posteriors,
    )


def rewritten_part(part: Part, put: Put) -> Part:
    """The part with ``put`` applied to every expression."""
    return _mapped(part, lambda update: rewritten_update(update, put), put)


def under_conditions(kernel: Kernel, where: tuple[ParameterCondition, ...]) -> Kernel:
    """The kernel with these conditions between parameters, in each of its rules, and no others."""

    def change(update: Update) -> Update:
        return with_fields(update, where=where)

    parts = tuple(_mapped(part, change, lambda cost: cost) for part in kernel.parts)
    return with_fields(kernel, parts=parts)


def _mapped(part: Part, change: Callable[[Update], Update], put: Put) -> Part:
    """The part with ``change`` applied to every rule, and ``put`` to what else is written in it."""
    match part:
        case Move(update=update):
            return replace(part, update=change(update))
        case MetropolisHastings(proposal=update, cost=cost):
            return replace(part, proposal=change(update), cost=put(cost))
        case MetropolisedMap(map=update):
            return replace(part, map=change(update))
        case MetropolisedPath(around=around, test=test):
            moved, mapped = change(around.update), change(test.map)
            return MetropolisedPath(replace(around, update=moved), replace(test, map=mapped))
        case Repeat(parts=parts):
            return replace(part, parts=tuple(_mapped(p, change, put) for p in parts))
