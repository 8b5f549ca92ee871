"""Tests of the law of one step given the state, through the noise that the step must have drawn.

Imports ``verify.statistics.recover`` and ``verify.statistics.null``.
"""
