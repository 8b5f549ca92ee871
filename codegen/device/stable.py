"""Logistic functions and sums of exponentials that stay finite, as device functions."""

from __future__ import annotations

from codegen.device.elementary import exp, log1p
from codegen.device.intrinsics import device


@device
def softplus(a: float) -> float:
    """log(1 + exp(a))."""
    return max(a, 0.0) + log1p(exp(-abs(a)))


@device
def sigmoid(a: float) -> float:
    """1/(1 + exp(-a))."""
    e = exp(-abs(a))
    return (1.0 if a >= 0.0 else e) / (1.0 + e)


@device
def logaddexp(a: float, b: float) -> float:
    """log(exp(a) + exp(b))."""
    return max(a, b) + log1p(exp(-abs(a - b)))
