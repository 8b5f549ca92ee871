"""Expressions as arrays of numbers, and the callables and numbers that a test takes.

Imports ``recipe`` alone.
"""
