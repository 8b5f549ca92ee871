"""Prove that a recipe, or an update rule that somebody printed, leaves ``exp(-H)`` stationary."""

from __future__ import annotations

from typing import Any

__all__ = ["Report", "Verdict", "check_invariance", "check_kernel", "check_sweep", "verify"]


def __getattr__(name: str) -> Any:
    """Import on first use, so that a part that stands alone can be used without the rest."""
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
