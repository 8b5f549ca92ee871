"""Statistical verification: does any callable ``step(state, rng)`` sample what was proved?"""

from verify.statistics.asked import LEVEL
from verify.statistics.check import Battery, battery, check_kernel, reference
from verify.statistics.check_law import check_invariance, check_sweep, invariant_normal_law
from verify.statistics.findings import Findings, Line, Outcome
from verify.statistics.indicative import indicate_law, indicate_order
from verify.statistics.kernels import Stepper, stepper
from verify.statistics.normal_law import NormalLaw

__all__ = [
    "LEVEL", "Battery", "Findings", "Line", "NormalLaw", "Outcome", "Stepper", "battery", "check_invariance", "check_kernel",
    "check_sweep", "indicate_law", "indicate_order", "invariant_normal_law", "reference", "stepper",
]  # fmt: skip
