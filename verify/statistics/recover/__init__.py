"""Recovery of the noise that a step must have drawn, from the states before and after it.

Imports ``verify.statistics.numbers``.
"""
