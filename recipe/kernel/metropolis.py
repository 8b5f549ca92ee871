"""``metropolis``: make a proposal exact by accepting or rejecting it.

Metropolis, Rosenbluth, Rosenbluth, Teller & Teller (1953); Hastings (1970). MALA is Besag (1994)
and Roberts & Tweedie (1996), HMC Duane, Kennedy, Pendleton & Roweth (1987), generalised HMC
Horowitz (1991), tests of whole paths Garriga-Alonso & Fortuin (2021).
"""

from __future__ import annotations

from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.kernel.flip import checked_flips
from recipe.kernel.part import (
    MetropolisedMap,
    MetropolisedPath,
    MetropolisHastings,
    Move,
    checked_times,
)
from recipe.kernel.partner import partners_of
from recipe.kernel.proposal import cost_of
from recipe.kernel.step import rule_of
from recipe.language.blocks import Block
from recipe.language.errors import RecipeError
from recipe.language.expectation import NOISE


def metropolis(
    of: Recipe | Update,
    scheme: str | None = None,
    *,
    times: object = 1,
    flip: Block | tuple[Block, ...] = (),
    flip_on_rejection: bool = True,
    around: Move | None = None,
) -> MetropolisHastings | MetropolisedMap | MetropolisedPath:
    """Accept or reject a proposal, so that ``exp(-H)`` is left invariant.

    A rule with noise is a proposal whose density is derived. A rule without noise is one step of a
    deterministic map Psi, which must be reversible: its inverse is Psi with the sign of the blocks
    ``flip`` turned before and after it.

    Args:
        of: a recipe, or an update rule.
        scheme: the name of a scheme, for a recipe only.
        times: the number of steps of the map that make one proposal, or ``(low, high)`` for a
            number drawn uniformly from that range.
        flip: the block, or a tuple of blocks, whose sign is turned; momenta, as a rule.
        flip_on_rejection: turn these signs when the proposal is rejected. False keeps the state, as
            some libraries do; that is right only where a full refresh of the flipped blocks
            follows.
        around: a part such as ``refresh(recipe, r, keep=c)`` that is carried out before and after
            every step of the map. A rejection takes its effect back as well, and only the changes
            of H along the map count.

    Returns:
        The part of a kernel: ``MetropolisHastings`` for a rule with noise, ``MetropolisedMap`` for
        one without, and ``MetropolisedPath`` where ``around`` is given.

    Raises:
        RecipeError: for a proposal without a density, or an argument that does not fit the rule.

    Example:
        >>> from recipe import Potential, Recipe, Vector, compose, metropolis
        >>> theta = Vector("theta")
        >>> langevin = Recipe(theta, H=Potential("U", theta), D=1, Q=0)
        >>> mala = compose(metropolis(langevin, "euler"))
    """
    rule = rule_of(of, scheme, "metropolis")
    if any(e.has(*NOISE) for _, e in rule.rule):
        if flip != () or checked_times(times) != 1 or around is not None:
            raise RecipeError(
                "metropolis(...): flip=, times= and around= belong to a rule without noise;"
                " repeat(metropolis(...), n) repeats it"
            )
        partners = partners_of(rule)
        return MetropolisHastings(rule, partners, cost_of(rule, partners))
    flips = flip if isinstance(flip, tuple) else (flip,)
    test = MetropolisedMap(
        rule, checked_times(times), checked_flips(flips, rule.state, "flip="), flip_on_rejection
    )
    if around is None:
        return test
    if not isinstance(around, Move):
        raise RecipeError(
            f"metropolis(..., around={around!r}): a part without a test of its own, such as"
            " refresh(recipe, r, keep=c)"
        )
    return MetropolisedPath(around, test)
