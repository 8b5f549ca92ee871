"""Statistical verification: does any callable ``step(state, rng)`` sample what was proved?"""

from verify.statistics.check import check_kernel, reference
from verify.statistics.findings import Findings, Line, Outcome
from verify.statistics.kernels import Stepper, stepper

__all__ = ["Findings", "Line", "Outcome", "Stepper", "check_kernel", "reference", "stepper"]
