"""Compile a recipe to a Numba module, and sample with it."""

from codegen.conversion import memory_mapped
from codegen.draws import Divergence, Draws
from codegen.generate import Module, generate
from codegen.readers import read_libsvm, read_table
from codegen.run import sample

__all__ = ["Divergence", "Draws", "Module", "generate", "memory_mapped", "read_libsvm", "read_table", "sample"]
