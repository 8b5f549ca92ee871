"""Draws: assembled from chains, judged, drawn as pictures, written and read as netCDF.

Imports ``codegen.step_size`` and below.
"""
