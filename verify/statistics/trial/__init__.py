"""Trials: a value for everything that a declaration leaves open, namely a potential, a number for
every parameter, and exact draws of the law that a kernel keeps.

Imports ``verify.statistics.numbers``, ``verify.discrete.weak_order``, and the engine of ``verify``.
"""
