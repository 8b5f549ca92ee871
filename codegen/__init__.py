"""Compile a recipe to a Numba module, and sample with it."""

# ruff: noqa: E402 - Numba reads its settings when it is imported, and this is said in words where they are wrong
import recipe_sampler.one_distribution  # noqa: F401 - it refuses packages that hide ours
from codegen.system.memory import require_to_load
from codegen.system.numba_settings import import_numba

require_to_load(
    "Numba and LLVM", resident=90_000_000, address_space=360_000_000
)  # measured, with two processors
import_numba()

from codegen.bias.prediction import BiasWarning, Prediction
from codegen.files.bag_of_words import read_counts
from codegen.files.convert import memory_mapped
from codegen.files.counts import CountTable
from codegen.files.libsvm import read_libsvm
from codegen.files.tables import read_table
from codegen.generate import generate
from codegen.inputs.density.compiled_posterior import Density
from codegen.inputs.gradients.thread_safe import thread_safe
from codegen.inputs.schedule import Constant, Cyclical, Geometric, Polynomial
from codegen.label_chains import LabelRuns, sample_label_chains
from codegen.labels.count import count_labels
from codegen.labels.fit import Fit
from codegen.labels.numbers import LabelWeights
from codegen.labels.reducers import Completion, Kept
from codegen.labels.sample import LabelRun, sample_labels
from codegen.module import Module
from codegen.results.derived import compute_derived
from codegen.results.diagnostics.diagnosis import Diagnosis
from codegen.results.draws import Divergence, DivergenceWarning, Draws
from codegen.results.of_any_source import diagnose, plot
from codegen.results.of_the_prior import compute_log_prior, sample_prior_predictive
from codegen.results.plots import Plots
from codegen.results.predictions import compute_log_likelihood, sample_posterior_predictive
from codegen.results.read_netcdf import read_draws
from codegen.results.saved_draws import SavedDraws
from codegen.running.one_step import OneStep, one_step
from codegen.sample import sample
from codegen.tuning.law.untunable import UntunableError
from codegen.tuning.tune import tune
from codegen.tuning.tuning import Tuning

__all__ = [
    "BiasWarning",
    "Completion",
    "Constant",
    "CountTable",
    "Cyclical",
    "Density",
    "Diagnosis",
    "Divergence",
    "DivergenceWarning",
    "Draws",
    "Fit",
    "Geometric",
    "Kept",
    "LabelRun",
    "LabelRuns",
    "LabelWeights",
    "Module",
    "OneStep",
    "Plots",
    "Polynomial",
    "Prediction",
    "SavedDraws",
    "Tuning",
    "UntunableError",
    "compute_derived",
    "compute_log_likelihood",
    "compute_log_prior",
    "count_labels",
    "diagnose",
    "generate",
    "memory_mapped",
    "one_step",
    "plot",
    "read_counts",
    "read_draws",
    "read_libsvm",
    "read_table",
    "sample",
    "sample_label_chains",
    "sample_labels",
    "sample_posterior_predictive",
    "sample_prior_predictive",
    "thread_safe",
    "tune",
]


def __dir__() -> list[str]:
    """Return the public names, for completion at a prompt."""
    return sorted(__all__)
