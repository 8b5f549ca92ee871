"""Steps that are affine in state and noise: their stationary covariance and their stability in
closed form.
"""

from verify.discrete.linear.covariance import StationaryCovariance, stationary_covariance
from verify.discrete.linear.stability import Stability, boundedness, stability
from verify.discrete.linear.step import AffineStep, affine_step

__all__ = [
    "AffineStep",
    "Stability",
    "StationaryCovariance",
    "affine_step",
    "boundedness",
    "stability",
    "stationary_covariance",
]
