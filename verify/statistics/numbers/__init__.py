"""Expressions as arrays of numbers, and the callables and inputs that a test takes.

Imports ``recipe`` alone.
"""
