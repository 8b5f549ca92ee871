"""The language of expressions: symbols with an index, abstract functions, sums, noise and numbers,
and how they are read, differentiated and checked.

Imports sympy and numpy alone.
"""
