"""Which blocks stand in the laws of other blocks, as the scale of a hierarchy does."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sympy import Add, Expr

from recipe.declare.declared import REST
from recipe.declare.posterior import Posterior
from recipe.language.derivatives import symbols_in
from recipe.language.symbols import generic, name_of


def is_of_a_hierarchy(posteriors: Iterable[Posterior], coordinate: str) -> bool:
    """Return whether a coordinate is of a block that stands in the law of another block: only there
    may a non-centred form help.

    Args:
        posteriors: the posteriors of a run; without one nothing is known, and the answer is yes.
        coordinate: the name of a coordinate, or a sum of some with weights.
    """
    listed = list(posteriors)
    named = set(re.findall(r"[A-Za-z_]\w*", coordinate))
    return not listed or any(named & _parents(p) for p in listed)


def _parents(posterior: Posterior) -> set[str]:
    """The names of the blocks that stand in the law of another one."""
    found: set[str] = set()
    for name, part in posterior.log_priors.items():
        inside = [_blocks_in(term, posterior) for term in Add.make_args(part.expand())]
        if name == REST:  # which of the blocks of a term it is a law of is not known
            found |= {b for term in inside if len(term) > 1 for b in term}
        else:
            found |= set().union(*inside) - {name}
    likelihood = posterior.declared.log_likelihood
    if likelihood is not None and likelihood.about:  # the states of a series
        found |= {b.name for b in posterior.blocks} - {name_of(b) for b in likelihood.about}
    return found


def _blocks_in(e: Expr, posterior: Posterior) -> set[str]:
    every = {generic(s) for s in symbols_in(e)}
    return {b.name for b in posterior.blocks if b in every}
