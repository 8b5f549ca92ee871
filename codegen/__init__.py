"""Compile a recipe to a Numba module, and sample with it."""

# ruff: noqa: E402 - Numba reads its settings when it is imported, and this is said in words where they are wrong
from codegen.memory import require_to_load
from codegen.switches import import_numba

require_to_load("Numba and LLVM", resident=90_000_000, address_space=360_000_000)  # measured, with two processors
import_numba()

from codegen.conversion import memory_mapped
from codegen.density import Density
from codegen.diagnostics import Diagnosis, diagnose
from codegen.draws import Divergence, Draws
from codegen.generate import Module, generate
from codegen.one_step import OneStep, one_step
from codegen.plots import plot
from codegen.read_netcdf import read_draws
from codegen.readers import read_libsvm, read_table
from codegen.run import sample
from codegen.schedule import Constant, Cyclical, Polynomial

__all__ = [
    "Constant",
    "Cyclical",
    "Density",
    "Diagnosis",
    "Divergence",
    "Draws",
    "Module",
    "OneStep",
    "Polynomial",
    "diagnose",
    "generate",
    "memory_mapped",
    "one_step",
    "plot",
    "read_draws",
    "read_libsvm",
    "read_table",
    "sample",
]
