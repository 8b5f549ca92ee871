"""What a sampler is tried on where its declaration leaves things open: a law for every abstract
potential, a number for every parameter, exact draws of the law that a kernel keeps.

Imports ``verify.statistics.numbers``, ``verify.discrete.weak_order``, and the engine of ``verify``.
"""
