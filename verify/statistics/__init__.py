"""Statistical verification: does a callable ``step(state, rng)`` do what was declared and
proved?

``check_kernel`` compares the law of one step given the state, ``check_sweep`` one sweep of a kernel
with Metropolis tests, ``check_invariance`` the law that a kernel keeps, and ``check_program``
whatever fits a trial. Each returns ``Findings``. ``docs/statistics.md`` explains the tests and
their exact null laws.
"""

from recipe_sampler.extras import missing

try:
    import scipy  # noqa: F401
except ImportError as error:
    raise ImportError(missing("verify.statistics", "scipy"), name="scipy") from error

from verify.statistics.check_kernel import Battery, battery, check_kernel, reference
from verify.statistics.check_law import check_invariance, check_sweep, invariant_normal_law
from verify.statistics.check_program import ProgramTest, check_program, program_test
from verify.statistics.indicative import indicate_law, indicate_order
from verify.statistics.law.normal_law import NormalLaw
from verify.statistics.null.findings import ComparisonLine, ComparisonOutcome, Findings
from verify.statistics.null.levels import LEVEL
from verify.statistics.numbers.callables import Advance, Stepper, stepper
from verify.statistics.trial.errors import NothingToCompareError
from verify.statistics.trial.trial import Trial, trial_of

__all__ = [
    "LEVEL",
    "Advance",
    "Battery",
    "ComparisonLine",
    "ComparisonOutcome",
    "Findings",
    "NormalLaw",
    "NothingToCompareError",
    "ProgramTest",
    "Stepper",
    "Trial",
    "battery",
    "check_invariance",
    "check_kernel",
    "check_program",
    "check_sweep",
    "indicate_law",
    "indicate_order",
    "invariant_normal_law",
    "program_test",
    "reference",
    "stepper",
    "trial_of",
]
