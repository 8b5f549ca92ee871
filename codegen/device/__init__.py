"""Functions that a generated module contains as they stand here: random numbers, elementary
functions, eight coordinates at once.

Imports Numba, and nothing of this project.
"""
