"""What is said of blocks without a prior, where the posterior gives others one."""

from __future__ import annotations

from sympy import Reals

from codegen.generate import Module
from recipe.language.derivatives import symbols_in
from recipe.language.symbols import generic, name_of


def said_of_priors(module: Module) -> tuple[str, ...]:
    """Return a sentence for each block of a posterior that ``log_prior`` does not have, though it
    has another one, and whose domain is unbounded: somebody may have forgotten it.
    """
    said = []
    for posterior in dict.fromkeys(e.gradient.posterior for e in module.estimators.values()):
        in_prior = {generic(s) for s in symbols_in(posterior.log_prior)}
        if not in_prior.intersection(posterior.blocks):
            continue
        for block in posterior.blocks:
            if block not in in_prior and block.domain.measure.is_infinite:
                name = name_of(block)
                law = "normal" if block.domain == Reals else "half_normal"
                scale = "0, 1" if law == "normal" else "1"
                said.append(
                    f"{name} has no prior, so that its prior is flat on {block.domain}, and the"
                    f" posterior may have no finite integral; add one to log_prior, such as"
                    f" {law}({name}, {scale}), unless that is meant"
                )
    return tuple(said)
