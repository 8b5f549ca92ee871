"""What all front ends share while a function is traced: arrays of nodes, draws of random numbers,
functions that are given, and the trace that is returned.

Imports ``recipe.lifting.claims`` and ``tree``.
"""
