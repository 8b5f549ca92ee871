"""Draw the pictures of a test of a program."""

from __future__ import annotations

from pathlib import Path

from codegen.results.figures import write_figure
from recipe_cli.render.step_pictures import bias_figure, step_figures
from recipe_cli.render.sweep_pictures import sweep_figures
from recipe_cli.terminal.progress import Progress
from recipe_cli.testing.compare import bias_of
from recipe_cli.testing.program_subject import ComparedProgram
from verify.statistics import Battery


def draw_pictures(compared: ComparedProgram, folder: Path, progress: Progress) -> list[Path]:
    """Draw law.png, quantiles.png and autocorrelation.png, and bias.png of a step; return the
    paths.

    A picture is left out if there is nothing to draw.
    """
    comparisons, seed = compared.test.comparisons, compared.subject.options.seed
    if isinstance(comparisons, Battery):
        progress.show("measuring the bias at some step sizes")
        bias = bias_of(compared.subject, compared.module)
        progress.show("drawing")
        figures = step_figures(comparisons, compared.kernel, seed)
        if bias is not None:
            figures["bias"] = bias_figure(bias)
    else:
        progress.show("drawing")
        figures = sweep_figures(comparisons, compared.kernel, seed)
    return [write_figure(figure, folder / f"{name}.png") for name, figure in figures.items()]
