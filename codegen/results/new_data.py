"""New data from a law by name at every draw.

Random numbers are a function of seed, chain and draw (Salmon et al. 2011, Philox): they are the
same however draws are thinned, and for every number of chains.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from codegen.results.predictive_laws import DRAWN
from codegen.results.quantities import AtDraws, pieces, require_room_for
from recipe.language.data import VectorData
from recipe.language.errors import RecipeError
from recipe.language.log_density import NamedLaw
from recipe.language.symbols import Indexed, name_of


def new_data(law: NamedLaw, at: AtDraws, seed: int, step: int) -> np.ndarray:
    """Return new data of a law, of the shape (chains, draws, rows), or (chains, draws, rows,
    length).
    """
    size: tuple[int, ...] = (at.rows,)
    if isinstance(law.variable, VectorData):
        size = (*size, at.sizes[law.variable.length])
    name = name_of(law.variable)
    require_room_for(f"posterior_predictive of {name}", at.shape, int(np.prod(size)))
    chains, draws = at.shape
    found = np.empty((chains * draws, *size))
    for piece in pieces(len(found), int(np.prod(size))):
        arguments = _arguments(law, at, piece)
        for n in range(piece.start, piece.stop):
            chain, draw = divmod(n, draws)
            found[n] = _at_one_draw(
                law, arguments, n - piece.start, size, _generator(seed, name, chain, draw * step)
            )
    return found.reshape(chains, draws, *size)


def _generator(seed: int, name: str, chain: int, draw: int) -> np.random.Generator:
    """Return the random numbers of one draw of one variable."""
    stream = int.from_bytes(name.encode()[:7].ljust(7, b" "), "little")
    return np.random.Generator(np.random.Philox(key=[seed, stream], counter=[0, 0, draw, chain]))


def _arguments(law: NamedLaw, at: AtDraws, piece: slice) -> dict[str, Any]:
    """Return the values of the arguments of a law at some draws; of a mixture those of its parts
    as well.
    """
    values = at.values(piece)

    def of(e: Any) -> Any:
        if isinstance(e, NamedLaw):
            return _arguments(e, at, piece)
        if isinstance(e, tuple) and e and isinstance(e[0], NamedLaw):
            return [of(part) for part in e]
        if isinstance(e, tuple):
            return np.stack(np.broadcast_arrays(*(values.at(part) for part in e)), axis=-1)
        return values.at(e)

    return {name: of(e) for name, e in law.arguments.items()}


def _at_one_draw(
    law: NamedLaw, arguments: Mapping[str, Any], n: int, size: Any, rng: np.random.Generator
) -> Any:
    """Return new data of a law at one draw; NaN where its arguments are no numbers."""
    if law.name == "mixture":
        return _of_mixture(law, arguments, n, size, rng)
    own = {name: a[min(n, len(a) - 1)] for name, a in arguments.items()}
    if law.name == "categorical" and isinstance(law.arguments["p"], Indexed):
        p = own["p"]
        own["p"] = np.concatenate([p, 1.0 - p.sum(axis=-1, keepdims=True)], axis=-1)
    if not all(np.all(np.isfinite(a)) for a in own.values()):
        return np.nan
    try:
        return DRAWN[law.name](rng, size, **own)
    except ValueError as error:  # a negative scale, or a rate beyond whole numbers
        raise RecipeError(
            f"no data can be drawn from {law.name}({law.variable}, ...) at one of the draws:"
            f" {error}; restrict its arguments"
        ) from None


def _of_mixture(
    law: NamedLaw, arguments: Mapping[str, Any], n: int, size: Any, rng: np.random.Generator
) -> np.ndarray:
    weights = arguments["weights"][min(n, len(arguments["weights"]) - 1)]
    which = DRAWN["categorical"](rng, size, weights / weights.sum(axis=-1, keepdims=True))
    parts = [
        np.broadcast_to(_at_one_draw(part, given, n, size, rng), size)
        for part, given in zip(law.arguments["laws"], arguments["laws"], strict=True)
    ]
    return np.choose(which, parts)
