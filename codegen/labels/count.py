"""``count_labels``: the labels of data with fixed rows of parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from codegen.labels.arguments import checked_data, checked_options, fetched
from codegen.labels.numbers import checked_numbers
from codegen.labels.prepare import label_kernel
from codegen.labels.sweeps import Counted, Workers
from codegen.labels.text import label_module
from codegen.labels.weight import number_of_a_label
from recipe.language.errors import RecipeError
from recipe.latent.labels import DATUM
from recipe.latent.posterior import LabelledPosterior


def count_labels(
    model: LabelledPosterior,
    rows: Any,
    data: Any,
    *,
    params: Mapping[str, Any],
    weights: Any = None,
    sweeps: int,
    burn_in: int | None = None,
    step: int = 0,
    seed: int = 0,
    threads: int = 1,
) -> Counted:
    """Draw the labels of all items of some data with fixed rows of parameters, and count them.

    Args:
        model: the joint law of a datum and its labels.
        rows: the rows, of the shape (labels, columns).
        data: counts, as for ``sample_labels``.
        params: the parameters of the weight of a label, by name.
        weights: the number that each label has beside its row, where labels have one.
        sweeps: Gibbs sweeps, from uniform labels.
        burn_in: how many of these are not counted; by default half.
        step, seed: of the random numbers.
        threads: how many threads work.

    Returns:
        The mean counts by column and label, and the mean factors of the counts of each datum.

    Raises:
        RecipeError: naming the argument or the datum at fault.
    """
    source, theta = checked_data(data), np.array(rows, dtype=np.float64, order="C")
    if theta.ndim != 2 or theta.shape[1] != source.width or not np.isfinite(theta).all():
        raise RecipeError(
            f"rows= has the shape {theta.shape}, and must be finite numbers of the shape (labels,"
            f" {source.width})"
        )
    given: dict[str, Any] = {"labels": len(theta), "steps": 1, "batch_size": None, "sweeps": sweeps}
    given |= {"burn_in": burn_in, "step_size": 1.0, "seed": seed, "chain": 0, "threads": threads}
    options = checked_options(source, given, independent=model.labels.each == DATUM)
    kernel = label_kernel(label_module(model), options, dict(params))
    kernel = kernel.given(_numbers(model, weights, len(theta)))
    everything = fetched(source, np.arange(len(source)))
    with Workers(threads) as workers:
        settings = step, options.sweeps, options.burn_in, workers
        return kernel.count(theta, everything, *settings, with_shares=True)


def _numbers(model: LabelledPosterior, weights: Any, labels: int) -> np.ndarray | None:
    """The numbers that labels have beside their rows."""
    own = number_of_a_label(model)
    if (own is None) != (weights is None):
        what = "no number but their row" if own is None else f"the number {own} beside their row"
        raise RecipeError(f"weights= is one number a label, and labels of the model have {what}")
    return None if own is None else checked_numbers(weights, labels, own, "weights=")
