"""Replace every expression in an update or in a part of a kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sympy import Expr

from recipe.declare.replace_fields import with_fields
from recipe.declare.update import Update
from recipe.kernel.part import (
    MetropolisedMap,
    MetropolisedPath,
    MetropolisHastings,
    Move,
    Part,
    Repeat,
)

Put = Callable[[Expr], Expr]


def rewritten_update(update: Update, put: Put) -> Update:
    """The update with ``put`` applied to every expression."""
    pairs = [(block, put(e)) for block, e in update.rule]
    rule = pairs if update.sequential else dict(pairs)
    observe = {block: put(e) for block, e in update.observe}
    name, source, expect = update.name, update.source, update.expect
    made = Update(
        update.step,
        rule,
        put(update.target),
        observe=observe,
        name=name,
        source=source,
        expect=expect,
        where=[c.rewritten(put) for c in update.where],
    )
    # the rule is in these units already
    return with_fields(made, units=update.units, limit_only=update.limit_only)


def rewritten_part(part: Part, put: Put) -> Part:
    """The part with ``put`` applied to every expression."""
    match part:
        case Move(update=update):
            return replace(part, update=rewritten_update(update, put))
        case MetropolisHastings(proposal=update, cost=cost):
            return replace(part, proposal=rewritten_update(update, put), cost=put(cost))
        case MetropolisedMap(map=update):
            return replace(part, map=rewritten_update(update, put))
        case MetropolisedPath(around=around, test=test):
            moved, mapped = rewritten_update(around.update, put), rewritten_update(test.map, put)
            return MetropolisedPath(replace(around, update=moved), replace(test, map=mapped))
        case Repeat(parts=parts):
            return replace(part, parts=tuple(rewritten_part(p, put) for p in parts))
