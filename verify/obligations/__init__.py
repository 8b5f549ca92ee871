"""The obligations, in the order in which a report lists them. Each stands in a file of its own."""

from verify.obligations.agrees_with_update import AGREES_WITH_UPDATE
from verify.obligations.boundary import BOUNDARY
from verify.obligations.boundary_step import BOUNDARY_STEP
from verify.obligations.consistency import CONSISTENCY
from verify.obligations.curl_skew import CURL_SKEW
from verify.obligations.detailed_balance import DETAILED_BALANCE
from verify.obligations.diffusion_psd import DIFFUSION_PSD
from verify.obligations.diffusion_symmetric import DIFFUSION_SYMMETRIC
from verify.obligations.exact_transition import EXACT_TRANSITION
from verify.obligations.invariance import INVARIANCE
from verify.obligations.invariant_order import INVARIANT_ORDER
from verify.obligations.kernel_uniqueness import KERNEL_UNIQUENESS
from verify.obligations.kernel_well_defined import KERNEL_WELL_DEFINED
from verify.obligations.lipschitz import LIPSCHITZ
from verify.obligations.lipschitz_drift import LIPSCHITZ_DRIFT
from verify.obligations.marginal import MARGINAL
from verify.obligations.monotone import MONOTONE
from verify.obligations.noise_budget import NOISE_BUDGET
from verify.obligations.noise_factor import NOISE_FACTOR
from verify.obligations.non_explosion import NON_EXPLOSION
from verify.obligations.normalisable import NORMALISABLE
from verify.obligations.onto import ONTO
from verify.obligations.recipe_form import RECIPE_FORM
from verify.obligations.smooth import SMOOTH
from verify.obligations.stable_step import STABLE_STEP
from verify.obligations.stationarity import STATIONARITY
from verify.obligations.stationary_law import STATIONARY_LAW
from verify.obligations.uniqueness import UNIQUENESS
from verify.obligations.well_defined import WELL_DEFINED

OBLIGATIONS = (
    WELL_DEFINED,
    DIFFUSION_SYMMETRIC,
    CURL_SKEW,
    DIFFUSION_PSD,
    NOISE_FACTOR,
    MONOTONE,
    ONTO,
    STATIONARITY,
    AGREES_WITH_UPDATE,
    MARGINAL,
    BOUNDARY,
    NORMALISABLE,
    NON_EXPLOSION,
    UNIQUENESS,
    RECIPE_FORM,
    STATIONARY_LAW,
    LIPSCHITZ,
    LIPSCHITZ_DRIFT,
    SMOOTH,
    BOUNDARY_STEP,
    EXACT_TRANSITION,
    CONSISTENCY,
    INVARIANT_ORDER,
    STABLE_STEP,
    NOISE_BUDGET,
)

KERNEL_OBLIGATIONS = (KERNEL_WELL_DEFINED, DETAILED_BALANCE, INVARIANCE, NORMALISABLE, KERNEL_UNIQUENESS)

__all__ = ["KERNEL_OBLIGATIONS", "OBLIGATIONS"]
