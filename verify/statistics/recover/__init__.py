"""The numbers that a step must have drawn, read off the states before and after it.

Imports ``verify.statistics.numbers``.
"""
