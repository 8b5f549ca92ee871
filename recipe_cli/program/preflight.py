"""Checks before a long command: can this machine carry it to its end?"""

from __future__ import annotations

from codegen.system.memory import require_to_load
from recipe import RecipeError
from recipe_sampler.extras import missing

# Bytes of memory and of address space that the libraries need beside Numba, measured with two
# processors.
BYTES_TO_TEST = 150_000_000, 300_000_000
BYTES_TO_DIAGNOSE = 260_000_000, 700_000_000


def require_to_test() -> None:
    """Check that there are the memory and the library to compile a sampler and to compare it.

    Raises:
        RecipeError: with what is missing.
    """
    require_to_load("the libraries that compile a sampler", *BYTES_TO_TEST)
    try:
        import scipy  # noqa: F401
    except ImportError:
        raise RecipeError(missing("`recipe test`", "scipy")) from None


def require_to_diagnose() -> None:
    """Check that there is enough memory to make draws and to diagnose them.

    Raises:
        RecipeError: with what is missing.
    """
    require_to_load("the libraries that diagnose draws", *BYTES_TO_DIAGNOSE)
