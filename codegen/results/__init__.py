"""Draws: assembled from chains, diagnosed, plotted, written and read as netCDF.

Imports ``codegen.step_size`` and below.
"""
