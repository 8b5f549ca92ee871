"""All public names of ``recipe``, ``verify`` and ``codegen`` in one place, and the ``catalog``.

``from recipe_sampler import Recipe, Vector, verify, sample`` works, and ``import recipe_sampler``
alone imports nothing that takes time: a name is imported when it is first used.

Each name has one meaning: ``verify``, ``sample`` and ``generate`` are the functions here; the
packages ``recipe``, ``verify`` and ``codegen`` keep their names, and ``import verify`` is the
package. ``catalog`` is the package of published samplers.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from recipe_sampler.version import __version__ as __version__

NAMES_BY_PACKAGE = {
    "recipe": """
        CannotLiftError Data DecimalWarning Dense Derivation Discretisation Dynamics Field Fold
        FoldSign Kernel LabelledPosterior Labels Lifted Noise NoncentralChiSquared Ordered
        OutsideLanguageError Parameter Posterior Potential Preimage Recipe RecipeError
        Reflection Scalar Simplex Update Vector averaged bind compose corv derive discretise
        discretised div dot flip grad ito lift limit_of maps metropolis mirror outer
        preconditioned refresh repeat spread step total
    """,
    "verify": """
        Report Verdict check_invariance check_kernel check_sweep verify
    """,
    "codegen": """
        BiasWarning Completion Constant CountTable Cyclical Density Diagnosis Divergence
        DivergenceWarning Draws Fit Geometric Kept LabelRun LabelRuns LabelWeights Module
        OneStep Plots Polynomial Prediction SavedDraws Tuning UntunableError
        compute_derived compute_log_likelihood compute_log_prior count_labels diagnose generate
        memory_mapped one_step plot read_counts read_draws
        read_libsvm read_table sample sample_label_chains sample_labels
        sample_posterior_predictive sample_prior_predictive thread_safe tune
    """,
}
HOME = {name: package for package, names in NAMES_BY_PACKAGE.items() for name in names.split()}

__all__ = sorted([*HOME, "catalog"])  # noqa: PLE0605 - the stub has the names for type checkers


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in __all__:
        raise AttributeError(f"module 'recipe_sampler' has no attribute {name!r}")
    from recipe_sampler.one_distribution import require_catalog

    if name == "catalog":
        require_catalog()
        return import_module(name)
    value = getattr(import_module(HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
