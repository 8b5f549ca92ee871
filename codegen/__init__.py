"""Compile a recipe to a Numba module, and sample with it."""

from codegen.draws import Divergence, Draws
from codegen.generate import Module, generate
from codegen.run import sample

__all__ = ["Divergence", "Draws", "Module", "generate", "sample"]
