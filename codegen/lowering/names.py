"""Names for generated source: whatever users call their symbols, no two things in a module share a
name.
"""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable

from recipe.language.symbols import checked_name

# What a module or one of its functions calls its own things.
_OWN = (
    "NamedTuple math np njit types intrinsic fma held wide device reduction kernel row_kernel"
    " run_kernel start_kernel jitter LARGEST purpose State Params Data Draws allocate guilty keep"
    " step run state out params step_size noise gradient data seed chain start steps warmup thin"
    " batch_size replace draws rows row table count scale used value key i j k n t c x half pairs"
    " finite done bad tests accepted change distinct weight values softplus sigmoid logaddexp"
    " digamma phi_1 rotated threefry as_float as_word radius direction strong_threefry stream_key"
    " fill_keys column_key keys normal_pair fill_normals row_of_word random_row log_uniform insert"
    " draw_rows run_schedule step_sizes size stop uniform poisson_small log_mass poisson_large"
    " large_gamma noncentral_chi_squared exponential exp expm1 logarithm log log1p tanh fold_above"
    " fold_below fold_between turn_above turn_below turn_between operator ir lower_builtin"
    " lower_cast models register_model type_callable INDEX NUMBERS NUMBERED EIGHT TILE LONG Lanes"
    " Eight lanes_type eight_type repeated there called place_of read_eight type_of_read"
    " type_of_write write_eight as_eight arithmetic type_of_minus minus_eight type_of_float"
    " float_of_eight lanes eight inside pairwise local_numbers local_rows room fetch at first tile"
    " row_of Chains allocate_many guilty_many right_many stop_many keep_many run_many chains"
    " first_chain running right summed place in_vectors fill_ahead draw_ahead pair_ahead fused"
    " pairwise_many whole "
)
OWN = frozenset(_OWN.split())


# Fields that a state may have beside those of its blocks: the rows of a minibatch, and the keys of
# many chains.
RESERVED_FIELDS = ("rows", "table", "keys")


class Namer:
    """Hands out names that nobody else has: the wished one, or with the first number that makes it
    new.
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def fresh(self, wish: str) -> str:
        """A new name; RecipeError if the wish is no identifier."""
        name, number = checked_name(wish), 1
        while name in self._taken:
            number += 1
            name = f"{wish}_{number}"
        self._taken.add(name)
        return name


def local_namer() -> Namer:
    """Names for functions and their variables, which must leave those of the module, of Python and
    of its builtins alone.
    """
    return Namer([*OWN, *keyword.kwlist, *keyword.softkwlist, *dir(builtins)])


def field_namer(taken: Iterable[str] = ()) -> Namer:
    """Names for the fields of a ``NamedTuple``: only the methods of a tuple are in the way."""
    return Namer([*taken, *(name for name in dir(tuple) if not name.startswith("_"))])
