"""Is D positive semidefinite? A factor ``B W B^T`` with nonnegative weights proves it; an exact
point and vector refute it.
"""

from verify.decide.psd.decide import decide_psd

__all__ = ["decide_psd"]
