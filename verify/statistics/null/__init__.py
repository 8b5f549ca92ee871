"""Laws of test statistics where all is right, levels, and what a battery of tests found.

Imports ``verify.statistics.numbers``.
"""
