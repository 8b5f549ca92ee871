"""All obligations, in the order in which a report lists them; each has a file of its own.

``OBLIGATIONS`` are those of recipes, claims and discrete steps, ``KERNEL_OBLIGATIONS`` those of
kernels, ``LABEL_OBLIGATIONS`` those of data with labels.
"""

from verify.obligations.kernel.detailed_balance import DETAILED_BALANCE
from verify.obligations.kernel.invariance import INVARIANCE
from verify.obligations.kernel.uniqueness import KERNEL_UNIQUENESS
from verify.obligations.kernel.well_defined import KERNEL_WELL_DEFINED
from verify.obligations.labels.agrees_with_gradient import AGREES_WITH_GRADIENT
from verify.obligations.labels.conditional import CONDITIONAL
from verify.obligations.labels.fisher_identity import FISHER_IDENTITY
from verify.obligations.labels.invariance import LABELS_INVARIANCE
from verify.obligations.labels.uniqueness import LABELS_UNIQUENESS
from verify.obligations.labels.well_defined import LABELS_WELL_DEFINED
from verify.obligations.map.boundary_step import BOUNDARY_STEP
from verify.obligations.map.lipschitz import LIPSCHITZ
from verify.obligations.map.lipschitz_drift import LIPSCHITZ_DRIFT
from verify.obligations.map.monotone import MONOTONE
from verify.obligations.map.onto import ONTO
from verify.obligations.map.smooth import SMOOTH
from verify.obligations.process.agrees_with_update import AGREES_WITH_UPDATE
from verify.obligations.process.boundary import BOUNDARY
from verify.obligations.process.curl_skew import CURL_SKEW
from verify.obligations.process.diffusion_psd import DIFFUSION_PSD
from verify.obligations.process.diffusion_symmetric import DIFFUSION_SYMMETRIC
from verify.obligations.process.marginal import MARGINAL
from verify.obligations.process.noise_factor import NOISE_FACTOR
from verify.obligations.process.non_explosion import NON_EXPLOSION
from verify.obligations.process.normalisable import NORMALISABLE
from verify.obligations.process.recipe_form import RECIPE_FORM
from verify.obligations.process.stationarity import STATIONARITY
from verify.obligations.process.stationary_law import STATIONARY_LAW
from verify.obligations.process.uniqueness import UNIQUENESS
from verify.obligations.process.well_defined import WELL_DEFINED
from verify.obligations.process.where import KERNEL_WHERE, WHERE
from verify.obligations.step.consistency import CONSISTENCY
from verify.obligations.step.exact_transition import EXACT_TRANSITION
from verify.obligations.step.invariant_order import INVARIANT_ORDER
from verify.obligations.step.noise_budget import NOISE_BUDGET
from verify.obligations.step.stable_step import STABLE_STEP

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
    WHERE,
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

KERNEL_OBLIGATIONS = (
    KERNEL_WELL_DEFINED,
    DETAILED_BALANCE,
    INVARIANCE,
    NORMALISABLE,
    KERNEL_UNIQUENESS,
    KERNEL_WHERE,
)

LABEL_OBLIGATIONS = (
    LABELS_WELL_DEFINED,
    CONDITIONAL,
    LABELS_INVARIANCE,
    LABELS_UNIQUENESS,
    FISHER_IDENTITY,
    AGREES_WITH_GRADIENT,
)

__all__ = ["KERNEL_OBLIGATIONS", "LABEL_OBLIGATIONS", "OBLIGATIONS"]
