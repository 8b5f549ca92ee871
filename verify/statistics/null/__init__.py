"""Null laws of test statistics, significance levels, and the findings of a battery of tests.

Imports ``verify.statistics.numbers``.
"""
