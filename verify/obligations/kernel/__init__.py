"""Obligations of a Markov kernel in discrete time.

Imports ``verify.kernels`` and below.
"""
