"""What is said of blocks without a prior, where the posterior gives others one."""

from __future__ import annotations

from sympy import Reals

from codegen.module import Module
from recipe.declare.declared import blocks_without_law
from recipe.language.derivatives import symbols_in
from recipe.language.symbols import generic, name_of


def said_of_priors(module: Module) -> tuple[str, ...]:
    """Return a sentence for each block of a posterior that ``log_prior`` does not have, though it
    has another one, and whose domain is unbounded: somebody may have forgotten it. A block whose
    law is a term of the log likelihood, as that of the states of a series, is not meant.
    """
    said = []
    for posterior in dict.fromkeys(e.gradient.posterior for e in module.estimators.values()):
        if not {generic(s) for s in symbols_in(posterior.log_prior)} & set(posterior.blocks):
            continue
        likelihood = posterior.declared.log_likelihood
        elsewhere = () if likelihood is None else likelihood.about
        for block in blocks_without_law(posterior.blocks, [posterior.log_prior]):
            if block in elsewhere:
                continue
            name = name_of(block)
            law = f"normal({name}, 0, 1)" if block.domain == Reals else f"half_normal({name}, 1)"
            said.append(
                f"{name} has no prior, so that its prior is flat on {block.domain}, and the"
                f" posterior may have no finite integral; add one to log_prior, such as {law},"
                " unless that is meant"
            )
    return tuple(said)
