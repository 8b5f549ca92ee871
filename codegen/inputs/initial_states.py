"""The states at which chains start.

A block with no value in ``initial=`` starts at the centre of its domain: 0 on the real line, one
above (below) the end of a half-line, the middle of an interval, equal probabilities on a simplex. A
block that a potential depends on (the first block, if there is no potential) is moved from there by
a small jitter, which is a function of seed and chain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sympy import S, Set, oo

from codegen.check_arguments import checked_mapping
from codegen.inputs.lengths import Lengths, repeated
from codegen.inputs.named_values import in_order_of_names
from codegen.inputs.portable_math import exponential
from codegen.inputs.posterior_data import finite_array
from codegen.inputs.preimages import with_images
from codegen.lowering.statements import Plan
from recipe.language.blocks import Block, Scalar, Simplex, Vector
from recipe.language.did_you_mean import did_you_mean
from recipe.language.domain import finite_ends
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import name_of

JITTER_SCALE = 0.1  # standard deviation, on the real line or of the logarithm or logit elsewhere
JITTER_PURPOSE = 2**31  # of the random stream; noises and minibatches have the purposes below it


def given_blocks(
    initial: Mapping[Any, Any] | None,
    state: tuple[Block, ...],
    chains: int,
    lengths: Lengths,
    argument: str = "initial",
    declared: Sequence[str] = (),
) -> dict[Block, np.ndarray]:
    """Return given values by block, of the shape (chains, length); a scalar has the length 1.

    Args:
        initial: values by block, by symbol or name: of the shape (length,) for all chains or
            (chains, length), or one number for all coordinates; for a scalar block a number or
            (chains,). Values with names are matched with the names of coordinates. The image of a
            block may be given instead of the block.
        state: the blocks of the state.
        chains: the number of chains.
        lengths: the known lengths of blocks; those of the values are added.
        argument: the name of the argument in messages.
        declared: the names that a message lists, those of the blocks that the user declared; by
            default all.

    Raises:
        RecipeError: for a name that is no block, a value of the wrong shape, or one that is not
            finite or not in the domain of its block.
    """
    by_name = {b.name: b for b in with_images(state)}
    result: dict[Block, np.ndarray] = {}
    # arrays first, as they say how many coordinates the numbers stand for
    for key, first in sorted(checked_mapping(argument, initial).items(), key=_is_number):
        name = name_of(key)
        if name not in by_name:
            raise RecipeError(
                f"{argument}= names {name}, which is no block; {did_you_mean(name, by_name)}the"
                f" blocks are {', '.join(declared or by_name)}"
            )
        block, where = by_name[name], f"{argument}[{name!r}]"
        if isinstance(first, Mapping):
            raise RecipeError(
                f"{where} is a dict, and {name} is a vector: give one array, of a pytree"
                " jax.flatten_util.ravel_pytree(parameters)[0]"
            )
        own = int(isinstance(block, Vector))
        alone = own and np.ndim(first) == 0
        value = repeated(where, first, block, lengths) if alone else first
        if isinstance(block, Vector):
            value = in_order_of_names(where, value, block, lengths)
        dimensions = own + 1 if np.ndim(value) == own + 1 else own
        array = finite_array(where, value, dimensions)
        if isinstance(block, Vector):
            lengths.learn(block.length, array.shape[-1], where)
        if dimensions > own and array.shape[0] != chains:
            raise RecipeError(
                f"{where} has {array.shape[0]} rows for {chains} chains; give one row a chain, or"
                " one row for all"
            )
        array = array if isinstance(block, Vector) else array[..., None]
        result[block] = np.broadcast_to(array, (chains, array.shape[-1]))
        if not _inside(block.domain, result[block]):
            raise RecipeError(
                f"{where} is outside of the domain {block.domain} of {name}; give values inside"
            )
    return result


def _is_number(pair: tuple[Any, Any]) -> bool:
    return np.ndim(pair[1]) == 0


def first_state(
    module: Any,
    plan: Plan,
    given: Mapping[Block, np.ndarray],
    lengths: Lengths,
    stream: tuple[int, int],
) -> dict[str, np.ndarray]:
    """Return the first state of a chain: by field an array of the shape (length,).

    Args:
        module: the imported module, whose ``jitter`` draws the random numbers.
        plan: its plan.
        given: the values that were given, by block, of the shape (chains, length).
        lengths: the lengths of all other blocks.
        stream: the seed and the number of the chain.

    Raises:
        RecipeError: where the length of a block is not known.
    """
    seed, chain = stream
    jittered = {b for U in plan.potentials for b in blocks_in(U, plan.state)} or {plan.state[0]}
    result = {}
    for n, block in enumerate(plan.state):
        if block in given:
            result[plan.fields[block]] = np.array(given[block][chain])
            continue
        z = np.zeros(1 if isinstance(block, Scalar) else lengths.of(block))
        if block in jittered:
            module.jitter(z, np.uint64(seed), JITTER_PURPOSE + n, chain)
        result[plan.fields[block]] = in_domain(block.domain, JITTER_SCALE * z)
    return result


def in_domain(domain: Set, z: np.ndarray) -> np.ndarray:
    """Return a point of the domain for any real z, and its centre for z = 0."""
    if isinstance(domain, Simplex):
        return exponential(z) / (1.0 + exponential(z).sum())
    if domain is S.Reals or domain == S.Reals:  # ``is`` first, as sympy compares sets slowly
        return z
    low, high = float(domain.start), float(domain.end)
    if domain.end == oo:
        return low + exponential(z)
    if domain.start == -oo:
        return high - exponential(z)
    return low + (high - low) / (1.0 + exponential(-z))


def _inside(domain: Set, values: np.ndarray) -> bool:
    if isinstance(domain, Simplex):
        return bool(np.all(values > 0) and np.all(values.sum(axis=-1) < 1))
    gaps = ((end.inward * (values - float(end.at)), end) for end in finite_ends(domain))
    return all(bool(np.all(gap >= 0 if end.belongs else gap > 0)) for gap, end in gaps)
