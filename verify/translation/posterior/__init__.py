"""The functions of a module that sum over rows of data, beside the posterior.

Imports ``verify.translation.loops`` and below.
"""
