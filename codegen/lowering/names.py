"""Names in generated source: no two things in a module share a name, whatever names users give to
their symbols.
"""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable

from codegen.device.defined import defined_names
from recipe.language.names import checked_name, fitting_name

# Names that the printers write: first those of a module, then arguments and variables of functions.
_PRINTED = (
    "NamedTuple math np njit types intrinsic operator ir lower_builtin lower_cast models"
    " register_model type_callable device reduction kernel row_kernel run_kernel start_kernel"
    " LARGEST TILE LONG State Params Data Draws Chains allocate invalid_block step run"
    " run_schedule run_scheduled allocate_many invalid_block_of all_valid freeze_invalid run_many"
    " purpose state out params step_size step_sizes noise gradient data seed chain chains"
    " first_chain start steps warmup thin batch_size replace draws rows row row_of table keys"
    " key count scale used value values i j k n t c x at half pairs finite done invalid tests"
    " accepted size stop first last tile blocks running stopped place fused"
    " piece begins anew now"
)
PRINTED = frozenset(_PRINTED.split())


# Fields of a state beside those of its blocks: the row numbers of a minibatch, the table that keeps
# them distinct, and the keys of many chains.
RESERVED_FIELDS = ("rows", "table", "keys")


class Namer:
    """Hands out each name once: the wanted name, or that name with the first free number."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._last: dict[str, int] = {}

    def fresh(self, wish: str) -> str:
        """Return a new name.

        Raises:
            RecipeError: where the wish is no identifier.
        """
        wish = checked_name(fitting_name(wish))
        name, number = wish, self._last.get(wish, 1)
        while name in self._taken:
            number += 1
            name = f"{wish}_{number}"
        self._last[wish] = number
        self._taken.add(name)
        return name


def reserved_names() -> frozenset[str]:
    """Return the names that a module gives to its own things, which no symbol of a user gets."""
    return PRINTED | defined_names()


def local_namer() -> Namer:
    """Return a namer for functions and their variables, which avoids the names of the module, of
    Python and of its builtins.
    """
    return Namer([*reserved_names(), *keyword.kwlist, *keyword.softkwlist, *dir(builtins)])


def field_namer(taken: Iterable[str] = ()) -> Namer:
    """Return a namer for the fields of a ``NamedTuple``, which avoids the methods of a tuple."""
    return Namer([*taken, *(name for name in dir(tuple) if not name.startswith("_"))])
