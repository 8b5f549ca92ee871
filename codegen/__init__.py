"""Compile a recipe to a Numba module, and sample with it."""

from codegen.density import Density
from codegen.draws import Divergence, Draws
from codegen.generate import Module, generate
from codegen.run import sample
from codegen.schedule import Constant, Cyclical, Polynomial

__all__ = ["Constant", "Cyclical", "Density", "Divergence", "Draws", "Module", "Polynomial", "generate", "sample"]
