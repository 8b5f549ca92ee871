"""Settings of Numba that a sampler cannot run with: refused in one sentence, before
Numba ends in a traceback or a crash.
"""

from __future__ import annotations

import warnings

from recipe.language.errors import RecipeError
from recipe_sampler.extras import missing


def import_numba() -> None:
    """Import Numba, which reads its settings at that moment.

    Raises:
        RecipeError: where Numba or numpy is missing, Numba cannot read a setting, or LLVM would end
            the process because of it.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "Environment variable 'NUMBA_", RuntimeWarning)
        try:
            from numba.core import config
        except ModuleNotFoundError as error:
            raise RecipeError(missing("codegen", str(error.name))) from None
        except (RuntimeWarning, ValueError) as error:
            said = str(error).splitlines()[0].rstrip(".")
            raise RecipeError(
                f"Numba refuses a setting: {said}; correct the variable NUMBA_..., or unset it"
            ) from None
    features = (config.CPU_FEATURES or "").split(",")
    wrong = next((f for f in features if f.strip() and f.strip()[0] not in "+-"), None)
    if wrong is not None:
        raise RecipeError(
            f"NUMBA_CPU_FEATURES names {wrong!r}: each feature begins with + or -; correct or"
            " unset it"
        )


def check_switches() -> None:
    """Refuse the setting under which nothing is compiled.

    Raises:
        RecipeError: naming the setting.
    """
    from numba.core import config

    if config.DISABLE_JIT:
        raise RecipeError(
            "NUMBA_DISABLE_JIT is set, and samplers are compiled: unset it, or take it out of"
            " .numba_config.yaml"
        )
