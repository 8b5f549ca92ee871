"""The density of a posterior and its gradient as compiled functions, and the search for its modes.

Imports ``codegen.inputs`` and below.
"""
