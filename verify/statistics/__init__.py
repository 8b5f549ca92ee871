"""Statistical verification: does any callable ``step(state, rng)`` sample what was proved?"""

from verify.statistics.check_kernel import Battery, battery, check_kernel, reference
from verify.statistics.check_law import check_invariance, check_sweep, invariant_normal_law
from verify.statistics.indicative import indicate_law, indicate_order
from verify.statistics.law.normal_law import NormalLaw
from verify.statistics.null.findings import ComparisonLine, ComparisonOutcome, Findings
from verify.statistics.null.levels import LEVEL
from verify.statistics.numbers.callables import Stepper, stepper

__all__ = [
    "LEVEL",
    "Battery",
    "ComparisonLine",
    "ComparisonOutcome",
    "Findings",
    "NormalLaw",
    "Stepper",
    "battery",
    "check_invariance",
    "check_kernel",
    "check_sweep",
    "indicate_law",
    "indicate_order",
    "invariant_normal_law",
    "reference",
    "stepper",
]
