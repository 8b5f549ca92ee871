"""Comparison of laws: replicas after some sweeps beside exact draws.

Imports ``verify.statistics.step`` and below, and ``verify.discrete.linear``.
"""
