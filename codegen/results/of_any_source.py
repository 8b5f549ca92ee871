"""``diagnose`` and ``plot``: draws of ours, of a file, or of another sampler."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from codegen.results.diagnosed import Diagnosed
from codegen.results.diagnostics.diagnose import diagnosis_of
from codegen.results.diagnostics.diagnosis import Diagnosis
from codegen.results.figures import folder_for_plots
from codegen.results.plots import plots_of
from codegen.results.posterior_group import posterior_group


def diagnose(data: Any) -> Diagnosis:
    """Diagnose draws: convergence and effective sample size of each coordinate, and warnings.

    A chain that stopped early is left out, as its last draws before the end are not to be trusted.
    After that, the rows have means, deviations and quantiles alone.

    Args:
        data: ``Draws``, the result of ``read_draws``, or draws of another sampler as ArviZ holds
            them: ``arviz.InferenceData`` or ``xarray.DataTree`` with a posterior group.

    Returns:
        The diagnosis; it has no rows where there are fewer than four draws a chain.

    Raises:
        RecipeError: where there is no posterior group, or a variable in it is not numbers by chain
            and draw.

    Example:
        found = diagnose(draws)
        print(found.warnings, found.worst(5))
    """
    return data.summary() if isinstance(data, Diagnosed) else diagnosis_of(posterior_group(data))


def plot(
    data: Any,
    folder: str | Path,
    names: Sequence[str] | None = None,
    *,
    diagnosis: Diagnosis | None = None,
) -> tuple[Path, Path]:
    """Write ``trace.png`` and ``rank.png`` of at most twelve coordinates; files of these names are
    replaced.

    Args:
        data: draws, as for ``diagnose``.
        folder: the folder of the two files; it is made if it does not exist.
        names: blocks or coordinates, such as ``theta`` or ``theta[3]``, to choose from; by default
            all. The coordinates with the largest R-hat are shown, the largest first; where it is
            equal or unknown, those with the fewest effective draws.
        diagnosis: the result of ``diagnose(data)``, if you have it: it takes a while in many
            dimensions.

    Returns:
        The paths of the two files, the trace first.

    Raises:
        RecipeError: where matplotlib is not installed, a name is unknown, there are too few draws,
            or the folder cannot be written.
    """
    path = folder_for_plots(folder)
    found = diagnose(data) if diagnosis is None else diagnosis
    return plots_of(posterior_group(data), found, names).write(path)
