"""Exact proofs and refutations that a Markov kernel in discrete time leaves ``exp(-H)`` invariant:
one file for each kind of part, and ``sweep`` for parts that follow one another.
"""
