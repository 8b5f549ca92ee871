"""Compile a recipe to a Numba module, and sample with it."""

from codegen.diagnostics import Diagnosis, diagnose, read_draws
from codegen.draws import Divergence, Draws
from codegen.generate import Module, generate
from codegen.plots import plot
from codegen.run import sample

__all__ = ["Diagnosis", "Divergence", "Draws", "Module", "diagnose", "generate", "plot", "read_draws", "sample"]
