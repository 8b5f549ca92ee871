"""What a user may write, and how it is read, differentiated and checked: symbols with an index,
abstract functions, sums, noise, numbers.

Imports sympy and numpy alone.
"""
