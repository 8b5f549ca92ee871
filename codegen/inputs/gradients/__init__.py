"""Gradients that a user brings, compiled or in Python, and the gradient of all data at a mode.

Imports ``codegen.inputs.density`` and below.
"""
