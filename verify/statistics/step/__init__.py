"""Tests of the law of one step given the state, through the noise that it must have drawn.

Imports ``verify.statistics.recover`` and ``verify.statistics.null``.
"""
