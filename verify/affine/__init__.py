"""Steps that are affine in state and noise: their stationary covariance and their stability in closed form."""

from verify.affine.covariance import StationaryCovariance, stationary_covariance
from verify.affine.stability import Stability, boundedness, stability
from verify.affine.step import AffineStep, affine_step

__all__ = ["AffineStep", "Stability", "StationaryCovariance", "affine_step", "boundedness", "stability", "stationary_covariance"]
