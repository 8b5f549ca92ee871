"""Prove that a sampler leaves ``exp(-H)`` stationary, or test that a program samples a given law.

``verify`` proves: it takes a recipe, a printed update rule, a discrete step or a kernel and returns
a ``Report``, whose lines each have a ``Verdict``. ``check_kernel``, ``check_sweep`` and
``check_invariance`` test programs statistically.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import recipe_sampler.one_distribution  # noqa: F401 - it refuses packages that hide ours
from recipe_sampler.extras import missing

if TYPE_CHECKING:
    from verify.engine import verify
    from verify.report import Report
    from verify.statistics.check_kernel import check_kernel
    from verify.statistics.check_law import check_invariance, check_sweep
    from verify.verdict import Verdict

__all__ = ["Report", "Verdict", "check_invariance", "check_kernel", "check_sweep", "verify"]


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that a part that stands alone loads without the
    rest.
    """
    if name == "Report":
        from verify.report import Report

        return Report
    if name == "verify":
        from verify.engine import verify

        return verify
    if name == "Verdict":
        from verify.verdict import Verdict

        return Verdict
    if name in ("check_invariance", "check_kernel", "check_sweep"):
        try:
            import scipy  # noqa: F401
        except ImportError:
            return _refusing(name)
        from verify import statistics

        return getattr(statistics, name)
    raise AttributeError(f"module 'verify' has no attribute {name!r}")


def _refusing(name: str) -> Callable[..., NoReturn]:
    """Return a function that stands for a statistical test where scipy is not installed.

    Naming the test is no error, so that ``import *``, ``hasattr`` and ``pydoc`` work there.
    """
    sentence = missing(f"verify.{name}", "scipy")

    def refuse(*_positional: Any, **_named: Any) -> NoReturn:
        raise ImportError(sentence, name="scipy")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"{sentence}."
    return refuse


def __dir__() -> list[str]:
    """Return the public names, for completion at a prompt."""
    return sorted(__all__)
