"""Exact answers about expressions: is it zero, what sign has it, where is it defined, how does
it grow, is a matrix positive semidefinite.

Imports ``verify.generator``, ``verify.verdict`` and ``verify.evidence``.
"""
