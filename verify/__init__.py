"""Prove that a sampler leaves ``exp(-H)`` stationary, or test that a program samples a given law.

``verify`` proves: it takes a recipe, a printed update rule, a discrete step or a kernel and returns
a ``Report``, whose lines each have a ``Verdict``. ``check_kernel``, ``check_sweep`` and
``check_invariance`` test programs statistically.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import recipe_sampler.one_distribution  # noqa: F401 - it refuses packages that hide ours

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
        from verify import statistics

        return getattr(statistics, name)
    raise AttributeError(f"module 'verify' has no attribute {name!r}")
